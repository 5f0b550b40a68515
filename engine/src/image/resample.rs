//! Resizes a picture to a classifier's input, as its manifest says. Both methods reproduce the arithmetic of the
//! library that the classifier was trained with, since its results depend on it.

use image::{ImageBuffer, Rgb, imageops::FilterType};

use super::{
    decode::Picture,
    manifest::{ClassifierManifest, Layout, Resize},
};

/// The classifier's input for a picture, in the manifest's layout.
pub fn resample(picture: &Picture, manifest: &ClassifierManifest) -> Vec<f32> {
    let mut input = ClassifierInput::new(manifest);
    match manifest.resize {
        Resize::BilinearAlignCorners => align_corners(picture, manifest, &mut input),
        Resize::Antialiased => antialiased(picture, manifest, &mut input),
    }
    input.values
}

/// A classifier's input, which is filled pixel by pixel.
struct ClassifierInput {
    values: Vec<f32>,
    factor: [f32; 3],
    offset: [f32; 3],
    /// The distance of a value to the same channel of the next pixel.
    to_next_pixel: usize,
    to_next_channel: usize,
}

impl ClassifierInput {
    fn new(manifest: &ClassifierManifest) -> Self {
        let plane = manifest.width as usize * manifest.height as usize;
        let (to_next_pixel, to_next_channel) = match manifest.layout {
            Layout::Nchw => (1, plane),
            Layout::Nhwc => (3, 1),
        };
        Self {
            values: vec![0.0; plane * 3],
            factor: std::array::from_fn(|channel| manifest.scale / manifest.std[channel]),
            offset: std::array::from_fn(|channel| manifest.mean[channel] / manifest.std[channel]),
            to_next_pixel,
            to_next_channel,
        }
    }

    fn put(&mut self, pixel: usize, rgb: [f32; 3]) {
        for (channel, value) in rgb.into_iter().enumerate() {
            self.values[pixel * self.to_next_pixel + channel * self.to_next_channel] =
                value * self.factor[channel] - self.offset[channel];
        }
    }
}

/// `ResizeBilinear` of TensorFlow.js, as its CPU backend computes it: positions in f64, values in f32. Each output
/// pixel reads four input pixels.
fn align_corners(picture: &Picture, manifest: &ClassifierManifest, input: &mut ClassifierInput) {
    let width = manifest.width as usize;
    let columns = taps(picture.width as usize, width);
    for (y, row) in taps(picture.height as usize, manifest.height as usize).into_iter().enumerate() {
        let top = pixels_of(picture, row.low);
        let bottom = pixels_of(picture, row.high);
        for (x, column) in columns.iter().enumerate() {
            let upper =
                between(top[column.low].map(f32::from), top[column.high].map(f32::from), column.share);
            let lower =
                between(bottom[column.low].map(f32::from), bottom[column.high].map(f32::from), column.share);
            input.put(y * width + x, between(upper, lower, row.share));
        }
    }
}

/// The pixels of a row.
fn pixels_of(picture: &Picture, row: usize) -> &[[u8; 3]] {
    let stride = picture.width as usize * 3;
    picture.rgb[row * stride..(row + 1) * stride].as_chunks::<3>().0
}

fn between(one: [f32; 3], other: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|channel| one[channel] + (other[channel] - one[channel]) * share)
}

/// The two input pixels that an output pixel lies between along one axis, and the weight of the second.
struct Tap {
    low: usize,
    high: usize,
    share: f32,
}

fn taps(from: usize, to: usize) -> Vec<Tap> {
    let last = from - 1;
    let step = if to > 1 { last as f64 / (to - 1) as f64 } else { 0.0 };
    let taps = (0..to).map(|index| {
        let position = step * index as f64;
        let low = (position.floor() as usize).min(last);
        Tap { low, high: (position.ceil() as usize).min(last), share: (position - low as f64) as f32 }
    });
    taps.collect()
}

fn antialiased(picture: &Picture, manifest: &ClassifierManifest, input: &mut ClassifierInput) {
    let pixels = ImageBuffer::<Rgb<u8>, &[u8]>::from_raw(picture.width, picture.height, &picture.rgb)
        .expect("a picture has three bytes a pixel");
    let resized = image::imageops::resize(&pixels, manifest.width, manifest.height, FilterType::Triangle);
    for (index, pixel) in resized.pixels().enumerate() {
        input.put(index, pixel.0.map(f32::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(width: u32, height: u32, layout: &str, resize: &str) -> ClassifierManifest {
        let text = format!(
            r#"{{"name": "m", "version": "1", "width": {width}, "height": {height}, "labels": ["Neutral"],
                "layout": "{layout}", "scale": 0.00392156862745098, "mean": [0, 0, 0.5], "std": [1, 1, 0.5],
                "resize": "{resize}", "softmax": false, "licence": "", "source": ""}}"#
        );
        ClassifierManifest::parse(&text).unwrap()
    }

    /// Three columns and two rows of different pixels.
    fn small() -> Picture {
        Picture {
            width: 3,
            height: 2,
            rgb: vec![0, 10, 20, 60, 70, 80, 120, 130, 140, 30, 40, 50, 90, 100, 110, 255, 0, 255],
        }
    }

    fn near(values: &[f32], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        for (value, expected) in values.iter().zip(expected) {
            assert!((f64::from(*value) - expected).abs() < 1e-6, "{values:?} {expected}");
        }
    }

    #[test]
    fn corners_lie_on_corners_and_pixels_between_are_weighted() {
        let values = resample(&small(), &manifest(5, 3, "nhwc", "bilinear_align_corners"));
        let pixels = values.as_chunks::<3>().0;
        near(&pixels[0], &[0.0, 10.0 / 255.0, 20.0 / 127.5 - 1.0]);
        near(&pixels[2 * 5 + 4], &[1.0, 0.0, 1.0]);
        near(&pixels[1], &[30.0 / 255.0, 40.0 / 255.0, 50.0 / 127.5 - 1.0]);
        // The mean of 60, 120, 90 and 255.
        near(&pixels[5 + 3][..1], &[131.25 / 255.0]);
    }

    #[test]
    fn planes_hold_the_same_values_as_pixels() {
        for resize in ["bilinear_align_corners", "antialiased"] {
            let pixels = resample(&small(), &manifest(4, 3, "nhwc", resize));
            let planes = resample(&small(), &manifest(4, 3, "nchw", resize));
            for pixel in 0..12 {
                for channel in 0..3 {
                    assert_eq!(pixels[pixel * 3 + channel], planes[channel * 12 + pixel]);
                }
            }
        }
    }

    #[test]
    fn one_pixel_can_become_many_and_many_one() {
        let one = Picture { width: 1, height: 1, rgb: vec![255, 0, 255] };
        for resize in ["bilinear_align_corners", "antialiased"] {
            near(&resample(&one, &manifest(2, 1, "nhwc", resize)), &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        }
        near(&resample(&small(), &manifest(1, 1, "nhwc", "bilinear_align_corners"))[..1], &[0.0]);
    }

    #[test]
    fn antialiasing_counts_every_pixel() {
        let mut rgb = vec![0; 64 * 64 * 3];
        rgb.chunks_exact_mut(3).step_by(2).for_each(|pixel| pixel.fill(255));
        let stripes = Picture { width: 64, height: 64, rgb };
        let values = resample(&stripes, &manifest(8, 8, "nhwc", "antialiased"));
        assert!(values.chunks_exact(3).all(|pixel| (0.45..0.55).contains(&pixel[0])), "{values:?}");
    }
}
