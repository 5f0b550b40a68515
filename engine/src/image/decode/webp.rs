//! Decodes a WebP, lossy or lossless. Of an animation, the first frame on a white canvas.
//!
//! Takes 5 to 8 bytes for each pixel, up to 11 with transparency, and 12 for an animation.

use std::io::{Cursor, ErrorKind};

use image_webp::{DecodingError, WebPDecoder};

use super::{
    DecodeError, DecodeLimits, Picture,
    color::{Channels, Converter, MAX_PROFILE_BYTES},
    orientation::{orientation, swaps_sides, upright},
    webp_chunks::WebpChunks,
};

/// Decodes a file with a WebP signature.
pub(super) fn read(bytes: &[u8], limits: &DecodeLimits) -> Result<Picture, DecodeError> {
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
        decoder.set_background_color([255; 4]).map_err(refuse)?;
    }
    let size = decoder.output_buffer_size().ok_or_else(|| DecodeError::damaged("WebP"))?;
    let mut samples = vec![0; size];
    decoder.read_image(&mut samples).map_err(refuse)?;
    let profile = decoder.icc_profile().ok().flatten();
    let opaque = !decoder.has_alpha();
    drop(decoder);
    let converter = Converter::new(profile.as_deref(), Channels::Rgb);
    let rgb = if opaque {
        converter.rgb(&mut samples);
        samples
    } else {
        converter.rgba(samples)
    };
    upright(width, height, rgb, orientation)
}

fn refuse(error: DecodingError) -> DecodeError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            DecodeError::truncated("WebP")
        }
        _ => DecodeError::damaged("WebP"),
    }
}
