//! The source of a picture: parsed once at the edge, downloaded only when the client can pay.

use std::borrow::Cow;

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};
use url::Url;

use super::ImageFetcher;
use crate::{Code, Error, Result};
use ports::Flow;

/// The sources in a request, of the right types but not yet validated. Exactly one must be set.
#[derive(Debug, Default)]
pub struct ImageDraft {
    pub image_url: Option<String>,
    /// The file in base64, or a data URI.
    pub image_base64: Option<String>,
    /// The uploaded file.
    pub image: Option<Bytes>,
}

/// The kind of source of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Downloaded.
    Url,
    /// Part of the JSON body.
    Base64,
    /// Uploaded as a file of a form.
    Upload,
}

impl Origin {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Url => "url",
            Origin::Base64 => "base64",
            Origin::Upload => "upload",
        }
    }

    /// The request field of the source.
    pub fn field(self) -> &'static str {
        match self {
            Origin::Url => "image_url",
            Origin::Base64 => "image_base64",
            Origin::Upload => "image",
        }
    }
}

/// A validated source: bytes, or a URL that may be requested.
#[derive(Clone, Debug)]
pub struct ImageSource {
    origin: Origin,
    location: ImageLocation,
}

#[derive(Clone, Debug)]
enum ImageLocation {
    Url(Url),
    Bytes(Bytes),
}

impl ImageSource {
    /// Validates a draft; `max_bytes` is the largest file.
    ///
    /// # Errors
    /// `INVALID_IMAGE` naming the field: no source, several, a URL that may not be requested, invalid base64, an
    /// empty file. `PAYLOAD_TOO_LARGE` for a file over `max_bytes`.
    pub fn parse(draft: ImageDraft, fetcher: &dyn ImageFetcher, max_bytes: usize) -> Result<Self> {
        let source = match (draft.image_url, draft.image_base64, draft.image) {
            (Some(uri), None, None) if is_data_uri(uri.trim()) => Self {
                origin: Origin::Base64,
                location: ImageLocation::Bytes(decode_base64(Origin::Url.field(), &uri, max_bytes)?.into()),
            },
            (Some(url), None, None) => {
                let location = ImageLocation::Url(fetcher.parse(Origin::Url.field(), &url)?);
                return Ok(Self { origin: Origin::Url, location });
            }
            (None, Some(text), None) => Self {
                origin: Origin::Base64,
                location: ImageLocation::Bytes(
                    decode_base64(Origin::Base64.field(), &text, max_bytes)?.into(),
                ),
            },
            (None, None, Some(file)) => Self { origin: Origin::Upload, location: ImageLocation::Bytes(file) },
            (None, None, None) => {
                let message = "is required: send image_url or image_base64 as JSON, or a file named image as \
                               multipart/form-data";
                return Err(Error::image("image", message));
            }
            _ => {
                let message = "must come from exactly one of image_url, image_base64 and an uploaded image";
                return Err(Error::image("image", message));
            }
        };
        match &source.location {
            ImageLocation::Bytes(bytes) if bytes.is_empty() => {
                Err(Error::image(source.origin.field(), "must not be empty"))
            }
            ImageLocation::Bytes(bytes) if bytes.len() > max_bytes => Err(too_large(max_bytes)),
            _ => Ok(source),
        }
    }

    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether its bytes are in memory: it is not to be downloaded.
    pub fn is_here(&self) -> bool {
        matches!(self.location, ImageLocation::Bytes(_))
    }

    /// Keeps `permit` as long as the picture's bytes are in memory; drops it now for a URL.
    pub fn holding(self, permit: impl Send + 'static) -> Self {
        let location = match self.location {
            ImageLocation::Bytes(bytes) => ImageLocation::Bytes(holding(bytes, permit)),
            url => url,
        };
        Self { location, ..self }
    }

    /// Returns the file; downloads it if necessary.
    pub(in super::super) async fn bytes(self, flow: Flow, fetcher: &dyn ImageFetcher) -> Result<Bytes> {
        match self.location {
            ImageLocation::Url(url) => fetcher.fetch(flow, &url).await,
            ImageLocation::Bytes(bytes) => Ok(bytes),
        }
    }
}

/// The same bytes, with which `permit` is dropped.
pub fn holding(bytes: Bytes, permit: impl Send + 'static) -> Bytes {
    struct Held<P>(Bytes, #[allow(dead_code)] P);
    impl<P> AsRef<[u8]> for Held<P> {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    Bytes::from_owner(Held(bytes, permit))
}

/// Identifies the source for idempotency: its kind, and its URL or the SHA-256 of its bytes.
impl Serialize for ImageSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let what = match &self.location {
            ImageLocation::Url(url) => url.to_string(),
            ImageLocation::Bytes(bytes) => format!("{:x}", Sha256::digest(bytes)),
        };
        (self.origin, what).serialize(serializer)
    }
}

/// The error for a file over the limit.
pub fn too_large(max_bytes: usize) -> Error {
    let message = format!("an image may have at most {max_bytes} bytes");
    Error::new(Code::PayloadTooLarge, message)
}

fn is_data_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Decodes base64 in either alphabet, padded or not, with or without line breaks or percent-encoding, alone or in a
/// data URI. `field` is named in errors.
fn decode_base64(field: &str, text: &str, max_bytes: usize) -> Result<Vec<u8>> {
    let mut text = Cow::from(text.trim());
    if is_data_uri(&text) {
        let (head, data) = text.split_once(',').unwrap_or((&text, ""));
        if !head.to_ascii_lowercase().trim_end().ends_with(";base64") {
            return Err(Error::image(field, "must be base64: this data URI does not say `;base64,`"));
        }
        text = Cow::from(data.trim().to_owned());
    }
    // Base64 itself has no percent sign.
    if text.contains('%') {
        text = Cow::from(percent_decode_str(&text).decode_utf8_lossy().into_owned());
    }
    if text.contains(|c: char| c.is_ascii_whitespace()) {
        text = Cow::from(text.replace(|c: char| c.is_ascii_whitespace(), ""));
    }
    if text.len() / 4 * 3 > max_bytes + 3 {
        return Err(too_large(max_bytes));
    }
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    GeneralPurpose::new(alphabet, config)
        .decode(text.as_bytes())
        .map_err(|_| Error::image(field, "must be the image's bytes in base64, or a data URI of them"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<Vec<u8>> {
        decode_base64("image_base64", text, 1000).ok()
    }

    #[test]
    fn base64_is_read_as_people_write_it() {
        let wanted = Some(vec![0xfb, 0xff, 0xbf, 0x01]);
        for text in [
            "+/+/AQ==",
            "+/+/AQ",
            "-_-_AQ==",
            " +/+/\r\nAQ==\n",
            "data:image/png;base64,+/+/AQ==",
            "DATA:;BASE64,+/+/AQ",
            "%2B%2F%2b/AQ%3D%3D%0A",
            "data:image/png;base64,%2B/%2B/AQ",
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for text in [
            "!",
            "+/+/A",
            "data:image/png,abcd",
            "data:image/png;base64",
            "https://example.org/a.png",
            "+_+_",
            "%zz+/+/AQ==",
        ] {
            let read = read(text);
            assert!(read.as_ref().is_none_or(Vec::is_empty), "{text}: {read:?}");
        }
    }

    #[test]
    fn too_much_is_too_large() {
        assert_eq!(
            decode_base64("image_base64", &"A".repeat(2000), 1000).unwrap_err().code,
            Code::PayloadTooLarge
        );
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in ".{0,80}") {
            let _ = decode_base64("image_base64", &text, 10);
        }
    }
}
