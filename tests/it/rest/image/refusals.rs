//! Invalid and oversized pictures: refused with a message that names the fault, without a charge.

use serde_json::json;

use crate::harness::{
    Db, Request, Server, on_sqlite,
    picture::{FORM, IMAGE, Part, base64, fixture, form, unharmed},
};

const MIB: usize = 1 << 20;

/// Sends a request, which must fail with this error and a message with this word.
async fn refused(what: &str, request: Request, status: u16, code: &str, word: &str) {
    let answer = request.send().await;
    assert_eq!(
        (answer.status, answer.body["code"].as_str()),
        (status, Some(code)),
        "{what}: {}",
        answer.text
    );
    let sentence = answer.error();
    assert!(sentence.contains(word), "{what}: {sentence:?} does not name {word:?}");
    if status == 422 {
        assert!(["image", "image_base64", "image_url"].contains(&answer.field()), "{what}: {}", answer.text);
    }
}

async fn exactly_one_source_is_needed(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let picture = fixture("rgb.jpg");
    let text = base64(&picture);
    let url = "http://example.com/a.png";
    for (body, word) in [
        (json!({}), "image is required"),
        (json!({ "image": text }), "image is required"),
        (json!({ "url": url, "imageUrl": url, "Image_URL": url }), "image is required"),
        (json!({ "image_url": url, "image_base64": text }), "exactly one"),
        (json!({ "image_url": "", "image_base64": "" }), "exactly one"),
    ] {
        let request = server.post(IMAGE).key(&account.key).json(body.clone());
        refused(&body.to_string(), request, 422, "INVALID_IMAGE", word).await;
    }
    let parts: [(&[Part], &str); 9] = [
        (&[], "image is required"),
        (&[("file", &picture)], "image is required"),
        (&[("Image", &picture)], "image is required"),
        (&[("image[]", &picture)], "image is required"),
        (&[("image", &picture), ("image_url", url.as_bytes())], "only source"),
        (&[("image_base64", text.as_bytes()), ("image", &picture)], "only source"),
        (&[("image_url", url.as_bytes())], "JSON"),
        (&[("image", &picture), ("image", &picture)], "one file"),
        (&[("image", b""), ("image", &picture)], "one file"),
    ];
    for (parts, word) in parts {
        let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        let request = server.post(IMAGE).key(&account.key).body(FORM, form(parts));
        refused(&names.join(" and "), request, 422, "INVALID_IMAGE", word).await;
    }
    unharmed(&server, &account).await;
}

async fn invalid_base64_is_refused(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let text = base64(&fixture("rgb.jpg"));
    for (text, word) in [
        ("", "empty"),
        (" \r\n\t", "empty"),
        ("data:image/png;base64,", "empty"),
        ("data:image/png;base64", "empty"),
        ("====", "base64"),
        ("A", "base64"),
        ("not base64", "base64"),
        ("https://example.com/picture.png", "base64"),
        ("\u{1f4f7}", "base64"),
        ("AA\0A", "base64"),
        ("+_+_", "base64"),
        ("data:image/png,%89PNG", "base64"),
        ("data:image/png;base64,data:image/png;base64,AAAA", "base64"),
        (&format!("{}*{}", &text[..40], &text[40..]), "base64"),
        (&format!("{}=={}", &text[..40], &text[40..]), "base64"),
        ("bm90IGEgcGljdHVyZQ==", "not a JPEG, PNG or WebP"),
    ] {
        refused(text, server.upload_base64(&account.key, text), 422, "INVALID_IMAGE", word).await;
    }
    unharmed(&server, &account).await;
}

async fn a_source_of_the_wrong_type_is_invalid(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for field in ["image_url", "image_base64"] {
        for value in [json!(5), json!(true), json!([]), json!(["http://example.com/"]), json!({})] {
            let request = server.post(IMAGE).key(&account.key).json(json!({ field: value }));
            refused(&value.to_string(), request, 422, "VALIDATION_FAILED", "must be a string").await;
        }
    }
    for body in [json!(null), json!([]), json!("http://example.com/"), json!([{ "image_url": "http://a/" }])]
    {
        let answer = server.post(IMAGE).key(&account.key).json(body).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), "body");
    }
    unharmed(&server, &account).await;
}

async fn other_file_types_are_refused_by_name(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let jpeg = fixture("rgb.jpg");
    let png = fixture("rgb8.png");
    let webp = fixture("lossy.webp");

    let files: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("GIF", [&b"GIF89a\x01\0\x01\0\x80\0\0"[..], &[0; 40]].concat()),
        ("SVG", b"<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec()),
        ("AVIF", [&b"\0\0\0\x1cftypavif\0\0\0\0avifmif1"[..], &[0; 40]].concat()),
        ("HEIC", [&b"\0\0\0\x18ftypheic\0\0\0\0"[..], &[0; 40]].concat()),
        ("BMP", [&b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0"[..], &[0; 60]].concat()),
        ("TIFF", [&b"II*\0\x08\0\0\0"[..], &[0; 40]].concat()),
        ("TIFF", [&b"MM\0*\0\0\0\x08"[..], &[0; 40]].concat()),
        ("PDF", [&b"%PDF-1.7\n"[..], &jpeg, b"\n%%EOF"].concat()),
        ("HTML", b"<!DOCTYPE html><img src=x onerror=alert(1)>".to_vec()),
        ("icon", [&b"\0\0\x01\0\x01\0"[..], &png].concat()),
        ("ZIP", [&b"PK\x03\x04"[..], &png].concat()),
        ("video", [&b"\0\0\0\x18ftypmp42\0\0\0\0"[..], &[0; 40]].concat()),
        ("not a JPEG, PNG or WebP", b"just words".to_vec()),
        ("not a JPEG, PNG or WebP", vec![0; 1000]),
        ("not a JPEG, PNG or WebP", [&b"\n"[..], &jpeg].concat()),
        ("not a JPEG, PNG or WebP", [&b"\xef\xbb\xbf"[..], &png].concat()),
        ("not a JPEG, PNG or WebP", b"\x89PNG\n\x1a\n".to_vec()),
        // Two files in one: the first decides.
        ("GIF", [&b"GIF89a/*"[..], &jpeg].concat()),
        ("HTML", [&b"<html>"[..], &png].concat()),
        ("JPEG", [&jpeg[..4], b"<script>alert(1)</script>"].concat()),
        ("JPEG", [&b"\xff\xd8\xff"[..], &png].concat()),
        ("PNG", [&png[..8], &jpeg].concat()),
        ("PNG", [&png[..40], &webp].concat()),
        ("WebP", [&webp[..12], &png].concat()),
    ];
    for (word, file) in &files {
        refused(word, server.upload(&account.key, file), 422, "INVALID_IMAGE", word).await;
    }
    let text = base64(&files[1].1);
    refused("GIF in base64", server.upload_base64(&account.key, &text), 422, "INVALID_IMAGE", "GIF").await;
    unharmed(&server, &account).await;
}

async fn pictures_that_end_before_their_pixels_are_refused(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for (name, pixels) in [
        ("rgb.jpg", &b"\xff\xda"[..]),
        ("progressive.jpg", b"\xff\xda"),
        ("rgb8.png", b"IDAT"),
        ("rgb16-interlaced.png", b"IDAT"),
        ("lossy.webp", b"VP8 "),
        ("lossless.webp", b"VP8L"),
    ] {
        let whole = fixture(name);
        let end = whole.windows(pixels.len()).position(|window| window == pixels).expect(name);
        for cut in (1..=end).step_by(end / 12 + 1) {
            let answer = server.upload(&account.key, &whole[..cut]).send().await;
            assert_eq!(answer.status, 422, "{name} of {} cut at {cut}: {}", whole.len(), answer.text);
            answer.fails(422, "INVALID_IMAGE");
        }
    }
    unharmed(&server, &account).await;
}

async fn enormous_pictures_are_refused_by_their_header(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut jpeg = fixture("rgb.jpg");
    let frame = jpeg.windows(2).position(|marker| marker == b"\xff\xc0").expect("a frame header");
    let side = 30_000_u16.to_be_bytes();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[side, side].concat());
    // An extended header may claim any size.
    let claim = &29_999_u32.to_le_bytes()[..3];
    let extended = [b"VP8X\x0a\0\0\0\0\0\0\0", claim, claim, b"EXIF\0\0\0\0"].concat();
    let length = u32::try_from(extended.len() + 4).unwrap().to_le_bytes();
    let webp = [&b"RIFF"[..], &length[..], b"WEBP", &extended].concat();
    for (what, file) in [("PNG", fixture("30000.png")), ("JPEG", jpeg), ("WebP", webp)] {
        let request = server.upload(&account.key, &file);
        refused(what, request, 422, "INVALID_IMAGE", "30000 x 30000 pixels; the limit is 40 megapixels")
            .await;
    }
    unharmed(&server, &account).await;
    let small = Server::with(&db).env("GAVEL_IMAGE_PIXELS", 100).start().await;
    refused("small", small.upload(&account.key, &fixture("rgb8.png")), 422, "INVALID_IMAGE", "48 x 32").await;
}

async fn files_are_limited_to_ten_mebibytes(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let zeros = vec![0; 11 * MIB];
    for bytes in [10 * MIB + 1, 11 * MIB] {
        let file = &zeros[..bytes];
        for request in [
            server.upload(&account.key, file),
            server
                .post(IMAGE)
                .key(&account.key)
                .json_text(format!(r#"{{"image_base64":"{}"}}"#, base64(file))),
        ] {
            refused("too large", request, 413, "PAYLOAD_TOO_LARGE", "10485760 bytes").await;
        }
    }
    let most = &zeros[..10 * MIB];
    refused("most", server.upload(&account.key, most), 422, "INVALID_IMAGE", "not a JPEG, PNG or WebP").await;
    let text = format!(r#"{{"image_base64":"{}"}}"#, base64(most));
    let request = server.post(IMAGE).key(&account.key).json_text(text);
    refused("most in base64", request, 422, "INVALID_IMAGE", "not a JPEG, PNG or WebP").await;
    unharmed(&server, &account).await;
    let small = Server::with(&db).env("GAVEL_IMAGE_BYTES", 700).start().await;
    refused("small", small.upload(&account.key, &fixture("rgb8.png")), 413, "PAYLOAD_TOO_LARGE", "700").await;
    small.upload(&account.key, &fixture("gray.jpg")).send().await.ok();
}

on_sqlite!(
    exactly_one_source_is_needed,
    invalid_base64_is_refused,
    a_source_of_the_wrong_type_is_invalid,
    other_file_types_are_refused_by_name,
    pictures_that_end_before_their_pixels_are_refused,
    enormous_pictures_are_refused_by_their_header,
    files_are_limited_to_ten_mebibytes,
);
