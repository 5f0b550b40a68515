//! A body's `Content-Encoding`, decoded where a route allows it. The size is limited while decoding.

use std::io::Read;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use domain::{Code, Error, Result};

/// The largest window of a zstd frame, as a power of two: 8 MiB, which RFC 8878 asks every decoder to support.
const ZSTD_WINDOW_LOG: u32 = 23;

/// In the extensions of requests whose bodies may come compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcceptsCompressed {
    /// Bytes that a body may have once decoded.
    pub(crate) max_bytes: usize,
}

/// The encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentEncoding {
    Plain,
    Zstd,
    Gzip,
}

impl ContentEncoding {
    /// Reads the header. `compressed`: whether the route accepts compressed bodies.
    ///
    /// # Errors
    /// `UNSUPPORTED_MEDIA_TYPE`, naming the encodings that are accepted.
    pub(super) fn of(headers: &HeaderMap, compressed: bool) -> Result<Self> {
        let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
        let encoding = match (encodings.next(), encodings.next()) {
            (None, _) => return Ok(Self::Plain),
            (Some(encoding), None) => encoding.to_str().unwrap_or_default().trim().to_ascii_lowercase(),
            (Some(_), Some(_)) => "several".to_owned(),
        };
        match encoding.as_str() {
            "identity" => Ok(Self::Plain),
            "zstd" if compressed => Ok(Self::Zstd),
            "gzip" | "x-gzip" if compressed => Ok(Self::Gzip),
            _ => {
                let taken = if compressed { ", or with one of: zstd, gzip" } else { "" };
                let message = format!("the body must be sent without a Content-Encoding{taken}");
                Err(Error::new(Code::UnsupportedMediaType, message))
            }
        }
    }

    /// Decodes a body to at most `max_bytes`.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` as soon as there are more; `MALFORMED_BODY` when the encoding is broken or cut off.
    pub(super) fn decode(self, body: Bytes, max_bytes: usize) -> Result<Bytes> {
        match self {
            Self::Plain => Ok(body),
            Self::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(&body[..]).and_then(|mut decoder| {
                    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                    Ok(decoder)
                });
                read(decoder.map_err(Error::internal)?, max_bytes, "zstd")
            }
            Self::Gzip => read(flate2::read::MultiGzDecoder::new(&body[..]), max_bytes, "gzip"),
        }
    }
}

/// Refuses a body that comes compressed.
///
/// # Errors
/// `UNSUPPORTED_MEDIA_TYPE`.
pub(crate) fn refuse_content_encoding(headers: &HeaderMap) -> Result<()> {
    ContentEncoding::of(headers, false).map(|_| ())
}

fn read(decoder: impl Read, max_bytes: usize, encoding: &str) -> Result<Bytes> {
    let mut decoded = Vec::new();
    decoder.take(max_bytes as u64 + 1).read_to_end(&mut decoded).map_err(|_| {
        let message = format!("the body is not valid {encoding}, which its Content-Encoding names");
        Error::new(Code::MalformedBody, message)
    })?;
    if decoded.len() > max_bytes {
        let message = "the body is too large for this path when it is unpacked";
        return Err(Error::new(Code::PayloadTooLarge, message));
    }
    Ok(decoded.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Bytes {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap().into()
    }

    fn zstd(bytes: &[u8]) -> Bytes {
        zstd::stream::encode_all(bytes, 3).unwrap().into()
    }

    #[test]
    fn a_body_is_decoded_up_to_the_limit() {
        let bytes = b"one two three ".repeat(100);
        for (encoding, packed) in
            [(ContentEncoding::Zstd, zstd(&bytes)), (ContentEncoding::Gzip, gzip(&bytes))]
        {
            assert_eq!(encoding.decode(packed.clone(), bytes.len()).unwrap(), bytes);
            let error = encoding.decode(packed.clone(), bytes.len() - 1).unwrap_err();
            assert_eq!(error.code, Code::PayloadTooLarge, "{encoding:?}");
            for broken in [packed.slice(..packed.len() - 1), packed.slice(1..), Bytes::from_static(b"{}")] {
                assert_eq!(
                    encoding.decode(broken, 9_999).unwrap_err().code,
                    Code::MalformedBody,
                    "{encoding:?}"
                );
            }
        }
    }

    #[test]
    fn a_frame_that_needs_more_memory_than_a_decoder_must_have_is_refused() {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(24).unwrap();
        encoder.write_all(b"small").unwrap();
        let error = ContentEncoding::Zstd.decode(encoder.finish().unwrap().into(), 9_999).unwrap_err();
        assert_eq!(error.code, Code::MalformedBody);
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_within_the_limit_or_refused(
            bytes: Vec<u8>, cut in 0_usize..64, at in 0_usize..64, bit in 0_u8..8,
        ) {
            for whole in [gzip(&bytes), zstd(&bytes), Bytes::from(bytes.clone())] {
                let mut broken = whole[..whole.len() - cut.min(whole.len())].to_vec();
                if let Some(byte) = broken.get_mut(at) {
                    *byte ^= 1 << bit;
                }
                for encoding in [ContentEncoding::Gzip, ContentEncoding::Zstd] {
                    match encoding.decode(broken.clone().into(), 50) {
                        Ok(decoded) => prop_assert!(decoded.len() <= 50),
                        Err(error) => prop_assert!([Code::MalformedBody, Code::PayloadTooLarge].contains(&error.code)),
                    }
                }
            }
        }
    }
}
