//! Sliding windows of convolutions and pooling layers, with TensorFlow's padding.

/// Padding around an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// TensorFlow's SAME: one output per `stride` pixels, with an odd pixel of padding at the bottom and the right.
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

/// A window along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Pixels of padding before and after the image.
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) outputs: usize,
}

impl Window {
    /// The padding and the output size along an axis of `side` pixels; `None` if the window does not fit.
    pub(super) fn along(&self, axis: usize, side: usize) -> Option<Span> {
        let size = self.size[axis];
        let stride = self.strides[axis];
        let (before, after) = match self.padding {
            Padding::Pixels(pixels) => (pixels[axis], pixels[axis + 2]),
            Padding::Same => {
                let outputs = (stride > 0).then(|| side.div_ceil(stride))?;
                let all = (outputs.checked_sub(1)? * stride + size).saturating_sub(side);
                (all / 2, all - all / 2)
            }
        };
        let outputs = (side + before + after).checked_sub(size)?.checked_div(stride)? + 1;
        Some(Span { before, after, outputs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_pixel_of_padding_goes_to_the_bottom_and_the_right() {
        assert_eq!(same(3, 2).along(0, 224), span(0, 1, 112));
        assert_eq!(same(3, 2).along(0, 7), span(1, 1, 4));
        assert_eq!(same(3, 1).along(1, 7), span(1, 1, 7));
        assert_eq!(same(2, 1).along(1, 13), span(0, 1, 13));
        assert_eq!(same(2, 2).along(1, 207), span(0, 1, 104));
        let valid = Window { size: [3; 2], strides: [2; 2], padding: VALID };
        assert_eq!(valid.along(0, 299), span(0, 0, 149));
        assert_eq!(valid.along(0, 2), None);
    }

    fn same(size: usize, stride: usize) -> Window {
        Window { size: [size; 2], strides: [stride; 2], padding: Padding::Same }
    }

    fn span(before: usize, after: usize, outputs: usize) -> Option<Span> {
        Some(Span { before, after, outputs })
    }
}
