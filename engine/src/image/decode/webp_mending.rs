//! Mends a WebP that ends early, so that a decoder that needs whole files decodes what is there.

use super::webp_chunks::{Chunk, number};

/// Zeros in place of what is missing of a bitstream, beyond its stated length: a decoder may need more of them than of
/// the bytes that they replace.
const SPARE_BYTES: usize = 4_096;
/// The largest bitstream that is mended, so that a header cannot ask for memory.
const MAX_BITSTREAM_BYTES: usize = 16 << 20;
/// The flags of an extended header that promise metadata.
const EXIF: u8 = 0x08;
const XMP: u8 = 0x04;

/// The file without what is promised and not there; `None` for one that is whole, or that shows nothing.
pub(super) fn mend(bytes: &[u8]) -> Option<Vec<u8>> {
    let stated = 8 + number(bytes, 4, 4)? as usize;
    let mut mended = bytes[..12].to_vec();
    let mut promised = None;
    let mut at = 12;
    let mut ends_early = stated > bytes.len();
    let end = stated.min(bytes.len());
    let mut exif = false;
    let mut xmp = false;
    while at < end {
        let Some(chunk) = Chunk::read(&bytes[..end], at) else {
            ends_early = true;
            mended.extend(lengthened(&bytes[at..end]).unwrap_or_default());
            break;
        };
        match chunk.name {
            b"VP8X" if at == 12 => promised = Some(mended.len() + 8),
            b"EXIF" => exif = true,
            b"XMP " => xmp = true,
            _ => {}
        }
        mended.extend_from_slice(&bytes[at..chunk.next.min(end)]);
        at = chunk.next;
    }
    if let Some(flags) = promised.and_then(|at| mended.get_mut(at)) {
        let missing = if exif { 0 } else { EXIF } | if xmp { 0 } else { XMP };
        ends_early |= *flags & missing != 0;
        *flags &= !missing;
    }
    if !ends_early || mended.len() == 12 {
        return None;
    }
    // A chunk of odd length is padded.
    mended.resize(mended.len().next_multiple_of(2), 0);
    let length = u32::try_from(mended.len() - 8).ok()?;
    mended[4..8].copy_from_slice(&length.to_le_bytes());
    Some(mended)
}

/// A bitstream that ends early, behind its header with the picture's size, with zeros up to its stated length and
/// beyond; `None` for any other chunk.
fn lengthened(chunk: &[u8]) -> Option<Vec<u8>> {
    let name = chunk.first_chunk::<4>()?;
    let length = number(chunk, 4, 4)? as usize;
    let header = match name {
        b"VP8 " => 10,
        b"VP8L" => 5,
        _ => return None,
    };
    if length > MAX_BITSTREAM_BYTES || chunk.len() < 8 + header {
        return None;
    }
    let length = (length + SPARE_BYTES).next_multiple_of(2);
    let mut lengthened = chunk.to_vec();
    lengthened.resize(8 + length, 0);
    lengthened[4..8].copy_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
    Some(lengthened)
}
