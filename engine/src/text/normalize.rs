//! Undoes disguises: case, homoglyphs, invisible characters, leetspeak, spaced and repeated letters. Links, mentions
//! and the exact digits of numbers are left out, so that no model can learn that a link alone is a crime.
//! Keeps, for every word, where it stood in the original.

use domain::moderation::links::Link;

use super::reader::{Raw, Reader};

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

/// Letters of a spelt-out stretch, at most; the rest is another stretch.
const MAX_SPELLED_LETTERS: usize = 64;

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
    let more = (at + 1..raw.words.len().min(at + MAX_SPELLED_LETTERS))
        .take_while(|&i| raw.gaps[i] == gap && single(&raw.words[i]))
        .count();
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
