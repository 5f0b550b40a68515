//! Words: the tokenizer and the word embeddings that every encoder of ours shares, as set-up leaves them in the models'
//! folder. They are all-MiniLM-L6-v2's. Reads a text whole, whatever its length.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use domain::EngineError;
use half::{f16, slice::HalfFloatSliceExt as _};
use safetensors::{Dtype, SafeTensors};
use tokenizers::Tokenizer;

use super::weights::halves;
use crate::model_files;

/// The id that stands before every sequence.
pub const CLS: u32 = 101;
/// The id that ends a part of a sequence.
pub const SEP: u32 = 102;
/// The id of `[MASK]`, which stands where a marker is.
pub const MASK: u32 = 103;
/// The id of padding.
pub const PAD: u32 = 0;
/// The id of what has no id.
const UNKNOWN: u32 = 100;

/// The words that somebody holds, and the folder they are from.
static LOADED: Mutex<Option<(PathBuf, Weak<TokenEmbeddings>)>> = Mutex::new(None);

/// The name of the table in its file, as MiniLM has it.
pub const WORD_EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

const TABLE: &str = "minilm-l6-words.safetensors";
const TOKENIZER: &str = "minilm-l6-tokenizer.json";

/// The tokenizer and the table.
pub struct TokenEmbeddings {
    tokenizer: Tokenizer,
    /// Row after row.
    table: Vec<f16>,
    width: usize,
}

impl TokenEmbeddings {
    /// As [`open`](Self::open), but what another model of this process holds is not read again.
    ///
    /// # Errors
    /// As `open`'s.
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

    /// Reads both from the models' folder, if they are what the lock says.
    ///
    /// # Errors
    /// Names the file that is missing or another.
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

    /// The ids of a text, without any that begins or ends a sequence. A text that spells such a one, as in `[SEP]`, gets
    /// the id of the unknown for it.
    ///
    /// # Errors
    /// The tokenizer's own.
    pub fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding = encoding.map_err(|error| EngineError(format!("{TOKENIZER}: {error}")))?;
        let plain = |id: &u32| if matches!(*id, PAD | CLS | SEP | MASK) { UNKNOWN } else { *id };
        Ok(encoding.get_ids().iter().map(plain).collect())
    }

    /// The width of a word's vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Writes the vector of `id`, or of the unknown when there is none, to `into`, which is [`width`](Self::width) wide.
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

/// The table in a safetensors file, and its width.
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
