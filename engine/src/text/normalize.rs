//! Undoes disguises: case, homoglyphs, invisible characters, markup, leetspeak, spaced and repeated letters, words that
//! are written together or apart. Links, mentions and the exact digits of numbers are left out, so that no model learns
//! to flag a link as such. Every word keeps its span in the original.

use ports::text::links::Link;

use super::{
    leet::Leet,
    lexicon::Vocabulary,
    raw_words::{Gap, RawWords},
    sentence::Sentence,
    word_forms::{careful_readings, end_digits, is_counted, push_plain, readings},
    word_reader::WordReader,
    words::{LinkPosition, Normalized, Word},
};

/// Normalises a message without its links, in time linear in its length.
pub fn normalize(content: &str, links: &[Link]) -> Normalized {
    let raw = WordReader::new(content, links).read();
    let mut writer = NormalWriter { vocabulary: Vocabulary::shared(), out: Normalized::default() };
    writer.out.text.reserve(content.len());
    let ends = raw.sentences.iter().skip(1).map(|next| next.from).chain([raw.words.len()]);
    for (sentence, end) in raw.sentences.iter().zip(ends) {
        writer.push_sentence(&raw, &Sentence::new(&raw, sentence.from..end, sentence.leet));
    }
    writer.push_links(&raw, usize::MAX);
    writer.out
}

/// The most pieces of a word with separators in it, and its most bytes.
const MAX_PIECES: usize = 6;
const MAX_JOINED_BYTES: usize = 40;
/// The fewest letters of a known, spelt-out word after which a single letter is a word of its own.
const MIN_KNOWN: usize = 4;
/// Letters that are words by themselves in some language.
const SINGLE_WORDS: &str = "aeiouwyzавиксяоу";

/// Writes the words of a normalised message.
struct NormalWriter {
    vocabulary: &'static Vocabulary,
    out: Normalized,
}

impl NormalWriter {
    fn push_sentence(&mut self, raw: &RawWords, sentence: &Sentence<'_>) {
        let mut scratch = String::new();
        let mut at = sentence.words.start;
        while at < sentence.words.end {
            self.push_links(raw, at);
            let spelled = self.spelled_out(raw, sentence, at);
            let run = if spelled > 0 { spelled } else { self.joined(raw, sentence, at).max(1) };
            let words = &raw.words[at..at + run];
            scratch.clear();
            words.iter().for_each(|word| scratch.push_str(&raw.text[word.start..word.end]));
            // Letters that are all equally far apart may be several words.
            let several = spelled > 0 && !sentence.is_apart(at..at + run);
            self.push(&scratch, words, sentence.leet, several);
            at += run;
        }
    }

    /// Adds the links before word number `at` of the message that have not been added.
    fn push_links(&mut self, raw: &RawWords, at: usize) {
        let links = raw.links[self.out.links.len()..].iter().take_while(|link| link.before <= at);
        let before = self.out.words.len();
        self.out.links.extend(links.map(|link| LinkPosition { before, host: link.host }));
    }

    /// The number of single letters from `at` on that are one word: without the last one where that is a word of its
    /// own behind a known one, as in `k u r w a z ciebie`.
    fn spelled_out(&self, raw: &RawWords, sentence: &Sentence<'_>, at: usize) -> usize {
        let run = sentence.spelled_out(at);
        let letters: String = (at..at + run).map(|n| raw.word(n)).collect();
        let Some(last) = letters.chars().next_back() else { return run };
        let shorter = &letters[..letters.len() - last.len_utf8()];
        let known = self.vocabulary.has_entry(shorter) && !self.vocabulary.has(&letters);
        if run > MIN_KNOWN && SINGLE_WORDS.contains(last) && known { run - 1 } else { run }
    }

    /// The number of words from `at` on that are one word with signs in it: a known one, such as `fu-ck`, one of pieces
    /// that are no words, or a known one with a single letter apart, such as `f uck`; otherwise 0.
    fn joined(&self, raw: &RawWords, sentence: &Sentence<'_>, at: usize) -> usize {
        let mut joined = raw.word(at).to_owned();
        let mut strange = !self.vocabulary.is_word(&joined);
        let mut found = 0;
        for next in at + 1..sentence.words.end.min(at + MAX_PIECES) {
            let Gap { length, spaced, punctuated, .. } = raw.gaps[next];
            let apart = spaced && (next > at + 1 || !has_stray_letter(raw.word(at), raw.word(next)));
            let is_sign = !raw.word(next).starts_with(char::is_alphanumeric);
            let spelled = sentence.spelled_out(next) > 0;
            if length != 1 || apart || is_sign || spelled || joined.len() > MAX_JOINED_BYTES {
                break;
            }
            joined.push_str(raw.word(next));
            strange &= !spaced && !punctuated && !self.vocabulary.is_word(raw.word(next));
            let known = match spaced {
                true => self.vocabulary.knows(&joined),
                false => {
                    self.vocabulary.is_word(&joined) || self.known_reading(&joined, sentence.leet).is_some()
                }
            };
            let follows = next == at + 1 || found == next - at;
            let disguised = sentence.hides_in_hyphen(next) && follows;
            if known || disguised || strange && is_letters(&joined) {
                found = next + 1 - at;
            }
        }
        found
    }

    /// What a word stands for, where that is a known word and not the word itself.
    fn known_reading(&self, raw: &str, leet: Leet) -> Option<String> {
        if !has_letters(raw) || self.vocabulary.has(raw) || is_counted(raw) {
            return None;
        }
        if raw.contains('*') {
            return self.vocabulary.uncensored(raw).map(str::to_owned).or_else(|| {
                let letters = raw.replace('*', "");
                self.vocabulary.knows(&letters).then_some(letters)
            });
        }
        let careful = careful_readings(raw);
        let known = self.known(careful.whole.iter().chain(&careful.cut));
        if let Some(known) = known.cloned().or_else(|| self.known(&readings(raw)).cloned()) {
            return Some(known);
        }
        let bare = &raw[..raw.len() - end_digits(raw)];
        if bare.len() < raw.len() && !is_leet(raw, leet) && self.vocabulary.is_word(bare) {
            return Some(bare.to_owned());
        }
        let cut = if is_leet(raw, leet) { None } else { self.vocabulary.commonest(&careful.cut) };
        let careful = self.vocabulary.commonest(&careful.whole).or(cut).cloned();
        // Letters that are repeated twice belong to a word, unless others are repeated more often.
        let all = if has_long_run(raw) { readings(raw) } else { Vec::new() };
        careful.or_else(|| self.vocabulary.commonest(&all).cloned())
    }

    /// The first of some words that is in the lexicon or, where none is, that begins with one of its stems.
    fn known<'a>(&self, words: impl IntoIterator<Item = &'a String> + Clone) -> Option<&'a String> {
        let entry = words.clone().into_iter().find(|word| self.vocabulary.has_entry(word));
        entry.or_else(|| words.into_iter().find(|word| self.vocabulary.knows(word)))
    }

    /// Adds a word of the message, or the words that are written together in it; `several` says that there may be some
    /// whatever they say.
    fn push(&mut self, raw: &str, words: &[Word], leet: Leet, several: bool) {
        if let Some(known) = self.known_reading(raw, leet) {
            self.push_word(words, |text| text.push_str(&known));
            return;
        }
        let mut plain = String::with_capacity(raw.len());
        if self.vocabulary.has_entry(raw) {
            plain.push_str(raw);
        } else {
            let leet = is_leet(raw, leet);
            let end = if leet { raw.len() } else { raw.len() - end_digits(raw) };
            push_plain(&mut plain, &raw[..end], leet);
        }
        let vocabulary = self.vocabulary;
        match vocabulary.split(&plain, several) {
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

/// Whether a word has a letter three times in a row.
fn has_long_run(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(3).any(|three| three[0] == three[1] && three[1] == three[2])
}

/// Whether the digits and signs of a word are letters, since they are throughout its sentence: also those of `1s` and
/// `4m`, but not of `2nd` and `10k`.
fn is_leet(raw: &str, Leet { digits, signs }: Leet) -> bool {
    let letters = has_letters(raw);
    let vowel = raw.len() <= 2 && raw.starts_with(['0', '1', '3', '4']);
    digits && (vowel || letters && !is_counted(raw)) || signs && (letters || raw == "@")
}

/// Whether a word has letters, or signs that can only be letters: `@$$`.
fn has_letters(word: &str) -> bool {
    word.contains(char::is_alphabetic) || word.contains('@') && word.contains('$')
}

fn is_letters(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

/// Whether one of two words is a single letter that is no word.
fn has_stray_letter(first: &str, second: &str) -> bool {
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
            ("f*ck **bold** f*** x***", "fuck bold fuck x*"),
            ("don't won’t", "dont wont"),
            ("win10 2nd 10k 1.2.3 v2", "win 2nd 10k 0 0 0 v2"),
            ("I paid $1000", "i paid $ 0000"),
            ("t h i s  i s  a  t e s t", "this is a test"),
            ("t4k3 y0ur h3ad 0ff 4nd w4lk", "take your head off and walk"),
            ("vive$ e$ @bierto", "vives es abierto"),
            ("HA-NG DE JO-DEN", "hang de joden"),
            ("fee1 a p.i.s.t.o.l", "fee a pistol"),
            ("p3nd3j0 d3 m13rd4", "pendejo de mierda"),
            ("k u r w a z ciebie", "kurwa z ciebie"),
            ("they were exterminated", "they were exterminated"),
            ("wh4t 4 l0s3r 4nd 1s 4t the 2nd d00r", "what a loser and is at the 2nd door"),
            ("f@ggot$ @$$ l@$ $@lope", "faggots ass las salope"),
            ("we should seed it before noon", "we should seed it before noon"),
            ("a.r.e u s.t.u.p.i.d", "are u stupid"),
            ("정.치.인.들 다 쏴 죽.이.자", "정치인들 다 쏴 죽이자"),
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
