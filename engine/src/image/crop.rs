//! Crops a region of a picture, pads it to a black square and scales it, as face-api 1.7.15 does for both of its nets
//! (`src/ops/padToSquare.ts`, then TensorFlow.js's `resizeBilinear` without aligned corners or half-pixel centres).
//! There is no antialiasing, since the nets' results depend on it.

use super::decode::Picture;

/// A region of a picture in whole pixels, inside the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// The position of a region that is not square in its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alignment {
    TopLeft,
    Center,
}

/// A region that is padded to a square and scaled.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaddedSquare {
    pub(super) region: Region,
    pub(super) alignment: Alignment,
    /// The square's side after scaling, in pixels.
    pub(super) side: usize,
    /// Flipped horizontally.
    pub(super) mirrored: bool,
}

impl Region {
    pub(super) fn whole(picture: &Picture) -> Self {
        Self { x: 0, y: 0, width: picture.width as usize, height: picture.height as usize }
    }

    fn longer(&self) -> usize {
        self.width.max(self.height)
    }
}

impl PaddedSquare {
    /// Appends the square's upper `rows` as planes of red, green and blue values from 0 to 255.
    pub(super) fn write(&self, picture: &Picture, rows: usize, values: &mut Vec<f32>) {
        let Region { x, y, width, height } = self.region;
        let mut columns = taps(self.region.longer(), self.side, self.pad(width), width);
        if self.mirrored {
            columns.reverse();
        }
        let lines = taps(self.region.longer(), self.side, self.pad(height), height);
        let stride = picture.width as usize * 3;
        for channel in 0..3 {
            let samples = ChannelSamples { rgb: &picture.rgb[y * stride + x * 3 + channel..], stride };
            for line in lines.iter().take(rows) {
                values.extend(columns.iter().map(|column| samples.interpolate(line, column)));
            }
        }
    }

    /// Black pixels before the region along one axis. If the total is odd, the larger half follows the region.
    fn pad(&self, length: usize) -> usize {
        match self.alignment {
            Alignment::TopLeft => 0,
            Alignment::Center => (self.region.longer() - length) / 2,
        }
    }
}

/// The samples of one channel of a region.
struct ChannelSamples<'a> {
    /// From the channel of the region's first pixel on.
    rgb: &'a [u8],
    /// Bytes of a row of the picture.
    stride: usize,
}

impl ChannelSamples<'_> {
    /// The sample at a row and column of the region; 0 outside.
    fn at(&self, row: Option<usize>, column: Option<usize>) -> f32 {
        match (row, column) {
            (Some(row), Some(column)) => f32::from(self.rgb[row * self.stride + column * 3]),
            _ => 0.0,
        }
    }

    fn interpolate(&self, line: &Tap, column: &Tap) -> f32 {
        let left = column.low;
        let right = column.high;
        let upper = mix(self.at(line.low, left), self.at(line.low, right), column.share);
        let lower = mix(self.at(line.high, left), self.at(line.high, right), column.share);
        mix(upper, lower, line.share)
    }
}

fn mix(a: f32, b: f32, share: f32) -> f32 {
    a + (b - a) * share
}

/// The two input pixels that an output pixel lies between along one axis, and the weight of the second. `None` is
/// black.
struct Tap {
    low: Option<usize>,
    high: Option<usize>,
    share: f32,
}

/// The taps of one axis: `length` pixels at offset `pad` in a square of `from` pixels that is scaled to `to`.
fn taps(from: usize, to: usize, pad: usize, length: usize) -> Vec<Tap> {
    let step = from as f64 / to as f64;
    let mut taps = Vec::with_capacity(to);
    for index in 0..to {
        let position = step * index as f64;
        let low = (position.floor() as usize).min(from - 1);
        let high = (low + 1).min(from - 1);
        taps.push(Tap {
            low: low.checked_sub(pad).filter(|low| *low < length),
            high: high.checked_sub(pad).filter(|high| *high < length),
            share: (position - low as f64) as f32,
        });
    }
    taps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red is ten times the column, green ten times the row, blue 255.
    fn picture(width: u8, height: u8) -> Picture {
        let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| [x * 10, y * 10, 255])).collect();
        Picture { width: width.into(), height: height.into(), rgb }
    }

    fn write(picture: &Picture, square: PaddedSquare) -> Vec<f32> {
        let mut values = Vec::new();
        square.write(picture, square.side, &mut values);
        values
    }

    #[test]
    fn a_wide_picture_lies_at_the_top_or_in_the_middle_of_its_square() {
        let wide = picture(4, 1);
        let row = [255.0; 4];
        let black = [0.0; 4];
        for (alignment, blue) in [
            (Alignment::TopLeft, [row, black, black, black]),
            // Of the three rows to spare, one is above.
            (Alignment::Center, [black, row, black, black]),
        ] {
            let square = PaddedSquare { region: Region::whole(&wide), alignment, side: 4, mirrored: false };
            assert_eq!(write(&wide, square)[32..], blue.concat());
        }
    }

    #[test]
    fn pixels_between_are_weighted_and_the_last_stands_alone() {
        let region = Region { x: 1, y: 2, width: 2, height: 2 };
        let square = PaddedSquare { region, alignment: Alignment::Center, side: 4, mirrored: false };
        let values = write(&picture(5, 5), square);
        assert_eq!(values[..4], [10.0, 15.0, 20.0, 20.0], "the red of the first row");
        assert_eq!(
            [values[16], values[20], values[24], values[28]],
            [20.0, 25.0, 30.0, 30.0],
            "green, downwards"
        );
        let mirrored = write(&picture(5, 5), PaddedSquare { mirrored: true, ..square });
        assert_eq!(mirrored[..4], [20.0, 20.0, 15.0, 10.0]);
    }

    #[test]
    fn shrinking_skips_pixels() {
        let square = PaddedSquare {
            region: Region { x: 0, y: 0, width: 6, height: 6 },
            alignment: Alignment::TopLeft,
            side: 2,
            mirrored: false,
        };
        assert_eq!(write(&picture(6, 6), square)[..4], [0.0, 30.0, 0.0, 30.0]);
    }
}
