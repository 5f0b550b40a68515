//! Decodes the frames of an animated PNG (its specification is part of PNG's third edition). Takes 20 bytes for each
//! pixel of the canvas.

use std::ops::ControlFlow;

use png::{BlendOp, ColorType, DisposeOp, FrameControl};
use ports::image::Background;

use super::{
    DecodeError, DecodeLimits,
    animation::{FrameChoice, See, ShownFrame},
    color::{Channels, Converter, is_transparent},
    orientation::{orientation, upright},
    png::{decoder, refuse},
};

/// Shows frames after the first, spread over the animation. True when some are not there or are not decoded.
pub(super) fn show(bytes: &[u8], limits: &DecodeLimits, see: &mut See<'_>) -> Result<bool, DecodeError> {
    let mut reader = decoder(bytes).read_info().map_err(refuse)?;
    let info = reader.info();
    let width = info.width;
    let height = info.height;
    let pixels = u64::from(width) * u64::from(height);
    limits.admit(width, height, 20 * pixels)?;
    let orientation = orientation(info.exif_metadata.as_deref());
    let converter = Converter::new(info.icc_profile.as_deref(), Channels::Rgb);
    let frames = info.animation_control().map_or(0, |animation| animation.num_frames);
    // A default image that is no frame comes before them.
    let before = u32::from(info.frame_control().is_none());
    let choice = FrameChoice::new(frames, pixels, limits);
    let mut canvas = Canvas::new(width, height);
    let mut samples = vec![0; 4 * pixels as usize];
    for number in 0..choice.decoded + before {
        let Ok(stored) = reader.next_frame(&mut samples) else { return Ok(true) };
        let Some(control) = reader.info().frame_control().copied() else { continue };
        let frame = number - before;
        let rgba = to_rgba(&samples[..stored.buffer_size()], stored.color_type);
        canvas.draw(&control, &rgba)?;
        if choice.shows(frame) {
            let transparent = is_transparent(&canvas.rgba);
            let backgrounds = [Background::White, Background::Black];
            for background in backgrounds.into_iter().take(if transparent { 2 } else { 1 }) {
                let rgb = converter.rgba(canvas.rgba.clone(), background);
                let picture = upright(width, height, rgb, orientation)?;
                if see(ShownFrame { picture, frame, background }) == ControlFlow::Break(()) {
                    return Ok(false);
                }
            }
        }
        canvas.dispose(&control);
    }
    Ok(choice.omits())
}

/// Samples of 8 bits as RGBA.
fn to_rgba(samples: &[u8], color: ColorType) -> Vec<u8> {
    match color {
        ColorType::Rgba => samples.to_vec(),
        ColorType::GrayscaleAlpha => samples
            .as_chunks::<2>()
            .0
            .iter()
            .flat_map(|[gray, alpha]| [*gray, *gray, *gray, *alpha])
            .collect(),
        ColorType::Grayscale => samples.iter().flat_map(|gray| [*gray, *gray, *gray, 255]).collect(),
        _ => samples.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect(),
    }
}

/// What an animation shows.
struct Canvas {
    width: usize,
    rgba: Vec<u8>,
    /// What it showed before the frame, if the frame asks for it.
    before: Option<Vec<u8>>,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Self {
        let width = width as usize;
        Self { width, rgba: vec![0; 4 * width * height as usize], before: None }
    }

    /// The bytes of a row of a frame.
    fn row(&mut self, control: &FrameControl, row: usize) -> Option<&mut [u8]> {
        let start = 4 * ((control.y_offset as usize + row) * self.width + control.x_offset as usize);
        let within = control.x_offset as usize + control.width as usize <= self.width;
        self.rgba.get_mut(start..start + 4 * control.width as usize).filter(|_| within)
    }

    fn draw(&mut self, control: &FrameControl, rgba: &[u8]) -> Result<(), DecodeError> {
        self.before = (control.dispose_op == DisposeOp::Previous).then(|| self.rgba.clone());
        for (number, drawn) in rgba.chunks_exact(4 * control.width as usize).enumerate() {
            let row = self.row(control, number).ok_or_else(|| DecodeError::damaged("PNG"))?;
            match control.blend_op {
                BlendOp::Source => row.copy_from_slice(drawn),
                BlendOp::Over => {
                    for (under, over) in row.as_chunks_mut::<4>().0.iter_mut().zip(drawn.as_chunks::<4>().0) {
                        *under = blend(*under, *over);
                    }
                }
            }
        }
        Ok(())
    }

    /// Prepares for the next frame.
    fn dispose(&mut self, control: &FrameControl) {
        match control.dispose_op {
            DisposeOp::None => {}
            DisposeOp::Background => {
                for number in 0..control.height as usize {
                    if let Some(row) = self.row(control, number) {
                        row.fill(0);
                    }
                }
            }
            DisposeOp::Previous => {
                if let Some(before) = self.before.take() {
                    self.rgba = before;
                }
            }
        }
    }
}

/// A pixel over another (PNG, 13.16).
fn blend(under: [u8; 4], over: [u8; 4]) -> [u8; 4] {
    match over[3] {
        255 => over,
        0 => under,
        alpha => {
            let over_alpha = u32::from(alpha) * 255;
            let under_alpha = u32::from(under[3]) * (255 - u32::from(alpha));
            let total = over_alpha + under_alpha;
            let mut blended = [0; 4];
            for channel in 0..3 {
                let sum = u32::from(over[channel]) * over_alpha + u32::from(under[channel]) * under_alpha;
                blended[channel] = ((sum + total / 2) / total) as u8;
            }
            blended[3] = ((total + 127) / 255) as u8;
            blended
        }
    }
}
