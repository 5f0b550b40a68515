//! Decodes an untrusted file. Panics for none: a decoder that panics refuses the picture.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::format::Format;
use super::{DecodeError, DecodeLimits, Picture, jpeg, png, webp};

/// Decodes a JPEG, PNG or WebP file, told by its content. Blocks, for up to some hundred milliseconds.
///
/// # Errors
/// A sentence for the client.
pub fn decode(bytes: &[u8], limits: &DecodeLimits) -> Result<Picture, DecodeError> {
    let format = Format::detect(bytes)?;
    let read = match format {
        Format::Jpeg => jpeg::read,
        Format::Png => png::read,
        Format::Webp => webp::read,
    };
    // Everything the decoder holds is its own and is dropped, so nothing half-done is seen afterwards.
    catch_unwind(AssertUnwindSafe(|| read(bytes, limits)))
        .unwrap_or_else(|_| Err(DecodeError("the image could not be decoded".to_owned())))
}
