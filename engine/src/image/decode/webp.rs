//! Decodes a WebP, lossy or lossless; of an animation, the first frame.
//!
//! Takes 5 to 8 bytes for each pixel, up to 11 with transparency, and 12 for an animation.

use std::io::{BufRead, Cursor, ErrorKind, Seek};

use image_webp::{DecodingError, WebPDecoder};
use ports::image::Background;

use super::{
    DecodeError, DecodeLimits,
    color::{Channels, Converter, MAX_PROFILE_BYTES, is_transparent},
    orientation::{orientation, swaps_sides, upright},
    picture::FirstPicture,
    webp_chunks::WebpChunks,
    webp_mending::mend,
};

/// Decodes a file with a WebP signature.
pub(super) fn read(
    bytes: &[u8],
    limits: &DecodeLimits,
    background: Background,
) -> Result<FirstPicture, DecodeError> {
    let Some(mended) = mend(bytes) else { return read_whole(bytes, limits, background) };
    match read_whole(&mended, limits, background) {
        Ok(first) => Ok(FirstPicture { truncated: true, ..first }),
        Err(error) if error == DecodeError::damaged("WebP") => Err(DecodeError::truncated("WebP")),
        Err(error) => Err(error),
    }
}

fn read_whole(
    bytes: &[u8],
    limits: &DecodeLimits,
    background: Background,
) -> Result<FirstPicture, DecodeError> {
    let chunks = WebpChunks::read(bytes)?;
    let width = chunks.width;
    let height = chunks.height;
    let pixels = u64::from(width) * u64::from(height);
    limits.admit(width, height, 0)?;
    let mut decoder = WebPDecoder::new(Cursor::new(&bytes[..chunks.end])).map_err(refuse)?;
    if decoder.dimensions() != (width, height) || decoder.is_animated() != chunks.animated {
        return Err(DecodeError::damaged("WebP"));
    }
    decoder.set_memory_limit(MAX_PROFILE_BYTES);
    let orientation = orientation(decoder.exif_metadata().ok().flatten().as_deref());
    let needed = match (chunks.animated, decoder.is_lossy(), decoder.has_alpha()) {
        (true, ..) => 12,
        (false, true, false) => 5,
        (false, false, false) => 8,
        (false, true, true) => 11,
        (false, false, true) => 5,
    };
    let needed = if swaps_sides(orientation) { needed.max(6) } else { needed };
    limits.admit(width, height, needed * pixels)?;
    if chunks.animated {
        decoder.set_background_color(canvas(&decoder)).map_err(refuse)?;
    }
    let frames = decoder.num_frames().max(1);
    let size = decoder.output_buffer_size().ok_or_else(|| DecodeError::damaged("WebP"))?;
    let mut samples = vec![0; size];
    decoder.read_image(&mut samples).map_err(refuse)?;
    let profile = decoder.icc_profile().ok().flatten();
    let opaque = !decoder.has_alpha();
    drop(decoder);
    let converter = Converter::new(profile.as_deref(), Channels::Rgb);
    let transparent = !opaque && is_transparent(&samples);
    let rgb = if opaque {
        converter.rgb(&mut samples);
        samples
    } else {
        converter.rgba(samples, background)
    };
    let picture = upright(width, height, rgb, orientation)?;
    Ok(FirstPicture { picture, transparent, truncated: false, frames })
}

/// What an animation's canvas is before its first frame: transparent, or white where it cannot be.
pub(super) fn canvas<R: BufRead + Seek>(decoder: &WebPDecoder<R>) -> [u8; 4] {
    if decoder.has_alpha() { [0; 4] } else { [255; 4] }
}

pub(super) fn refuse(error: DecodingError) -> DecodeError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            DecodeError::truncated("WebP")
        }
        _ => DecodeError::damaged("WebP"),
    }
}
