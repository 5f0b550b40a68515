//! Finds the entries of the lexicon in a message.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

use daachorse::CharwiseDoubleArrayAhoCorasick;
use ports::text::{LexiconHit, LexiconKind, scripts::is_unspaced};

use super::{
    author::is_of_author,
    entry::{LexiconEntry, TermMatch},
    files::ENTRIES,
    vocabulary::Vocabulary,
};
use crate::text::{normalize::normalize, sentence::is_syllable, words::Normalized};

static SHARED: LazyLock<Option<Lexicon>> = LazyLock::new(|| Lexicon::of(&ENTRIES));

/// Words before a call to suicide that make it the opposite, as in "please don't kill yourself"; as normalised.
const NEGATIONS: [&str; 20] = [
    "dont", "not", "never", "nobody", "nicht", "niemals", "nie", "pas", "jamais", "no", "nunca", "nao",
    "non", "mai", "niet", "nooit", "ne", "jangan", "mat", "لا",
];
/// How many words before it are looked at.
const NEGATED_WITHIN: usize = 2;
/// The same in scripts without spaces: what stands right before it, and right behind it. Who asks not to say it, or
/// reports that somebody did, urges nobody.
const UNSPACED_NEGATIONS: [&str; 14] = [
    "别",
    "不要",
    "不准",
    "不许",
    "别说",
    "不要说",
    "他说",
    "她说",
    "有人说",
    "骂我",
    "叫我",
    "让我",
    "说让我",
    "被说",
];
const UNSPACED_REPORTS: [&str; 12] = [
    "と言うな",
    "って言うな",
    "とか言うな",
    "って言われ",
    "と言われ",
    "って書かれ",
    "ってこめんと",
    "라는",
    "라고하지마",
    "같은말",
    "这种话",
    "什么的",
];
/// The letters of the longest of them.
const MOST_BEHIND: usize = 7;
/// Words for a word, before one that is spoken of; as normalised.
const MENTIONS: [&str; 10] =
    ["word", "wort", "mot", "palabra", "parola", "palavra", "woord", "slowo", "слово", "kelime"];
/// Words by which a message in Latin letters is in one of the languages that have others.
const ROMANISED: [(&str, &str); 4] = [
    ("ru-Latn", "ty ti tebya tebe vy ya menya nu eto chto shto kak ne"),
    ("ar-Latn", "enta inta enti inti ya wallah yalla eh leh msh mesh 3ala"),
    ("ja-Latn", "omae kisama temee teme wa ga no desu da yo ne"),
    ("ko-Latn", "ya neo ni nega jinjja wae"),
];

/// All entries, to be found in one pass.
pub struct Lexicon {
    automaton: CharwiseDoubleArrayAhoCorasick<u32>,
    /// The entries of each pattern.
    entries: Vec<Vec<Term>>,
}

/// An entry of a language, as a message's words may be read.
struct Term {
    language: &'static str,
    entry: &'static LexiconEntry,
    /// The length of the reading.
    bytes: usize,
}

impl Lexicon {
    /// The lexicon in the binary. `None` if it is empty.
    pub fn shared() -> Option<&'static Self> {
        SHARED.as_ref()
    }

    fn of(files: &'static [(&'static str, Vec<LexiconEntry>)]) -> Option<Self> {
        let mut entries: Vec<Vec<Term>> = Vec::new();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for (language, file) in files {
            for entry in file {
                let read = reading(entry);
                for term in [Some(&entry.term), read.as_ref()].into_iter().flatten() {
                    let number = *numbers.entry(pattern(entry, term)).or_insert(entries.len() as u32);
                    if number as usize == entries.len() {
                        entries.push(Vec::new());
                    }
                    entries[number as usize].push(Term { language, entry, bytes: term.len() });
                }
            }
        }
        let automaton = CharwiseDoubleArrayAhoCorasick::with_values(numbers).ok()?;
        Some(Self { automaton, entries })
    }

    /// The entries in a message in a language, in time linear in its length: each once, in the sentence of which it has
    /// most. `sentences` are ranges of the message's words.
    pub fn find(
        &self,
        content: &str,
        text: &Normalized,
        sentences: &[Range<usize>],
        language: &str,
    ) -> Vec<LexiconHit> {
        let padded = format!(" {} ", text.text);
        let sentences: Vec<SentenceSpan> =
            sentences.iter().map(|words| SentenceSpan::of(text, words)).collect();
        let mut found: Vec<FoundTerm> = Vec::new();
        let mut known = HashMap::new();
        for matched in self.automaton.find_overlapping_iter(&padded) {
            for &Term { language: of, entry, bytes } in &self.entries[matched.value() as usize] {
                let doubtful = entry.own && language != of;
                if doubtful && !may_be_romanised(of, language) {
                    continue;
                }
                // Less the space at the beginning, and those around the term.
                let start = matched.end() - usize::from(padded[..matched.end()].ends_with(' ')) - bytes;
                let start = start.saturating_sub(1);
                let number = sentences.partition_point(|sentence| sentence.end <= start);
                let Some(sentence) = sentences.get(number) else { continue };
                let own = entry.term.chars().filter(|char| char.is_alphanumeric()).count();
                let share = (own as f64 / sentence.letters as f64).min(1.0);
                let name = (of, entry.term.as_str());
                let before: Option<usize> = known.get(&name).copied();
                if before.is_some_and(|at| found[at].hit.share >= share)
                    || is_harmless(entry, text, sentence.start, start..start + bytes, language)
                {
                    continue;
                }
                let Some((start, end)) = span(content, text, start..start + bytes) else { continue };
                if !has_digits_of(&content[start..end], entry.written) {
                    continue;
                }
                let LexiconEntry { kind, degree, .. } = *entry;
                let hit = LexiconHit { language: of, kind, degree, sentence: number, share, start, end };
                let one = FoundTerm { hit, doubtful };
                match before {
                    Some(at) => found[at] = one,
                    None => {
                        known.insert(name, found.len());
                        found.push(one);
                    }
                }
            }
        }
        let sure = found.iter().filter(|one| !one.doubtful).map(|one| one.hit.language);
        let sure: HashSet<&str> = sure.chain(romanised(text)).collect();
        let counted = found.iter().filter(|one| !one.doubtful || sure.contains(one.hit.language));
        without_parts_of_swearing(counted.map(|one| one.hit).collect())
    }
}

/// An entry in a message.
struct FoundTerm {
    hit: LexiconHit,
    /// Whether it counts only in a language that the message may not be in.
    doubtful: bool,
}

/// A sentence of a message.
struct SentenceSpan {
    /// Bytes of the normalised text.
    start: usize,
    end: usize,
    /// Its letters and digits, at least 1.
    letters: usize,
}

impl SentenceSpan {
    fn of(text: &Normalized, words: &Range<usize>) -> Self {
        let words = &text.words[words.clone()];
        let chars = words.iter().flat_map(|word| text.word(word).chars());
        Self {
            start: words.first().map_or(0, |word| word.start),
            end: words.last().map_or(0, |word| word.end),
            letters: chars.filter(|char| char.is_alphanumeric()).count().max(1),
        }
    }
}

/// Leaves out the entries within longer ones that swear at nobody: `porca puttana` insults nobody.
fn without_parts_of_swearing(hits: Vec<LexiconHit>) -> Vec<LexiconHit> {
    let swearing = hits.iter().filter(|hit| hit.kind == LexiconKind::Profanity);
    let swearing: Vec<LexiconHit> = swearing.copied().collect();
    hits.into_iter().filter(|hit| !swearing.iter().any(|longer| is_part(hit, longer))).collect()
}

/// Whether an entry is part of a longer one of its language.
fn is_part(hit: &LexiconHit, longer: &LexiconHit) -> bool {
    longer.language == hit.language
        && longer.start <= hit.start
        && hit.end <= longer.end
        && longer.end - longer.start > hit.end - hit.start
}

/// Whether a message in Latin letters whose language is not known may be in `of`.
fn may_be_romanised(of: &str, language: &str) -> bool {
    language == "und-Latn" && ROMANISED.iter().any(|(romanised, _)| *romanised == of)
}

/// The languages of [`ROMANISED`] of which a message has a word.
fn romanised(text: &Normalized) -> impl Iterator<Item = &'static str> {
    let words: HashSet<&str> = text.words.iter().map(|word| text.word(word)).collect();
    let found = ROMANISED.iter().filter(move |(_, known)| known.split(' ').any(|word| words.contains(word)));
    found.map(|(language, _)| *language)
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexicon").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

/// A term as it is read in a message, where that differs from its words: digits that stand for letters, hyphens,
/// letters of two scripts, words that are taken for several.
fn reading(entry: &LexiconEntry) -> Option<String> {
    let mixed =
        entry.term.contains(is_unspaced) && entry.term.contains(|char: char| char.is_ascii_alphanumeric());
    let disguised = entry.written.contains(|char: char| char == '-' || char.is_ascii_digit());
    if !mixed && !disguised && !entry.term.split(' ').any(may_be_misread) {
        return None;
    }
    Some(normalize(entry.written, &[]).text).filter(|read| *read != entry.term)
}

/// Whether a word may be read as part of another one, with a letter less, or as several.
fn may_be_misread(word: &str) -> bool {
    let vocabulary = Vocabulary::shared();
    let letters: Vec<char> = word.chars().collect();
    letters.len() == 1
        || letters.windows(2).any(|two| two[0] == two[1]) && !vocabulary.has(word)
        || vocabulary.split(word, false).is_some()
}

/// Whether a text has the digits of a term, if the term has any: what is read has others, or none.
fn has_digits_of(text: &str, term: &str) -> bool {
    let mut digits = term.chars().filter(char::is_ascii_digit).peekable();
    digits.peek().is_none() || digits.eq(text.chars().filter(char::is_ascii_digit))
}

/// An entry with spaces where words must begin and end. Scripts without spaces have none.
fn pattern(entry: &LexiconEntry, term: &str) -> String {
    let begins = entry.matches != TermMatch::Part && !term.starts_with(is_unspaced);
    let ends = matches!(entry.matches, TermMatch::Word | TermMatch::Start) && !term.ends_with(is_unspaced);
    let before = if begins { " " } else { "" };
    let after = if ends { " " } else { "" };
    format!("{before}{term}{after}")
}

/// Whether what stands around an entry makes it harmless. `begins` is where its sentence begins.
fn is_harmless(
    entry: &LexiconEntry,
    text: &Normalized,
    begins: usize,
    bytes: Range<usize>,
    language: &str,
) -> bool {
    if entry.matches == TermMatch::Start && bytes.start > begins || is_mentioned(text, bytes.start) {
        return true;
    }
    match entry.kind {
        LexiconKind::Incitement => is_negated(text, bytes),
        LexiconKind::Insult | LexiconKind::Profanity => is_of_author(text, bytes.start, language),
        LexiconKind::Slur | LexiconKind::Sexual | LexiconKind::Threat | LexiconKind::Crisis => false,
    }
}

/// Whether the word before a byte calls what follows a word, as in "the word idiot".
fn is_mentioned(text: &Normalized, start: usize) -> bool {
    let before = text.words.partition_point(|word| word.end <= start).checked_sub(1);
    before.is_some_and(|before| MENTIONS.contains(&text.word(&text.words[before])))
}

/// Whether one of the words before some bytes of the normalised text is a negation, or what is behind them calls them
/// wrong, as in "kill yourself is never okay".
fn is_negated(text: &Normalized, bytes: Range<usize>) -> bool {
    let first = text.words.partition_point(|word| word.end <= bytes.start);
    let before = &text.words[first.saturating_sub(NEGATED_WITHIN)..first];
    let behind = text.words.partition_point(|word| word.start < bytes.end);
    let mut behind = text.words[behind..].iter().map(|word| text.word(word));
    let called_wrong = match behind.next() {
        Some("isnt" | "wasnt") => true,
        Some("is" | "was" | "ist" | "est" | "es" | "jest") => {
            behind.next().is_some_and(|word| NEGATIONS.contains(&word))
        }
        _ => false,
    };
    called_wrong
        || before.iter().any(|word| NEGATIONS.contains(&text.word(word)))
        || is_negated_unspaced(&text.text, bytes)
}

/// The same where words are written together; spaces around quotes do not count.
fn is_negated_unspaced(text: &str, bytes: Range<usize>) -> bool {
    let before = text[..bytes.start].trim_end();
    if !text[bytes.start..].starts_with(is_syllable) {
        return false;
    }
    let behind: String = text[bytes.end..].chars().filter(|char| *char != ' ').take(MOST_BEHIND).collect();
    UNSPACED_NEGATIONS.iter().any(|negation| before.ends_with(negation))
        || UNSPACED_REPORTS.iter().any(|report| behind.starts_with(report))
}

/// The bytes of the message that some of the normalised text stand for: a term itself where it is within a longer word
/// as it is written, else the whole words.
fn span(content: &str, text: &Normalized, bytes: Range<usize>) -> Option<(usize, usize)> {
    let term = text.text.get(bytes.clone())?;
    let first = text.words.partition_point(|word| word.end <= bytes.start);
    let last = text.words.partition_point(|word| word.start < bytes.end).checked_sub(1)?;
    let from = text.words.get(first)?.from;
    let to = text.words.get(last)?.to;
    let written = content.get(from..to)?;
    let within = written.find(term).filter(|_| first == last);
    Some(within.map_or((from, to), |at| (from + at, from + at + term.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::windows::sentences;

    fn finds(content: &str, language: &str) -> Vec<LexiconHit> {
        let text = normalize(content, &[]);
        Lexicon::shared().expect("a lexicon").find(content, &text, &sentences(content, &text), language)
    }

    #[test]
    fn every_entry_is_found_in_a_message_that_is_nothing_else() {
        let mut lost = Vec::new();
        for (language, entries) in ENTRIES.iter() {
            for entry in entries {
                let found = finds(entry.written, language);
                if !found.iter().any(|hit| hit.language == *language && hit.kind == entry.kind) {
                    lost.push(format!("{language} {}", entry.written));
                }
            }
        }
        assert!(lost.is_empty(), "{} are lost: {lost:#?}", lost.len());
    }

    #[test]
    fn words_of_a_romanised_language_count_beside_another_one() {
        for (content, language) in [("nu ty i debil", "ru-Latn"), ("enta ghabi wala eh", "ar-Latn")] {
            assert!(finds(content, "und-Latn").iter().any(|hit| hit.language == language), "{content}");
        }
        assert!(finds("debil", "und-Latn").iter().all(|hit| hit.language != "ru-Latn"));
    }

    #[test]
    fn what_is_said_of_the_author_or_called_wrong_is_no_harm() {
        for (content, language) in [
            ("I'm such an idiot", "en"),
            ("ich Idiot hab den Herd angelassen", "de"),
            ("soy una idiota", "es"),
            ("我是傻逼", "zh"),
            ("main chutiya hu", "hi-Latn"),
            ("kill yourself is never an ok thing to tell people", "en"),
            ("please don't kill yourself", "en"),
            ("the word idiot comes from Greek", "en"),
            ("porca puttana che freddo", "it"),
            ("不要说去死", "zh"),
            ("他在评论区骂我“去死”，怎么举报", "zh"),
            ("「死ね」ってコメント来て泣いた", "ja"),
            ("다들 \"자살해\" 같은 말은 하지 말자", "ko"),
        ] {
            let found = finds(content, language);
            let harms = found.iter().filter(|hit| hit.degree > 1 && hit.kind != LexiconKind::Sexual);
            assert_eq!(harms.count(), 0, "{content}: {found:?}");
        }
        for content in ["you idiot", "i hate you stupid bitch", "kill yourself", "you are such an idiot"] {
            assert!(!finds(content, "en").is_empty(), "{content}");
        }
    }
}
