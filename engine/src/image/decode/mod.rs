//! From the bytes of an untrusted file to upright sRGB pixels, within bounds.
//!
//! A JPEG, PNG or WebP, told by its content and never by its name; anything else is refused by name. What the file
//! says of its size is checked before a pixel is read; what it needs while being read is bounded too. Of an animation
//! the first frame is read. Pixels come out upright (EXIF), in sRGB (ICC) and without transparency, over white. A file
//! that ends early is refused, and so is one that makes a decoder panic.
//!
//! JPEGs are decoded in full, not at 1/2 or 1/4 of their size. `zune-jpeg` reads 12 megapixels in 60 to 190 ms of CPU,
//! at most 25 ms more than `jpeg-decoder` takes for a quarter of the size (`bench/README.md`); and a picture scaled by
//! a JPEG decoder is smoothed, so that a classifier made to sample the full one would answer something else.

mod color;
mod exif;
mod format;
mod jpeg;
mod jpeg_markers;
mod limits;
mod picture;
mod png;
mod read;
mod turn;
mod webp;
mod webp_chunks;

pub use limits::{DecodeError, DecodeLimits};
pub use picture::Picture;
pub use read::decode;
