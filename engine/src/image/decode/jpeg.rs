//! Reads a JPEG: baseline, extended or progressive, 8 bits, Huffman-coded; grey, colour or CMYK.
//!
//! A file whose entropy-coded data ends early is refused, where a viewer would show the rest in grey; what comes after
//! the end marker is not looked at. A baseline file that lacks nothing but its end marker is read; a progressive one is
//! not, since nobody can tell how many scans are missing. Data cut short in front of an end marker is seen as any
//! viewer would see it.
//!
//! Takes 3 bytes a pixel (grey and CMYK 4), and 6 to 9 if the file is progressive or its components come one by one.

use std::borrow::Cow;

use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use super::color::{Channels, Converter};
use super::exif::orientation;
use super::jpeg_markers::{MAX_SCANS, Structure};
use super::turn::{turns, upright};
use super::{DecodeError, DecodeLimits, Picture};

/// Decodes a file that starts as a JPEG does.
pub(super) fn read(bytes: &[u8], limits: &DecodeLimits) -> Result<Picture, DecodeError> {
    let structure = Structure::read(bytes)?;
    let (width, height) = (structure.width, structure.height);
    limits.admit(width, height, bytes_needed(&structure))?;
    let stored = StoredColor::detect(&structure);
    let bytes = stored.correct_adobe_marker(&bytes[..structure.end], &structure);
    let asked = stored.channels(&structure);
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(width as usize)
        .set_max_height(height as usize)
        .jpeg_set_max_scans(MAX_SCANS)
        .jpeg_set_out_colorspace(asked);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&*bytes), options);
    decoder.decode_headers().map_err(|_| structure.unreadable())?;
    if decoder.dimensions() != Some((width as usize, height as usize)) {
        return Err(DecodeError::damaged("JPEG"));
    }
    let orientation = decoder.exif().map_or(1, |exif| orientation(exif));
    if turns(orientation) {
        limits.admit(width, height, 6 * pixels(&structure))?;
    }
    let mut samples = vec![0; pixels(&structure) as usize * asked.num_components()];
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
            // Called R, G and B, so the decoder left them alone; but the file says elsewhere that they are not.
            if stored == StoredColor::Ycc && structure.named_rgb {
                samples.as_chunks_mut().0.iter_mut().for_each(|pixel| *pixel = ycc(*pixel));
            }
            Converter::new(profile, Channels::Rgb).rgb(&mut samples);
            samples
        }
    };
    let mut picture = Picture { width, height, rgb };
    upright(&mut picture, orientation);
    Ok(picture)
}

fn pixels(structure: &Structure) -> u64 {
    u64::from(structure.width) * u64::from(structure.height)
}

/// Pixels as decoded, and every coefficient in 16 bits if they cannot be turned into pixels row by row.
fn bytes_needed(structure: &Structure) -> u64 {
    let channels = if structure.sampling.len() == 3 { 3 } else { 4 };
    let decoded = channels * pixels(structure);
    if !structure.progressive && structure.first_scan == structure.sampling.len() {
        return decoded;
    }
    let (widest, highest) = structure.sampling.iter().fold((1, 1), |(h, v), s| (h.max(s.0), v.max(s.1)));
    let units =
        structure.width.div_ceil(8 * u32::from(widest)) * structure.height.div_ceil(8 * u32::from(highest));
    let blocks: u64 = structure.sampling.iter().map(|(h, v)| u64::from(h * v)).sum();
    decoded + u64::from(units) * blocks * 64 * 2
}

/// What the components are, by the rules of libjpeg, which everybody follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredColor {
    Gray,
    Rgb,
    Ycc,
    Cmyk,
    Ycck,
}

impl StoredColor {
    fn detect(structure: &Structure) -> Self {
        match (structure.sampling.len(), structure.adobe.map(|(_, transform)| transform)) {
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

    /// The file with Adobe's marker saying what the decoder has to hear: it takes three components for CMYK if the
    /// marker says that nothing was transformed, and knows no four that were transformed otherwise than to YCCK.
    fn correct_adobe_marker<'a>(self, bytes: &'a [u8], structure: &Structure) -> Cow<'a, [u8]> {
        let Some((at, transform)) = structure.adobe else { return bytes.into() };
        let heard = match self {
            StoredColor::Gray | StoredColor::Rgb | StoredColor::Ycc => 1,
            StoredColor::Cmyk => 0,
            StoredColor::Ycck => 2,
        };
        if heard == transform {
            return bytes.into();
        }
        let mut bytes = bytes.to_owned();
        bytes[at] = heard;
        bytes.into()
    }

    /// What to ask of the decoder. It takes components called R, G and B for these whatever else the file says, and all
    /// others for YCbCr; it leaves alone what it is asked for as what it takes it for.
    fn channels(self, structure: &Structure) -> ColorSpace {
        match self {
            StoredColor::Gray => ColorSpace::Luma,
            StoredColor::Cmyk => ColorSpace::CMYK,
            StoredColor::Ycck => ColorSpace::YCCK,
            StoredColor::Rgb if !structure.named_rgb => ColorSpace::YCbCr,
            StoredColor::Rgb | StoredColor::Ycc => ColorSpace::RGB,
        }
    }
}

/// From what is stored to amounts of ink, 255 the most. Adobe stores the opposite, and everybody followed, whether the
/// marker is there or not. YCCK is CMY put through the formula of JFIF, and K as it is.
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
    let (cb, cr) = (cb - 128.0, cr - 128.0);
    [y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb]
        .map(|value| value.round().clamp(0.0, 255.0) as u8)
}
