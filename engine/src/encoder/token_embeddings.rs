//! The tokenizer and the token embeddings of all-MiniLM-L6-v2, which all our encoders share. Set-up installs them in
//! the models' folder. Texts are never truncated.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use domain::EngineError;
use half::{f16, slice::HalfFloatSliceExt as _};
use safetensors::{Dtype, SafeTensors};
use tokenizers::{Encoding, Tokenizer};

use super::weights::halves;
use crate::model_files;

/// The id of `[CLS]`, which begins every sequence.
pub const CLS: u32 = 101;
/// The id of `[SEP]`, which ends a segment.
pub const SEP: u32 = 102;
/// The id of `[MASK]`, which is used as a marker.
pub const MASK: u32 = 103;
/// The id of `[PAD]`.
pub const PAD: u32 = 0;
/// The id of `[UNK]`.
const UNKNOWN: u32 = 100;

/// The embeddings that are in use, with the folder that they were read from.
static LOADED: Mutex<Option<(PathBuf, Weak<TokenEmbeddings>)>> = Mutex::new(None);

/// The name of the table in its file, which is MiniLM's.
pub const WORD_EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

const TABLE: &str = "minilm-l6-words.safetensors";
const TOKENIZER: &str = "minilm-l6-tokenizer.json";

/// The tokenizer and the table.
pub struct TokenEmbeddings {
    tokenizer: Tokenizer,
    /// Row-major.
    table: Vec<f16>,
    width: usize,
}

impl TokenEmbeddings {
    /// Like [`open`](Self::open), but shares what another model of this process has already loaded.
    ///
    /// # Errors
    /// Like `open`.
    pub fn shared(models_dir: &Path) -> Result<Arc<Self>, EngineError> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, embeddings)) = loaded.as_ref().filter(|(folder, _)| folder == models_dir)
            && let Some(embeddings) = embeddings.upgrade()
        {
            return Ok(embeddings);
        }
        let embeddings = Arc::new(Self::open(models_dir)?);
        *loaded = Some((models_dir.to_owned(), Arc::downgrade(&embeddings)));
        Ok(embeddings)
    }

    /// Reads both files from the models' folder and verifies them by hash.
    ///
    /// # Errors
    /// The file that is missing or differs from the lock.
    pub fn open(models_dir: &Path) -> Result<Self, EngineError> {
        model_files::check(models_dir, &[TABLE, TOKENIZER]).map_err(EngineError)?;
        let read = |file: &str| {
            let path = models_dir.join(file);
            std::fs::read(&path).map_err(|error| EngineError(format!("{}: {error}", path.display())))
        };
        let (table, width) =
            table(&read(TABLE)?).map_err(|error| EngineError(format!("{TABLE}: {error}")))?;
        let mut tokenizer = Tokenizer::from_bytes(read(TOKENIZER)?)
            .map_err(|error| EngineError(format!("{TOKENIZER}: {error}")))?;
        tokenizer
            .with_truncation(None)
            .map_err(|error| EngineError(format!("{TOKENIZER}: {error}")))?
            .with_padding(None);
        Ok(Self { tokenizer, table, width })
    }

    /// Tokenizes a text, without special tokens. A text that spells a special token, such as `[SEP]`, gets `[UNK]` for
    /// it.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding = encoding.map_err(|error| EngineError(format!("{TOKENIZER}: {error}")))?;
        Ok(plain_ids(&encoding))
    }

    /// Like [`tokenize`](Self::tokenize), and also gives the place of each token in the text, in bytes. Takes longer.
    ///
    /// # Errors
    /// Like `tokenize`.
    pub fn tokenize_with_places(&self, text: &str) -> Result<(Vec<u32>, Vec<Range<usize>>), EngineError> {
        let encoding = self.tokenizer.encode(text, false);
        let encoding = encoding.map_err(|error| EngineError(format!("{TOKENIZER}: {error}")))?;
        let places = encoding.get_offsets().iter().map(|(start, end)| *start..*end);
        Ok((plain_ids(&encoding), places.collect()))
    }

    /// The size of an embedding.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Writes the embedding of `id`, or of `[UNK]` for an id outside the table, to `into`, which has
    /// [`width`](Self::width) values.
    pub fn look_up(&self, id: u32, into: &mut [f32]) {
        let row = |id: u32| {
            let start = id as usize * self.width;
            self.table.get(start..start + self.width)
        };
        if let Some(row) = row(id).or_else(|| row(UNKNOWN)) {
            row.convert_to_f32_slice(into);
        }
    }
}

fn plain_ids(encoding: &Encoding) -> Vec<u32> {
    let plain = |id: &u32| if matches!(*id, PAD | CLS | SEP | MASK) { UNKNOWN } else { *id };
    encoding.get_ids().iter().map(plain).collect()
}

/// Reads the table from a safetensors file; also gives its width.
fn table(bytes: &[u8]) -> Result<(Vec<f16>, usize), String> {
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let view = tensors.tensor(WORD_EMBEDDINGS).map_err(|error| error.to_string())?;
    match (view.dtype(), view.shape()) {
        (Dtype::F16, &[_, width]) => Ok((halves(view.data()), width)),
        (dtype, shape) => Err(format!("`{WORD_EMBEDDINGS}` is {dtype:?} {shape:?}, not a table of F16")),
    }
}

impl std::fmt::Debug for TokenEmbeddings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenEmbeddings").field("width", &self.width).finish_non_exhaustive()
    }
}
