//! Parses the chunks of a WebP and the sizes in them (RFC 9649, section 2). Decodes no pixels.
//!
//! Runs before the decoder, which allocates memory by the inner picture's header, whatever the outer header says.

use super::DecodeError;

/// The file's structure.
#[derive(Clone, Debug, Default)]
pub(super) struct WebpChunks {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) animated: bool,
    /// Bytes of the container; the rest of the file is ignored.
    pub(super) end: usize,
}

/// A size in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    width: u32,
    height: u32,
}

pub(super) struct Chunk<'a> {
    pub(super) name: &'a [u8; 4],
    pub(super) body: &'a [u8],
    /// The offset of the next chunk.
    pub(super) next: usize,
}

impl WebpChunks {
    /// Parses the chunks of a file with a WebP signature.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Some(end) = container_end(bytes) else { return Err(DecodeError::truncated("WebP")) };
        let mut found = WebpChunks { end, ..Default::default() };
        let bytes = &bytes[..end];
        let mut at = 12;
        let mut frames = 0;
        while at < end {
            let Some(chunk) = Chunk::read(bytes, at) else { return Err(DecodeError::truncated("WebP")) };
            let size = match chunk.name {
                b"VP8X" if at == 12 => {
                    found.animated = chunk.body.first().is_some_and(|flags| flags & 2 != 0);
                    found.set_size(Size::read(chunk.body, 4))?;
                    None
                }
                b"ANMF" if frames == 0 => {
                    frames += 1;
                    check_frame(chunk.body)?;
                    None
                }
                b"VP8 " | b"VP8L" if at == 12 => {
                    found.set_size(chunk.picture_size())?;
                    break;
                }
                // Of an animation only the first frame is decoded.
                b"VP8 " | b"VP8L" if !found.animated => Some(chunk.picture_size()),
                _ => None,
            };
            if at == 12 && found.width == 0 || size.is_some_and(|size| size != Some(found.size())) {
                return Err(DecodeError::damaged("WebP"));
            }
            at = chunk.next;
        }
        Ok(found)
    }

    fn size(&self) -> Size {
        Size { width: self.width, height: self.height }
    }

    fn set_size(&mut self, size: Option<Size>) -> Result<(), DecodeError> {
        let Some(Size { width, height }) = size else { return Err(DecodeError::damaged("WebP")) };
        self.width = width;
        self.height = height;
        Ok(())
    }
}

/// The end of the container, if the file reaches it.
fn container_end(bytes: &[u8]) -> Option<usize> {
    let end = 8 + u64::from(number(bytes, 4, 4)?);
    usize::try_from(end).ok().filter(|end| *end <= bytes.len())
}

/// Checks that a frame's picture has the size in the frame's header.
fn check_frame(frame: &[u8]) -> Result<(), DecodeError> {
    if frame_is_consistent(frame) == Some(true) { Ok(()) } else { Err(DecodeError::damaged("WebP")) }
}

/// `None` for a frame that ends early.
fn frame_is_consistent(frame: &[u8]) -> Option<bool> {
    let stated = Size::read(frame, 6)?;
    let mut at = 16;
    while at < frame.len() {
        let chunk = Chunk::read(frame, at)?;
        if matches!(chunk.name, b"VP8 " | b"VP8L") && chunk.picture_size() != Some(stated) {
            return Some(false);
        }
        at = chunk.next;
    }
    Some(true)
}

impl<'a> Chunk<'a> {
    /// The chunk at `at`. Bodies are padded to even lengths.
    pub(super) fn read(bytes: &'a [u8], at: usize) -> Option<Self> {
        let name = bytes.get(at..)?.first_chunk()?;
        let length = number(bytes, at + 4, 4)? as usize;
        let body = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        Some(Self { name, body, next: at + 8 + length + length % 2 })
    }

    /// The size in a bitstream's header: RFC 6386, section 9.1, or RFC 9649, section 3.4.
    fn picture_size(&self) -> Option<Size> {
        if self.name == b"VP8L" {
            let bits = number(self.body, 1, 4)?;
            return Some(Size { width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1 });
        }
        Some(Size { width: number(self.body, 6, 2)? & 0x3FFF, height: number(self.body, 8, 2)? & 0x3FFF })
    }
}

impl Size {
    /// Width and height, each stored minus one in three bytes.
    fn read(bytes: &[u8], at: usize) -> Option<Self> {
        Some(Self { width: number(bytes, at, 3)? + 1, height: number(bytes, at + 3, 3)? + 1 })
    }
}

/// A little-endian number of up to four bytes.
pub(super) fn number(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}
