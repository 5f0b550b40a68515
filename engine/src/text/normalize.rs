//! Undoes disguises: case, homoglyphs, invisible characters, markup, leetspeak, spaced and repeated letters, words that
//! are written together or apart. Links, mentions and the exact digits of numbers are left out, so that no model learns
//! to flag a link as such. Every word keeps its span in the original.

use ports::text::links::Link;

use super::{
    lexicon::Vocabulary,
    word_forms::{end_digits, is_counted, push_plain, readings},
    word_reader::{Gap, RawWords, WordReader},
    words::{LinkPosition, Normalized, Word},
};

/// Normalises a message without its links, in time linear in its length.
pub fn normalize(content: &str, links: &[Link]) -> Normalized {
    let raw = WordReader::new(content, links).read();
    let mut writer = NormalWriter { vocabulary: Vocabulary::shared(), out: Normalized::default() };
    writer.out.text.reserve(content.len());
    let mut scratch = String::new();
    let mut at = 0;
    let mut links = raw.links.iter().peekable();
    while at < raw.words.len() {
        while let Some(link) = links.next_if(|link| link.before <= at) {
            writer.out.links.push(LinkPosition { before: writer.out.words.len(), host: link.host });
        }
        let spelled = spelled_out(&raw, at);
        let run = if spelled > 0 { spelled } else { writer.joined(&raw, at).max(1) };
        let words = &raw.words[at..at + run];
        scratch.clear();
        for word in words {
            scratch.push_str(&raw.text[word.start..word.end]);
        }
        writer.push(&scratch, words, spelled > 0);
        at += run;
    }
    let mut out = writer.out;
    let end = out.words.len();
    out.links.extend(links.map(|link| LinkPosition { before: end, host: link.host }));
    out
}

/// The most letters of a spelt-out word; further ones begin another word.
const MAX_SPELLED_LETTERS: usize = 64;
/// The most pieces of a word with separators in it, and its most bytes.
const MAX_PIECES: usize = 6;
const MAX_JOINED_BYTES: usize = 40;

/// The number of single letters from `at` on that spell a word out (`f r e e`, `k.y.s`): at least three, evenly
/// spaced; otherwise 0.
fn spelled_out(raw: &RawWords, at: usize) -> usize {
    let Some(gap) = raw.gaps.get(at + 1).filter(|gap| gap.length <= 3) else { return 0 };
    if !is_single(raw.word(at)) {
        return 0;
    }
    let more = (at + 1..raw.words.len().min(at + MAX_SPELLED_LETTERS))
        .take_while(|&i| raw.gaps[i] == *gap && is_single(raw.word(i)))
        .count();
    let run = more + 1;
    let letters = (at..at + run).filter(|&i| raw.word(i).chars().all(char::is_alphabetic)).count();
    if run >= 3 && letters * 2 > run { run } else { 0 }
}

/// Whether a word is a single letter or digit.
fn is_single(word: &str) -> bool {
    let mut chars = word.chars();
    matches!((chars.next(), chars.next()), (Some(char), None) if char.is_alphanumeric())
}

/// Writes the words of a normalised message.
struct NormalWriter {
    vocabulary: &'static Vocabulary,
    out: Normalized,
}

impl NormalWriter {
    /// The number of words from `at` on that are one word with signs in it: a known one, such as `fu-ck`, one of pieces
    /// that are no words, or a known one with a single letter apart, such as `f uck`; otherwise 0.
    fn joined(&self, raw: &RawWords, at: usize) -> usize {
        let mut joined = raw.word(at).to_owned();
        let mut strange = !self.vocabulary.is_word(&joined);
        let mut found = 0;
        for next in at + 1..raw.words.len().min(at + MAX_PIECES) {
            let Gap { length, spaced, punctuated } = raw.gaps[next];
            let apart = spaced && (next > at + 1 || !is_apart(raw.word(at), raw.word(next)));
            let is_sign = !raw.word(next).starts_with(char::is_alphanumeric);
            if length != 1 || apart || is_sign || joined.len() > MAX_JOINED_BYTES {
                break;
            }
            joined.push_str(raw.word(next));
            strange &= !spaced && !punctuated && !self.vocabulary.is_word(raw.word(next));
            let known = match spaced {
                true => self.vocabulary.knows(&joined),
                false => self.vocabulary.is_word(&joined) || self.known_reading(&joined).is_some(),
            };
            if known || strange && is_letters(&joined) {
                found = next + 1 - at;
            }
        }
        found
    }

    /// What a word stands for, where that is a known word and not the word itself.
    fn known_reading(&self, raw: &str) -> Option<String> {
        if !raw.contains(char::is_alphabetic) || self.vocabulary.is_word(raw) || is_counted(raw) {
            return None;
        }
        if raw.contains('*') {
            return self.vocabulary.uncensored(raw).map(str::to_owned).or_else(|| {
                let letters = raw.replace('*', "");
                self.vocabulary.knows(&letters).then_some(letters)
            });
        }
        let all = readings(raw);
        let known = all.iter().find(|reading| self.vocabulary.knows(reading));
        known.or_else(|| self.vocabulary.commonest(&all)).cloned()
    }

    /// Adds a word of the message, or the words that are written together in it.
    fn push(&mut self, raw: &str, words: &[Word], spelled_out: bool) {
        if let Some(known) = self.known_reading(raw) {
            self.push_word(words, |text| text.push_str(&known));
            return;
        }
        let mut plain = String::with_capacity(raw.len());
        if self.vocabulary.knows(raw) {
            plain.push_str(raw);
        } else {
            push_plain(&mut plain, &raw[..raw.len() - end_digits(raw)]);
        }
        let vocabulary = self.vocabulary;
        match vocabulary.split(&plain, spelled_out) {
            Some(pieces) => {
                pieces.into_iter().for_each(|piece| self.push_word(words, |text| text.push_str(piece)))
            }
            None => self.push_word(words, |text| text.push_str(&plain)),
        }
    }

    fn push_word(&mut self, words: &[Word], write: impl FnOnce(&mut String)) {
        let out = &mut self.out;
        if !out.text.is_empty() {
            out.text.push(' ');
        }
        let start = out.text.len();
        write(&mut out.text);
        if out.text.len() - start > 3 && out.text.ends_with('*') {
            out.text.truncate(out.text.trim_end_matches('*').len().max(start + 1));
        }
        out.words.push(Word {
            start,
            end: out.text.len(),
            from: words[0].from,
            to: words[words.len() - 1].to,
            letters: words.iter().map(|word| word.letters).sum(),
            capitals: words.iter().map(|word| word.capitals).sum(),
            loud: words.iter().any(|word| word.loud),
        });
    }
}

fn is_letters(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

/// Whether one of two words is a single letter that is no word.
fn is_apart(first: &str, second: &str) -> bool {
    matches!(first, "b" | "c" | "f" | "g" | "h" | "n" | "p" | "s" | "t" | "w")
        || matches!(second, "b" | "c" | "g" | "h" | "k" | "p" | "s" | "t")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ports::text::links;

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
            ("sooooo gooodd!!!!", "so god ! ! ! !"),
            ("f*ck **bold** f***", "f*ck bold f*"),
            ("don't won’t", "dont wont"),
            ("win10 2nd 10k 1.2.3 v2", "win 2nd 10k 0 0 0 v2"),
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
