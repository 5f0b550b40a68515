//! What decoding takes and gives. Refuses what is not a JPEG, PNG or WebP, and what is larger than its limits.

use std::io::Cursor;

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

/// How large a picture may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most pixels, width times height.
    pub pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { pixels: 40_000_000 }
    }
}

/// Why a picture was not decoded: a sentence for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub String);

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}

/// Decodes a JPEG, PNG or WebP file, told by its content. Blocks; takes up to hundreds of milliseconds.
///
/// # Errors
/// A sentence for the client.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture, DecodeError> {
    let broken = |error: image::ImageError| DecodeError(format!("the image could not be read: {error}"));
    let reader = image::ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| DecodeError(format!("the image could not be read: {error}")))?;
    let format = reader.format();
    let (width, height) = reader.into_dimensions().map_err(broken)?;
    if u64::from(width) * u64::from(height) > limits.pixels {
        return Err(DecodeError(format!("the image is {width} x {height} pixels")));
    }
    let mut reader = image::ImageReader::new(Cursor::new(bytes));
    if let Some(format) = format {
        reader.set_format(format);
    }
    let rgb = reader.decode().map_err(broken)?.into_rgb8();
    Ok(Picture { width, height, rgb: rgb.into_raw() })
}
