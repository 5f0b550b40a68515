//! Chooses the windows that the encoder of the hybrid engine reads by themselves.

use std::ops::Range;

use ports::text::{Categories, Category};

use super::{
    linear::{HEADS, sigmoid},
    native_models::{NativeModels, NativeReading},
    windows::{TextWindow, sentence_windows},
};

/// The most sentences with which the encoder reads pairs of them, and all but the first or the last.
const PAIRED_SENTENCES: usize = 8;
/// The least probability of any harm with which the encoder reads a sentence by itself. Chosen on dev: a higher one
/// lets padding hide harms that only the encoder finds.
const SUSPICIOUS: f64 = 0.05;
/// The least log-odds of a harm with which the encoder reads the window within a sentence that is worst for it.
const CUT_LOG_ODDS: f64 = -1.5;

/// A window, and the highest probability of each harm in the windows within it, less their penalties beyond its own.
#[derive(Clone)]
pub(super) struct Suspect {
    pub(super) window: TextWindow,
    pub(super) categories: Categories,
}

impl NativeModels {
    /// The windows that the encoder should read by themselves:
    ///
    /// - sentences in which some harm is not improbable;
    /// - pairs of neighbours in which a harm is more probable than in either;
    /// - all but the first or the last sentence, if that one is harmless and the rest may be more than toxic;
    /// - the cut windows that are worst for a probable harm.
    pub(super) fn suspects(&self, reading: &NativeReading, sentences: &[Range<usize>]) -> Vec<Suspect> {
        let singles = sentence_windows(&reading.text, sentences, 1).into_iter();
        let singles: Vec<Suspect> = singles.map(|window| self.rated(reading, window)).collect();
        let mut found = Vec::new();
        if singles.len() <= PAIRED_SENTENCES {
            self.add_pairs(reading, &singles, &mut found);
            self.add_rests(reading, &singles, &mut found);
        }
        found.extend(singles.into_iter().filter(Suspect::is_suspicious));
        self.add_cut_windows(reading, &mut found);
        // A single sentence is the whole message, which the encoder reads anyway.
        found.retain(|suspect| suspect.window.words.len() < reading.text.words.len());
        found
    }

    fn rated(&self, reading: &NativeReading, window: TextWindow) -> Suspect {
        let categories = self.categories(reading, &window.words, window.penalty);
        Suspect { window, categories }
    }

    fn add_pairs(&self, reading: &NativeReading, singles: &[Suspect], found: &mut Vec<Suspect>) {
        for pair in singles.windows(2) {
            let [first, second] = pair else { continue };
            let words = first.window.words.start..second.window.words.end;
            if words.len() >= reading.text.words.len() {
                continue;
            }
            let Some(scored) = reading.windows.iter().find(|scored| scored.window.words == words) else {
                continue;
            };
            let more_probable = (0..HEADS).any(|head| {
                let p = sigmoid(self.log_odds(head, scored));
                p >= SUSPICIOUS && p > first.categories.0[head].max(second.categories.0[head])
            });
            if more_probable {
                found.push(self.rated(reading, scored.window.clone()));
            }
        }
    }

    /// Adds the message without its first or last sentence, so that what several sentences say together is also read
    /// without a harmless sentence before or after them.
    fn add_rests(&self, reading: &NativeReading, singles: &[Suspect], found: &mut Vec<Suspect>) {
        let [first, middle @ .., last] = singles else { return };
        let Some(second) = middle.first() else { return };
        let Some(last_but_one) = middle.last() else { return };
        for (without, words) in [
            (first, second.window.words.start..last.window.words.end),
            (last, first.window.words.start..last_but_one.window.words.end),
        ] {
            if without.is_suspicious() {
                continue;
            }
            let rest = self.rated(reading, TextWindow { words, ..first.window.clone() });
            if rest.may_be_more_than_toxic() && !found.iter().any(|known| known.window == rest.window) {
                found.push(rest);
            }
        }
    }

    fn add_cut_windows(&self, reading: &NativeReading, found: &mut Vec<Suspect>) {
        for head in 0..HEADS {
            let Some((window, log_odds)) = self.worst(reading, head) else { continue };
            let is_known = found.iter().any(|known| known.window == *window);
            if window.cut && log_odds > CUT_LOG_ODDS && !is_known {
                found.push(self.rated(reading, window.clone()));
            }
        }
    }
}

impl Suspect {
    fn is_suspicious(&self) -> bool {
        self.categories.0.iter().any(|p| *p >= SUSPICIOUS)
    }

    fn may_be_more_than_toxic(&self) -> bool {
        let mut others = (0..HEADS).filter(|head| *head != Category::Toxic as usize);
        others.any(|head| self.categories.0[head] >= SUSPICIOUS)
    }
}
