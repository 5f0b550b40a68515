//! Text encoders: MiniLM's architecture with weights of our own, run on either runtime. A **backbone** is the embeddings and
//! most layers, a **head** the last layer and what is read there. A token's numbers never depend on what else is in its
//! batch. The words' vectors are MiniLM's own and fetched by set-up; nothing else is.

mod backbone;
mod batcher;
mod diffusion;
mod head;
mod layers;
mod net;
mod scorer;
mod sequence;
mod token_embeddings;
mod weights;

pub use backbone::{Backbone, Hidden};
pub use batcher::{Batcher, Job, QueueError, QueueLimits};
pub use diffusion::{Denoised, DiffusionDecoder, HARMS};
pub use head::Head;
pub use scorer::Scorer;
pub use sequence::Sequence;
pub use token_embeddings::{CLS, MASK, PAD, SEP, TokenEmbeddings, WORD_EMBEDDINGS};
pub use weights::{Linear, Matrix, Weights};
