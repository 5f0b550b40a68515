//! Undoes disguises: case, homoglyphs, invisible characters, leetspeak, spaced and repeated letters. Links, mentions
//! and the exact digits of numbers are left out, so that no model can learn that a link alone is a crime.
//! Keeps, for every word, where it stood in the original.

use domain::moderation::links::Link;

use super::features::word_hash;

/// A message as the model reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Normalized {
    /// The words, one space apart.
    pub text: String,
    /// Each word of `text`, in order.
    pub words: Vec<Word>,
    /// Where links stood, before which word or at `words.len()`, and a hash of each one's host.
    pub links: Vec<(usize, u64)>,
    /// Whether it named an e-mail address.
    pub email: bool,
    /// Words of at least three letters, all of them capitals.
    pub capital_words: usize,
    /// Whether most of at least eight letters were capitals.
    pub shouted: bool,
}

/// One word. `start..end` are bytes of [`Normalized::text`], `from..to` bytes of the original content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it begins in the normalised text.
    pub start: usize,
    /// Where it ends in the normalised text.
    pub end: usize,
    /// Where it begins in the original.
    pub from: usize,
    /// Where it ends in the original.
    pub to: usize,
}

impl Normalized {
    /// The letters of a word.
    pub fn word(&self, word: &Word) -> &str {
        &self.text[word.start..word.end]
    }
}

/// Reads a message, leaving out its links. Time is linear in its length.
pub fn normalize(content: &str, links: &[Link]) -> Normalized {
    let raw = Reader::new(content, links).read();
    let mut out = Normalized {
        shouted: raw.capitals >= 8 && raw.capitals * 10 >= raw.letters * 7,
        ..Default::default()
    };
    out.text.reserve(content.len());
    let mut scratch = String::new();
    let mut at = 0;
    let mut links = raw.links.iter().peekable();
    while at < raw.words.len() {
        while let Some((_, host)) = links.next_if(|(before, _)| *before <= at) {
            out.links.push((out.words.len(), *host));
        }
        let run = spelled_out(&raw, at);
        let last = &raw.words[at + run.max(1) - 1];
        scratch.clear();
        for word in &raw.words[at..at + run.max(1)] {
            scratch.push_str(&raw.text[word.start..word.end]);
        }
        push_word(&mut out, &scratch, raw.words[at].from, last.to);
        at += run.max(1);
    }
    let end = out.words.len();
    out.links.extend(links.map(|(_, host)| (end, *host)));
    out
}

/// Words as they were cut, before leetspeak and spelling-out are undone.
#[derive(Default)]
struct Raw {
    text: String,
    words: Vec<Word>,
    /// Separators in front of each word, counted up to 255.
    gaps: Vec<u8>,
    /// Before which word each link stood, and a hash of its host.
    links: Vec<(usize, u64)>,
    letters: usize,
    capitals: usize,
    capital_words: usize,
}

struct Reader<'a> {
    content: &'a str,
    links: &'a [Link],
    raw: Raw,
    start: usize,
    from: usize,
    to: usize,
    gap: u8,
    /// Capitals of the word being read; nothing once it has shown another letter.
    capitals: Option<u32>,
}

impl<'a> Reader<'a> {
    fn new(content: &'a str, links: &'a [Link]) -> Self {
        Self { content, links, raw: Raw::default(), start: 0, from: 0, to: 0, gap: 0, capitals: Some(0) }
    }

    fn read(mut self) -> Raw {
        let mut at = 0;
        let mut links = self.links.iter().peekable();
        while let Some(char) = self.content[at..].chars().next() {
            while links.next_if(|link| link.end <= at).is_some() {}
            if let Some(link) = links.peek().filter(|link| link.start <= at) {
                at = link.end;
                self.cut();
                if !link.email {
                    self.raw.links.push((self.raw.words.len(), word_hash(&link.host)));
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
            self.raw.letters += usize::from(char.is_alphabetic());
            self.raw.capitals += usize::from(char.is_uppercase());
            if char.is_alphabetic() {
                self.capitals = self.capitals.filter(|_| char.is_uppercase()).map(|count| count + 1);
            }
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
            at = next;
        }
        self.cut();
        self.raw
    }

    /// The length of a mention or a chat client's `<...>` markup that begins here, or 0.
    fn markup(&self, at: usize, char: char) -> usize {
        let rest = &self.content.as_bytes()[at..];
        match char {
            '<' if matches!(rest.get(1), Some(b'@' | b'#' | b':' | b'a' | b'/')) => {
                let length = rest.iter().take(64).take_while(|byte| !matches!(byte, b'>' | b' ')).count();
                let closed = rest.get(length) == Some(&b'>');
                if closed && rest[..length].iter().any(|byte| matches!(byte, b'0'..=b'9')) {
                    length + 1
                } else {
                    0
                }
            }
            '@' if self.start == self.raw.text.len() => {
                let name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'.');
                let length = rest[1..].iter().take_while(name).count();
                let disguise = rest[1..].starts_with(b"ss") || rest[1..].starts_with(b"SS");
                if length > 0 && !disguise { length + 1 } else { 0 }
            }
            _ => 0,
        }
    }

    fn push(&mut self, char: char, at: usize, next: usize) {
        let inside = self.raw.text.len() > self.start;
        let ahead = self.content[next..].chars().next().unwrap_or(' ');
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
        self.gap = self.gap.saturating_add(1);
        if matches!(char, '!' | '?' | '€' | '$') || !char.is_ascii() && !char.is_whitespace() {
            self.from = at;
            self.to = next;
            self.raw.text.push(char);
            self.cut();
        }
    }

    fn cut(&mut self) {
        let end = self.raw.text.len();
        let capitals = self.capitals.replace(0);
        if end == self.start {
            return;
        }
        let word = &self.raw.text[self.start..];
        if word == "http" || word == "https" {
            self.raw.text.truncate(self.start);
            return;
        }
        self.raw.words.push(Word { start: self.start, end, from: self.from, to: self.to });
        self.raw.gaps.push(self.gap);
        self.raw.capital_words += usize::from(capitals.is_some_and(|count| count >= 3));
        self.start = end;
        self.gap = 0;
    }
}

/// Characters that show nothing: soft hyphen, zero-width and direction marks, variation selectors, tags.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}')
}

/// How many single letters from `at` on spell a word out (`f r e e`, `k.y.s`): at least three, evenly spaced; else 0.
fn spelled_out(raw: &Raw, at: usize) -> usize {
    let single = |word: &Word| {
        let mut chars = raw.text[word.start..word.end].chars();
        matches!((chars.next(), chars.next()), (Some(char), None) if char.is_alphanumeric())
    };
    let Some(&gap) = raw.gaps.get(at + 1).filter(|gap| **gap <= 3) else { return 0 };
    if !single(&raw.words[at]) {
        return 0;
    }
    let more = (at + 1..raw.words.len()).take_while(|&i| raw.gaps[i] == gap && single(&raw.words[i])).count();
    let run = more + 1;
    let letters = raw.words[at..at + run]
        .iter()
        .filter(|word| raw.text[word.start..word.end].chars().all(char::is_alphabetic))
        .count();
    if run >= 3 && letters * 2 > run { run } else { 0 }
}

fn push_word(out: &mut Normalized, raw: &str, from: usize, to: usize) {
    let space = usize::from(!out.text.is_empty());
    if space > 0 {
        out.text.push(' ');
    }
    let start = out.text.len();
    let leet = is_leet(raw);
    let number = raw.bytes().all(|byte| byte.is_ascii_digit());
    let letter = |char| match char {
        _ if number => '0',
        _ if leet => unleet(char),
        _ => char,
    };
    let mut chars = raw.chars().map(letter).peekable();
    while let Some(char) = chars.next() {
        let mut run = 1;
        while chars.next_if_eq(&char).is_some() {
            run += 1;
        }
        // `soooo` is `so`, but `free` and `boss` are themselves; a number keeps its length up to six digits.
        let kept = if number {
            run.min(6)
        } else if run > 2 {
            1
        } else {
            run
        };
        out.text.extend(std::iter::repeat_n(char, kept));
    }
    if out.text.len() - start > 3 && out.text.ends_with('*') {
        out.text.truncate(out.text.trim_end_matches('*').len().max(start + 1));
    }
    out.words.push(Word { start, end: out.text.len(), from, to });
}

/// Whether digits and signs in a word stand for letters. `2nd`, `10k`, `win10`, `v2` and plain numbers do not count.
fn is_leet(word: &str) -> bool {
    if word.len() < 3 || !word.bytes().any(|byte| b"01345789@$!|".contains(&byte)) {
        return false;
    }
    let letters = word.chars().filter(|char| char.is_alphabetic()).count();
    let digits_first = word.bytes().take_while(u8::is_ascii_digit).count();
    let tail = word.len() - word.trim_end_matches(|char: char| char.is_ascii_digit()).len();
    let tail_is_letters = word[word.len() - tail..].bytes().all(|byte| b"035".contains(&byte));
    let mixed = word.len() >= 5 && word[digits_first..].bytes().any(|byte| byte.is_ascii_digit());
    letters > 0
        && (digits_first == 0 || digits_first == 1 && (letters >= 3 || mixed))
        && (tail < 2 || tail_is_letters)
        && word.len() - letters <= letters + 2
}

fn unleet(char: char) -> char {
    match char {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::moderation::links;

    fn text(content: &str) -> String {
        normalize(content, &links::find(content)).text
    }

    #[test]
    fn undoes_disguises() {
        for (content, expected) in [
            ("Hello, World", "hello world"),
            ("f r e e  n i t r o", "free nitro"),
            ("f.r.e.e", "free"),
            ("ｆｒｅｅ ｎｉｔｒｏ", "free nitro"),
            ("fr\u{200b}ee n1tr0", "free nitro"),
            ("𝐟𝐫𝐞𝐞 nіtrо", "free nitro"),
            ("k1ll y0ur$elf @sshole 1d10t", "kill yourself asshole idiot"),
            ("sooooo gooodd!!!!", "so godd ! ! ! !"),
            ("f*ck **bold** f***", "f*ck bold f*"),
            ("don't won’t", "dont wont"),
            ("win10 2nd 10k 1.2.3 v2", "win10 2nd 10k 0 0 0 v2"),
            ("I paid $1000", "i paid $ 0000"),
            ("@bob <@!123456> hi <:kek:123> https://evil.com/x ok", "hi ok"),
        ] {
            assert_eq!(text(content), expected, "{content}");
        }
    }

    #[test]
    fn words_point_into_the_original() {
        let content = "été f r e e  ｎｉｔｒｏ";
        let read = normalize(content, &[]);
        let spans: Vec<&str> = read.words.iter().map(|word| &content[word.from..word.to]).collect();
        assert_eq!(spans, ["été", "f r e e", "ｎｉｔｒｏ"]);
        assert_eq!(read.word(&read.words[2]), "nitro");
    }

    proptest::proptest! {
        #[test]
        fn spans_are_valid_whatever_the_text(content in ".{0,200}") {
            let read = normalize(&content, &links::find(&content));
            let mut last = 0;
            for word in &read.words {
                proptest::prop_assert!(content.get(word.from..word.to).is_some());
                proptest::prop_assert!(word.from >= last && !read.word(word).is_empty());
                last = word.from;
            }
        }
    }
}
