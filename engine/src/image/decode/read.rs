//! Decodes an untrusted file. A decoder's panic becomes an error.

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
};

use ports::image::Background;

use super::{
    DecodeError, DecodeLimits, Picture, animation::ShownFrame, format::Format, jpeg, picture::FirstPicture,
    png, png_frames, webp, webp_frames,
};

/// A way in which a file can be seen.
pub struct View {
    pub picture: Picture,
    /// The number of the frame in an animation, from 0.
    pub frame: u32,
    pub background: Background,
}

/// What is known of a file once it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// A part of it is not there, is damaged, or is more than is decoded.
    pub truncated: bool,
    /// Pictures of the file; 1 unless it is animated.
    pub frames: u32,
}

/// Decodes the first picture of a JPEG, PNG or WebP file, detected by its content, over white. Blocks for up to a few
/// hundred milliseconds.
///
/// # Errors
/// A sentence for the client.
pub fn decode(bytes: &[u8], limits: &DecodeLimits) -> Result<Picture, DecodeError> {
    Ok(first(bytes, limits, Background::White)?.picture)
}

/// Decodes a file and shows all ways to see it, one after the other: on white; on black as well if it is transparent;
/// and frames spread over an animation. `see` may want no more.
///
/// # Errors
/// A sentence for the client. Once anything was seen, there is none.
pub fn views(
    bytes: &[u8],
    limits: &DecodeLimits,
    see: &mut dyn FnMut(View) -> ControlFlow<()>,
) -> Result<Extent, DecodeError> {
    let FirstPicture { picture, transparent, truncated, frames } = first(bytes, limits, Background::White)?;
    let mut extent = Extent { truncated, frames };
    if see(View { picture, frame: 0, background: Background::White }).is_break() {
        return Ok(extent);
    }
    if transparent {
        let background = Background::Black;
        let FirstPicture { picture, .. } = first(bytes, limits, background)?;
        if see(View { picture, frame: 0, background }).is_break() {
            return Ok(extent);
        }
    }
    if frames > 1 {
        let show = match Format::detect(bytes)? {
            Format::Jpeg => return Ok(extent),
            Format::Png => png_frames::show,
            Format::Webp => webp_frames::show,
        };
        let rest = guarded(|| {
            show(bytes, limits, &mut |ShownFrame { picture, frame, background }| {
                see(View { picture, frame, background })
            })
        });
        extent.truncated |= rest.unwrap_or(true);
    }
    Ok(extent)
}

fn first(bytes: &[u8], limits: &DecodeLimits, background: Background) -> Result<FirstPicture, DecodeError> {
    let format = Format::detect(bytes)?;
    guarded(|| match format {
        Format::Jpeg => jpeg::read(bytes, limits),
        Format::Png => png::read(bytes, limits, background),
        Format::Webp => webp::read(bytes, limits, background),
    })
}

/// Runs a decoder. Its state is dropped if it panics, so nothing inconsistent remains.
fn guarded<T>(decode: impl FnOnce() -> Result<T, DecodeError>) -> Result<T, DecodeError> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(DecodeError("the image could not be decoded".to_owned())))
}
