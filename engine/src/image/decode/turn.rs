//! Sets a picture upright. Flips in place; a quarter turn takes a second copy while it lasts.

use super::Picture;

type Pixel = [u8; 3];

/// Side of the squares in which a picture is transposed, so that what is read and written stays in the cache.
const TILE: usize = 32;

/// Undoes an EXIF orientation, 1 to 8.
pub(super) fn upright(picture: &mut Picture, orientation: u8) {
    if matches!(orientation, 5..=8) {
        transpose(picture);
    }
    let (pixels, _) = picture.rgb.as_chunks_mut::<3>();
    let width = picture.width as usize;
    match orientation {
        2 | 6 => pixels.chunks_exact_mut(width).for_each(<[Pixel]>::reverse),
        3 | 7 => pixels.reverse(),
        4 | 8 => swap_rows(pixels, width),
        _ => {}
    }
}

/// Whether undoing it swaps width and height.
pub(super) fn turns(orientation: u8) -> bool {
    matches!(orientation, 5..=8)
}

fn swap_rows(pixels: &mut [Pixel], width: usize) {
    let mut rows = pixels.chunks_exact_mut(width);
    while let (Some(top), Some(bottom)) = (rows.next(), rows.next_back()) {
        top.swap_with_slice(bottom);
    }
}

/// Rows become columns.
fn transpose(picture: &mut Picture) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let mut turned = vec![0; picture.rgb.len()];
    let (from, _) = picture.rgb.as_chunks::<3>();
    let (to, _) = turned.as_chunks_mut::<3>();
    for top in (0..height).step_by(TILE) {
        for left in (0..width).step_by(TILE) {
            for y in top..height.min(top + TILE) {
                for x in left..width.min(left + TILE) {
                    to[x * height + y] = from[y * width + x];
                }
            }
        }
    }
    *picture = Picture { width: picture.height, height: picture.width, rgb: turned };
}
