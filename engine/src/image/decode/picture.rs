//! Decoded pixels.

/// An upright picture in sRGB: row by row from the top left, three bytes a pixel, no padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns; at least 1.
    pub width: u32,
    /// Rows; at least 1.
    pub height: u32,
    /// `width * height * 3` bytes: red, green, blue.
    pub rgb: Vec<u8>,
}
