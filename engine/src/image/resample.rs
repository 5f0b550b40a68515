//! Resizes a picture to a classifier's input, as its manifest says. Both methods reproduce the arithmetic of the
//! library that the classifier was trained with, since its results depend on it.

use image::{ImageBuffer, Rgb, imageops::FilterType};

use super::{
    decode::Picture,
    manifest::{Layout, Manifest, Resize},
};

/// The classifier's input for a picture, in the manifest's layout.
pub fn resample(picture: &Picture, manifest: &Manifest) -> Vec<f32> {
    let size = (manifest.width as usize, manifest.height as usize);
    let plane = size.0 * size.1;
    let mut values = vec![0.0; plane * 3];
    let factor: [f32; 3] = std::array::from_fn(|channel| manifest.scale / manifest.std[channel]);
    let offset: [f32; 3] = std::array::from_fn(|channel| manifest.mean[channel] / manifest.std[channel]);
    let (to_next_pixel, to_next_channel) = match manifest.layout {
        Layout::Nchw => (1, plane),
        Layout::Nhwc => (3, 1),
    };
    let mut put = |pixel: usize, rgb: [f32; 3]| {
        for channel in 0..3 {
            values[pixel * to_next_pixel + channel * to_next_channel] =
                rgb[channel] * factor[channel] - offset[channel];
        }
    };
    match manifest.resize {
        Resize::BilinearAlignCorners => align_corners(picture, size, &mut put),
        Resize::Antialiased => antialiased(picture, manifest, &mut put),
    }
    values
}

/// `ResizeBilinear` of TensorFlow.js, as its CPU backend computes it: positions in f64, values in f32. Each output
/// pixel reads four input pixels.
fn align_corners(picture: &Picture, (width, height): (usize, usize), put: &mut impl FnMut(usize, [f32; 3])) {
    let columns = taps(picture.width as usize, width);
    let stride = picture.width as usize * 3;
    for (y, row) in taps(picture.height as usize, height).into_iter().enumerate() {
        let pixels = |row: usize| picture.rgb[row * stride..(row + 1) * stride].as_chunks::<3>().0;
        let top = pixels(row.low);
        let bottom = pixels(row.high);
        for (x, column) in columns.iter().enumerate() {
            let between = |row: &[[u8; 3]]| -> [f32; 3] {
                let left = row[column.low].map(f32::from);
                let right = row[column.high].map(f32::from);
                std::array::from_fn(|channel| left[channel] + (right[channel] - left[channel]) * column.share)
            };
            let upper = between(top);
            let lower = between(bottom);
            let rgb = |channel| upper[channel] + (lower[channel] - upper[channel]) * row.share;
            put(y * width + x, std::array::from_fn(rgb));
        }
    }
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
    let tap = |index: usize| {
        let position = step * index as f64;
        let low = (position.floor() as usize).min(last);
        Tap { low, high: (position.ceil() as usize).min(last), share: (position - low as f64) as f32 }
    };
    (0..to).map(tap).collect()
}

fn antialiased(picture: &Picture, manifest: &Manifest, put: &mut impl FnMut(usize, [f32; 3])) {
    let pixels = ImageBuffer::<Rgb<u8>, &[u8]>::from_raw(picture.width, picture.height, &picture.rgb)
        .expect("a picture has three bytes a pixel");
    let resized = image::imageops::resize(&pixels, manifest.width, manifest.height, FilterType::Triangle);
    for (index, pixel) in resized.pixels().enumerate() {
        put(index, pixel.0.map(f32::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(width: u32, height: u32, layout: &str, resize: &str) -> Manifest {
        let text = format!(
            r#"{{"name": "m", "version": "1", "width": {width}, "height": {height}, "labels": ["Neutral"],
                "layout": "{layout}", "scale": 0.00392156862745098, "mean": [0, 0, 0.5], "std": [1, 1, 0.5],
                "resize": "{resize}", "softmax": false, "licence": "", "source": ""}}"#
        );
        Manifest::parse(&text).unwrap()
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
    fn corners_lie_on_corners_and_what_is_between_is_weighted() {
        let values = resample(&small(), &manifest(5, 3, "nhwc", "bilinear_align_corners"));
        let pixel = |x: usize, y: usize| &values[(y * 5 + x) * 3..][..3];
        near(pixel(0, 0), &[0.0, 10.0 / 255.0, 20.0 / 127.5 - 1.0]);
        near(pixel(4, 2), &[1.0, 0.0, 1.0]);
        near(pixel(1, 0), &[30.0 / 255.0, 40.0 / 255.0, 50.0 / 127.5 - 1.0]);
        // The mean of 60, 120, 90 and 255.
        near(&pixel(3, 1)[..1], &[131.25 / 255.0]);
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
