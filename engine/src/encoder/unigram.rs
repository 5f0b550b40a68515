//! SentencePiece's Unigram tokenizer: splits each word into the most probable sequence of pieces.
//!
//! Returns the same ids as the crate `tokenizers`, whose tree of 58,000 pieces takes about 50 MB; this one takes less
//! than 8 MB. The algorithm is that of `Unigram::encode_optimized` in `tokenizers` 0.23, which names SentencePiece's
//! `unigram_model.cc` as its source.

use daachorse::{DoubleArrayAhoCorasick, errors::DaachorseError};
use serde::Deserialize;
use tokenizers::{NormalizedString, Normalizer as _, NormalizerWrapper};

/// Stands for the space before a word.
const SPACE: char = '▁';
/// How much less probable than the rarest piece an unknown character is, as a natural logarithm.
const UNKNOWN: f64 = 10.0;

/// Why a `tokenizer.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnigramError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("{0}")]
    Pieces(DaachorseError),
}

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

/// The parts of a `tokenizer.json` that are used. Words are separated by white space, whatever it says.
#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: NormalizerWrapper,
    model: Vocabulary,
}

#[derive(Deserialize)]
struct Vocabulary {
    unk_id: u32,
    vocab: Vec<(String, f64)>,
}

/// The most probable spelling of a word up to a position: its score, and the last piece with its start.
#[derive(Clone, Copy)]
struct Spelling {
    score: f64,
    piece: u32,
    start: usize,
}

impl Unigram {
    /// Parses the bytes of a `tokenizer.json`. No text is split into the pieces `reserved`.
    ///
    /// # Errors
    /// Other JSON, or a piece that is empty or occurs twice.
    pub(super) fn parse(json: &[u8], reserved: &[u32]) -> Result<Self, UnigramError> {
        let TokenizerFile { normalizer, model } = serde_json::from_slice(json)?;
        let scores: Vec<f64> = model.vocab.iter().map(|(_, score)| *score).collect();
        let unknown_score = scores.iter().copied().fold(f64::INFINITY, f64::min) - UNKNOWN;
        let pieces = (0..).zip(model.vocab).map(|(id, (piece, _))| (piece, id));
        let pieces = pieces.filter(|(_, id)| *id != model.unk_id && !reserved.contains(id));
        let pieces = DoubleArrayAhoCorasick::with_values(pieces).map_err(UnigramError::Pieces)?;
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

    /// Adds the pieces of a word to `ids`; consecutive unknown characters become one unknown piece.
    fn spell(&self, word: &str, spellings: &mut Vec<Spelling>, ids: &mut Vec<u32>) {
        let nothing = Spelling { score: 0.0, piece: self.unknown, start: 0 };
        spellings.clear();
        spellings.resize(word.len() + 1, nothing);
        // Ordered by their ends, and the longest first among those with the same end.
        let mut found = self.pieces.find_overlapping_iter(word).peekable();
        for (start, character) in word.char_indices() {
            let end = start + character.len_utf8();
            let mut best: Option<Spelling> = None;
            let mut is_piece = false;
            while let Some(piece) = found.next_if(|piece| piece.end() == end) {
                is_piece |= piece.start() == start;
                let score = spellings[piece.start()].score + self.scores[piece.value() as usize];
                let spelling = Spelling { score, piece: piece.value(), start: piece.start() };
                best = Some(better(best, spelling));
            }
            if !is_piece {
                let score = spellings[start].score + self.unknown_score;
                best = Some(better(best, Spelling { score, piece: self.unknown, start }));
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

/// The spelling with the higher score; of equals the first.
fn better(best: Option<Spelling>, other: Spelling) -> Spelling {
    match best {
        Some(best) if other.score <= best.score => best,
        _ => other,
    }
}
