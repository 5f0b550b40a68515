//! Benchmark of hybrid text moderation in process: CPU time of one message and of fifty. Run by `bench/hybrid.sh`; it
//! asserts nothing.
//!
//! ```text
//! hybrid MODELS RUNTIME ROUNDS     {runtime, messages, tokens, mode, cpu_ms, wall_ms}, one JSON line a case
//! ```
#![allow(clippy::print_stdout)]

use std::{fs, time::Instant};

use anyhow::Context as _;
use domain::Flow;
use domain::moderation::{Mode, TextEngine, TextInput};
use engine::{
    encoder::TokenEmbeddings,
    text::{HybridOptions, HybridText, NativeText},
};
use serde_json::json;

/// Tokens of each message, including the two that begin and end it.
const TOKENS: usize = 32;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().with_context(|| format!("no {what}; see bench/hybrid.rs"));
    let models_dir: std::path::PathBuf = next("folder of models")?.into();
    let runtime = next("runtime")?;
    let rounds: usize = next("rounds")?.parse()?;
    let embeddings = TokenEmbeddings::open(&models_dir)?;
    let mut message = "hey staff here please log in on the page i sent you".to_owned();
    while embeddings.tokenize(&message)?.len() + 2 < TOKENS {
        message.push_str(" now");
    }
    let options = HybridOptions { models_dir, onnx_runtime: runtime.parse()?, threads: 0 };
    let engine = HybridText::open(NativeText::load()?, &options)?;
    for (messages, mode) in [(1, Mode::Native), (1, Mode::Hybrid), (50, Mode::Hybrid)] {
        let (mut cpu, mut wall) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let input = TextInput { content: message.clone(), mode, explain: false };
            let (before, begun) = (cpu_ms()?, Instant::now());
            let scores = engine.score(Flow::default(), vec![input; messages]).await;
            scores.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
            if round > 0 {
                cpu.push(cpu_ms()? - before);
                wall.push(begun.elapsed().as_secs_f64() * 1e3);
            }
        }
        let line = json!({
            "runtime": runtime, "messages": messages, "tokens": TOKENS, "mode": mode.as_str(), "cpu_ms": cpu, "wall_ms": wall,
        });
        println!("{line}");
    }
    Ok(())
}

/// CPU time of all threads of the process so far, in milliseconds.
fn cpu_ms() -> anyhow::Result<f64> {
    let mut nanoseconds = 0.0;
    for task in fs::read_dir("/proc/self/task")? {
        // A thread may end before its file is read.
        let Ok(times) = fs::read_to_string(task?.path().join("schedstat")) else { continue };
        nanoseconds += times.split_whitespace().next().context("schedstat")?.parse::<f64>()?;
    }
    Ok(nanoseconds / 1e6)
}
