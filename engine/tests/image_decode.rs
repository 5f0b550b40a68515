//! Decodes valid, unusual and hostile files. The expected pixels come from Pillow, libjpeg-turbo, libwebp and
//! littleCMS; see `tests/fixtures/images/make.py`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::LazyLock;

use engine::image::decode::{DecodeLimits, Extent, Picture, View, decode, views};
use ports::image::Background;
use proptest::prelude::*;
use serde::Deserialize;

/// The expected size of a fixture, and some pixels as `[x, y, red, green, blue]`.
#[derive(Deserialize)]
struct Expected {
    width: u32,
    height: u32,
    tolerance: u8,
    points: Vec<[usize; 5]>,
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/images"))
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).expect(name)
}

fn expected() -> BTreeMap<String, Expected> {
    serde_json::from_slice(&fixture("expected.json")).expect("expected.json")
}

fn seen(bytes: &[u8]) -> Result<Picture, String> {
    decode(bytes, &DecodeLimits::default()).map_err(|refused| refused.to_string())
}

/// The message for the client.
fn refused(bytes: &[u8]) -> String {
    seen(bytes).expect_err("refused")
}

fn pixel(picture: &Picture, x: usize, y: usize) -> [u8; 3] {
    let at = 3 * (y * picture.width as usize + x);
    [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]]
}

#[test]
fn every_kind_of_file_is_seen_as_others_see_it() {
    let expected = expected();
    assert!(expected.len() > 50);
    let mut wrong = Vec::new();
    for (name, expected) in expected {
        let picture = match seen(&fixture(&name)) {
            Ok(picture) => picture,
            Err(refused) => {
                wrong.push(format!("{name}: {refused}"));
                continue;
            }
        };
        assert_eq!((picture.width, picture.height), (expected.width, expected.height), "{name}");
        assert_eq!(picture.rgb.len(), 3 * picture.width as usize * picture.height as usize, "{name}");
        for [x, y, color @ ..] in expected.points {
            let found = pixel(&picture, x, y);
            if found.iter().zip(color).any(|(found, color)| found.abs_diff(color as u8) > expected.tolerance)
            {
                wrong.push(format!("{name} at {x}, {y}: {found:?} and not {color:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_picture_is_the_same_whichever_way_up_it_was_stored() {
    let upright = seen(&fixture("orientation-1.png")).unwrap();
    for n in 2..=8 {
        assert!(seen(&fixture(&format!("orientation-{n}.png"))).unwrap() == upright, "{n}");
    }
}

#[test]
fn a_profile_counts_and_a_broken_one_does_not() {
    let plain = seen(&fixture("rgb8.png")).unwrap();
    let swapped = seen(&fixture("profile.png")).unwrap();
    let [red, green, _] = pixel(&swapped, 4, 3);
    assert!(green > red, "the profile changes red and green over");
    assert_eq!(pixel(&plain, 4, 3)[0], 200 + 1);
    // The picture is decoded whatever any of its bytes is.
    let file = fixture("profile-p3.jpg");
    let at = file.windows(12).position(|window| window == b"ICC_PROFILE\0").unwrap() + 14;
    let length = usize::from(u16::from_be_bytes([file[at - 16], file[at - 15]])) - 16;
    for offset in 0..length {
        for value in [0, 0x7F, 0xFF] {
            let mut file = file.clone();
            file[at + offset] = value;
            assert!(seen(&file).is_ok(), "{offset} {value}");
        }
    }
}

#[test]
fn what_is_not_read_is_called_by_its_name() {
    for (bytes, what) in [
        (&b"GIF89a\x01\0\x01\0"[..], "a GIF"),
        (b"BM\x46\0\0\0", "a BMP"),
        (b"II*\0\x08\0\0\0", "a TIFF"),
        (b"MM\0*\0\0\0\x08", "a TIFF"),
        (b"%PDF-1.7", "a PDF"),
        (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "an SVG"),
        (b"\xef\xbb\xbf <?xml version=\"1.0\"?><!-- . -->\n<SVG/>", "an SVG"),
        (b"<!DOCTYPE html><title>404</title>", "an HTML page"),
        (b"\0\0\0\x20ftypavif\0\0\0\0", "an AVIF"),
        (b"\0\0\0\x20ftypheic\0\0\0\0", "a HEIC"),
        (b"\0\0\0\x20ftypisom\0\0\0\0", "a video"),
        (b"RIFF\x10\0\0\0AVI LIST", "a video"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "a JPEG XL"),
        (b"PK\x03\x04", "a ZIP archive"),
    ] {
        assert_eq!(refused(bytes), format!("the file is {what}; send a JPEG, PNG or WebP"));
    }
    assert_eq!(refused(b""), "the image is empty");
    for nothing in [&b"\0"[..], b"hello", b"RIFF", b"\xff\xd8", &[0; 5000], b"<p>", b"{}"] {
        assert_eq!(refused(nothing), "the file is not a JPEG, PNG or WebP image");
    }
}

#[test]
fn jpegs_of_rare_kinds_are_refused_by_name() {
    assert_eq!(refused(&fixture("arithmetic.jpg")), "the JPEG is arithmetic-coded, which is not supported");
    assert_eq!(refused(&fixture("twelve-bit.jpg")), "the JPEG is 12-bit, which is not supported");
    let lossless = replaced(&fixture("twelve-bit.jpg"), b"\xff\xc1\0\x11\x0c", b"\xff\xc3\0\x11\x08");
    assert_eq!(refused(&lossless), "the JPEG is lossless, which is not supported");
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|window| window == old).expect("found");
    [&bytes[..at], new, &bytes[at + old.len()..]].concat()
}

/// A 4:4:4 fixture with another size in its header.
fn jpeg_of(width: u16, height: u16) -> Vec<u8> {
    let [w1, w0] = width.to_be_bytes();
    let [h1, h0] = height.to_be_bytes();
    replaced(&fixture("sampling-444.jpg"), &[8, 0, 32, 0, 48, 3], &[8, h1, h0, w1, w0, 3])
}

#[test]
fn jpegs_that_the_decoder_would_see_as_something_else_are_refused() {
    let told = "the JPEG has a chroma subsampling that is not supported";
    let finer = replaced(&fixture("sampling-444.jpg"), &[3, 1, 0x11, 0, 2, 0x11], &[3, 1, 0x11, 0, 2, 0x22]);
    assert_eq!(refused(&finer), told);
    let thirds = replaced(&fixture("sampling-420.jpg"), &[3, 1, 0x22, 0, 2, 0x11], &[3, 1, 0x33, 0, 2, 0x11]);
    assert_eq!(refused(&thirds), told);
    let one_by_one =
        replaced(&fixture("sampling-420.jpg"), b"\xff\xda\0\x0c\x03\x01\0", b"\xff\xda\0\x08\x01\x01\0");
    assert_eq!(refused(&one_by_one), told);
}

#[test]
fn size_is_read_before_pixels_and_bounded() {
    let too_large = "the image is 30000 x 30000 pixels; the limit is 40 megapixels";
    assert_eq!(refused(&fixture("30000.png")), too_large);
    assert_eq!(refused(&jpeg_of(30000, 30000)), too_large);
    // The canvas of an extended WebP, each side minus one.
    let webp = fixture("animated.webp");
    let webp = replaced(&webp, &[47, 0, 0, 31, 0, 0], &[0x2F, 0x75, 0, 0x2F, 0x75, 0]);
    assert_eq!(refused(&webp), too_large);
    assert_eq!(refused(&fixture("narrow.png")), "the image is 70000 x 1 pixels; the limit is 65535 a side");
    assert_eq!(refused(&jpeg_of(48, 0)), "the image has no pixels: its size is 48 x 0");

    let small = DecodeLimits { pixels: 48 * 32 - 1, ..DecodeLimits::default() };
    let told = decode(&fixture("rgb8.png"), &small).unwrap_err().to_string();
    assert_eq!(told, "the image is 48 x 32 pixels; the limit is 0.001535 megapixels");
    assert!(
        decode(&fixture("rgb8.png"), &DecodeLimits { pixels: 48 * 32, ..DecodeLimits::default() }).is_ok()
    );
}

#[test]
fn memory_is_bounded_by_what_the_format_takes() {
    // 48 x 32 at 3 bytes are 4,608; a progressive file takes its coefficients too, a rotated one a second copy.
    let limits = DecodeLimits { bytes: 4608, ..DecodeLimits::default() };
    for name in ["rgb8.png", "rgba16.png", "rgb16-interlaced.png", "sampling-420.jpg"] {
        assert!(decode(&fixture(name), &limits).is_ok(), "{name}");
    }
    for name in ["progressive.jpg", "cmyk.jpg", "orientation-6.jpg", "orientation-6.png", "lossy.webp"] {
        let told = decode(&fixture(name), &limits).unwrap_err().to_string();
        assert_eq!(told, "the image takes 1 MB of memory to decode; the limit is 0 MB", "{name}");
    }
}

/// Every way to see a file, and what is known of it.
fn all_views(bytes: &[u8]) -> Result<(Vec<View>, Extent), String> {
    let mut seen = Vec::new();
    let extent = views(bytes, &DecodeLimits::default(), &mut |view| {
        seen.push(view);
        ControlFlow::Continue(())
    });
    extent.map(|extent| (seen, extent)).map_err(|refused| refused.to_string())
}

#[test]
fn what_ends_early_is_seen_as_far_as_it_goes() {
    for (name, format) in [
        ("sampling-420.jpg", "JPEG"),
        ("progressive.jpg", "JPEG"),
        ("restarts.jpg", "JPEG"),
        ("cmyk.jpg", "JPEG"),
        ("rgb8.png", "PNG"),
        ("rgb16-interlaced.png", "PNG"),
        ("lossy.webp", "WebP"),
        ("noisy lossless", "WebP"),
    ] {
        let file = if name.ends_with(".webp") || format != "WebP" { fixture(name) } else { noisy_webp() };
        let whole = seen(&file).unwrap();
        assert!(!all_views(&file).unwrap().1.truncated, "{name}");
        let begin = data_of(&file);
        let most = begin + (file.len() - begin) * 3 / 4;
        for kept in 12..file.len() - 12 {
            match all_views(&file[..kept]) {
                Ok((views, extent)) => {
                    let picture = &views[0].picture;
                    // A checksum alone may be missing.
                    assert!(extent.truncated || *picture == whole, "{name}, {kept} bytes");
                    assert_eq!((picture.width, picture.height), (whole.width, whole.height), "{name}");
                }
                Err(told) => {
                    assert_eq!(told, format!("the {format} is truncated"), "{name}, {kept} bytes");
                    assert!(kept < most, "{name}: {kept} of {} bytes are not seen", file.len());
                }
            }
        }
        // The first row is as in the whole picture when most of the file is there.
        let most = seen(&file[..file.len() - 16]).unwrap();
        let off = pixel(&most, 0, 0).iter().zip(pixel(&whole, 0, 0)).map(|(a, b)| a.abs_diff(b)).max();
        assert!(off.unwrap() < 24, "{name}: {off:?}");
    }
}

/// A lossless WebP most of which is pixels, unlike that of a picture of few colours.
fn noisy_webp() -> Vec<u8> {
    let rgb: Vec<u8> = (0..32 * 24 * 3_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut file = Vec::new();
    image_webp::WebPEncoder::new(&mut file)
        .encode(&rgb, 32, 24, image_webp::ColorType::Rgb8)
        .expect("a picture");
    file
}

/// Where the data of a fixture's pixels begins.
fn data_of(file: &[u8]) -> usize {
    let before = [&b"\xff\xda"[..], b"IDAT", b"VP8 ", b"VP8L"];
    let found = before.iter().find_map(|mark| file.windows(mark.len()).position(|window| window == *mark));
    found.expect("a picture")
}

#[test]
fn what_is_promised_beside_a_picture_may_be_missing() {
    let file = fixture("lossy.webp");
    let header = [b"VP8X\x0a\0\0\0\x08\0\0\0".as_slice(), &[47, 0, 0, 31, 0, 0]].concat();
    let body = [b"WEBP", header.as_slice(), &file[12..]].concat();
    let promising = [b"RIFF".as_slice(), &(body.len() as u32).to_le_bytes(), &body].concat();
    let (views, extent) = all_views(&promising).unwrap();
    assert!(extent.truncated && views[0].picture == seen(&file).unwrap());
    let png = fixture("rgb8.png");
    let (views, _) = all_views(&png[..png.len() - 12]).unwrap();
    assert!(views[0].picture == seen(&png).unwrap(), "without IEND");
}

#[test]
fn a_transparent_picture_is_seen_on_white_and_on_black() {
    for name in ["rgba8.png", "lossless-alpha.webp", "lossy-alpha.webp", "gray-alpha.png"] {
        let (views, extent) = all_views(&fixture(name)).unwrap();
        assert_eq!(extent, Extent { truncated: false, frames: 1 }, "{name}");
        let [white, black] = views.as_slice() else { panic!("{name}: {} views", views.len()) };
        assert_eq!((white.background, black.background), (Background::White, Background::Black));
        let darker = white.picture.rgb.iter().zip(&black.picture.rgb).all(|(white, black)| black <= white);
        assert!(darker && white.picture != black.picture, "{name}");
    }
    assert_eq!(all_views(&fixture("rgb8.png")).unwrap().0.len(), 1);
}

/// An animation of 40 x 30 pixels: 20 frames of growing brightness, each in the lower right corner alone but the first.
fn animated_png() -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 40, 30);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(20, 0)?;
    let mut writer = encoder.write_header()?;
    for frame in 0..20_u8 {
        let mut pixels = 40 * 30;
        if frame > 0 {
            writer.set_frame_dimension(10, 10)?;
            writer.set_frame_position(30, 20)?;
            pixels = 100;
        }
        writer.write_image_data(&[frame * 10, 0, 0, 255].repeat(pixels))?;
    }
    writer.finish()?;
    Ok(file)
}

#[test]
fn frames_of_an_animation_are_spread_over_it() {
    let file = animated_png().unwrap();
    let (views, extent) = all_views(&file).unwrap();
    assert_eq!(extent, Extent { truncated: false, frames: 20 });
    let frames: Vec<u32> = views.iter().map(|view| view.frame).collect();
    assert_eq!(frames, [0, 2, 5, 8, 10, 13, 16, 19]);
    for view in &views {
        let corner = pixel(&view.picture, 35, 25);
        assert_eq!((pixel(&view.picture, 0, 0), corner), ([0; 3], [view.frame as u8 * 10, 0, 0]));
    }
    // The frames that are there count.
    let (views, extent) = all_views(&file[..file.len() * 3 / 4]).unwrap();
    assert!(extent.truncated && views.len() > 3, "{extent:?}");

    let (views, extent) = all_views(&fixture("animated.webp")).unwrap();
    assert!(extent.frames > 1 && views.len() as u32 >= extent.frames.min(8), "{extent:?}");
    assert!(views.windows(2).any(|pair| pair[0].picture != pair[1].picture));
}

#[test]
fn a_jpeg_needs_no_end_marker_and_anything_may_follow_it() {
    let file = fixture("sampling-420.jpg");
    let whole = seen(&file).unwrap();
    assert!(seen(&file[..file.len() - 2]).unwrap() == whole);
    // Two files in one, or a page after a picture: only the first is read.
    for tail in [&b"PK\x03\x04 and so on"[..], b"<html><script>", &[0xFF; 100], &fixture("gray.jpg")] {
        for name in ["sampling-420.jpg", "progressive.jpg", "rgb8.png", "lossy.webp"] {
            let file = fixture(name);
            assert!(seen(&[&file, tail].concat()) == seen(&file), "{name}");
        }
    }
    let hidden = [b"GIF89a\x01\0\x01\0".as_slice(), &file].concat();
    assert_eq!(refused(&hidden), "the file is a GIF; send a JPEG, PNG or WebP");
}

#[test]
fn a_file_of_endless_scans_or_segments_is_refused() {
    let file = fixture("sampling-444.jpg");
    let scan = file.windows(2).position(|window| window == b"\xff\xda").unwrap();
    let scan = &file[scan..scan + 20];
    let end = file.len() - 2;
    assert!(seen(&inserted(&file, end, scan, 2)) == seen(&file), "scans after the picture are ignored");
    assert_eq!(refused(&inserted(&file, end, scan, 3)), "the JPEG is damaged");
    let comment = b"\xff\xfe\0\x02";
    assert!(seen(&inserted(&file, 2, comment, 1_900)) == seen(&file));
    assert_eq!(refused(&inserted(&file, 2, comment, 2_000)), "the JPEG is damaged");
}

/// Bytes with `more` inserted `count` times at an offset.
fn inserted(bytes: &[u8], at: usize, more: &[u8], count: usize) -> Vec<u8> {
    [&bytes[..at], &more.repeat(count), &bytes[at..]].concat()
}

#[test]
fn what_an_animation_leaves_free_is_white() {
    let file = fixture("animated-part.webp");
    let known = seen(&file).unwrap();
    assert_eq!(pixel(&known, 4, 3), [255; 3]);
    // The same without the flag for transparency.
    let at = file.windows(4).position(|window| window == b"VP8X").unwrap() + 8;
    let mut opaque = file.clone();
    opaque[at] &= !0x10;
    assert!(file != opaque && seen(&opaque).unwrap() == known);
}

#[test]
fn an_inner_picture_may_not_be_larger_than_the_outer_says() {
    let webp = fixture("lossy-alpha.webp");
    let inner = [0x9d, 0x01, 0x2a, 48, 0, 32, 0];
    let large = replaced(&webp, &inner, &[0x9d, 0x01, 0x2a, 0xFF, 0x3F, 0xFF, 0x3F]);
    assert_eq!(refused(&large), "the WebP is damaged");
}

static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    expected().keys().filter(|name| *name != "bombs.png").map(|name| fixture(name)).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is changed, the result is a picture of the size in the header or an error, and no decoder panics.
    #[test]
    fn no_change_of_bytes_is_the_end_of_it(
        file in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let mut bytes = file.get(&FILES).clone();
        for (at, value) in flips {
            *at.get_mut(&mut bytes) = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let mut wrong = 0;
        let limits = DecodeLimits { pixels: 1_000_000, ..DecodeLimits::default() };
        let shown = views(&bytes, &limits, &mut |View { picture, .. }| {
            wrong += usize::from(picture.rgb.len() != 3 * picture.width as usize * picture.height as usize);
            ControlFlow::Continue(())
        });
        match shown {
            Ok(_) => prop_assert_eq!(wrong, 0),
            Err(refused) => prop_assert!(refused.to_string().starts_with("the "), "{}", refused),
        }
    }
}
