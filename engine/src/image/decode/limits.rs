//! What a picture may take, and how its sender is told that it may not. Refuses nothing that fits.

/// The longest side that is read, in pixels: JPEG's own bound. A row is decoded whole, so a row is bounded too.
const MAX_SIDE: u32 = 65_535;

/// How large a picture may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// Most pixels, width times height.
    pub pixels: u64,
    /// Most bytes to hold while decoding: pixels as decoded, and what the format needs besides. Without the file.
    pub bytes: u64,
}

/// Why a picture was not decoded: a sentence for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub String);

impl Default for DecodeLimits {
    /// 40 megapixels.
    fn default() -> Self {
        DecodeLimits::of_pixels(40_000_000)
    }
}

impl DecodeLimits {
    /// So many pixels, and 8 bytes for each.
    pub fn of_pixels(pixels: u64) -> Self {
        DecodeLimits { pixels, bytes: pixels.saturating_mul(8) }
    }

    /// Whether a picture of this size may be decoded, given the bytes that takes.
    pub(super) fn admit(&self, width: u32, height: u32, bytes: u64) -> Result<(), DecodeError> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 {
            return Err(DecodeError(format!("the image is {width} x {height} pixels: it has none")));
        }
        if width.max(height) > MAX_SIDE {
            return Err(DecodeError(format!(
                "the image is {width} x {height} pixels; at most {MAX_SIDE} a side are read"
            )));
        }
        if pixels > self.pixels {
            return Err(DecodeError(format!(
                "the image is {width} x {height} pixels; at most {} megapixels are read",
                self.pixels as f64 / 1e6
            )));
        }
        if bytes > self.bytes {
            return Err(DecodeError(format!(
                "the image takes {} MB to decode; at most {} MB are given to one",
                bytes.div_ceil(1_000_000),
                self.bytes / 1_000_000
            )));
        }
        Ok(())
    }
}

impl DecodeError {
    pub(super) fn truncated(format: &str) -> Self {
        DecodeError(format!("the {format} is truncated"))
    }

    pub(super) fn damaged(format: &str) -> Self {
        DecodeError(format!("the {format} is damaged"))
    }
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}
