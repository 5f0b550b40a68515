//! Limits on the size of a picture and on the memory to decode it.

/// The longest side, in pixels; JPEG's limit. It bounds a row, which is decoded as a whole.
const MAX_SIDE: u32 = 65_535;

/// The limits of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// The most pixels, width times height.
    pub pixels: u64,
    /// The most bytes allocated while decoding: the decoded pixels and the format's buffers, without the file.
    pub bytes: u64,
}

/// Why a picture was not decoded, as a sentence for the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DecodeError(pub String);

impl Default for DecodeLimits {
    /// 40 megapixels.
    fn default() -> Self {
        DecodeLimits::of_pixels(40_000_000)
    }
}

impl DecodeLimits {
    /// A limit of `pixels`, with 8 bytes for each.
    pub fn of_pixels(pixels: u64) -> Self {
        DecodeLimits { pixels, bytes: pixels.saturating_mul(8) }
    }

    /// Checks a picture's size and the bytes that decoding it takes.
    pub(super) fn admit(&self, width: u32, height: u32, bytes: u64) -> Result<(), DecodeError> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 {
            return Err(DecodeError(format!("the image has no pixels: its size is {width} x {height}")));
        }
        if width.max(height) > MAX_SIDE {
            return Err(DecodeError(format!(
                "the image is {width} x {height} pixels; the limit is {MAX_SIDE} a side"
            )));
        }
        if pixels > self.pixels {
            let limit = self.pixels as f64 / 1e6;
            return Err(DecodeError(format!(
                "the image is {width} x {height} pixels; the limit is {limit} megapixels"
            )));
        }
        if bytes > self.bytes {
            let needed = bytes.div_ceil(1_000_000);
            let limit = self.bytes / 1_000_000;
            return Err(DecodeError(format!(
                "the image takes {needed} MB of memory to decode; the limit is {limit} MB"
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
