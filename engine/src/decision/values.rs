//! Numbers, dates and clock times in a text, and their ranks in a sequence. The same as `training/decision/values.py`.
//!
//! A tokenizer splits a number into groups of digits, from which a small model does not learn to compare numbers. So
//! every token of a value also has the value's rank among the values of its kind in the question and the window of the
//! state, which has an embedding of its own.

use std::{ops::Range, sync::LazyLock};

use ports::EngineError;
use regex::{Captures, Regex};

use crate::encoder::TokenEmbeddings;

/// The most values of a kind that each have a rank of their own. If there are more, neighbours share one.
const HELD: usize = 31;

const MONTH: &str = "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?\
                     |aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The forms of a value. The first that matches at a position counts. `MONTH` stands for the months' names.
const FORMS: [(ValueForm, &str); 8] = [
    // 2026-05-01T12:30:00
    (ValueForm::Date, r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?"),
    // 1.5.2026
    (ValueForm::Dotted, r"(\d\d?)\.(\d\d?)\.(\d{4})"),
    // 1st of May 2026
    (ValueForm::DayMonth, r"(\d\d?)(?:st|nd|rd|th)?\s(?:of\s)?MONTH\b\.?(?:,?\s(\d{4})\b)?"),
    // May 1, 2026
    (ValueForm::MonthDay, r"MONTH\.?\s(\d\d?)(?:st|nd|rd|th)?\b(?:,?\s(\d{4})\b)?"),
    // May 2026
    (ValueForm::MonthYear, r"MONTH\.?,?\s(\d{4})\b"),
    // 12:30, 9:05 am
    (ValueForm::Clock, r"(\d\d?):(\d\d)(?::(\d\d))?(?:\s?([ap])\.?m\b)?"),
    // 9 pm
    (ValueForm::Hour, r"(\d\d?)\s?([ap])\.?m\b"),
    // 1,234.5, 20k, 3 million
    (ValueForm::Number, r"(\d+(?:,\d{3})*(?:\.\d+)?)(?:\s?(k|thousand|million|billion)\b)?"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForm {
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
struct ValuePattern {
    regex: Regex,
    /// The first group of each form, which every match of the form has.
    firsts: Vec<(ValueForm, usize)>,
}

static PATTERN: LazyLock<Option<ValuePattern>> = LazyLock::new(|| {
    let forms = FORMS.map(|(form, pattern)| (form, pattern.replace("MONTH", MONTH)));
    let mut firsts = Vec::with_capacity(forms.len());
    let mut next = 1;
    for (form, pattern) in &forms {
        firsts.push((*form, next));
        next += count_groups(pattern);
    }
    let all = forms.map(|(_, pattern)| pattern).join("|");
    Some(ValuePattern { regex: Regex::new(&format!("(?i-u){all}")).ok()?, firsts })
});

/// The number of capturing groups of a pattern.
fn count_groups(pattern: &str) -> usize {
    pattern.matches('(').count() - pattern.matches("(?").count()
}

/// A kind of values, which can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// Units are ignored.
    Number,
    Clock,
    Date,
    /// A date without a year.
    Day,
}

/// A number, a date or a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextValue {
    kind: ValueKind,
    number: f64,
}

/// A text in tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenizedText {
    pub(super) ids: Vec<u32>,
    /// For each token the value that it is part of.
    pub(super) values: Vec<Option<TextValue>>,
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
        let (ids, tokens) = embeddings.tokenize_with_spans(text)?;
        let values = tokens.into_iter().map(|token| {
            while spans.next_if(|(span, _)| span.end <= token.start).is_some() {}
            spans.peek().filter(|(span, _)| span.start < token.end).map(|(_, value)| *value)
        });
        Ok(Self { values: values.collect(), ids })
    }
}

/// The values of a sequence's question and state, sorted, a list for each kind.
pub(super) struct Scales([Vec<f64>; 4]);

impl Scales {
    pub(super) fn of<'a>(values: impl Iterator<Item = &'a Option<TextValue>>) -> Self {
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

    /// The rank of a token's value: 0 without a value, even for a value of the question or the state, odd for a value
    /// of an option that lies between two of them.
    pub(super) fn rank(&self, value: Option<TextValue>) -> u8 {
        let Some(TextValue { kind, number }) = value else { return 0 };
        let scale = &self.0[kind as usize];
        let at = scale.partition_point(|other| *other < number);
        let equal = scale.get(at) == Some(&number);
        (2 * (at * HELD / scale.len().max(HELD)) + if equal { 2 } else { 1 }) as u8
    }
}

/// Every value of a text with its span, in order. A match right after a letter, a digit or `_` is part of a name and
/// does not count.
fn values(text: &str) -> Vec<(Range<usize>, TextValue)> {
    let bytes = text.as_bytes();
    let pattern = PATTERN.as_ref().filter(|_| bytes.iter().any(u8::is_ascii_digit));
    let Some(ValuePattern { regex, firsts }) = pattern else { return Vec::new() };
    let mut found = Vec::new();
    for captures in regex.captures_iter(text) {
        let Some(whole) = captures.get(0) else { continue };
        let mut start = whole.start();
        let before = &bytes[..whole.start()];
        if before.last().is_some_and(is_word) {
            continue;
        }
        let Some(mut value) = ValueMatch::of(firsts, &captures).and_then(|found| found.value()) else {
            continue;
        };
        if let (ValueKind::Number, [rest @ .., b'-']) = (value.kind, before)
            && !rest.last().is_some_and(|byte| is_word(byte) || *byte == b')')
        {
            start -= 1;
            value.number = -value.number;
        }
        found.push((start..whole.end(), value));
    }
    found
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// A match of one of the forms.
struct ValueMatch<'a> {
    form: ValueForm,
    /// The number of its first group.
    first: usize,
    captures: &'a Captures<'a>,
}

impl<'a> ValueMatch<'a> {
    fn of(firsts: &[(ValueForm, usize)], captures: &'a Captures<'a>) -> Option<Self> {
        let (form, first) = *firsts.iter().find(|(_, first)| captures.get(*first).is_some())?;
        Some(Self { form, first, captures })
    }

    fn value(&self) -> Option<TextValue> {
        Some(match self.form {
            ValueForm::Date => {
                let mut value = self.date(0, self.number(1)?, self.number(2)?)?;
                let time = seconds(self.number(3)?, self.number(4)?, self.number(5)?);
                value.number += time / 86_400.0;
                value
            }
            ValueForm::Dotted => self.date(2, self.number(1)?, self.number(0)?)?,
            ValueForm::DayMonth => self.date(2, self.month(1)?, self.number(0)?)?,
            ValueForm::MonthDay => self.date(2, self.month(0)?, self.number(1)?)?,
            ValueForm::MonthYear => self.date(1, self.month(0)?, 0.0)?,
            ValueForm::Clock => {
                let hour = hour_of_day(self.number(0)?, self.text(3));
                clock(seconds(hour, self.number(1)?, self.number(2)?))
            }
            ValueForm::Hour => clock(seconds(hour_of_day(self.number(0)?, self.text(1)), 0.0, 0.0)),
            ValueForm::Number => {
                let digits: f64 = self.text(0)?.replace(',', "").parse().ok()?;
                let times = self.text(1).map_or(1.0, multiple);
                TextValue { kind: ValueKind::Number, number: digits * times }
            }
        })
    }

    /// The text of group `n` of the form, counted from 0.
    fn text(&self, n: usize) -> Option<&'a str> {
        self.captures.get(self.first + n).map(|group| group.as_str())
    }

    /// The number of a group; 0 for a group that is absent.
    fn number(&self, n: usize) -> Option<f64> {
        self.text(n).map_or(Some(0.0), |digits| digits.parse().ok())
    }

    fn month(&self, n: usize) -> Option<f64> {
        let name = self.text(n)?.get(..3)?.to_ascii_lowercase();
        Some(MONTHS.iter().position(|month| *month == name)? as f64 + 1.0)
    }

    /// A date whose year is in group `year`, if it has one.
    fn date(&self, year: usize, month: f64, day: f64) -> Option<TextValue> {
        let kind = if self.text(year).is_some() { ValueKind::Date } else { ValueKind::Day };
        Some(TextValue { kind, number: self.number(year)? * 372.0 + month * 31.0 + day })
    }
}

fn clock(seconds: f64) -> TextValue {
    TextValue { kind: ValueKind::Clock, number: seconds }
}

fn seconds(hour: f64, minute: f64, second: f64) -> f64 {
    hour * 3600.0 + minute * 60.0 + second
}

/// The hour on a clock of 24 hours. `half` is `a` or `p` on a clock of 12.
fn hour_of_day(hour: f64, half: Option<&str>) -> f64 {
    match half {
        Some(half) => hour % 12.0 + if half.eq_ignore_ascii_case("p") { 12.0 } else { 0.0 },
        None => hour,
    }
}

/// The factor that a word such as `million` stands for.
fn multiple(word: &str) -> f64 {
    match word.to_ascii_lowercase().as_str() {
        "million" => 1e6,
        "billion" => 1e9,
        _ => 1e3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, ValueKind, f64)> {
        values(text).into_iter().map(|(span, value)| (&text[span], value.kind, value.number)).collect()
    }

    fn numbers(text: &str) -> Vec<f64> {
        let found = read(text);
        assert!(found.iter().all(|(_, kind, _)| *kind == ValueKind::Number), "{found:?}");
        found.into_iter().map(|(_, _, number)| number).collect()
    }

    fn number(number: f64) -> Option<TextValue> {
        Some(TextValue { kind: ValueKind::Number, number })
    }

    #[test]
    fn numbers_are_read_with_their_signs_and_multiples() {
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
            assert_eq!(read(text), [(text, ValueKind::Date, day)]);
        }
        assert_eq!(read("May 2026"), [("May 2026", ValueKind::Date, day - 1.0)]);
        assert_eq!(read("2026-05-01T12:00")[0].2, day + 0.5);
        assert_eq!(read("on 3 June")[0].1, ValueKind::Day);
        assert_eq!(
            read("9 pm, 21:00 and 9:00:00 p.m"),
            ["9 pm", "21:00", "9:00:00 p.m"].map(|t| (t, ValueKind::Clock, 75_600.0))
        );
    }

    #[test]
    fn ranks_follow_the_order_of_values() {
        let scales = Scales::of([number(5.0), None, number(9.0), number(5.0)].iter());
        let ranks = [1.0, 5.0, 7.0, 9.0, 10.0].map(|value| scales.rank(number(value)));
        assert_eq!(ranks, [1, 2, 3, 4, 5]);
        assert_eq!(scales.rank(None), 0);
        let many: Vec<_> = (0..1_000).map(|n| number(f64::from(n))).collect();
        let scales = Scales::of(many.iter());
        let ranks: Vec<u8> = many.iter().map(|v| scales.rank(*v)).collect();
        assert!(ranks.is_sorted() && ranks[0] == 2 && ranks[999] == 62, "{ranks:?}");
        assert_eq!(scales.rank(number(1e9)), 63);
    }
}
