//! Text encoders: MiniLM's architecture with weights of our own, on either runtime. A **backbone** is the embeddings
//! and all layers but the last; a **head** is the last layer and the scoring layers on it. A token's hidden state
//! never depends on what else is in its batch. The English encoders use MiniLM's own token embeddings, which set-up
//! fetches; those of the multilingual encoder are in its weight file.

mod backbone;
mod batcher;
mod decoder_graph;
mod diffusion;
mod error;
mod head;
mod layers;
mod net;
mod pieces;
mod reader;
mod reader_arrays;
mod reader_graph;
mod scorer;
mod sequence;
mod token_embeddings;
mod unigram;
mod weight_file;
mod weights;
mod word_table;

pub use backbone::{Backbone, Hidden};
pub use batcher::{BatchJob, Batcher, QueueError, QueueLimits, QueueOrder};
pub use diffusion::{Denoised, DiffusionDecoder, HARMS};
pub use error::WeightError;
pub use head::Head;
pub use reader::{EncodedState, EncodedText, JoinInput, JoinText, StateInput, StateReader, unit_mean};
pub use scorer::{Scorer, ScoringInput, ScoringOutput};
pub use sequence::Sequence;
pub use token_embeddings::{CLS, MASK, PAD, SEP, SpecialTokens, TokenEmbeddings, WORD_EMBEDDINGS};
pub(crate) use token_embeddings::{E5_TABLE, E5_TOKENIZER, TABLE, TOKENIZER};
pub use weight_file::WeightFile;
pub use weights::{LinearLayer, Matrix, Weights};
