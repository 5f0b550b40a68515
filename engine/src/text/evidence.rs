//! Explains a score: finds the words that contributed most to a harm, with their positions.

use std::ops::Range;

use ports::text::{Category, Evidence};

use super::{
    features::{Features, char_grams, pair_hash, word_bucket, word_hash},
    linear::{HEADS, LinearModel, length, term_weight},
    words::{Normalized, Word},
};

/// The least log-odds of a word that is shown.
const MIN_LOG_ODDS: f32 = 0.4;
/// The most pieces shown for a harm.
const PIECES_PER_HEAD: usize = 3;

/// The pieces of text that contributed most to each harm for which `probable` is true. Adjacent words that both count
/// make one piece. `windows` has the window that determined each harm's score.
pub fn explain(
    model: &LinearModel,
    text: &Normalized,
    windows: &[&Range<usize>; HEADS],
    probable: impl Fn(usize) -> bool,
) -> Vec<Evidence> {
    let mut found = Vec::new();
    for (head, window) in windows.iter().enumerate().filter(|(head, _)| probable(*head)) {
        let words = &text.words[(*window).clone()];
        let shares = shares(model, text, (*window).clone(), head);
        let mut pieces: Vec<Evidence> = words
            .iter()
            .zip(&shares)
            .collect::<Vec<_>>()
            .chunk_by(|a, b| *a.1 >= MIN_LOG_ODDS && *b.1 >= MIN_LOG_ODDS)
            .filter(|piece| *piece[0].1 >= MIN_LOG_ODDS)
            .map(|piece| name_piece(text, head, piece))
            .collect();
        pieces.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        found.extend(pieces.into_iter().take(PIECES_PER_HEAD));
    }
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    found
}

fn name_piece(text: &Normalized, head: usize, piece: &[(&Word, &f32)]) -> Evidence {
    let first = piece[0].0;
    let last = piece[piece.len() - 1].0;
    let shown: String = text.text[first.start..last.end].chars().take(80).collect();
    Evidence {
        name: format!("{}:{shown}", Category::ALL[head].as_str()),
        weight: f64::from(piece.iter().map(|(_, share)| **share).sum::<f32>()),
        start: first.from,
        end: last.to,
    }
}

/// The log-odds that each word contributed: its own, its characters', and half of each pair that it is in.
fn shares(model: &LinearModel, text: &Normalized, window: Range<usize>, head: usize) -> Vec<f32> {
    let words = &text.words[window.clone()];
    let Features { views: [pairs, grams, _] } = Features::read(text, window);
    let pairs = CountedView::new(model, head, &pairs);
    let grams = CountedView::new(model, head, &grams);
    let hashes: Vec<u64> = words.iter().map(|word| word_hash(text.word(word))).collect();
    let mut shares = vec![0.0; words.len()];
    for (at, word) in words.iter().enumerate() {
        shares[at] += pairs.contribution(word_bucket(hashes[at]));
        char_grams(text.word(word), |bucket| shares[at] += grams.contribution(bucket));
        if at > 0 {
            let pair = pairs.contribution(word_bucket(pair_hash(hashes[at - 1], hashes[at]))) / 2.0;
            shares[at - 1] += pair;
            shares[at] += pair;
        }
    }
    shares
}

/// A view of a window's features, for one head.
struct CountedView<'a> {
    model: &'a LinearModel,
    head: usize,
    counted: &'a [(u32, u32)],
    length: f32,
}

impl<'a> CountedView<'a> {
    fn new(model: &'a LinearModel, head: usize, counted: &'a [(u32, u32)]) -> Self {
        Self { model, head, counted, length: length(counted.iter().copied()) }
    }

    /// The log-odds that one occurrence of a bucket contributes.
    fn contribution(&self, bucket: u32) -> f32 {
        let at = self.counted.binary_search_by_key(&bucket, |(bucket, _)| *bucket);
        let times = at.map_or(1, |at| self.counted[at].1);
        let slope = self.model.slope(self.head);
        term_weight(times) / times as f32 / self.length * self.model.weight(bucket, self.head) * slope
    }
}
