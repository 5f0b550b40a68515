//! Numbers, dates and clock times in a text, and their ranks in a sequence. The same as `training/decision/values.py`.
//!
//! A tokenizer breaks a number into groups of digits, from which a small model does not learn which of two is the
//! greater. So every token of a value also carries its rank among the values of its kind in the question and the window
//! of the state, which has an embedding of its own.

use std::{ops::Range, sync::LazyLock};

use ports::EngineError;
use regex::{Captures, Regex};

use crate::encoder::TokenEmbeddings;

/// The most values of a kind that have a rank of their own. Of more, neighbours share one.
const HELD: usize = 31;

const MONTH: &str = "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?\
                     |nov(?:ember)?|dec(?:ember)?)";
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The forms of a value: the first that fits, at the first place where one does. `MONTH` stands for the names.
const FORMS: [(Form, &str); 8] = [
    // 2026-05-01T12:30:00
    (Form::Date, r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?"),
    // 1.5.2026
    (Form::Dotted, r"(\d\d?)\.(\d\d?)\.(\d{4})"),
    // 1st of May 2026
    (Form::DayMonth, r"(\d\d?)(?:st|nd|rd|th)?\s(?:of\s)?MONTH\b\.?(?:,?\s(\d{4})\b)?"),
    // May 1, 2026
    (Form::MonthDay, r"MONTH\.?\s(\d\d?)(?:st|nd|rd|th)?\b(?:,?\s(\d{4})\b)?"),
    // May 2026
    (Form::MonthYear, r"MONTH\.?,?\s(\d{4})\b"),
    // 12:30, 9:05 am
    (Form::Clock, r"(\d\d?):(\d\d)(?::(\d\d))?(?:\s?([ap])\.?m\b)?"),
    // 9 pm
    (Form::Hour, r"(\d\d?)\s?([ap])\.?m\b"),
    // 1,234.5, 20k, 3 million
    (Form::Number, r"(\d+(?:,\d{3})*(?:\.\d+)?)(?:\s?(k|thousand|million|billion)\b)?"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Date,
    Dotted,
    DayMonth,
    MonthDay,
    MonthYear,
    Clock,
    Hour,
    Number,
}

/// All forms in one pattern.
struct Pattern {
    regex: Regex,
    /// The first group of each form, which every match of the form has.
    firsts: Vec<(Form, usize)>,
}

static PATTERN: LazyLock<Option<Pattern>> = LazyLock::new(|| {
    let forms = FORMS.map(|(form, pattern)| (form, pattern.replace("MONTH", MONTH)));
    let groups = |pattern: &str| pattern.matches('(').count() - pattern.matches("(?").count();
    let firsts = forms.iter().scan(1, |next, (form, pattern)| {
        let first = *next;
        *next += groups(pattern);
        Some((*form, first))
    });
    let firsts = firsts.collect();
    let all = forms.map(|(_, pattern)| pattern).join("|");
    Some(Pattern { regex: Regex::new(&format!("(?i-u){all}")).ok()?, firsts })
});

/// What can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Units are not read.
    Number,
    Clock,
    Date,
    /// A date without a year.
    Day,
}

/// A number, a date or a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    kind: Kind,
    number: f64,
}

/// A text in tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenizedText {
    pub(super) ids: Vec<u32>,
    /// For each token the value that it is part of.
    pub(super) values: Vec<Option<Value>>,
}

impl TokenizedText {
    /// Tokenizes a text, without special tokens.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn of(embeddings: &TokenEmbeddings, text: &str) -> Result<Self, EngineError> {
        let mut spans = values(text).into_iter().peekable();
        if spans.peek().is_none() {
            let ids = embeddings.tokenize(text)?;
            return Ok(Self { values: vec![None; ids.len()], ids });
        }
        let (ids, places) = embeddings.tokenize_with_places(text)?;
        let values = places.into_iter().map(|token| {
            while spans.next_if(|(span, _)| span.end <= token.start).is_some() {}
            spans.peek().filter(|(span, _)| span.start < token.end).map(|(_, value)| *value)
        });
        Ok(Self { values: values.collect(), ids })
    }
}

/// The values of a sequence's question and state, sorted, a list for each kind.
pub(super) struct Scales([Vec<f64>; 4]);

impl Scales {
    pub(super) fn of<'a>(values: impl Iterator<Item = &'a Option<Value>>) -> Self {
        let mut scales: [Vec<f64>; 4] = Default::default();
        for value in values.flatten() {
            scales[value.kind as usize].push(value.number);
        }
        for scale in &mut scales {
            scale.sort_by(f64::total_cmp);
            scale.dedup();
        }
        Self(scales)
    }

    /// The rank of a token's value: 0 without one, even for a value of the question or the state, odd for one of an
    /// option that lies between them.
    pub(super) fn rank(&self, value: Option<Value>) -> u8 {
        let Some(Value { kind, number }) = value else { return 0 };
        let scale = &self.0[kind as usize];
        let at = scale.partition_point(|other| *other < number);
        let equal = scale.get(at) == Some(&number);
        (2 * (at * HELD / scale.len().max(HELD)) + if equal { 2 } else { 1 }) as u8
    }
}

/// Every value of a text with its place, in order. What a letter, a digit or `_` stands right before is part of a name.
fn values(text: &str) -> Vec<(Range<usize>, Value)> {
    let bytes = text.as_bytes();
    let Some(Pattern { regex, firsts }) = PATTERN.as_ref().filter(|_| bytes.iter().any(u8::is_ascii_digit))
    else {
        return Vec::new();
    };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut found = Vec::new();
    for captures in regex.captures_iter(text) {
        let Some(whole) = captures.get(0) else { continue };
        let mut start = whole.start();
        let before = &bytes[..whole.start()];
        if before.last().is_some_and(is_word) {
            continue;
        }
        let Some(mut value) = value(firsts, &captures) else { continue };
        if let (Kind::Number, [rest @ .., b'-']) = (value.kind, before)
            && !rest.last().is_some_and(|byte| is_word(byte) || *byte == b')')
        {
            start -= 1;
            value.number = -value.number;
        }
        found.push((start..whole.end(), value));
    }
    found
}

/// The value of a match.
fn value(firsts: &[(Form, usize)], captures: &Captures<'_>) -> Option<Value> {
    let (form, first) = *firsts.iter().find(|(_, first)| captures.get(*first).is_some())?;
    let text = |n: usize| captures.get(first + n).map(|group| group.as_str());
    let number = |n: usize| text(n).map_or(Some(0.0), |digits| digits.parse().ok());
    let month = |n: usize| {
        let name = text(n)?.get(..3)?.to_ascii_lowercase();
        Some(MONTHS.iter().position(|month| *month == name)? as f64 + 1.0)
    };
    let date = |year: usize, month: f64, day: f64| {
        let kind = if text(year).is_some() { Kind::Date } else { Kind::Day };
        Some(Value { kind, number: number(year)? * 372.0 + month * 31.0 + day })
    };
    let hour = |hour: f64, half: Option<&str>| match half {
        Some(half) => hour % 12.0 + if half.eq_ignore_ascii_case("p") { 12.0 } else { 0.0 },
        None => hour,
    };
    let clock = |hour: f64, minute: f64, second: f64| hour * 3600.0 + minute * 60.0 + second;
    Some(match form {
        Form::Date => {
            let mut value = date(0, number(1)?, number(2)?)?;
            value.number += clock(number(3)?, number(4)?, number(5)?) / 86_400.0;
            value
        }
        Form::Dotted => date(2, number(1)?, number(0)?)?,
        Form::DayMonth => date(2, month(1)?, number(0)?)?,
        Form::MonthDay => date(2, month(0)?, number(1)?)?,
        Form::MonthYear => date(1, month(0)?, 0.0)?,
        Form::Clock => {
            Value { kind: Kind::Clock, number: clock(hour(number(0)?, text(3)), number(1)?, number(2)?) }
        }
        Form::Hour => Value { kind: Kind::Clock, number: clock(hour(number(0)?, text(1)), 0.0, 0.0) },
        Form::Number => {
            let times = text(1).map_or(1.0, |times| match times.to_ascii_lowercase().as_str() {
                "million" => 1e6,
                "billion" => 1e9,
                _ => 1e3,
            });
            let digits: f64 = text(0)?.replace(',', "").parse().ok()?;
            Value { kind: Kind::Number, number: digits * times }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, Kind, f64)> {
        values(text).into_iter().map(|(span, value)| (&text[span], value.kind, value.number)).collect()
    }

    #[test]
    fn numbers_are_read_with_their_signs_and_multiples() {
        let numbers = |text| -> Vec<f64> {
            let found = read(text);
            assert!(found.iter().all(|(_, kind, _)| *kind == Kind::Number), "{found:?}");
            found.into_iter().map(|(_, _, number)| number).collect()
        };
        assert_eq!(
            numbers("1,234.5 of -3, 5-7, 12kg, 20k or 3 Million"),
            [1234.5, -3.0, 5.0, 7.0, 12.0, 20e3, 3e6]
        );
        assert_eq!(numbers("x:-4; (-5) é6"), [-4.0, -5.0, 6.0]);
        assert_eq!(numbers("S12 and A_3 are names"), [0.0; 0]);
        assert_eq!(numbers(&"9".repeat(400)), [f64::INFINITY]);
    }

    #[test]
    fn one_day_is_one_value_however_it_is_written() {
        let day = read("2026-05-01")[0].2;
        for text in ["1.5.2026", "1st of May 2026", "May 1, 2026", "1 may 2026", "May 1st, 2026"] {
            assert_eq!(read(text), [(text, Kind::Date, day)]);
        }
        assert_eq!(read("May 2026"), [("May 2026", Kind::Date, day - 1.0)]);
        assert_eq!(read("2026-05-01T12:00")[0].2, day + 0.5);
        assert_eq!(read("on 3 June")[0].1, Kind::Day);
        assert_eq!(
            read("9 pm, 21:00 and 9:00:00 p.m"),
            ["9 pm", "21:00", "9:00:00 p.m"].map(|t| (t, Kind::Clock, 75_600.0))
        );
    }

    #[test]
    fn ranks_follow_the_order_of_values() {
        let value = |number: f64| Some(Value { kind: Kind::Number, number });
        let scales = Scales::of([value(5.0), None, value(9.0), value(5.0)].iter());
        let ranks = [1.0, 5.0, 7.0, 9.0, 10.0].map(|number| scales.rank(value(number)));
        assert_eq!(ranks, [1, 2, 3, 4, 5]);
        assert_eq!(scales.rank(None), 0);
        let many: Vec<_> = (0..1_000).map(|n| value(f64::from(n))).collect();
        let scales = Scales::of(many.iter());
        let ranks: Vec<u8> = many.iter().map(|v| scales.rank(*v)).collect();
        assert!(ranks.is_sorted() && ranks[0] == 2 && ranks[999] == 62, "{ranks:?}");
        assert_eq!(scales.rank(value(1e9)), 63);
    }
}
