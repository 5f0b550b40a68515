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
use super::jpeg_markers::{MOST_SCANS, Skeleton};
use super::turn::{turns, upright};
use super::{DecodeError, DecodeLimits, Picture};

/// Decodes a file that starts as a JPEG does.
pub(super) fn read(bytes: &[u8], limits: &DecodeLimits) -> Result<Picture, DecodeError> {
    let skeleton = Skeleton::read(bytes)?;
    let (width, height) = (skeleton.width, skeleton.height);
    limits.admit(width, height, bytes_needed(&skeleton))?;
    let stored = Stored::tell(&skeleton);
    let bytes = stored.explain(&bytes[..skeleton.end], &skeleton);
    let asked = stored.channels(&skeleton);
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(width as usize)
        .set_max_height(height as usize)
        .jpeg_set_max_scans(MOST_SCANS)
        .jpeg_set_out_colorspace(asked);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&*bytes), options);
    decoder.decode_headers().map_err(|_| skeleton.unreadable())?;
    if decoder.dimensions() != Some((width as usize, height as usize)) {
        return Err(DecodeError::damaged("JPEG"));
    }
    let orientation = decoder.exif().map_or(1, |exif| orientation(exif));
    if turns(orientation) {
        limits.admit(width, height, 6 * pixels(&skeleton))?;
    }
    let mut samples = vec![0; pixels(&skeleton) as usize * asked.num_components()];
    decoder.decode_into(&mut samples).map_err(|_| skeleton.unreadable())?;
    let profile = decoder.icc_profile();
    drop(decoder);
    let profile = profile.as_deref();
    let rgb = match stored {
        Stored::Gray => Converter::new(profile, Channels::Gray).gray(&samples),
        Stored::Cmyk | Stored::Ycck => {
            inks(&mut samples, stored);
            Converter::new(profile, Channels::Cmyk).cmyk(samples)
        }
        Stored::Rgb | Stored::Ycc => {
            // Called R, G and B, so the decoder left them alone; but the file says elsewhere that they are not.
            if stored == Stored::Ycc && skeleton.named_rgb {
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

fn pixels(skeleton: &Skeleton) -> u64 {
    u64::from(skeleton.width) * u64::from(skeleton.height)
}

/// Pixels as decoded, and every coefficient in 16 bits if they cannot be turned into pixels row by row.
fn bytes_needed(skeleton: &Skeleton) -> u64 {
    let channels = if skeleton.sampling.len() == 3 { 3 } else { 4 };
    let decoded = channels * pixels(skeleton);
    if !skeleton.progressive && skeleton.first_scan == skeleton.sampling.len() {
        return decoded;
    }
    let (widest, highest) = skeleton.sampling.iter().fold((1, 1), |(h, v), s| (h.max(s.0), v.max(s.1)));
    let units =
        skeleton.width.div_ceil(8 * u32::from(widest)) * skeleton.height.div_ceil(8 * u32::from(highest));
    let blocks: u64 = skeleton.sampling.iter().map(|(h, v)| u64::from(h * v)).sum();
    decoded + u64::from(units) * blocks * 64 * 2
}

/// What the components are, by the rules of libjpeg, which everybody follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    Gray,
    Rgb,
    Ycc,
    Cmyk,
    Ycck,
}

impl Stored {
    fn tell(skeleton: &Skeleton) -> Self {
        match (skeleton.sampling.len(), skeleton.adobe.map(|(_, transform)| transform)) {
            (1, _) => Stored::Gray,
            (4, None | Some(0)) => Stored::Cmyk,
            (4, Some(_)) => Stored::Ycck,
            _ if skeleton.jfif => Stored::Ycc,
            (_, Some(0)) => Stored::Rgb,
            (_, Some(_)) => Stored::Ycc,
            _ if skeleton.named_rgb => Stored::Rgb,
            _ => Stored::Ycc,
        }
    }

    /// The file with Adobe's marker saying what the decoder has to hear: it takes three components for CMYK if the
    /// marker says that nothing was transformed, and knows no four that were transformed otherwise than to YCCK.
    fn explain<'a>(self, bytes: &'a [u8], skeleton: &Skeleton) -> Cow<'a, [u8]> {
        let Some((at, transform)) = skeleton.adobe else { return bytes.into() };
        let heard = match self {
            Stored::Gray | Stored::Rgb | Stored::Ycc => 1,
            Stored::Cmyk => 0,
            Stored::Ycck => 2,
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
    fn channels(self, skeleton: &Skeleton) -> ColorSpace {
        match self {
            Stored::Gray => ColorSpace::Luma,
            Stored::Cmyk => ColorSpace::CMYK,
            Stored::Ycck => ColorSpace::YCCK,
            Stored::Rgb if !skeleton.named_rgb => ColorSpace::YCbCr,
            Stored::Rgb | Stored::Ycc => ColorSpace::RGB,
        }
    }
}

/// From what is stored to amounts of ink, 255 the most. Adobe stores the opposite, and everybody followed, whether the
/// marker is there or not. YCCK is CMY put through the formula of JFIF, and K as it is.
fn inks(samples: &mut [u8], stored: Stored) {
    for pixel in samples.as_chunks_mut::<4>().0 {
        let [first, second, third, black] = *pixel;
        *pixel = if stored == Stored::Ycck {
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
