//! SentencePiece's Unigram tokenizer: splits each word into the most probable sequence of pieces.
//!
//! Returns the same ids as the crate `tokenizers`, whose tree of 58,000 pieces takes about 50 MB; here they take less
//! than 2 MB. The algorithm is that of `Unigram::encode_optimized` in `tokenizers` 0.23, which names SentencePiece's
//! `unigram_model.cc` as its source.

use std::{borrow::Cow, ops::Range};

use serde::Deserialize;
use tokenizers::{
    NormalizedString, Normalizer as _, NormalizerWrapper, tokenizer::normalizer::Range as Part,
};

use super::pieces::Pieces;

/// Stands for the space before a word.
const SPACE: char = '▁';
/// How much less probable than the rarest piece an unknown character is, as a natural logarithm.
const UNKNOWN: f64 = 10.0;

/// Why a `tokenizer.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnigramError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("the pieces have more than 4 GiB")]
    Pieces,
}

/// The tokenizer.
pub(super) struct Unigram {
    normalizer: NormalizerWrapper,
    pieces: Pieces,
    /// The natural logarithm of the probability of each piece.
    scores: Vec<f64>,
    unknown: u32,
    unknown_score: f64,
}

/// The parts of a `tokenizer.json` that are used. Words are separated by white space, whatever it says.
#[derive(Deserialize)]
struct TokenizerFile<'a> {
    normalizer: NormalizerWrapper,
    #[serde(borrow)]
    model: Vocabulary<'a>,
}

#[derive(Deserialize)]
struct Vocabulary<'a> {
    unk_id: u32,
    #[serde(borrow)]
    vocab: Vec<(PieceText<'a>, f64)>,
}

/// A piece, borrowed from the JSON unless it has an escaped character.
#[derive(Deserialize)]
struct PieceText<'a>(#[serde(borrow)] Cow<'a, str>);

impl AsRef<str> for PieceText<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The most probable spelling of a word up to a position: its score, and the last piece with its start.
#[derive(Clone, Copy)]
struct Spelling {
    score: f64,
    piece: u32,
    start: usize,
}

/// What spelling a text needs and gives.
#[derive(Default)]
struct Speller {
    ids: Vec<u32>,
    /// The word, after a space.
    word: String,
    spellings: Vec<Spelling>,
    /// Where the pieces of the word are in it, without the added space.
    pieces: Vec<Range<usize>>,
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
        let pieces = model.vocab.iter().zip(0..).map(|((piece, _), id)| (piece.as_ref(), id));
        let pieces = pieces.filter(|(_, id)| *id != model.unk_id && !reserved.contains(id));
        let pieces = Pieces::new(pieces.collect()).ok_or(UnigramError::Pieces)?;
        Ok(Self { normalizer, pieces, scores, unknown: model.unk_id, unknown_score })
    }

    /// The ids of a text's pieces.
    ///
    /// # Errors
    /// A failure of the normalizer.
    pub(super) fn tokenize(&self, text: &str) -> tokenizers::Result<Vec<u32>> {
        let mut speller = Speller::default();
        self.spell_words(&self.normalized(text)?, &mut speller, |_, _| {});
        Ok(speller.ids)
    }

    /// The ids of a text's pieces, and the span of each in the text, in bytes. The space before a word is in no span.
    ///
    /// # Errors
    /// A failure of the normalizer.
    pub(super) fn tokenize_with_spans(
        &self,
        text: &str,
    ) -> tokenizers::Result<(Vec<u32>, Vec<Range<usize>>)> {
        let normalized = self.normalized(text)?;
        let mut speller = Speller::default();
        let mut spans = Vec::new();
        self.spell_words(&normalized, &mut speller, |start, pieces| {
            spans.extend(pieces.iter().map(|piece| start + piece.start..start + piece.end));
        });
        let written = spans.into_iter().map(|span| original(&normalized, span)).collect();
        Ok((speller.ids, written))
    }

    fn normalized(&self, text: &str) -> tokenizers::Result<NormalizedString> {
        let mut normalized = NormalizedString::from(text);
        self.normalizer.normalize(&mut normalized)?;
        Ok(normalized)
    }

    /// Spells each word, and calls `spelled` with where it starts and where its pieces are in it.
    fn spell_words(
        &self,
        normalized: &NormalizedString,
        speller: &mut Speller,
        mut spelled: impl FnMut(usize, &[Range<usize>]),
    ) {
        let text = normalized.get();
        for part in text.split_whitespace() {
            let start = part.as_ptr().addr() - text.as_ptr().addr();
            let begins = part.starts_with(SPACE);
            speller.word.clear();
            speller.word.extend((!begins).then_some(SPACE));
            speller.word.push_str(part);
            let added = if begins { 0 } else { SPACE.len_utf8() };
            self.spell(speller, added);
            spelled(start, &speller.pieces);
        }
    }

    /// Adds the pieces of the word to the ids; consecutive unknown characters become one unknown piece. `added` bytes
    /// of the word are not in the text.
    fn spell(&self, speller: &mut Speller, added: usize) {
        let Speller { word, spellings, ids, pieces } = speller;
        let nothing = Spelling { score: 0.0, piece: self.unknown, start: 0 };
        spellings.clear();
        spellings.resize(word.len() + 1, nothing);
        // Spellings are compared by their ends; of equals the one with the longest last piece is first.
        let mut reached = vec![false; word.len() + 1];
        for (start, character) in word.char_indices() {
            let so_far = spellings[start].score;
            let next = start + character.len_utf8();
            let mut is_piece = false;
            self.pieces.for_each_prefix(&word.as_bytes()[start..], |length, piece| {
                is_piece |= start + length == next;
                let score = so_far + self.scores[piece as usize];
                offer(
                    &mut spellings[start + length],
                    &mut reached[start + length],
                    Spelling { score, piece, start },
                );
            });
            if !is_piece {
                let spelling = Spelling { score: so_far + self.unknown_score, piece: self.unknown, start };
                offer(&mut spellings[next], &mut reached[next], spelling);
            }
        }
        let first = ids.len();
        let mut end = word.len();
        pieces.clear();
        while end > 0 {
            let Spelling { piece, start, .. } = spellings[end];
            let span = start.saturating_sub(added)..end.saturating_sub(added);
            match pieces.last_mut() {
                Some(last) if piece == self.unknown && ids[first..].last() == Some(&piece) => {
                    last.start = span.start;
                }
                _ => {
                    ids.push(piece);
                    pieces.push(span);
                }
            }
            end = start;
        }
        ids[first..].reverse();
        pieces.reverse();
    }
}

/// The span in the text of a span of the normalized text.
fn original(normalized: &NormalizedString, span: Range<usize>) -> Range<usize> {
    let at = span.start;
    let found = normalized.convert_offsets(Part::Normalized(span));
    found.unwrap_or_else(|| at.min(normalized.len_original())..at.min(normalized.len_original()))
}

/// Keeps the spelling with the higher score; of equals the first.
fn offer(best: &mut Spelling, reached: &mut bool, other: Spelling) {
    if !*reached || other.score > best.score {
        *best = other;
        *reached = true;
    }
}
