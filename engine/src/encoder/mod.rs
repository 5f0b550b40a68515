//! Text encoders: MiniLM's architecture with weights of our own, run on either runtime. A **backbone** is the embeddings and
//! most layers, a **head** the last layer and what is read there. A token's numbers never depend on what else is in its
//! batch. The words' vectors are MiniLM's own and fetched by set-up; nothing else is.

mod backbone;
mod batcher;
mod head;
mod layers;
mod net;
mod scorer;
mod sequence;
mod slots;
mod weights;
mod words;

pub use backbone::{Backbone, Hidden};
pub use batcher::{Batcher, Job, Limits, Unserved};
pub use head::Head;
pub use scorer::Scorer;
pub use sequence::Sequence;
pub use slots::{HARMS, Settled, Slots};
pub use weights::{Linear, Matrix, Weights};
pub use words::{CLS, MASK, PAD, SEP, WORDS, Words};
