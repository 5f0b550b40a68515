//! Parses the chunks of a WebP and the sizes in them (RFC 9649, section 2). Decodes no pixels.
//!
//! Runs before the decoder, which allocates what the inner picture's header says, whatever the outer header says.

use super::DecodeError;

/// The file's structure.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunks {
    pub width: u32,
    pub height: u32,
    pub animated: bool,
    /// Bytes of the container; the rest of the file is ignored.
    pub end: usize,
}

impl Chunks {
    /// Parses the chunks of a file with a WebP signature.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let truncated = || DecodeError::truncated("WebP");
        let end = 8 + u64::from(number(bytes, 4, 4).ok_or_else(truncated)?);
        let end = usize::try_from(end).ok().filter(|end| *end <= bytes.len()).ok_or_else(truncated)?;
        let mut found = Chunks { end, ..Default::default() };
        let bytes = &bytes[..end];
        let mut at = 12;
        let mut frames = 0;
        while at < end {
            let (name, body, next) = chunk(bytes, at).ok_or_else(truncated)?;
            let size = match name {
                b"VP8X" if at == 12 => {
                    found.animated = body.first().is_some_and(|flags| flags & 2 != 0);
                    found.state(triples(body, 4))?;
                    None
                }
                b"ANMF" if frames == 0 => {
                    frames += 1;
                    first_frame(body)?;
                    None
                }
                b"VP8 " | b"VP8L" if at == 12 => {
                    found.state(picture_size(name, body))?;
                    break;
                }
                // Of an animation only the first frame counts.
                b"VP8 " | b"VP8L" if !found.animated => Some(picture_size(name, body)),
                _ => None,
            };
            if at == 12 && found.width == 0
                || size.is_some_and(|size| size != Some((found.width, found.height)))
            {
                return Err(DecodeError::damaged("WebP"));
            }
            at = next;
        }
        Ok(found)
    }

    fn state(&mut self, size: Option<(u32, u32)>) -> Result<(), DecodeError> {
        (self.width, self.height) = size.ok_or_else(|| DecodeError::damaged("WebP"))?;
        Ok(())
    }
}

/// Checks that a frame's picture has the size in the frame's header.
fn first_frame(frame: &[u8]) -> Result<(), DecodeError> {
    let damaged = || DecodeError::damaged("WebP");
    let stated = triples(frame, 6).ok_or_else(damaged)?;
    let mut at = 16;
    while at < frame.len() {
        let (name, body, next) = chunk(frame, at).ok_or_else(damaged)?;
        if matches!(name, b"VP8 " | b"VP8L") && picture_size(name, body) != Some(stated) {
            return Err(damaged());
        }
        at = next;
    }
    Ok(())
}

/// The name and the body of the chunk at `at`, and the offset of the next one. Bodies are padded to even lengths.
fn chunk(bytes: &[u8], at: usize) -> Option<(&[u8; 4], &[u8], usize)> {
    let name = bytes.get(at..)?.first_chunk()?;
    let length = number(bytes, at + 4, 4)? as usize;
    let body = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
    Some((name, body, at + 8 + length + length % 2))
}

/// The size in a bitstream's header: RFC 6386, section 9.1, or RFC 9649, section 3.4.
fn picture_size(name: &[u8; 4], body: &[u8]) -> Option<(u32, u32)> {
    if name == b"VP8L" {
        let bits = number(body, 1, 4)?;
        return Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1));
    }
    Some((number(body, 6, 2)? & 0x3FFF, number(body, 8, 2)? & 0x3FFF))
}

/// Width and height, each stored minus one in three bytes.
fn triples(bytes: &[u8], at: usize) -> Option<(u32, u32)> {
    Some((number(bytes, at, 3)? + 1, number(bytes, at + 3, 3)? + 1))
}

/// A little-endian number of up to four bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}
