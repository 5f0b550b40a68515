//! What a file is, by its first bytes; its name and declared type are its sender's word. Reads no further.

use super::DecodeError;

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Jpeg,
    Png,
    Webp,
}

/// Formats that are refused by name: where their mark is, the mark, and what to call them.
const OTHER_FORMATS: [(usize, &[u8], &str); 25] = [
    (0, b"GIF8", "a GIF"),
    (0, b"BM", "a BMP"),
    (0, b"II*\0", "a TIFF"),
    (0, b"MM\0*", "a TIFF"),
    (0, b"%PDF-", "a PDF"),
    (0, b"\0\0\x01\0", "an icon"),
    (0, b"8BPS", "a Photoshop file"),
    (0, b"\xff\x0a", "a JPEG XL"),
    (4, b"JXL \r\n\x87\n", "a JPEG XL"),
    (4, b"jP  \r\n\x87\n", "a JPEG 2000"),
    (0, b"\xff\x4f\xff\x51", "a JPEG 2000"),
    (4, b"ftypavif", "an AVIF"),
    (4, b"ftypavis", "an AVIF"),
    (4, b"ftyphei", "a HEIC"),
    (4, b"ftyphev", "a HEIC"),
    (4, b"ftypmif1", "a HEIC"),
    (4, b"ftypmsf1", "a HEIC"),
    (4, b"ftyp", "a video"),
    (8, b"AVI ", "a video"),
    (0, b"\x1aE\xdf\xa3", "a video"),
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (8, b"WAVE", "a sound"),
];

/// The same for formats made of letters; in lower case.
const TEXT_FORMATS: [(&str, &str); 4] =
    [("<svg", "an SVG"), ("<!doctype html", "an HTML page"), ("<html", "an HTML page"), ("<?xml", "XML")];

impl Format {
    /// Tells the format, or says what the file is instead.
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
        let marked = |(at, mark, _): &&(usize, &[u8], &str)| {
            bytes.get(*at..).is_some_and(|rest| rest.starts_with(mark))
        };
        let other = OTHER_FORMATS.iter().find(marked).map(|(_, _, name)| *name).or_else(|| text(bytes));
        Err(DecodeError(match other {
            Some(name) => format!("the file is {name}; send a JPEG, PNG or WebP"),
            None => "the file is not a JPEG, PNG or WebP image".to_owned(),
        }))
    }
}

/// SVG may come after an XML declaration, comments and a document type, so it is looked for in the first kilobyte.
fn text(bytes: &[u8]) -> Option<&'static str> {
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
