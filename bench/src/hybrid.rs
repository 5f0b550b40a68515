//! Benchmark of hybrid text moderation in process: CPU time of one message and of fifty, in English and in German, each
//! as many tokens of the encoder that reads it. Run by `bench/hybrid.sh`.
//!
//! ```text
//! bench hybrid MODELS RUNTIME ROUNDS     {runtime, language, messages, tokens, mode, cpu_ms, wall_ms}, one JSON line a
//! case
//! ```

use std::time::Instant;

use anyhow::Context as _;
use engine::{
    encoder::{TokenEmbeddings, Weights},
    text::{HybridOptions, HybridText, NativeText},
};
use ports::Flow;
use ports::text::{TextEngine, TextInput, TextMode};
use serde_json::json;

use crate::{arguments::Arguments, usage::cpu_ms};

/// Tokens of each message, including the two that begin and end it.
const TOKENS: usize = 32;
/// The weight file whose tokenizer counts the German tokens.
const MULTILINGUAL: &str = "models/gavel-text-multilingual-1.3.0.safetensors";

/// A message with a word behind it, as often as it takes.
fn message(embeddings: &TokenEmbeddings, text: &str, word: &str) -> anyhow::Result<String> {
    let mut message = text.to_owned();
    while embeddings.tokenize(&message)?.len() + 2 < TOKENS {
        message.push_str(word);
    }
    Ok(message)
}

pub(crate) async fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let mut arguments = Arguments::new(arguments, "bench/src/hybrid.rs");
    let models_dir: std::path::PathBuf = arguments.next("folder of models")?.into();
    let runtime = arguments.next("runtime")?;
    let rounds: usize = arguments.next("rounds")?.parse()?;
    let english = TokenEmbeddings::open(&models_dir)?;
    let english = message(&english, "hey staff here please log in on the page i sent you", " now")?;
    let weights = std::fs::read(MULTILINGUAL).context(MULTILINGUAL)?;
    let multilingual = Weights::read(weights).and_then(|weights| TokenEmbeddings::of_weights(&weights));
    let german = "hallo hier ist das team bitte melde dich auf der seite an die ich dir geschickt habe";
    let german = message(&multilingual.map_err(anyhow::Error::msg)?, german, " jetzt")?;
    let options = HybridOptions { models_dir, onnx_runtime: runtime.parse()?, threads: 0 };
    let engine = HybridText::open(NativeText::load()?, &options)?;
    let cases = [(1, TextMode::Native), (1, TextMode::Hybrid), (50, TextMode::Hybrid)];
    let cases = [("en", &english), ("de", &german)].into_iter().flat_map(|of| cases.map(|case| (of, case)));
    for ((language, content), (messages, mode)) in cases {
        let mut cpu = Vec::new();
        let mut wall = Vec::new();
        for round in 0..=rounds {
            let input = TextInput { content: content.clone(), mode, explain: false };
            let before = cpu_ms()?;
            let begun = Instant::now();
            let scores = engine.score(Flow::default(), vec![input; messages]).await;
            scores.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
            let took = begun.elapsed().as_secs_f64() * 1e3;
            if round > 0 {
                cpu.push(cpu_ms()? - before);
                wall.push(took);
            }
        }
        let line = json!({
            "runtime": runtime, "language": language, "messages": messages, "tokens": TOKENS,
            "mode": mode.as_str(), "cpu_ms": cpu, "wall_ms": wall,
        });
        println!("{line}");
    }
    Ok(())
}
