//! Decodes a PNG of any depth and colour type row by row to 8-bit RGB; of an animated one, the default image. A gamma
//! is applied when there is no profile, as in viewers; chromaticities without a profile and text chunks are ignored.
//! Rows after damage, or after the end of a file that ends early, have the background's colour.
//!
//! Takes 3 bytes for each pixel, interlaced or not.

use std::io::{Cursor, ErrorKind};

use png::{
    BitDepth, ColorType, Decoder, DecodingError, InterlaceInfo, InterlacedRow, Transformations,
    expand_interlaced_row,
};
use ports::image::Background;

use super::{
    DecodeError, DecodeLimits,
    color::{Channels, Converter, MAX_PROFILE_BYTES, is_transparent, over, value_of},
    orientation::{orientation, swaps_sides, upright},
    picture::FirstPicture,
};

/// A decoder of 8-bit samples.
pub(super) fn decoder(bytes: &[u8]) -> Decoder<Cursor<&[u8]>> {
    // The decoder buffers the profile besides the rows, compressed and uncompressed.
    let buffers = png::Limits { bytes: bytes.len() + 2 * MAX_PROFILE_BYTES };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), buffers);
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder
}

/// Decodes a file with a PNG signature.
pub(super) fn read(
    bytes: &[u8],
    limits: &DecodeLimits,
    background: Background,
) -> Result<FirstPicture, DecodeError> {
    let mut decoder = decoder(bytes);
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
    let frames = info.animation_control().map_or(1, |animation| animation.num_frames);
    let mut rows = Rows::new(Size { width, height }, color, converter, background);
    let truncated = loop {
        match reader.next_interlaced_row() {
            Ok(Some(row)) => rows.add(row)?,
            Ok(None) => break false,
            // A file that ends after the last row lacks nothing.
            Err(_) if rows.all_there => break false,
            Err(_) if rows.any_there => break true,
            Err(error) => return Err(refuse(error)),
        }
    };
    let transparent = rows.transparent;
    let picture = upright(width, height, rows.rgb, orientation)?;
    Ok(FirstPicture { picture, transparent, truncated, frames })
}

/// A size in pixels.
#[derive(Clone, Copy)]
struct Size {
    width: u32,
    height: u32,
}

/// The rows of a picture, as they are decoded.
struct Rows {
    size: Size,
    color: ColorType,
    converter: Converter,
    background: Background,
    rgb: Vec<u8>,
    line: Vec<u8>,
    next: usize,
    any_there: bool,
    all_there: bool,
    transparent: bool,
}

impl Rows {
    fn new(size: Size, color: ColorType, converter: Converter, background: Background) -> Self {
        let stride = 3 * size.width as usize;
        Self {
            size,
            color,
            converter,
            background,
            rgb: vec![value_of(background); stride * size.height as usize],
            line: vec![0; stride],
            next: 0,
            any_there: false,
            all_there: false,
            transparent: false,
        }
    }

    fn add(&mut self, row: InterlacedRow<'_>) -> Result<(), DecodeError> {
        let stride = 3 * self.size.width as usize;
        let data = row.data();
        let line = &mut self.line[..data.len() / self.color.samples() * 3];
        convert(data, self.color, &self.converter, self.background, line);
        self.any_there = true;
        self.transparent |= match self.color {
            ColorType::Rgba => is_transparent(data),
            ColorType::GrayscaleAlpha => data.as_chunks::<2>().0.iter().any(|pixel| pixel[1] != 255),
            _ => false,
        };
        match row.interlace() {
            InterlaceInfo::Null(_) => {
                let to = self.rgb.get_mut(self.next * stride..(self.next + 1) * stride);
                to.ok_or_else(|| DecodeError::damaged("PNG"))?.copy_from_slice(line);
                self.next += 1;
                self.all_there = self.next == self.size.height as usize;
            }
            InterlaceInfo::Adam7(pass) => {
                expand_interlaced_row(&mut self.rgb, stride, line, pass, 24);
                self.all_there = false;
            }
        }
        Ok(())
    }
}

/// Converts a row of 8-bit samples to RGB.
fn convert(from: &[u8], color: ColorType, converter: &Converter, background: Background, to: &mut [u8]) {
    match color {
        ColorType::Rgba => converter.rgba_chunk(from, to, background),
        ColorType::Grayscale => to.copy_from_slice(&converter.gray(from)),
        ColorType::GrayscaleAlpha => {
            let (from, _) = from.as_chunks::<2>();
            let gray: Vec<u8> = from.iter().map(|[gray, _]| *gray).collect();
            let opaque = converter.gray(&gray);
            for ((to, opaque), [_, alpha]) in
                to.as_chunks_mut::<3>().0.iter_mut().zip(opaque.as_chunks::<3>().0).zip(from)
            {
                *to = opaque.map(|value| over(background, value, *alpha));
            }
        }
        _ => {
            to.copy_from_slice(from);
            converter.rgb(to);
        }
    }
}

pub(super) fn refuse(error: DecodingError) -> DecodeError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            DecodeError::truncated("PNG")
        }
        _ => DecodeError::damaged("PNG"),
    }
}
