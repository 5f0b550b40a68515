//! Text encoders: MiniLM's architecture with weights of our own, run on either runtime. A **trunk** is the embeddings and
//! most layers, a **crown** the last layer and what is read there. A token's numbers never depend on what else is in its
//! batch. The words' vectors are MiniLM's own and fetched by set-up; nothing else is.

mod batcher;
mod crown;
mod layers;
mod net;
mod scorer;
mod sequence;
mod slots;
mod trunk;
mod weights;
mod words;

pub use batcher::{Batcher, Job, Limits, Unserved};
pub use crown::Crown;
pub use scorer::Scorer;
pub use sequence::Sequence;
pub use slots::{HARMS, Settled, Slots};
pub use trunk::{Hidden, Trunk};
pub use weights::{Linear, Matrix, Weights};
pub use words::{CLS, MASK, PAD, SEP, WORDS, Words};
