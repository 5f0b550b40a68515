//! Decodes the frames of an animated WebP. Takes 15 bytes for each pixel of the canvas.

use std::{io::Cursor, ops::ControlFlow};

use image_webp::WebPDecoder;
use ports::image::Background;

use super::{
    DecodeError, DecodeLimits,
    animation::{FrameChoice, See, ShownFrame},
    color::{Channels, Converter, MAX_PROFILE_BYTES, is_transparent},
    orientation::{orientation, upright},
    webp::{canvas, refuse},
    webp_chunks::WebpChunks,
    webp_mending::mend,
};

/// Shows frames after the first, spread over the animation. True when some are not there or are not decoded.
pub(super) fn show(bytes: &[u8], limits: &DecodeLimits, see: &mut See<'_>) -> Result<bool, DecodeError> {
    let mended = mend(bytes);
    let bytes = mended.as_deref().unwrap_or(bytes);
    let chunks = WebpChunks::read(bytes)?;
    let pixels = u64::from(chunks.width) * u64::from(chunks.height);
    limits.admit(chunks.width, chunks.height, 15 * pixels)?;
    let mut decoder = WebPDecoder::new(Cursor::new(&bytes[..chunks.end])).map_err(refuse)?;
    decoder.set_memory_limit(MAX_PROFILE_BYTES);
    decoder.set_background_color(canvas(&decoder)).map_err(refuse)?;
    let orientation = orientation(decoder.exif_metadata().ok().flatten().as_deref());
    let converter = Converter::new(decoder.icc_profile().ok().flatten().as_deref(), Channels::Rgb);
    let choice = FrameChoice::new(decoder.num_frames(), pixels, limits);
    let mut samples = vec![0; decoder.output_buffer_size().ok_or_else(|| DecodeError::damaged("WebP"))?];
    for frame in 0..choice.decoded {
        if decoder.read_frame(&mut samples).is_err() {
            return Ok(true);
        }
        if !choice.shows(frame) {
            continue;
        }
        let transparent = decoder.has_alpha() && is_transparent(&samples);
        let backgrounds = [Background::White, Background::Black];
        for background in backgrounds.into_iter().take(if transparent { 2 } else { 1 }) {
            let mut rgb = samples.clone();
            if decoder.has_alpha() {
                rgb = converter.rgba(rgb, background);
            } else {
                converter.rgb(&mut rgb);
            }
            let picture = upright(chunks.width, chunks.height, rgb, orientation)?;
            if see(ShownFrame { picture, frame, background }) == ControlFlow::Break(()) {
                return Ok(false);
            }
        }
    }
    Ok(choice.omits() || mended.is_some())
}
