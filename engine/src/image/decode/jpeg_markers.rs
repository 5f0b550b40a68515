//! Parses the markers of a JPEG (ITU-T T.81, annex B). Decodes no pixels.
//!
//! Runs before the decoder: to check the size, to name features that are not supported, to drop data after the end,
//! and to reject files of many small scans or segments, which would keep the decoder busy for minutes.

use super::DecodeError;

/// The most segments of a file. An ICC profile or extended XMP takes one for every 64 kB.
const MAX_SEGMENTS: usize = 2_000;
/// The most scans of a file. Progressive encoders write about ten.
pub(super) const MAX_SCANS: usize = 64;

/// The sampling factors of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SamplingFactors {
    pub(super) horizontal: u8,
    pub(super) vertical: u8,
}

/// Adobe's colour transform: 0 none, 1 YCbCr, 2 YCCK.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdobeTransform {
    /// Its offset in the file.
    pub(super) offset: usize,
    pub(super) transform: u8,
}

/// The file's structure.
#[derive(Clone, Debug, Default)]
pub(super) struct JpegStructure {
    pub(super) width: u32,
    pub(super) height: u32,
    /// The sampling factors of each component.
    pub(super) sampling: Vec<SamplingFactors>,
    /// The components' ids spell `RGB`.
    pub(super) named_rgb: bool,
    pub(super) progressive: bool,
    /// Components of the first scan; fewer than all if the file is not interleaved.
    pub(super) first_scan: usize,
    /// There is a JFIF marker.
    pub(super) jfif: bool,
    pub(super) adobe: Option<AdobeTransform>,
    /// Bytes up to and including the end marker; of a file that has none, up to a segment that is not whole, or all.
    pub(super) end: usize,
    /// There is an end marker.
    pub(super) complete: bool,
    scans: usize,
}

impl JpegStructure {
    /// Parses the markers of a file with a JPEG signature.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut structure = JpegStructure { end: bytes.len(), ..Default::default() };
        let mut at = 2;
        let mut segments = 0;
        while let Some((marker, body)) = next_marker(bytes, at) {
            at = body;
            match marker {
                0xD9 => {
                    structure.end = body;
                    structure.complete = true;
                    break;
                }
                // Markers without a segment, mostly restarts.
                0x01 | 0xD0..=0xD8 => continue,
                _ => {}
            }
            let Some(segment) = segment(bytes, body) else {
                // Before the marker.
                structure.end = body - 2;
                break;
            };
            structure.note(marker, segment, body + 2)?;
            at = body + 2 + segment.len();
            segments += 1;
            if segments > MAX_SEGMENTS {
                return Err(DecodeError::damaged("JPEG"));
            }
        }
        if structure.sampling.is_empty() || structure.scans == 0 {
            return Err(structure.unreadable());
        }
        let scans = if structure.progressive { MAX_SCANS } else { structure.sampling.len() };
        if structure.scans > scans {
            return Err(DecodeError::damaged("JPEG"));
        }
        structure.check_sampling()?;
        Ok(structure)
    }

    /// The error for a file that cannot be decoded.
    pub(super) fn unreadable(&self) -> DecodeError {
        if self.complete { DecodeError::damaged("JPEG") } else { DecodeError::truncated("JPEG") }
    }

    /// Rejects files that the decoder reads differently from libjpeg-turbo: components with a higher resolution than
    /// the first, factors that are not powers of two, and components of different sizes in separate sequential scans.
    /// No camera and no common program writes them.
    fn check_sampling(&self) -> Result<(), DecodeError> {
        let &[first, ref others @ ..] = self.sampling.as_slice() else { return Ok(()) };
        let supported = if self.progressive || self.first_scan == self.sampling.len() {
            self.sampling.iter().all(|factors| factors.are_supported_after(first))
        } else {
            let none = SamplingFactors { horizontal: 1, vertical: 1 };
            self.sampling.iter().all(|factors| *factors == none)
        };
        if supported || others.is_empty() {
            return Ok(());
        }
        Err(DecodeError("the JPEG has a chroma subsampling that is not supported".to_owned()))
    }

    fn note(&mut self, marker: u8, segment: &[u8], at: usize) -> Result<(), DecodeError> {
        match marker {
            0xC4 | 0xC8 | 0xCC => {}
            0xC0..=0xCF if self.sampling.is_empty() => self.frame(marker, segment)?,
            0xDA => {
                self.scans += 1;
                if self.scans == 1 {
                    self.first_scan = segment.first().copied().unwrap_or_default().into();
                }
            }
            0xE0 if segment.starts_with(b"JFIF\0") && segment.len() >= 14 => self.jfif = true,
            0xEE if segment.starts_with(b"Adobe") && segment.len() >= 12 => {
                self.adobe = Some(AdobeTransform { offset: at + 11, transform: segment[11] });
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses a frame header (B.2.2).
    fn frame(&mut self, marker: u8, segment: &[u8]) -> Result<(), DecodeError> {
        match marker {
            0xC3 => return Err(unsupported("lossless")),
            0xC5..=0xC7 => return Err(unsupported("hierarchical")),
            0xC9..=0xCF => return Err(unsupported("arithmetic-coded")),
            _ => {}
        }
        let &[precision, h1, h0, w1, w0, count, ref components @ ..] = segment else {
            return Err(DecodeError::damaged("JPEG"));
        };
        match precision {
            8 => {}
            12 | 16 => return Err(unsupported(&format!("{precision}-bit"))),
            _ => return Err(DecodeError::damaged("JPEG")),
        }
        let (components, _) = components.as_chunks::<3>();
        if components.len() != usize::from(count) || !matches!(count, 1 | 3 | 4) {
            return Err(DecodeError::damaged("JPEG"));
        }
        self.width = u16::from_be_bytes([w1, w0]).into();
        self.height = u16::from_be_bytes([h1, h0]).into();
        self.progressive = marker == 0xC2;
        self.sampling = components.iter().map(|[_, factors, _]| SamplingFactors::of(*factors)).collect();
        self.named_rgb = components.iter().map(|[id, ..]| *id).eq(*b"RGB");
        if !self.sampling.iter().all(SamplingFactors::are_valid) {
            return Err(DecodeError::damaged("JPEG"));
        }
        Ok(())
    }
}

impl SamplingFactors {
    /// The factors in a byte of a frame header.
    fn of(byte: u8) -> Self {
        Self { horizontal: byte >> 4, vertical: byte & 15 }
    }

    fn are_valid(&self) -> bool {
        (1..=4).contains(&self.horizontal) && (1..=4).contains(&self.vertical)
    }

    fn are_supported_after(&self, first: Self) -> bool {
        let within = self.horizontal <= first.horizontal && self.vertical <= first.vertical;
        within && self.horizontal != 3 && self.vertical != 3
    }
}

fn unsupported(what: &str) -> DecodeError {
    DecodeError(format!("the JPEG is {what}, which is not supported"))
}

/// The next marker from `at` on, and the offset of its body. Skips entropy-coded data and fill bytes.
fn next_marker(bytes: &[u8], mut at: usize) -> Option<(u8, usize)> {
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xFF)?;
        while *bytes.get(at)? == 0xFF {
            at += 1;
        }
        at += 1;
        if bytes[at - 1] != 0 {
            return Some((bytes[at - 1], at));
        }
    }
}

/// A segment without its length.
fn segment(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let length: [u8; 2] = bytes.get(at..at + 2)?.try_into().ok()?;
    bytes.get(at + 2..at + usize::from(u16::from_be_bytes(length)))
}
