//! Decodes untrusted files to upright sRGB pixels, within limits.
//!
//! Reads JPEG, PNG and WebP, detected by content and never by name; the error for any other file says what it is. The
//! size in the header is checked before any pixel is decoded, and the memory for decoding is bounded. The result is
//! upright (EXIF), in sRGB (ICC) and without transparency: over white, and over black as well. Of an animation, frames
//! spread over it are decoded; of a truncated or damaged file, what is there, as viewers show it. A file that makes a
//! decoder panic is rejected.
//!
//! JPEGs are decoded at full size, not at 1/2 or 1/4. `zune-jpeg` decodes 12 megapixels in 60 to 190 ms of CPU, at most
//! 25 ms more than `jpeg-decoder` takes for a quarter of the size (`bench/README.md`). Scaling in the JPEG decoder
//! would smooth the picture and so change the classifier's results.

mod animation;
mod color;
mod format;
mod jpeg;
mod jpeg_markers;
mod limits;
mod orientation;
mod picture;
mod png;
mod png_frames;
mod read;
mod webp;
mod webp_chunks;
mod webp_frames;
mod webp_mending;

pub use limits::{DecodeError, DecodeLimits};
pub use picture::Picture;
pub use read::{Extent, View, decode, views};
