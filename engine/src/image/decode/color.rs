//! Converts pixels to sRGB: ICC profiles, CMYK and transparency. A profile that is broken or of another colour space
//! than the pixels is ignored, as in viewers; it never makes decoding fail.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use moxcms::{
    ColorProfile, DataColorSpace, Layout, ParsingOptions, ToneReprCurve, TransformExecutor, TransformOptions,
};
use ports::image::Background;

/// The largest profile, in bytes. Those of printers have up to 3 MB.
pub(super) const MAX_PROFILE_BYTES: usize = 4 << 20;
const CHUNK_PIXELS: usize = 4096;
/// The largest change of a sample at which a profile counts as sRGB and its pixels are left as they are.
const IMPERCEPTIBLE: u8 = 1;

/// The channels of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channels {
    Gray,
    Rgb,
    /// Amounts of ink, 255 at most.
    Cmyk,
}

/// Converts pixels to sRGB.
pub(super) struct Converter(Option<Transform>);

type Transform = Arc<dyn TransformExecutor<u8> + Send + Sync>;

impl Converter {
    /// A converter for a file's profile, or for a file without one.
    pub(super) fn new(profile: Option<&[u8]>, channels: Channels) -> Self {
        // The profile is untrusted too. A panic leaves no state behind.
        let transform = profile.and_then(|icc| {
            catch_unwind(AssertUnwindSafe(|| transform(&parse(icc)?, channels))).unwrap_or_default()
        });
        Converter(transform)
    }

    /// A converter for samples with sRGB's primaries whose values are light to the power of `gamma`, such as 0.45455.
    pub(super) fn with_gamma(gamma: f32, channels: Channels) -> Self {
        // Viewers treat a gamma near 1 / 2.2 as sRGB.
        if !(0.05..=5.0).contains(&gamma) || (gamma * 2.2 - 1.0).abs() < 0.05 {
            return Converter(None);
        }
        let profile = if channels == Channels::Gray {
            ColorProfile::new_gray_with_gamma(1.0 / gamma)
        } else {
            let mut profile = ColorProfile::new_srgb();
            for curve in [&mut profile.red_trc, &mut profile.green_trc, &mut profile.blue_trc] {
                *curve = Some(ToneReprCurve::Parametric(vec![1.0 / gamma]));
            }
            // CICP names sRGB's curve and would override the curves.
            profile.cicp = None;
            profile
        };
        Converter(transform(&profile, channels))
    }

    /// Converts by the file's profile; `false` when there is none.
    fn by_profile(&self, from: &[u8], to: &mut [u8]) -> bool {
        self.0.as_ref().is_some_and(|transform| transform.transform(from, to).is_ok())
    }

    /// Converts RGB in place.
    pub(super) fn rgb(&self, samples: &mut [u8]) {
        let Some(transform) = &self.0 else { return };
        let mut converted = vec![0; 3 * CHUNK_PIXELS];
        for run in samples.chunks_mut(3 * CHUNK_PIXELS) {
            let converted = &mut converted[..run.len()];
            if transform.transform(run, converted).is_ok() {
                run.copy_from_slice(converted);
            }
        }
    }

    /// Converts grey to RGB.
    pub(super) fn gray(&self, samples: &[u8]) -> Vec<u8> {
        let mut rgb = vec![0; 3 * samples.len()];
        for (from, to) in samples.chunks(CHUNK_PIXELS).zip(rgb.chunks_mut(3 * CHUNK_PIXELS)) {
            if !self.by_profile(from, to) {
                to.as_chunks_mut::<3>().0.iter_mut().zip(from).for_each(|(to, value)| *to = [*value; 3]);
            }
        }
        rgb
    }

    /// Converts CMYK to RGB in the same buffer.
    pub(super) fn cmyk(&self, samples: Vec<u8>) -> Vec<u8> {
        four_to_three(samples, |from, to| {
            if !self.by_profile(from, to) {
                to.as_chunks_mut::<3>()
                    .0
                    .iter_mut()
                    .zip(from.as_chunks::<4>().0)
                    .for_each(|(to, from)| *to = cmyk_to_rgb(*from));
            }
        })
    }

    /// Converts RGBA to RGB in the same buffer.
    pub(super) fn rgba(&self, samples: Vec<u8>, background: Background) -> Vec<u8> {
        four_to_three(samples, |from, to| self.rgba_chunk(from, to, background))
    }

    /// Converts a chunk of RGBA to RGB over a background.
    pub(super) fn rgba_chunk(&self, from: &[u8], to: &mut [u8], background: Background) {
        let (from, _) = from.as_chunks::<4>();
        to.as_chunks_mut::<3>().0.iter_mut().zip(from).for_each(|(to, [r, g, b, _])| *to = [*r, *g, *b]);
        self.rgb(to);
        to.as_chunks_mut::<3>()
            .0
            .iter_mut()
            .zip(from)
            .for_each(|(to, from)| *to = to.map(|value| over(background, value, from[3])));
    }
}

/// Converts pixels of four bytes to pixels of three, a chunk at a time, in the same buffer.
fn four_to_three(mut samples: Vec<u8>, convert: impl Fn(&[u8], &mut [u8])) -> Vec<u8> {
    let mut converted = vec![0; 3 * CHUNK_PIXELS];
    let mut written = 0;
    for start in (0..samples.len()).step_by(4 * CHUNK_PIXELS) {
        let run = start..samples.len().min(start + 4 * CHUNK_PIXELS);
        let to = &mut converted[..run.len() / 4 * 3];
        convert(&samples[run], to);
        samples[written..written + to.len()].copy_from_slice(to);
        written += to.len();
    }
    samples.truncate(written);
    samples.shrink_to_fit();
    samples
}

/// The value of each channel of a background.
pub(super) fn value_of(background: Background) -> u8 {
    match background {
        Background::White => 255,
        Background::Black => 0,
    }
}

/// Blends `value` with opacity `alpha`, of 255, over a background.
pub(super) fn over(background: Background, value: u8, alpha: u8) -> u8 {
    let alpha = u32::from(alpha);
    ((u32::from(value) * alpha + u32::from(value_of(background)) * (255 - alpha) + 127) / 255) as u8
}

/// Whether any pixel of RGBA is transparent.
pub(super) fn is_transparent(samples: &[u8]) -> bool {
    samples.as_chunks::<4>().0.iter().any(|pixel| pixel[3] != 255)
}

/// Converts CMYK without a profile, by multiplying each ink with black.
fn cmyk_to_rgb([cyan, magenta, yellow, black]: [u8; 4]) -> [u8; 3] {
    [cyan, magenta, yellow].map(|ink| {
        let light = u32::from(255 - ink) * u32::from(255 - black);
        ((light + 127) / 255) as u8
    })
}

fn parse(icc: &[u8]) -> Option<ColorProfile> {
    let options = ParsingOptions { max_profile_size: MAX_PROFILE_BYTES, ..Default::default() };
    ColorProfile::new_from_slice_with_options(icc, options).ok()
}

fn transform(profile: &ColorProfile, channels: Channels) -> Option<Transform> {
    let (layout, space) = match channels {
        Channels::Gray => (Layout::Gray, DataColorSpace::Gray),
        Channels::Rgb => (Layout::Rgb, DataColorSpace::Rgb),
        Channels::Cmyk => (Layout::Rgba, DataColorSpace::Cmyk),
    };
    if profile.color_space != space {
        return None;
    }
    let srgb = ColorProfile::new_srgb();
    let options = TransformOptions::default();
    let transform = profile.create_transform_8bit(layout, &srgb, Layout::Rgb, options).ok()?;
    (channels != Channels::Rgb || is_perceptible(&*transform)).then_some(transform)
}

/// Whether a transform changes any colour of a 9 x 9 x 9 lattice by more than [`IMPERCEPTIBLE`].
fn is_perceptible(transform: &(dyn TransformExecutor<u8> + Send + Sync)) -> bool {
    let steps: [u8; 9] = std::array::from_fn(|step| (step * 255 / 8) as u8);
    let mut lattice = Vec::with_capacity(3 * 9 * 9 * 9);
    for red in steps {
        for green in steps {
            lattice.extend(steps.iter().flat_map(|blue| [red, green, *blue]));
        }
    }
    let mut converted = vec![0; lattice.len()];
    transform.transform(&lattice, &mut converted).is_ok()
        && lattice.iter().zip(&converted).any(|(from, to)| from.abs_diff(*to) > IMPERCEPTIBLE)
}
