//! Undoes disguises: case, homoglyphs, invisible characters, leetspeak, spaced and repeated letters. Links, mentions
//! and the exact digits of numbers are left out, so that no model learns to flag a link as such. Every word keeps its
//! span in the original.

use ports::text::{links::Link, unleet};

use super::{
    word_reader::{RawWords, WordReader},
    words::{LinkPosition, Normalized, Word},
};

/// Normalises a message without its links, in time linear in its length.
pub fn normalize(content: &str, links: &[Link]) -> Normalized {
    let raw = WordReader::new(content, links).read();
    let mut out = Normalized::default();
    out.text.reserve(content.len());
    let mut scratch = String::new();
    let mut at = 0;
    let mut links = raw.links.iter().peekable();
    while at < raw.words.len() {
        while let Some(link) = links.next_if(|link| link.before <= at) {
            out.links.push(LinkPosition { before: out.words.len(), host: link.host });
        }
        let run = spelled_out(&raw, at);
        let words = &raw.words[at..at + run.max(1)];
        scratch.clear();
        for word in words {
            scratch.push_str(&raw.text[word.start..word.end]);
        }
        push_word(&mut out, &scratch, words);
        at += run.max(1);
    }
    let end = out.words.len();
    out.links.extend(links.map(|link| LinkPosition { before: end, host: link.host }));
    out
}

/// The most letters of a spelt-out word; further ones begin another word.
const MAX_SPELLED_LETTERS: usize = 64;

/// The number of single letters from `at` on that spell a word out (`f r e e`, `k.y.s`): at least three, evenly
/// spaced; otherwise 0.
fn spelled_out(raw: &RawWords, at: usize) -> usize {
    let Some(&gap) = raw.gaps.get(at + 1).filter(|gap| **gap <= 3) else { return 0 };
    if !is_single(raw.word(at)) {
        return 0;
    }
    let more = (at + 1..raw.words.len().min(at + MAX_SPELLED_LETTERS))
        .take_while(|&i| raw.gaps[i] == gap && is_single(raw.word(i)))
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

fn push_word(out: &mut Normalized, raw: &str, words: &[Word]) {
    let space = usize::from(!out.text.is_empty());
    if space > 0 {
        out.text.push(' ');
    }
    let start = out.text.len();
    push_letters(&mut out.text, raw);
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

/// Appends a word with leetspeak and repeated letters undone.
fn push_letters(text: &mut String, raw: &str) {
    let leet = is_leet(raw);
    let number = raw.bytes().all(|byte| byte.is_ascii_digit());
    let mut chars = raw
        .chars()
        .map(|char| match char {
            _ if number => '0',
            _ if leet => unleet(char),
            _ => char,
        })
        .peekable();
    while let Some(char) = chars.next() {
        let mut run = 1;
        while chars.next_if_eq(&char).is_some() {
            run += 1;
        }
        // `soooo` becomes `so`, but `free` and `boss` stay; a number keeps up to six digits.
        let kept = if number {
            run.min(6)
        } else if run > 2 {
            1
        } else {
            run
        };
        text.extend(std::iter::repeat_n(char, kept));
    }
}

/// Whether digits and signs in a word stand for letters. They do not in `2nd`, `10k`, `win10`, `v2` and plain numbers.
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
