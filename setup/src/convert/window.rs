//! Sliding windows of convolutions and pooling layers, with TensorFlow's padding.

/// Padding around an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// TensorFlow's SAME: an output for every `stride` pixels, with the odd pixel of padding at the bottom and the
    /// right.
    Same,
    /// Top, left, bottom, right.
    Pixels([usize; 4]),
}

/// TensorFlow's VALID.
pub(super) const VALID: Padding = Padding::Pixels([0; 4]);

/// A sliding window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Height and width.
    pub(super) size: [usize; 2],
    /// Vertical and horizontal.
    pub(super) strides: [usize; 2],
    pub(super) padding: Padding,
}

impl Window {
    /// The padding before and after, and the output size, along an axis of `side` pixels.
    pub(super) fn along(&self, axis: usize, side: usize) -> Option<(usize, usize, usize)> {
        let size = self.size[axis];
        let stride = self.strides[axis];
        let (before, after) = match self.padding {
            Padding::Pixels(pixels) => (pixels[axis], pixels[axis + 2]),
            Padding::Same => {
                let places = (stride > 0).then(|| side.div_ceil(stride))?;
                let all = (places.checked_sub(1)? * stride + size).saturating_sub(side);
                (all / 2, all - all / 2)
            }
        };
        let places = (side + before + after).checked_sub(size)?.checked_div(stride)? + 1;
        Some((before, after, places))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_odd_pixel_of_padding_goes_to_the_bottom_and_the_right() {
        let window = |size, stride| Window { size: [size; 2], strides: [stride; 2], padding: Padding::Same };
        assert_eq!(window(3, 2).along(0, 224), Some((0, 1, 112)));
        assert_eq!(window(3, 2).along(0, 7), Some((1, 1, 4)));
        assert_eq!(window(3, 1).along(1, 7), Some((1, 1, 7)));
        assert_eq!(window(2, 1).along(1, 13), Some((0, 1, 13)));
        assert_eq!(window(2, 2).along(1, 207), Some((0, 1, 104)));
        let valid = Window { size: [3; 2], strides: [2; 2], padding: VALID };
        assert_eq!(valid.along(0, 299), Some((0, 0, 149)));
        assert_eq!(valid.along(0, 2), None);
    }
}
