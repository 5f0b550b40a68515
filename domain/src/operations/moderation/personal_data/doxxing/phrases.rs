//! Cues that are phrases, in many languages.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::cue::{Cue, CueSet};

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::parse(include_str!("cues.txt")));

/// Characters from here on are words by themselves if they are symbols, such as emoji.
const SYMBOLS: char = '\u{2600}';

struct Phrases {
    automaton: AhoCorasick,
    /// The cue of each pattern.
    cues: Vec<Cue>,
}

impl Phrases {
    fn parse(text: &str) -> Self {
        let mut patterns = Vec::new();
        let mut cues = Vec::new();
        let mut section = None;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = Some(name.parse::<Cue>().expect("a section is a cue"));
                continue;
            }
            let cue = section.expect("phrases are in sections");
            for phrase in line.split('|').filter(|phrase| !phrase.is_empty()) {
                let mut pattern = plain(phrase);
                if phrase.ends_with('*') {
                    pattern.pop();
                }
                patterns.push(pattern);
                cues.push(cue);
            }
        }
        let automaton = AhoCorasick::new(&patterns).expect("the phrases are few");
        Self { automaton, cues }
    }
}

/// The words of a text without case and accents, each with a space before it, and one behind the last.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for char in text.nfd().filter(|char| !is_combining_mark(*char)).flat_map(char::to_lowercase) {
        match char {
            'ß' => plain.push_str("ss"),
            'ı' => plain.push('i'),
            'ł' => plain.push('l'),
            _ if char.is_alphanumeric() => plain.push(char),
            _ => {
                separate(&mut plain);
                if char >= SYMBOLS {
                    plain.push(char);
                    plain.push(' ');
                }
            }
        }
    }
    separate(&mut plain);
    plain
}

fn separate(plain: &mut String) {
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
}

/// Adds the cues of the phrases in a text that [`plain`] has returned.
pub(super) fn read(plain: &str, cues: &mut CueSet) {
    let phrases = &*PHRASES;
    for found in phrases.automaton.find_overlapping_iter(plain) {
        cues.add(phrases.cues[found.pattern().as_usize()], true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_read_without_case_accents_and_punctuation() {
        assert_eq!(plain("Él dijo: «ŁÓDŹ»😂 ß"), " el dijo lodz 😂 ss ");
        let mut cues = CueSet::default();
        read(&plain("Here's HIS leaked..."), &mut cues);
        assert!(cues.has(Cue::Exposure) && cues.has(Cue::Third) && !cues.has(Cue::Kind));
    }
}
