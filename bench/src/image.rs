//! Benchmark of the image engine: class scores for a list of images, and the CPU time and memory they take. Run by
//! `bench/image.sh`.
//!
//! ```text
//! bench image scores   MODELS MODEL RUNTIME LIST            one JSON line a picture: {file, width, height, scores}
//! bench image time     MODELS MODEL RUNTIME LIST ROUNDS     the classifier alone, decoding left out: {cpu_ms: [..]}
//! bench image pipeline MODELS MODEL RUNTIME LIST ROUNDS     bytes to scores, by picture: {file, decode_ms, cpu_ms,
//! faces} bench image memory   MODELS MODEL RUNTIME LIST UPLOADS    that many pictures at once: {peak_mb, wall_s}
//! ```
//!
//! RUNTIME is `auto`, `off` or the path of ONNX Runtime's library; LIST is a file with one file name per line. Times
//! are CPU milliseconds of all threads of the process.

use std::{fs, path::Path, sync::Arc, time::Instant};

use anyhow::{Context as _, bail};
use engine::{
    image::{
        ImageModels, ImageOptions,
        classifier::Classifier,
        decode::{DecodeLimits, Picture, decode},
    },
    runtime::{OnnxRuntime, Runtime},
};
use ports::image::{Class, ImageEngine as _, ImageFault};
use serde_json::json;

use crate::{
    arguments::Arguments,
    usage::{cpu_ms, peak_mb, resident_mb},
};

struct Setup {
    models: String,
    model: String,
    onnx_runtime: OnnxRuntime,
    files: Vec<String>,
    rounds: usize,
}

pub(crate) async fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let mut arguments = Arguments::new(arguments, "bench/src/image.rs");
    let command = arguments.next("command")?;
    let setup = Setup {
        models: arguments.next("folder of models")?.to_owned(),
        model: arguments.next("model")?.to_owned(),
        onnx_runtime: arguments.next("runtime")?.parse()?,
        files: fs::read_to_string(arguments.next("list")?)?.lines().map(str::to_owned).collect(),
        rounds: arguments.next("rounds").map_or(Ok(1), str::parse)?,
    };
    match command {
        "scores" => scores(&setup),
        "time" => time(&setup),
        "pipeline" => pipeline(&setup).await,
        "memory" => memory(&setup).await,
        other => bail!("{other} is none of: scores, time, pipeline, memory"),
    }
}

fn scores(setup: &Setup) -> anyhow::Result<()> {
    let (_, classifier) = classifier(setup)?;
    for file in &setup.files {
        let picture = read(file)?;
        let classes = classifier.classify(&picture)?;
        let scores: serde_json::Map<_, _> =
            Class::ALL.iter().map(|&class| (class.as_str().to_owned(), classes[class].into())).collect();
        println!(
            "{}",
            json!({ "file": file, "width": picture.width, "height": picture.height, "scores": scores })
        );
    }
    Ok(())
}

fn time(setup: &Setup) -> anyhow::Result<()> {
    let (runtime, classifier) = classifier(setup)?;
    let pictures = setup.files.iter().map(|file| read(file)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut cpu = Vec::new();
    for round in 0..=setup.rounds {
        for picture in &pictures {
            let before = cpu_ms()?;
            classifier.classify(picture)?;
            if round > 0 {
                cpu.push(cpu_ms()? - before);
            }
        }
    }
    let peak = peak_mb()?;
    println!("{}", json!({ "model": setup.model, "runtime": runtime, "cpu_ms": cpu, "peak_mb": peak }));
    Ok(())
}

async fn pipeline(setup: &Setup) -> anyhow::Result<()> {
    let images = images(setup)?;
    for file in &setup.files {
        let bytes = fs::read(file)?;
        let mut decoding = Vec::new();
        let mut whole = Vec::new();
        let mut faces = 0;
        for round in 0..=setup.rounds {
            let before = cpu_ms()?;
            let picture = decode(&bytes, &DecodeLimits::default())?;
            let decoded = cpu_ms()?;
            drop(picture);
            let begun = cpu_ms()?;
            let reading = images.score(bytes.clone().into()).await.map_err(fault)?;
            let ended = cpu_ms()?;
            if round > 0 {
                decoding.push(decoded - before);
                whole.push(ended - begun);
                faces = reading.views.iter().map(|view| view.scores.faces.len()).sum();
            }
        }
        println!(
            "{}",
            json!({ "file": file, "model": images.model(), "faces": faces, "decode_ms": decoding, "cpu_ms": whole })
        );
    }
    Ok(())
}

async fn memory(setup: &Setup) -> anyhow::Result<()> {
    let images = Arc::new(images(setup)?);
    let idle = peak_mb()?;
    let begun = Instant::now();
    let uploads: Vec<_> = (0..setup.rounds)
        .map(|upload| {
            let images = Arc::clone(&images);
            let file = setup.files[upload % setup.files.len()].clone();
            tokio::spawn(async move { images.score(fs::read(file)?.into()).await.map_err(fault) })
        })
        .collect();
    for upload in uploads {
        upload.await??;
    }
    let wall = begun.elapsed().as_secs_f64();
    let peak = peak_mb()?;
    let after = resident_mb()?;
    println!(
        "{}",
        json!({
            "model": images.model(), "uploads": setup.rounds,
            "loaded_mb": idle, "peak_mb": peak, "after_mb": after, "wall_s": wall,
        })
    );
    Ok(())
}

fn classifier(setup: &Setup) -> anyhow::Result<(String, Classifier)> {
    let models = Path::new(&setup.models);
    let runtime = Runtime::open(&setup.onnx_runtime, models);
    Ok((runtime.name().to_owned(), Classifier::open(&runtime, models, &setup.model)?))
}

fn images(setup: &Setup) -> anyhow::Result<ImageModels> {
    Ok(ImageModels::open(&ImageOptions {
        models_dir: setup.models.clone().into(),
        model: setup.model.clone(),
        onnx_runtime: setup.onnx_runtime.clone(),
        limits: DecodeLimits::default(),
        parallel: 0,
    })?)
}

fn read(file: &str) -> anyhow::Result<Picture> {
    let bytes = fs::read(file).with_context(|| file.to_owned())?;
    decode(&bytes, &DecodeLimits::default()).with_context(|| file.to_owned())
}

fn fault(fault: ImageFault) -> anyhow::Error {
    match fault {
        ImageFault::Unreadable(why) => anyhow::Error::msg(why),
        ImageFault::Engine(error) => error.into(),
    }
}
