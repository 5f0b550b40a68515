//! The one EXIF field that matters here: which way is up. Reads nothing else; what it cannot read is upright.
//!
//! TIFF 6.0 (Adobe, 1992), section 2, and Exif 2.32, tag 274.

const ORIENTATION: u16 = 0x0112;
const SHORT: u16 = 3;

/// How the stored picture is turned: EXIF's number, 1 to 8, and 1 for anything else.
pub(super) fn orientation(exif: &[u8]) -> u8 {
    let tiff = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    find(tiff).filter(|value| (1..=8).contains(value)).map_or(1, |value| value as u8)
}

fn find(tiff: &[u8]) -> Option<u16> {
    let big = match tiff.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes: [u8; 2] = tiff.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    let (high, low) = if big { (4, 6) } else { (6, 4) };
    let directory = usize::from(short(high)?) << 16 | usize::from(short(low)?);
    let entries = usize::from(short(directory)?);
    let first = directory + 2;
    let entry = (0..entries)
        .map(|index| first + 12 * index)
        .take_while(|at| at + 12 <= tiff.len())
        .find(|at| short(*at) == Some(ORIENTATION) && short(at + 2) == Some(SHORT))?;
    short(entry + 8)
}
