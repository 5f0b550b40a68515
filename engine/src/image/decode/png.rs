//! Decodes a PNG of any depth and colour type row by row to 8-bit RGB; of an animated one, the default image. A gamma
//! is applied when there is no profile, as in viewers; chromaticities without a profile and text chunks are ignored.
//!
//! Takes 3 bytes for each pixel, interlaced or not.

use std::io::{Cursor, ErrorKind};

use png::{
    BitDepth, ColorType, Decoder, DecodingError, InterlaceInfo, Transformations, expand_interlaced_row,
};

use super::{
    DecodeError, DecodeLimits, Picture,
    color::{Channels, Converter, MAX_PROFILE_BYTES, over_white},
    orientation::{orientation, swaps_sides, upright},
};

/// Decodes a file with a PNG signature.
pub(super) fn read(bytes: &[u8], limits: &DecodeLimits) -> Result<Picture, DecodeError> {
    // The decoder buffers the profile besides the rows, compressed and uncompressed.
    let buffers = png::Limits { bytes: bytes.len() + 2 * MAX_PROFILE_BYTES };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), buffers);
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let header = decoder.read_header_info().map_err(refuse)?;
    let width = header.width;
    let height = header.height;
    let pixels = u64::from(width) * u64::from(height);
    limits.admit(width, height, 3 * pixels)?;
    let mut reader = decoder.read_info().map_err(refuse)?;
    let orientation = orientation(reader.info().exif_metadata.as_deref());
    if swaps_sides(orientation) {
        limits.admit(width, height, 6 * pixels)?;
    }
    let (color, depth) = reader.output_color_type();
    if depth != BitDepth::Eight {
        return Err(DecodeError::damaged("PNG"));
    }
    let channels = match color {
        ColorType::Grayscale | ColorType::GrayscaleAlpha => Channels::Gray,
        _ => Channels::Rgb,
    };
    let info = reader.info();
    let converter = match (&info.icc_profile, info.gamma()) {
        (None, Some(gamma)) => Converter::with_gamma(gamma.into_value(), channels),
        (profile, _) => Converter::new(profile.as_deref(), channels),
    };
    let stride = 3 * width as usize;
    let mut rgb = vec![0; stride * height as usize];
    let mut line = vec![0; stride];
    let mut row = 0;
    while let Some(stored) = reader.next_interlaced_row().map_err(refuse)? {
        match stored.interlace() {
            InterlaceInfo::Null(_) => {
                let to = rgb.get_mut(row * stride..(row + 1) * stride);
                convert(stored.data(), color, &converter, to.ok_or_else(|| DecodeError::damaged("PNG"))?);
                row += 1;
            }
            InterlaceInfo::Adam7(pass) => {
                let line = &mut line[..stored.data().len() / color.samples() * 3];
                convert(stored.data(), color, &converter, line);
                expand_interlaced_row(&mut rgb, stride, line, pass, 24);
            }
        }
    }
    upright(width, height, rgb, orientation)
}

/// Converts a row of 8-bit samples to RGB.
fn convert(from: &[u8], color: ColorType, converter: &Converter, to: &mut [u8]) {
    match color {
        ColorType::Rgba => converter.rgba_chunk(from, to),
        ColorType::Grayscale => to.copy_from_slice(&converter.gray(from)),
        ColorType::GrayscaleAlpha => {
            let (from, _) = from.as_chunks::<2>();
            let gray: Vec<u8> = from.iter().map(|[gray, _]| *gray).collect();
            let opaque = converter.gray(&gray);
            for ((to, opaque), [_, alpha]) in
                to.as_chunks_mut::<3>().0.iter_mut().zip(opaque.as_chunks::<3>().0).zip(from)
            {
                *to = opaque.map(|value| over_white(value, *alpha));
            }
        }
        _ => {
            to.copy_from_slice(from);
            converter.rgb(to);
        }
    }
}

fn refuse(error: DecodingError) -> DecodeError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            DecodeError::truncated("PNG")
        }
        _ => DecodeError::damaged("PNG"),
    }
}
