//! Decoded pixels, and what a file has of them.

/// An upright picture in sRGB: row-major from the top left, three bytes for each pixel, without padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// At least 1.
    pub width: u32,
    /// At least 1.
    pub height: u32,
    /// `width * height * 3` bytes: red, green, blue.
    pub rgb: Vec<u8>,
}

/// The first picture of a file.
pub(super) struct FirstPicture {
    pub(super) picture: Picture,
    /// It looks different on another background.
    pub(super) transparent: bool,
    /// A part of it is not there, or cannot be decoded.
    pub(super) truncated: bool,
    /// Pictures of the file, as far as they are there; 1 unless it is animated.
    pub(super) frames: u32,
}
