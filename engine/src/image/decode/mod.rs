//! From the bytes of an untrusted file to upright sRGB pixels, within bounds.

mod picture;

pub use picture::{DecodeError, Limits, Picture, decode};
