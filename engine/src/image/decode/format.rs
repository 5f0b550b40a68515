//! Detects a file's format by its first bytes, never by its name or declared type.

use super::DecodeError;

/// A supported format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Jpeg,
    Png,
    Webp,
}

/// A signature of a format that is not supported.
struct Signature {
    offset: usize,
    bytes: &'static [u8],
    /// The format's name, with its article.
    name: &'static str,
}

const fn signature(offset: usize, bytes: &'static [u8], name: &'static str) -> Signature {
    Signature { offset, bytes, name }
}

/// Other formats, which errors name.
const OTHER_FORMATS: [Signature; 25] = [
    signature(0, b"GIF8", "a GIF"),
    signature(0, b"BM", "a BMP"),
    signature(0, b"II*\0", "a TIFF"),
    signature(0, b"MM\0*", "a TIFF"),
    signature(0, b"%PDF-", "a PDF"),
    signature(0, b"\0\0\x01\0", "an icon"),
    signature(0, b"8BPS", "a Photoshop file"),
    signature(0, b"\xff\x0a", "a JPEG XL"),
    signature(4, b"JXL \r\n\x87\n", "a JPEG XL"),
    signature(4, b"jP  \r\n\x87\n", "a JPEG 2000"),
    signature(0, b"\xff\x4f\xff\x51", "a JPEG 2000"),
    signature(4, b"ftypavif", "an AVIF"),
    signature(4, b"ftypavis", "an AVIF"),
    signature(4, b"ftyphei", "a HEIC"),
    signature(4, b"ftyphev", "a HEIC"),
    signature(4, b"ftypmif1", "a HEIC"),
    signature(4, b"ftypmsf1", "a HEIC"),
    signature(4, b"ftyp", "a video"),
    signature(8, b"AVI ", "a video"),
    signature(0, b"\x1aE\xdf\xa3", "a video"),
    signature(0, b"PK\x03\x04", "a ZIP archive"),
    signature(0, b"\x1f\x8b", "a gzip archive"),
    signature(0, b"\x7fELF", "a program"),
    signature(0, b"MZ", "a program"),
    signature(8, b"WAVE", "a sound"),
];

/// Text formats: how they begin, in lower case, and their names.
const TEXT_FORMATS: [(&str, &str); 4] =
    [("<svg", "an SVG"), ("<!doctype html", "an HTML page"), ("<html", "an HTML page"), ("<?xml", "XML")];

impl Format {
    /// Detects the format; the error says what the file is instead.
    pub(super) fn detect(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.is_empty() {
            return Err(DecodeError("the image is empty".to_owned()));
        }
        if bytes.starts_with(b"\xff\xd8\xff") {
            return Ok(Format::Jpeg);
        }
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Ok(Format::Png);
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Ok(Format::Webp);
        }
        let other = OTHER_FORMATS.iter().find(|signature| signature.is_in(bytes));
        let name = other.map(|signature| signature.name).or_else(|| text_format(bytes));
        Err(DecodeError(match name {
            Some(name) => format!("the file is {name}; send a JPEG, PNG or WebP"),
            None => "the file is not a JPEG, PNG or WebP image".to_owned(),
        }))
    }
}

impl Signature {
    fn is_in(&self, bytes: &[u8]) -> bool {
        bytes.get(self.offset..).is_some_and(|rest| rest.starts_with(self.bytes))
    }
}

/// Detects text formats. SVG may follow an XML declaration, comments and a document type, so the first kilobyte is
/// searched for it.
fn text_format(bytes: &[u8]) -> Option<&'static str> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with('<') {
        return None;
    }
    TEXT_FORMATS
        .iter()
        .find(|(mark, name)| start.starts_with(mark) || (*name == "an SVG" && start.contains(mark)))
        .map(|(_, name)| *name)
}
