//! Splits a message into words: undoes case, homoglyphs and invisible characters, and skips links, mentions and
//! markup. Leetspeak, spelt-out words and repeated letters are left to `normalize`, which needs whole words for them.

use ports::text::{is_invisible, links::Link};

use super::{
    features::word_hash,
    words::{LinkPosition, Word},
};

/// A message's words before `normalize`.
#[derive(Default)]
pub(super) struct RawWords {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    /// The number of separators before each word, up to 255.
    pub(super) gaps: Vec<u8>,
    pub(super) links: Vec<LinkPosition>,
}

impl RawWords {
    /// The text of word number `n`.
    pub(super) fn word(&self, n: usize) -> &str {
        &self.text[self.words[n].start..self.words[n].end]
    }
}

pub(super) struct WordReader<'a> {
    content: &'a str,
    links: &'a [Link],
    raw: RawWords,
    start: usize,
    from: usize,
    to: usize,
    gap: u8,
    /// Letters of the current word, and capitals among them.
    letters: u32,
    capitals: u32,
}

impl<'a> WordReader<'a> {
    pub(super) fn new(content: &'a str, links: &'a [Link]) -> Self {
        Self {
            content,
            links,
            raw: RawWords::default(),
            start: 0,
            from: 0,
            to: 0,
            gap: 0,
            letters: 0,
            capitals: 0,
        }
    }

    pub(super) fn read(mut self) -> RawWords {
        let mut at = 0;
        let mut links = self.links.iter().peekable();
        while let Some(char) = self.content[at..].chars().next() {
            while links.next_if(|link| link.end <= at).is_some() {}
            if let Some(link) = links.peek().filter(|link| link.start <= at) {
                at = link.end;
                self.cut();
                if !link.email {
                    let position = LinkPosition { before: self.raw.words.len(), host: word_hash(&link.host) };
                    self.raw.links.push(position);
                }
                self.gap = u8::MAX;
                continue;
            }
            let skipped = self.markup(at, char);
            if skipped > 0 {
                self.cut();
                self.gap = u8::MAX;
                at += skipped;
                continue;
            }
            let next = at + char.len_utf8();
            if is_invisible(char) {
                at = next;
                continue;
            }
            self.letters += u32::from(char.is_alphabetic());
            self.capitals += u32::from(char.is_uppercase());
            self.push_plain(char, at, next);
            at = next;
        }
        self.cut();
        self.raw
    }

    /// Pushes a character in lower case and without disguise.
    fn push_plain(&mut self, char: char, at: usize, next: usize) {
        if char.is_ascii() {
            self.push(char.to_ascii_lowercase(), at, next);
        } else if char.is_whitespace() {
            self.push(' ', at, next);
        } else if matches!(char, '€' | '£' | '¥' | '₿') {
            self.push('€', at, next);
        } else {
            match decancer::cure_char(char, decancer::Options::default()) {
                decancer::Translation::Character(cured) => self.push(cured, at, next),
                decancer::Translation::String(cured) => {
                    cured.chars().for_each(|cured| self.push(cured, at, next));
                }
                decancer::Translation::None => {}
            }
        }
    }

    /// The length of the mention or of a chat client's `<...>` markup that begins here, or 0.
    fn markup(&self, at: usize, char: char) -> usize {
        if char == '@' && self.start == self.raw.text.len() {
            return name_len(&self.content[at..]);
        }
        let rest = &self.content.as_bytes()[at..];
        match char {
            '<' if matches!(rest.get(1), Some(b'@' | b'#' | b':' | b'a' | b'/')) => {
                let length = rest.iter().take(64).take_while(|byte| !matches!(byte, b'>' | b' ')).count();
                let closed = rest.get(length) == Some(&b'>');
                if closed && rest[..length].iter().any(u8::is_ascii_digit) { length + 1 } else { 0 }
            }
            _ => 0,
        }
    }

    fn push(&mut self, char: char, at: usize, next: usize) {
        let inside = self.raw.text.len() > self.start;
        let ahead = self.content[next..].chars().find(|char| !is_invisible(*char)).unwrap_or(' ');
        let keep = match char {
            '\'' | '\u{2019}' | '`' if inside => return,
            '*' => inside && (ahead.is_alphanumeric() || ahead == '*' || self.raw.text.ends_with('*')),
            '$' => ahead.is_alphabetic() || ahead == '$' || inside,
            '@' | '!' | '|' => inside && ahead.is_alphabetic(),
            _ => char.is_alphanumeric(),
        };
        if keep || char == '@' && !inside && ahead.eq_ignore_ascii_case(&'s') {
            if !inside {
                self.from = at;
            }
            self.to = next;
            self.raw.text.push(char);
            return;
        }
        self.cut();
        // A line break counts twice, so that letters spelt out on two lines are not one word.
        self.gap = self.gap.saturating_add(if char == '\n' { 2 } else { 1 });
        if matches!(char, '!' | '?' | '€' | '$') || !char.is_ascii() && !char.is_whitespace() {
            self.from = at;
            self.to = next;
            self.raw.text.push(char);
            self.cut();
        }
    }

    fn cut(&mut self) {
        let end = self.raw.text.len();
        let letters = std::mem::take(&mut self.letters);
        let capitals = std::mem::take(&mut self.capitals);
        if end == self.start {
            return;
        }
        let word = &self.raw.text[self.start..];
        if word == "http" || word == "https" {
            self.raw.text.truncate(self.start);
            return;
        }
        self.raw.words.push(Word {
            start: self.start,
            end,
            from: self.from,
            to: self.to,
            letters,
            capitals,
            loud: capitals >= 3 && capitals == letters,
        });
        self.raw.gaps.push(self.gap);
        self.start = end;
        self.gap = 0;
    }
}

/// The length of a mention such as `@name`, invisible characters included, or 0: `@ss` is a disguise.
fn name_len(text: &str) -> usize {
    let chars = text.char_indices().skip(1).take_while(|(_, char)| is_in_name(*char));
    let visible = chars.filter(|(_, char)| !is_invisible(*char));
    let first_two = visible.clone().take(2);
    let is_disguise = first_two.filter(|(_, char)| char.eq_ignore_ascii_case(&'s')).count() == 2;
    let end = visible.last().map_or(0, |(at, char)| at + char.len_utf8());
    if is_disguise { 0 } else { end }
}

fn is_in_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '#' | '.') || is_invisible(char)
}
