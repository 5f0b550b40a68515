//! Detects the faces of images and estimates their ages for `bench/faces.sh`: one JSON line per file. `plain` is what
//! face-api does; `faces` is what Gavel does.
//!
//! `bench faces MODELS auto|off ROUNDS FILE…`; `off` is rten only. Times are CPU milliseconds, averaged over the
//! rounds.

use std::path::Path;

use engine::{
    image::{
        decode::{DecodeLimits, Picture, decode},
        detector::SIDE,
        face::{Face, Faces},
    },
    runtime::{OnnxRuntime, Runtime},
};
use serde_json::{Value, json};

use crate::usage::cpu_ms;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let &[models, onnx_runtime, rounds, ref files @ ..] = arguments else {
        anyhow::bail!("usage: bench faces MODELS auto|off ROUNDS FILE…");
    };
    let onnx_runtime: OnnxRuntime = onnx_runtime.parse()?;
    let runtime = Runtime::open(&onnx_runtime, Path::new(models));
    let faces = Faces::open(&runtime, Path::new(models))?;
    let rounds: usize = rounds.parse()?;
    for file in files {
        let bytes = std::fs::read(file)?;
        let (picture, decode_ms) = timed(rounds, || Ok(decode(&bytes, &DecodeLimits::default())?))?;
        let (plain, plain_ms) = timed(rounds, || Ok(faces.detector.find_at(&picture, SIDE, SIDE)?))?;
        let (found, find_ms) = timed(rounds, || Ok(faces.detector.find(&picture)?))?;
        let (readings, read_ms) = timed(rounds, || Ok(faces.read(&picture)?))?;
        let line = json!({
            "file": Path::new(file).file_name().map(|name| name.to_string_lossy()),
            "runtime": runtime.name(),
            "width": picture.width,
            "height": picture.height,
            "plain": aged(&faces, &picture, &plain)?,
            "faces": aged(&faces, &picture, &found)?,
            "read": readings.len(),
            "ms": {"decode": decode_ms, "plain": plain_ms, "find": find_ms, "read": read_ms},
        });
        println!("{line}");
    }
    Ok(())
}

fn aged(faces: &Faces, picture: &Picture, list: &[Face]) -> anyhow::Result<Vec<Value>> {
    let mut aged = Vec::with_capacity(list.len());
    for face in list {
        let ages = faces.ages.read(picture, &face.bounds)?;
        let bounds = face.bounds;
        let corners = [bounds.x, bounds.y, bounds.width, bounds.height];
        aged.push(json!({"score": face.score, "box": corners, "ages": ages}));
    }
    Ok(aged)
}

fn timed<T>(rounds: usize, work: impl Fn() -> anyhow::Result<T>) -> anyhow::Result<(T, f64)> {
    let start = cpu_ms()?;
    for _ in 1..rounds {
        work()?;
    }
    let last = work()?;
    Ok((last, (cpu_ms()? - start) / rounds.max(1) as f64))
}
