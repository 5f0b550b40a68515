//! Test images and multipart forms.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use image::{ExtendedColorType, ImageEncoder, codecs::jpeg::JpegEncoder, codecs::png::PngEncoder};

use super::{Account, Request, Server, inv};

/// The path of image moderation.
pub(crate) const IMAGE: &str = "/api/v1/moderate/image";
/// The content type of a [`form`].
pub(crate) const FORM: &str = "multipart/form-data; boundary=a-boundary";

/// A file of `tests/fixtures/images`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/images/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Asserts that nothing has been charged so far, and that the next image is moderated and charged.
pub(crate) async fn unharmed(server: &Server, account: &Account) {
    assert_eq!(inv::charges(&server.db, &account.id).await.len(), 0);
    server.upload(&account.key, &fixture("rgb.jpg")).send().await.ok();
    assert_eq!(inv::charges(&server.db, &account.id).await.len(), 1);
}

/// A PNG that is white in every pixel and as opaque as a JPEG is bright.
pub(crate) fn transparent_png(jpeg: &[u8]) -> Vec<u8> {
    let gray = image::load_from_memory(jpeg).expect("a JPEG").into_luma8();
    let pixels: Vec<u8> = gray.pixels().flat_map(|pixel| [255, pixel.0[0]]).collect();
    let mut file = Vec::new();
    let encoder = PngEncoder::new(&mut file);
    encoder.write_image(&pixels, gray.width(), gray.height(), ExtendedColorType::La8).unwrap();
    file
}

/// A JPEG with a gradient, which is small in bytes for its dimensions.
pub(crate) fn gradient(width: u32, height: u32) -> Vec<u8> {
    let rows = (0..height).flat_map(|y| {
        (0..width).flat_map(move |x| [shade(x, width), shade(y, height), shade(x + y, width + height)])
    });
    jpeg(width, height, 90, rows.collect())
}

fn shade(at: u32, of: u32) -> u8 {
    (at * 255 / of) as u8
}

/// A JPEG of noise, which is large in bytes for its dimensions.
pub(crate) fn noise(width: u32, height: u32, quality: u8) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let pixels = (0..width * height * 3).map(|_| {
        // xorshift32.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    });
    jpeg(width, height, quality, pixels.collect())
}

/// A PNG of one color, with a few bytes per row.
pub(crate) fn plain_png(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let pixels = vec![127; (width * height * 3) as usize];
    PngEncoder::new(&mut file).write_image(&pixels, width, height, ExtendedColorType::Rgb8).expect("a PNG");
    file
}

fn jpeg(width: u32, height: u32, quality: u8, pixels: Vec<u8>) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut file, quality);
    encoder.encode(&pixels, width, height, ExtendedColorType::Rgb8).expect("a JPEG");
    file
}

/// Bytes in standard base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A part of a multipart form, a file or a field: its name and its content.
pub(crate) type Part<'a> = (&'a str, &'a [u8]);

/// A multipart form of these parts.
pub(crate) fn form(parts: &[Part]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, content) in parts {
        let file = if *name == "image" { "; filename=\"picture.bin\"" } else { "" };
        body.extend(
            format!("--a-boundary\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
        );
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--a-boundary--\r\n");
    body
}

impl Server {
    /// A request that uploads an image under a key.
    pub(crate) fn upload(&self, key: &str, image: &[u8]) -> Request {
        self.post(IMAGE).key(key).body(FORM, form(&[("image", image)]))
    }

    /// A request with an image in base64 under a key.
    pub(crate) fn upload_base64(&self, key: &str, text: &str) -> Request {
        self.post(IMAGE).key(key).json(serde_json::json!({ "image_base64": text }))
    }
}
