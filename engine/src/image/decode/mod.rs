//! Decodes untrusted files to upright sRGB pixels, within limits.
//!
//! Reads JPEG, PNG and WebP, detected by content and never by name; the error for any other file says what it is. The
//! size in the header is checked before any pixel is decoded, and the memory for decoding is bounded. Only the first
//! frame of an animation is decoded. The result is upright (EXIF), in sRGB (ICC) and without transparency, over white.
//! A truncated file is rejected, and so is one that makes a decoder panic.
//!
//! JPEGs are decoded at full size, not at 1/2 or 1/4. `zune-jpeg` decodes 12 megapixels in 60 to 190 ms of CPU, at most
//! 25 ms more than `jpeg-decoder` takes for a quarter of the size (`bench/README.md`). Scaling in the JPEG decoder
//! would smooth the picture and so change the classifier's results.

mod color;
mod format;
mod jpeg;
mod jpeg_markers;
mod limits;
mod orientation;
mod picture;
mod png;
mod read;
mod webp;
mod webp_chunks;

pub use limits::{DecodeError, DecodeLimits};
pub use picture::Picture;
pub use read::decode;
