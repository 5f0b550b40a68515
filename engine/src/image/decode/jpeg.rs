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
use super::{DecodeError, Limits, Picture};

/// Decodes a file that starts as a JPEG does.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Picture, DecodeError> {
    let skeleton = Skeleton::read(bytes)?;
    let (width, height) = (skeleton.width, skeleton.height);
    limits.admit(width, height, bytes_needed(&skeleton))?;
    if skeleton.progressive && !skeleton.complete {
        return Err(skeleton.unreadable());
    }
    let (bytes, stored) = stored(&bytes[..skeleton.end], &skeleton);
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(width as usize)
        .set_max_height(height as usize)
        .jpeg_set_max_scans(MOST_SCANS)
        .jpeg_set_out_colorspace(stored);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&*bytes), options);
    decoder.decode_headers().map_err(|_| skeleton.unreadable())?;
    if decoder.dimensions() != Some((width as usize, height as usize)) {
        return Err(DecodeError::damaged("JPEG"));
    }
    let orientation = decoder.exif().map_or(1, |exif| orientation(exif));
    if turns(orientation) {
        limits.admit(width, height, 6 * pixels(&skeleton))?;
    }
    let mut samples = vec![0; pixels(&skeleton) as usize * stored.num_components()];
    decoder.decode_into(&mut samples).map_err(|_| skeleton.unreadable())?;
    let profile = decoder.icc_profile();
    drop(decoder);
    let rgb = match stored {
        ColorSpace::Luma => Converter::new(profile.as_deref(), Channels::Gray).gray(&samples),
        ColorSpace::CMYK | ColorSpace::YCCK => {
            inks(&mut samples, stored);
            Converter::new(profile.as_deref(), Channels::Cmyk).cmyk(samples)
        }
        _ => {
            Converter::new(profile.as_deref(), Channels::Rgb).rgb(&mut samples);
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

/// The file as the decoder understands it, and the channels to ask it for.
///
/// Three components that Adobe's marker says are red, green and blue are taken for CMYK by the decoder unless their ids
/// say so too: then it is told that they are YCbCr and asked for just that, so that it leaves them alone.
fn stored<'a>(bytes: &'a [u8], skeleton: &Skeleton) -> (Cow<'a, [u8]>, ColorSpace) {
    match (skeleton.sampling.len(), skeleton.adobe) {
        (1, _) => (bytes.into(), ColorSpace::Luma),
        (4, Some((_, 2))) => (bytes.into(), ColorSpace::YCCK),
        (4, _) => (bytes.into(), ColorSpace::CMYK),
        (_, Some((at, 0))) if !skeleton.named_rgb => {
            let mut bytes = bytes.to_owned();
            bytes[at] = 1;
            (bytes.into(), ColorSpace::YCbCr)
        }
        _ => (bytes.into(), ColorSpace::RGB),
    }
}

/// From what is stored to amounts of ink, 255 the most. Adobe stores the opposite, and everybody followed, whether the
/// marker is there or not. YCCK is CMY put through the formula of JFIF, and K as it is.
fn inks(samples: &mut [u8], stored: ColorSpace) {
    let (pixels, _) = samples.as_chunks_mut::<4>();
    for pixel in pixels {
        if stored == ColorSpace::YCCK {
            let [y, cb, cr] = [pixel[0], pixel[1], pixel[2]].map(f32::from);
            let (cb, cr) = (cb - 128.0, cr - 128.0);
            let red = y + 1.402 * cr;
            let green = y - 0.344_136 * cb - 0.714_136 * cr;
            let blue = y + 1.772 * cb;
            let ink = |value: f32| value.round().clamp(0.0, 255.0) as u8;
            *pixel = [ink(red), ink(green), ink(blue), 255 - pixel[3]];
        } else {
            *pixel = pixel.map(|value| 255 - value);
        }
    }
}
