//! SentencePiece's Unigram tokenizer: of all ways to spell a word in pieces, the likeliest.
//!
//! Gives the ids that the crate `tokenizers` gives, whose tree of pieces takes some 50 MB for 58,000 of them, where all of this takes less than 8. The
//! algorithm is that of `Unigram::encode_optimized` in `tokenizers` 0.23, which names SentencePiece's `unigram_model.cc` as its source.

use daachorse::DoubleArrayAhoCorasick;
use serde::Deserialize;
use tokenizers::{NormalizedString, Normalizer as _, NormalizerWrapper};

/// Stands for the space before a word.
const SPACE: char = '▁';
/// What an unknown character costs more than the rarest piece, in natural logarithms of probabilities.
const UNKNOWN: f64 = 10.0;

/// The tokenizer.
pub(super) struct Unigram {
    normalizer: NormalizerWrapper,
    /// All pieces, with their ids.
    pieces: DoubleArrayAhoCorasick<u32>,
    /// The natural logarithm of the probability of each piece.
    scores: Vec<f64>,
    unknown: u32,
    unknown_score: f64,
}

/// The parts of a `tokenizer.json` that are read: words are what white space separates.
#[derive(Deserialize)]
struct File {
    normalizer: NormalizerWrapper,
    model: Model,
}

#[derive(Deserialize)]
struct Model {
    unk_id: u32,
    vocab: Vec<(String, f64)>,
}

/// The likeliest spelling of a word up to a place: its score, and the last piece with its start.
#[derive(Clone, Copy)]
struct Spelling {
    score: f64,
    piece: u32,
    start: usize,
}

impl Unigram {
    /// Parses the bytes of a `tokenizer.json`. A text never has the pieces `reserved`.
    ///
    /// # Errors
    /// Other JSON, or a piece that is there twice or empty.
    pub(super) fn parse(json: &[u8], reserved: &[u32]) -> Result<Self, String> {
        let File { normalizer, model } = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let scores: Vec<f64> = model.vocab.iter().map(|(_, score)| *score).collect();
        let unknown_score = scores.iter().copied().fold(f64::INFINITY, f64::min) - UNKNOWN;
        let pieces = (0..).zip(model.vocab).map(|(id, (piece, _))| (piece, id));
        let pieces = pieces.filter(|(_, id)| *id != model.unk_id && !reserved.contains(id));
        let pieces = DoubleArrayAhoCorasick::with_values(pieces).map_err(|error| error.to_string())?;
        Ok(Self { normalizer, pieces, scores, unknown: model.unk_id, unknown_score })
    }

    /// The ids of a text's pieces.
    ///
    /// # Errors
    /// A failure of the normalizer.
    pub(super) fn tokenize(&self, text: &str) -> tokenizers::Result<Vec<u32>> {
        let mut normalized = NormalizedString::from(text);
        self.normalizer.normalize(&mut normalized)?;
        let mut ids = Vec::new();
        let mut word = String::new();
        let mut spellings = Vec::new();
        for part in normalized.get().split_whitespace() {
            word.clear();
            word.extend((!part.starts_with(SPACE)).then_some(SPACE));
            word.push_str(part);
            self.spell(&word, &mut spellings, &mut ids);
        }
        Ok(ids)
    }

    /// Adds the pieces of a word to `ids`, and one unknown piece for unknown characters that follow each other.
    fn spell(&self, word: &str, spellings: &mut Vec<Spelling>, ids: &mut Vec<u32>) {
        let nothing = Spelling { score: 0.0, piece: self.unknown, start: 0 };
        spellings.clear();
        spellings.resize(word.len() + 1, nothing);
        // Ordered by their ends, and the longest of each end first.
        let mut found = self.pieces.find_overlapping_iter(word).peekable();
        for (start, character) in word.char_indices() {
            let end = start + character.len_utf8();
            let mut best: Option<Spelling> = None;
            let mut is_piece = false;
            let mut propose = |piece: u32, score: f64, start: usize| {
                let score = spellings[start].score + score;
                if best.is_none_or(|best| score > best.score) {
                    best = Some(Spelling { score, piece, start });
                }
            };
            while let Some(piece) = found.next_if(|piece| piece.end() == end) {
                is_piece |= piece.start() == start;
                propose(piece.value(), self.scores[piece.value() as usize], piece.start());
            }
            if !is_piece {
                propose(self.unknown, self.unknown_score, start);
            }
            spellings[end] = best.unwrap_or(nothing);
        }
        let first = ids.len();
        let mut end = word.len();
        while end > 0 {
            let Spelling { piece, start, .. } = spellings[end];
            if piece != self.unknown || ids[first..].last() != Some(&piece) {
                ids.push(piece);
            }
            end = start;
        }
        ids[first..].reverse();
    }
}
