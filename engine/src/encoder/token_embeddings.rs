//! Tokenizers and token embeddings: those of all-MiniLM-L6-v2, which our English encoders share, and those of
//! multilingual-e5-small, both of which set-up installs in the models' folder; and those in a weight file. Texts are
//! never truncated.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
};

use bytes::Bytes;
use parking_lot::Mutex;
use ports::EngineError;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use tokenizers::{Encoding, Tokenizer};

use super::{
    error::WeightError,
    unigram::Unigram,
    weights::{HEADER_LENGTH, Weights},
    word_table::{RowFormat, WordTable},
};
use crate::{error::named, model_files};

/// MiniLM's id of `[CLS]`, which begins every sequence.
pub const CLS: u32 = 101;
/// MiniLM's id of `[SEP]`, which ends a segment.
pub const SEP: u32 = 102;
/// MiniLM's id of `[MASK]`, which is used as a marker.
pub const MASK: u32 = 103;
/// MiniLM's id of `[PAD]`.
pub const PAD: u32 = 0;

/// The ids of special tokens.
#[derive(Clone, Copy, Debug)]
pub struct SpecialTokens {
    pub begin: u32,
    pub end: u32,
    unknown: u32,
    /// Ids that no text is tokenized to; two of them may be the same.
    reserved: [u32; 4],
}

const MINILM: SpecialTokens =
    SpecialTokens { begin: CLS, end: SEP, unknown: 100, reserved: [PAD, CLS, SEP, MASK] };
/// SentencePiece vocabularies like XLM-R's begin with `<s>`, `<pad>`, `</s>` and `<unk>`.
const XLM: SpecialTokens = SpecialTokens { begin: 0, end: 2, unknown: 3, reserved: [0, 1, 2, 2] };

/// multilingual-e5-small has the vocabulary of XLM-R; its last special token is `<mask>`.
const E5: SpecialTokens = SpecialTokens { begin: 0, end: 2, unknown: 3, reserved: [0, 1, 2, 250_001] };
/// The size of an embedding of multilingual-e5-small.
const E5_WIDTH: usize = 384;

/// The embeddings in use, with the folder that they were read from.
static LOADED: Mutex<Option<(PathBuf, Weak<TokenEmbeddings>)>> = Mutex::new(None);

/// The name of the table in its file, which is MiniLM's.
pub const WORD_EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

pub(crate) const TABLE: &str = "minilm-l6-words.safetensors";
pub(crate) const TOKENIZER: &str = "minilm-l6-tokenizer.json";
pub(crate) const E5_TABLE: &str = "e5-small-words.q4";
pub(crate) const E5_TOKENIZER: &str = "e5-small-tokenizer.json";

/// The tokenizer and the table.
pub struct TokenEmbeddings {
    vocabulary: Vocabulary,
    table: Table,
    width: usize,
    special: SpecialTokens,
}

enum Vocabulary {
    WordPiece(Box<Tokenizer>),
    Unigram(Box<Unigram>),
}

/// A row for each token, row-major.
enum Table {
    File(WordTable),
    /// Multiples of `scale`, each an `i8`.
    Bytes {
        values: Bytes,
        scale: f32,
    },
}

impl TokenEmbeddings {
    /// Like [`open`](Self::open), but reuses what another model of this process has already loaded.
    ///
    /// # Errors
    /// Like `open`.
    pub fn shared(models_dir: &Path) -> Result<Arc<Self>, EngineError> {
        let mut loaded = LOADED.lock();
        if let Some((_, embeddings)) = loaded.as_ref().filter(|(folder, _)| folder == models_dir)
            && let Some(embeddings) = embeddings.upgrade()
        {
            return Ok(embeddings);
        }
        let embeddings = Arc::new(Self::open(models_dir)?);
        *loaded = Some((models_dir.to_owned(), Arc::downgrade(&embeddings)));
        Ok(embeddings)
    }

    /// Opens those of MiniLM in the models' folder and verifies both files by hash. The table stays in its file.
    ///
    /// # Errors
    /// The file that is missing or differs from the lock.
    pub fn open(models_dir: &Path) -> Result<Self, EngineError> {
        model_files::check(models_dir, &[TABLE, TOKENIZER])?;
        let (start, width) = halves(&read(models_dir, TABLE)?).map_err(|error| named(TABLE, error))?;
        let table = file_table(&models_dir.join(TABLE), start, width, RowFormat::Halves)?;
        let tokenizer = tokenizer(&read(models_dir, TOKENIZER)?).map_err(|error| named(TOKENIZER, error))?;
        let vocabulary = Vocabulary::WordPiece(Box::new(tokenizer));
        Ok(Self { vocabulary, table, width, special: MINILM })
    }

    /// Opens those of multilingual-e5-small in the models' folder and verifies both files by hash. The table stays in
    /// its file.
    ///
    /// # Errors
    /// The file that is missing or differs from the lock.
    pub fn open_multilingual(models_dir: &Path) -> Result<Self, EngineError> {
        model_files::check(models_dir, &[E5_TABLE, E5_TOKENIZER])?;
        let table = file_table(&models_dir.join(E5_TABLE), 0, E5_WIDTH, RowFormat::Blocks)?;
        let unigram = Unigram::parse(&read(models_dir, E5_TOKENIZER)?, &E5.reserved)
            .map_err(|error| named(E5_TOKENIZER, error))?;
        let vocabulary = Vocabulary::Unigram(Box::new(unigram));
        Ok(Self { vocabulary, table, width: E5_WIDTH, special: E5 })
    }

    /// Reads the table [`WORD_EMBEDDINGS`], in 8 bits with one scale, and under `tokenizer` the `tokenizer.json` of a
    /// Unigram model whose special tokens are XLM-R's.
    ///
    /// # Errors
    /// A tensor that is missing or of another type or shape, or a tokenizer that cannot be parsed.
    pub fn of_weights(weights: &Weights) -> Result<Self, WeightError> {
        let (shape, values) = weights.bytes(WORD_EMBEDDINGS)?;
        let &[_, width] = shape.as_slice() else {
            return Err(no_table(&shape));
        };
        let scale = weights.vector("embeddings.word_embeddings.scale", 1)?[0];
        let unigram = Unigram::parse(&weights.bytes("tokenizer")?.1, &XLM.reserved)?;
        let vocabulary = Vocabulary::Unigram(Box::new(unigram));
        Ok(Self { vocabulary, table: Table::Bytes { values, scale }, width, special: XLM })
    }

    /// The special tokens of this vocabulary.
    pub fn special(&self) -> SpecialTokens {
        self.special
    }

    /// Tokenizes a text. Special tokens are neither added nor found in it: where the text spells one, such as `[SEP]`,
    /// the result is the unknown token or pieces.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let ids = match &self.vocabulary {
            Vocabulary::WordPiece(tokenizer) => {
                tokenizer.encode_fast(text, false).map(|encoding| self.plain_ids(&encoding))
            }
            Vocabulary::Unigram(unigram) => unigram.tokenize(text),
        };
        ids.map_err(|error| named("the tokenizer", error))
    }

    /// Like [`tokenize`](Self::tokenize), and also returns the span of each token in the text, in bytes. Takes longer.
    ///
    /// # Errors
    /// Like `tokenize`.
    pub fn tokenize_with_spans(&self, text: &str) -> Result<(Vec<u32>, Vec<Range<usize>>), EngineError> {
        let found = match &self.vocabulary {
            Vocabulary::WordPiece(tokenizer) => tokenizer.encode(text, false).map(|encoding| {
                let spans = encoding.get_offsets().iter().map(|(start, end)| *start..*end);
                (self.plain_ids(&encoding), spans.collect())
            }),
            Vocabulary::Unigram(unigram) => unigram.tokenize_with_spans(text),
        };
        found.map_err(|error| named("the tokenizer", error))
    }

    /// The size of an embedding.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Writes the embedding of `id`, or of the unknown token for an id outside the table, to `into`, which has
    /// [`width`](Self::width) values.
    ///
    /// # Errors
    /// A table in a file that cannot be read.
    pub fn look_up(&self, id: u32, into: &mut [f32]) -> Result<(), EngineError> {
        match &self.table {
            Table::File(table) => {
                let row = if u64::from(id) < table.rows() { id } else { self.special.unknown };
                table.look_up(u64::from(row), into).map_err(|error| named("the word embeddings", error))?;
            }
            Table::Bytes { values, scale } => {
                let row = values.get(self.row(id)).or_else(|| values.get(self.row(self.special.unknown)));
                let values = row.into_iter().flatten().map(|value| f32::from(value.cast_signed()) * scale);
                into.iter_mut().zip(values).for_each(|(into, value)| *into = value);
            }
        }
        Ok(())
    }

    fn row(&self, id: u32) -> Range<usize> {
        id as usize * self.width..(id as usize + 1) * self.width
    }

    /// The ids of an encoding, with the unknown token in place of reserved ones.
    fn plain_ids(&self, encoding: &Encoding) -> Vec<u32> {
        let SpecialTokens { unknown, reserved, .. } = self.special;
        encoding.get_ids().iter().map(|id| if reserved.contains(id) { unknown } else { *id }).collect()
    }
}

fn read(models_dir: &Path, file: &str) -> Result<Vec<u8>, EngineError> {
    let path = models_dir.join(file);
    std::fs::read(&path).map_err(|error| named(path.display(), error))
}

fn tokenizer(bytes: &[u8]) -> Result<Tokenizer, tokenizers::Error> {
    let mut tokenizer = Tokenizer::from_bytes(bytes)?;
    tokenizer.with_truncation(None)?.with_padding(None);
    Ok(tokenizer)
}

fn file_table(path: &Path, start: u64, width: usize, format: RowFormat) -> Result<Table, EngineError> {
    let table = WordTable::open(path, start, width, format);
    table.map(Table::File).map_err(|error| named(path.display(), error))
}

/// Where the table's first row is in a safetensors file, in bytes, and the table's width.
fn halves(bytes: &[u8]) -> Result<(u64, usize), WeightError> {
    let (header, metadata) = SafeTensors::read_metadata(bytes)?;
    let tensor = metadata.info(WORD_EMBEDDINGS);
    let tensor = tensor.ok_or_else(|| SafeTensorError::TensorNotFound(WORD_EMBEDDINGS.to_owned()))?;
    match (tensor.dtype, tensor.shape.as_slice()) {
        (Dtype::F16, &[_, width]) => Ok(((HEADER_LENGTH + header + tensor.data_offsets.0) as u64, width)),
        (Dtype::F16, shape) => Err(no_table(shape)),
        (found, _) => {
            Err(WeightError::ElementType { name: WORD_EMBEDDINGS.to_owned(), found, expected: "F16" })
        }
    }
}

fn no_table(shape: &[usize]) -> WeightError {
    let name = WORD_EMBEDDINGS.to_owned();
    WeightError::Shape { name, found: shape.to_vec(), expected: "a table".to_owned() }
}

impl std::fmt::Debug for TokenEmbeddings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenEmbeddings").field("width", &self.width).finish_non_exhaustive()
    }
}
