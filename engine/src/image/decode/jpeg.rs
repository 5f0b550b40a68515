//! Decodes a JPEG: baseline, extended or progressive, 8 bits, Huffman-coded; grey, colour or CMYK.
//!
//! Of a file whose data ends early, or is damaged, what is there is decoded, as viewers do. Data after the end marker
//! is ignored.
//!
//! Takes 3 bytes for each pixel (4 for grey and CMYK), and 6 to 9 if the file is progressive or not interleaved.

use std::borrow::Cow;

use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use super::{
    DecodeError, DecodeLimits, Picture,
    color::{Channels, Converter},
    jpeg_markers::{JpegStructure, MAX_SCANS},
    orientation::{orientation, swaps_sides, upright},
    picture::FirstPicture,
};

const END_MARKER: [u8; 2] = [0xFF, 0xD9];

/// Decodes a file with a JPEG signature.
pub(super) fn read(bytes: &[u8], limits: &DecodeLimits) -> Result<FirstPicture, DecodeError> {
    let structure = JpegStructure::read(bytes)?;
    match decode(bytes, &structure, limits, Leniency::Strict) {
        Ok(picture) => Ok(first(picture, !structure.complete && structure.progressive)),
        Err(_) => Ok(first(decode(bytes, &structure, limits, Leniency::Lenient)?, true)),
    }
}

fn first(picture: Picture, truncated: bool) -> FirstPicture {
    FirstPicture { picture, transparent: false, truncated, frames: 1 }
}

/// What happens to data that is damaged or not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leniency {
    Strict,
    /// What is there is decoded.
    Lenient,
}

fn decode(
    bytes: &[u8],
    structure: &JpegStructure,
    limits: &DecodeLimits,
    leniency: Leniency,
) -> Result<Picture, DecodeError> {
    let width = structure.width;
    let height = structure.height;
    limits.admit(width, height, bytes_needed(structure))?;
    let stored = StoredColor::detect(structure);
    let mut bytes = stored.correct_adobe_marker(&bytes[..structure.end], structure);
    if leniency == Leniency::Lenient && !structure.complete {
        // As libjpeg does, so that the decoder ends where the data ends.
        bytes.to_mut().extend_from_slice(&END_MARKER);
    }
    let asked = stored.channels(structure);
    let options = DecoderOptions::default()
        .set_strict_mode(leniency == Leniency::Strict)
        .set_max_width(width as usize)
        .set_max_height(height as usize)
        .jpeg_set_max_scans(MAX_SCANS)
        .jpeg_set_out_colorspace(asked);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&*bytes), options);
    decoder.decode_headers().map_err(|_| structure.unreadable())?;
    if decoder.dimensions() != Some((width as usize, height as usize)) {
        return Err(DecodeError::damaged("JPEG"));
    }
    let orientation = orientation(decoder.exif().map(Vec::as_slice));
    if swaps_sides(orientation) {
        limits.admit(width, height, 6 * pixels(structure))?;
    }
    let mut samples = vec![0; pixels(structure) as usize * asked.num_components()];
    decoder.decode_into(&mut samples).map_err(|_| structure.unreadable())?;
    let profile = decoder.icc_profile();
    drop(decoder);
    let profile = profile.as_deref();
    let rgb = match stored {
        StoredColor::Gray => Converter::new(profile, Channels::Gray).gray(&samples),
        StoredColor::Cmyk | StoredColor::Ycck => {
            to_cmyk(&mut samples, stored);
            Converter::new(profile, Channels::Cmyk).cmyk(samples)
        }
        StoredColor::Rgb | StoredColor::Ycc => {
            // The decoder does not convert components named R, G and B, but the file's markers say that they are YCbCr.
            if stored == StoredColor::Ycc && structure.named_rgb {
                samples.as_chunks_mut().0.iter_mut().for_each(|pixel| *pixel = ycc(*pixel));
            }
            Converter::new(profile, Channels::Rgb).rgb(&mut samples);
            samples
        }
    };
    upright(width, height, rgb, orientation)
}

fn pixels(structure: &JpegStructure) -> u64 {
    u64::from(structure.width) * u64::from(structure.height)
}

/// Memory for the decoded pixels, and for every coefficient in 16 bits if the file cannot be decoded row by row.
fn bytes_needed(structure: &JpegStructure) -> u64 {
    let channels = if structure.sampling.len() == 3 { 3 } else { 4 };
    let decoded = channels * pixels(structure);
    if !structure.progressive && structure.first_scan == structure.sampling.len() {
        return decoded;
    }
    let widest = structure.sampling.iter().map(|factors| factors.horizontal).fold(1, u8::max);
    let highest = structure.sampling.iter().map(|factors| factors.vertical).fold(1, u8::max);
    let units =
        structure.width.div_ceil(8 * u32::from(widest)) * structure.height.div_ceil(8 * u32::from(highest));
    let blocks: u64 =
        structure.sampling.iter().map(|factors| u64::from(factors.horizontal * factors.vertical)).sum();
    decoded + u64::from(units) * blocks * 64 * 2
}

/// The colour space of the components, by the rules of libjpeg, which all decoders follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredColor {
    Gray,
    Rgb,
    Ycc,
    Cmyk,
    Ycck,
}

impl StoredColor {
    fn detect(structure: &JpegStructure) -> Self {
        match (structure.sampling.len(), structure.adobe.map(|adobe| adobe.transform)) {
            (1, _) => StoredColor::Gray,
            (4, None | Some(0)) => StoredColor::Cmyk,
            (4, Some(_)) => StoredColor::Ycck,
            _ if structure.jfif => StoredColor::Ycc,
            (_, Some(0)) => StoredColor::Rgb,
            (_, Some(_)) => StoredColor::Ycc,
            _ if structure.named_rgb => StoredColor::Rgb,
            _ => StoredColor::Ycc,
        }
    }

    /// Corrects Adobe's marker for the decoder, which treats three components as CMYK if the transform is 0, and
    /// rejects four components with a transform other than YCCK.
    fn correct_adobe_marker<'a>(self, bytes: &'a [u8], structure: &JpegStructure) -> Cow<'a, [u8]> {
        let Some(adobe) = structure.adobe else { return bytes.into() };
        let transform = match self {
            StoredColor::Gray | StoredColor::Rgb | StoredColor::Ycc => 1,
            StoredColor::Cmyk => 0,
            StoredColor::Ycck => 2,
        };
        if transform == adobe.transform {
            return bytes.into();
        }
        let mut bytes = bytes.to_owned();
        bytes[adobe.offset] = transform;
        bytes.into()
    }

    /// The decoder's output colour space. The decoder treats components named R, G and B as RGB, whatever else the file
    /// says, and all others as YCbCr; it does not convert samples when the output is what it treats them as.
    fn channels(self, structure: &JpegStructure) -> ColorSpace {
        match self {
            StoredColor::Gray => ColorSpace::Luma,
            StoredColor::Cmyk => ColorSpace::CMYK,
            StoredColor::Ycck => ColorSpace::YCCK,
            StoredColor::Rgb if !structure.named_rgb => ColorSpace::YCbCr,
            StoredColor::Rgb | StoredColor::Ycc => ColorSpace::RGB,
        }
    }
}

/// Converts stored samples to amounts of ink, 255 at most. Adobe stores them inverted, and all others do the same,
/// with the marker or without. YCCK is CMY converted by JFIF's formula, and K unchanged.
fn to_cmyk(samples: &mut [u8], stored: StoredColor) {
    for pixel in samples.as_chunks_mut::<4>().0 {
        let [first, second, third, black] = *pixel;
        *pixel = if stored == StoredColor::Ycck {
            let [cyan, magenta, yellow] = ycc([first, second, third]);
            [cyan, magenta, yellow, 255 - black]
        } else {
            pixel.map(|value| 255 - value)
        };
    }
}

/// YCbCr to RGB: JFIF 1.02, page 3.
fn ycc(pixel: [u8; 3]) -> [u8; 3] {
    let [y, cb, cr] = pixel.map(f32::from);
    let cb = cb - 128.0;
    let cr = cr - 128.0;
    [y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb]
        .map(|value| value.round().clamp(0.0, 255.0) as u8)
}
