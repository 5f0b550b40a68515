//! Benchmark of the decision model: CPU time of one question, of many on one state, and of the encoder alone. Run by
//! `bench/decision.sh`.
//!
//! ```text
//! bench decision questions MODELS WEIGHTS RUNTIME ROUNDS   4 options, 64 tokens, 1 to 20 questions: {questions,
//! cpu_ms, wall_ms} bench decision encoder   MODELS WEIGHTS RUNTIME ROUNDS   backbone and head, one thread, by batch:
//! {batch, tokens, backbone_ms, head_ms}
//! ```
//!
//! WEIGHTS is a weight file; RUNTIME is `auto`, `off` or the path of ONNX Runtime's library. Prints one JSON line per
//! case; times are lists over all rounds, in milliseconds; CPU time covers all threads of the process.

use std::{fs, path::PathBuf, sync::Arc, time::Instant};

use anyhow::{Context as _, bail};
use engine::{
    decision::{DecisionModel, DecisionOptions},
    encoder::{Backbone, CLS, Head, MASK, SEP, Sequence, TokenEmbeddings, Weights},
    runtime::{OnnxRuntime, Runtime},
};
use ports::Flow;
use ports::decision::{
    Choice, Decision, DecisionBackend as _, DecisionInput, DecisionMode, Parameters, Question, QuestionKind,
};
use serde_json::json;

use crate::{arguments::Arguments, usage::cpu_ms};

/// Tokens of a question, with its options and the state.
const TOKENS: usize = 64;

struct Setup {
    models: PathBuf,
    weights: Vec<u8>,
    onnx_runtime: OnnxRuntime,
    rounds: usize,
}

pub(crate) async fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let mut arguments = Arguments::new(arguments, "bench/src/decision.rs");
    let command = arguments.next("command")?;
    let setup = Setup {
        models: arguments.next("folder of models")?.into(),
        weights: fs::read(arguments.next("weight file")?)?,
        onnx_runtime: arguments.next("runtime")?.parse()?,
        rounds: arguments.next("rounds")?.parse()?,
    };
    match command {
        "questions" => questions(&setup).await,
        "encoder" => encoder(&setup),
        other => bail!("{other} is none of: questions, encoder"),
    }
}

async fn questions(setup: &Setup) -> anyhow::Result<()> {
    let options = DecisionOptions {
        models_dir: setup.models.clone(),
        onnx_runtime: setup.onnx_runtime.clone(),
        token_work: 65_536,
        threads: 0,
    };
    let model = DecisionModel::of(setup.weights.clone(), &options)?;
    let mut state = "I was charged twice for my subscription".to_owned();
    while tokens(&decide(&model, &state, 1).await?) < TOKENS {
        state.push_str(" again");
    }
    let counts = [1, 2, 4, 8, 20];
    let mut times = counts.map(|_| (Vec::new(), Vec::new()));
    for round in 0..=setup.rounds {
        for (count, (cpu, wall)) in counts.into_iter().zip(&mut times) {
            let before = cpu_ms()?;
            let begun = Instant::now();
            let decision = decide(&model, &state, count).await?;
            let took = begun.elapsed().as_secs_f64() * 1e3;
            if tokens(&decision) != TOKENS * count {
                bail!("{} tokens in {count} questions", tokens(&decision));
            }
            if round > 0 {
                cpu.push(cpu_ms()? - before);
                wall.push(took);
            }
        }
    }
    for (count, (cpu, wall)) in counts.into_iter().zip(times) {
        println!(
            "{}",
            json!({ "runtime": model.runtime(), "questions": count, "cpu_ms": cpu, "wall_ms": wall })
        );
    }
    Ok(())
}

async fn decide(model: &DecisionModel, state: &str, count: usize) -> anyhow::Result<Decision> {
    let input = DecisionInput {
        state: state.into(),
        questions: (0..count).map(question).collect(),
        mode: DecisionMode::Isolated,
        model: None,
        flow: Flow::default(),
        group: None,
        checkpoint: None,
        parameters: Parameters::default(),
    };
    model.decide(input).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))
}

fn question(number: usize) -> Question {
    let options = [
        ("billing", Some("payments and refunds")),
        ("technical", Some("bugs and outages")),
        ("sales", None),
        ("other", None),
    ];
    let options = options
        .map(|(value, description)| Choice { value: value.into(), description: description.map(Into::into) });
    Question {
        key: format!("q{number}"),
        instructions: format!("Which team should handle case {number}?").into(),
        kind: QuestionKind::Choice(options.into()),
    }
}

fn tokens(decision: &Decision) -> usize {
    usize::try_from(decision.usage.input_tokens).unwrap_or(usize::MAX)
}

fn encoder(setup: &Setup) -> anyhow::Result<()> {
    let runtime = Runtime::open(&setup.onnx_runtime, &setup.models);
    let weights = Weights::read(setup.weights.clone()).map_err(anyhow::Error::msg)?;
    let last = weights.layers().checked_sub(1).context("no layers")?;
    let embeddings = Arc::new(TokenEmbeddings::open(&setup.models)?);
    let backbone = Backbone::load(&runtime, embeddings, &weights, last)?;
    let head = Head::load(&runtime, &weights, last)?;
    let cases =
        [(1, 16), (1, 32), (1, 64), (1, 128), (1, 256), (1, 512), (4, 64), (8, 64), (20, 64), (32, 32)];
    for (batch, tokens) in cases {
        let sequence = sequence(tokens);
        let sequences = vec![&sequence; batch];
        let chosen: Vec<usize> = (0..batch).collect();
        let mut below = Vec::new();
        let mut above = Vec::new();
        for round in 0..=setup.rounds {
            let begun = cpu_ms()?;
            let hidden = backbone.run(&sequences)?;
            let between = cpu_ms()?;
            head.run(&hidden, &sequences, &chosen)?;
            if round > 0 {
                below.push(between - begun);
                above.push(cpu_ms()? - between);
            }
        }
        println!(
            "{}",
            json!({
                "runtime": runtime.name(), "batch": batch, "tokens": tokens,
                "backbone_ms": below, "head_ms": above,
            })
        );
    }
    Ok(())
}

/// A sequence of `tokens` tokens with four markers.
fn sequence(tokens: usize) -> Sequence {
    let mut ids: Vec<u32> =
        (0..tokens).map(|place| 2000 + u32::try_from(place * 37 % 20_000).unwrap_or(0)).collect();
    let markers = [2, 4, 6, 8];
    let mut owners = vec![0; tokens];
    (1..).zip(markers).for_each(|(owner, marker)| owners[marker as usize..][..2].fill(owner));
    markers.iter().for_each(|marker| ids[*marker as usize] = MASK);
    (ids[0], ids[tokens - 1]) = (CLS, SEP);
    let positions = (0..tokens).map(|place| u16::try_from(place).unwrap_or(0)).collect();
    Sequence {
        segments: vec![0; ids.len()],
        ranks: vec![0; ids.len()],
        ids,
        positions,
        owners,
        markers: markers.to_vec(),
    }
}
