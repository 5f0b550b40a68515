//! Decoded pixels.

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
