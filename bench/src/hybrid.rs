//! Benchmark of hybrid text moderation in process: CPU time of one message and of fifty. Run by
//! `bench/hybrid.sh`.
//!
//! ```text
//! bench hybrid MODELS RUNTIME ROUNDS     {runtime, messages, tokens, mode, cpu_ms, wall_ms}, one JSON line a case
//! ```

use std::time::Instant;

use anyhow::Context as _;
use domain::Flow;
use domain::moderation::{Mode, TextEngine, TextInput};
use engine::{
    encoder::TokenEmbeddings,
    text::{HybridOptions, HybridText, NativeText},
};
use serde_json::json;

use crate::usage::cpu_ms;

/// Tokens of each message, including the two that begin and end it.
const TOKENS: usize = 32;

pub(crate) async fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let mut arguments = arguments.iter();
    let mut next =
        |what: &str| arguments.next().with_context(|| format!("no {what}; see bench/src/hybrid.rs"));
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
            let took = begun.elapsed().as_secs_f64() * 1e3;
            if round > 0 {
                cpu.push(cpu_ms()? - before);
                wall.push(took);
            }
        }
        let line = json!({
            "runtime": runtime, "messages": messages, "tokens": TOKENS, "mode": mode.as_str(), "cpu_ms": cpu, "wall_ms": wall,
        });
        println!("{line}");
    }
    Ok(())
}
