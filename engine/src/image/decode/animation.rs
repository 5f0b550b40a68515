//! The frames of an animation, of which some spread over it are shown.

use std::ops::ControlFlow;

use ports::image::Background;

use super::{DecodeLimits, Picture};

/// Frames that are shown at most, the first among them.
const MAX_SHOWN: u32 = 8;
/// The pixels of all frames that are decoded, as a multiple of the largest picture's.
const MAX_PIXELS: u64 = 4;

/// A picture of a frame.
pub(super) struct ShownFrame {
    pub(super) picture: Picture,
    /// Its number in the animation, from 0.
    pub(super) frame: u32,
    pub(super) background: Background,
}

/// Takes the pictures of frames; it may want no more.
pub(super) type See<'a> = dyn FnMut(ShownFrame) -> ControlFlow<()> + 'a;

/// Which frames are decoded and shown.
pub(super) struct FrameChoice {
    frames: u32,
    /// Frames that are decoded.
    pub(super) decoded: u32,
}

impl FrameChoice {
    /// Chooses among `frames` of a canvas of `pixels`.
    pub(super) fn new(frames: u32, pixels: u64, limits: &DecodeLimits) -> Self {
        let affordable = MAX_PIXELS.saturating_mul(limits.pixels) / pixels.max(1);
        let decoded = frames.min(u32::try_from(affordable).unwrap_or(u32::MAX));
        Self { frames, decoded }
    }

    /// Whether there are frames that are not decoded.
    pub(super) fn omits(&self) -> bool {
        self.decoded < self.frames
    }

    /// Whether a frame is shown. The first is not: it has been shown as the file's first picture.
    pub(super) fn shows(&self, frame: u32) -> bool {
        let last = u64::from(self.decoded.saturating_sub(1));
        frame > 0
            && (1..MAX_SHOWN).any(|n| u64::from(n) * last / u64::from(MAX_SHOWN - 1) == u64::from(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A choice among frames of 10 pixels where the largest picture has 1,000.
    fn choice(frames: u32) -> FrameChoice {
        FrameChoice::new(frames, 10, &DecodeLimits::of_pixels(1_000))
    }

    fn shown(frames: u32) -> Vec<u32> {
        let choice = choice(frames);
        (0..frames).filter(|frame| choice.shows(*frame)).collect()
    }

    #[test]
    fn few_frames_are_all_shown_and_many_are_spread() {
        assert!(shown(1).is_empty());
        assert_eq!(shown(2), [1]);
        assert_eq!(shown(8), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(shown(100), [14, 28, 42, 56, 70, 84, 99]);
        // 400 frames are four times the largest picture.
        assert!(!choice(400).omits());
        assert!(choice(401).omits());
        assert_eq!(shown(4_000).last(), Some(&399));
    }
}
