//! How a window passes over an image, with the padding of TensorFlow. Knows nothing of what it computes there.

/// What is added around an image before a window passes over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// TensorFlow's SAME: a window for every `stride` pixels, the odd pixel of padding at the bottom and at the right.
    Same,
    /// Top, left, bottom, right. All 0 is TensorFlow's VALID.
    Pixels([usize; 4]),
}

/// TensorFlow's VALID.
pub(super) const VALID: Padding = Padding::Pixels([0; 4]);

/// How a window passes over an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Height and width.
    pub(super) size: [usize; 2],
    /// Down and to the right.
    pub(super) strides: [usize; 2],
    pub(super) padding: Padding,
}

impl Window {
    /// Padding before and after, and the number of places, along one axis of `side` pixels.
    pub(super) fn along(&self, axis: usize, side: usize) -> Option<(usize, usize, usize)> {
        let (size, stride) = (self.size[axis], self.strides[axis]);
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
