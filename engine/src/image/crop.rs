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
            let at = |row: Option<usize>, column: Option<usize>| match (row, column) {
                (Some(row), Some(column)) => {
                    f32::from(picture.rgb[(y + row) * stride + (x + column) * 3 + channel])
                }
                _ => 0.0,
            };
            for line in lines.iter().take(rows) {
                values.extend(columns.iter().map(|column| {
                    let left = column.low;
                    let right = column.high;
                    let upper = mix(at(line.low, left), at(line.low, right), column.share);
                    let lower = mix(at(line.high, left), at(line.high, right), column.share);
                    mix(upper, lower, line.share)
                }));
            }
        }
    }

    /// Black pixels before the region along one axis. Of an odd number the larger half follows it.
    fn pad(&self, length: usize) -> usize {
        match self.alignment {
            Alignment::TopLeft => 0,
            Alignment::Center => (self.region.longer() - length) / 2,
        }
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
    let inside = |position: usize| position.checked_sub(pad).filter(|position| *position < length);
    let tap = |index: usize| {
        let position = step * index as f64;
        let low = (position.floor() as usize).min(from - 1);
        Tap { low: inside(low), high: inside((low + 1).min(from - 1)), share: (position - low as f64) as f32 }
    };
    (0..to).map(tap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red is ten times the column, green ten times the row, blue 255.
    fn picture(width: u8, height: u8) -> Picture {
        let pixel = |x: u8, y: u8| [x * 10, y * 10, 255];
        let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
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
        let square =
            |alignment| PaddedSquare { region: Region::whole(&wide), alignment, side: 4, mirrored: false };
        let blue = |alignment| write(&wide, square(alignment))[32..].to_vec();
        let row = [255.0; 4];
        let black = [0.0; 4];
        assert_eq!(blue(Alignment::TopLeft), [row, black, black, black].concat());
        assert_eq!(blue(Alignment::Center), [black, row, black, black].concat(), "three to spare: one above");
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
