//! Decodes an untrusted file. A decoder's panic becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{DecodeError, DecodeLimits, Picture, format::Format, jpeg, png, webp};

/// Decodes a JPEG, PNG or WebP file, detected by its content. Blocks for up to a few hundred milliseconds.
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
    // The decoder's state is dropped, so nothing inconsistent remains.
    catch_unwind(AssertUnwindSafe(|| read(bytes, limits)))
        .unwrap_or_else(|_| Err(DecodeError("the image could not be decoded".to_owned())))
}
