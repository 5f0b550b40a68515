//! Reads the EXIF orientation and undoes it, with `image`.

use image::{DynamicImage, RgbImage, metadata::Orientation};

use super::{DecodeError, Picture};

/// The orientation in an EXIF chunk; upright where there is none, or none that is valid.
pub(super) fn orientation(exif: Option<&[u8]>) -> Orientation {
    let tiff = exif.map(|exif| exif.strip_prefix(b"Exif\0\0").unwrap_or(exif));
    tiff.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms)
}

/// Whether undoing the orientation swaps width and height, which takes a second copy of the picture.
pub(super) fn swaps_sides(orientation: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH)
}

/// Makes an upright picture of decoded pixels.
///
/// # Errors
/// Fewer than three bytes for each pixel.
pub(super) fn upright(
    width: u32,
    height: u32,
    rgb: Vec<u8>,
    orientation: Orientation,
) -> Result<Picture, DecodeError> {
    let stored = RgbImage::from_raw(width, height, rgb);
    let stored = stored.ok_or_else(|| DecodeError("the image could not be decoded".to_owned()))?;
    let mut image = DynamicImage::ImageRgb8(stored);
    image.apply_orientation(orientation);
    let width = image.width();
    let height = image.height();
    Ok(Picture { width, height, rgb: image.into_rgb8().into_raw() })
}
