//! Benchmark of Checkpoints: what training makes of the sets that bench/checkpoints_data.py writes, and what a
//! Checkpoint costs in serving. Run by `bench/checkpoints.sh`.
//!
//! ```text
//! bench checkpoints train MODELS SET.jsonl [WEIGHTS]
//!     trains on `train`, answers `hold_out` before and after: a JSON line for each key; writes SET.KEY.csv
//!     (held out, label, features) and SET.head; on another weight file than that in the binary
//! bench checkpoints serve MODELS HEAD SET.jsonl ROUNDS
//!     milliseconds of a request without and with the Checkpoint
//! ```

use std::{collections::BTreeMap, fs, io::Write as _, path::PathBuf, sync::Arc, time::Instant};

use anyhow::{Context as _, anyhow, bail};
use bytes::Bytes;
use domain::operations::inference::{InstructionLimits, parse_instructions};
use engine::{
    decision::{DecisionModel, DecisionOptions},
    fine_tune::FineTuner,
    runtime::OnnxRuntime,
};
use ports::{
    Flow,
    decision::{DecisionBackend, DecisionInput, DecisionMode, DecisionState, Parameters, Question},
    training::{Level, Trainer as _, TrainingControl, TrainingLabel, TrainingRequest, TrainingSample},
};
use serde_json::{Map, Value, json};

use crate::usage::{cpu_ms, peak_mb, process_seconds};

struct Row {
    held_out: bool,
    state: DecisionState,
    labels: BTreeMap<String, String>,
}

struct Set {
    questions: Vec<Question>,
    rows: Vec<Row>,
}

struct Quiet;

impl TrainingControl for Quiet {
    fn cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _: f64) {}

    fn event(&self, _: Level, _: &str, _: Map<String, Value>) {}
}

pub(crate) async fn run(arguments: &[&str]) -> anyhow::Result<()> {
    match arguments {
        ["train", models, set] => {
            let model = Arc::new(DecisionModel::open(&options(models))?);
            train(&FineTuner::new(model, 1)?, set).await
        }
        ["train", models, set, weights] => {
            let weights = Bytes::from(fs::read(weights)?);
            let model = Arc::new(DecisionModel::of(weights.clone(), &options(models))?);
            train(&FineTuner::of(model, weights, 1)?, set).await
        }
        ["serve", models, head, set, rounds] => {
            serve(&DecisionModel::open(&options(models))?, head, set, rounds.parse()?).await
        }
        _ => bail!("see the head of bench/src/checkpoints.rs"),
    }
}

fn options(models: &str) -> DecisionOptions {
    DecisionOptions {
        models_dir: PathBuf::from(models),
        onnx_runtime: OnnxRuntime::Auto,
        token_work: 65_536,
        threads: 1,
    }
}

fn read(path: &str) -> anyhow::Result<Set> {
    let text = fs::read_to_string(path)?;
    let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let first = lines.first().context("an empty set")?;
    let questions = parse_instructions("questions", &first["questions"], InstructionLimits::OWN);
    let rows = lines.iter().map(|line| {
        let state =
            DecisionState::parse("state", line["state"].clone()).map_err(|error| anyhow!("{error}"))?;
        let labels = serde_json::from_value(line["labels"].clone())?;
        Ok(Row { held_out: line["split"] == "hold_out", state, labels })
    });
    let rows = rows.collect::<anyhow::Result<_>>()?;
    Ok(Set { questions: questions.map_err(|error| anyhow!("{error}"))?, rows })
}

async fn train(tuner: &FineTuner, path: &str) -> anyhow::Result<()> {
    let set = read(path)?;
    let asked: BTreeMap<&str, Arc<Question>> =
        set.questions.iter().map(|question| (question.key.as_str(), Arc::new(question.clone()))).collect();
    let training = (0..).zip(&set.rows).filter(|(_, row)| !row.held_out);
    let samples: Vec<_> = training
        .map(|(content_hash, row)| {
            let label = |(key, value): (&String, &String)| TrainingLabel {
                asked: Arc::clone(&asked[key.as_str()]),
                value: value.clone(),
            };
            let state = row.state.clone();
            let labels = row.labels.iter().map(label).collect();
            Ok(TrainingSample { state, content_hash, labels })
        })
        .collect();
    let expected = samples.len();
    let cpu = process_seconds()?;
    let begun = Instant::now();
    let mut samples = samples.into_iter();
    let request = TrainingRequest { questions: &set.questions, samples: &mut samples, expected, seed: 1 };
    let trained = tokio::task::block_in_place(|| tuner.train(request, &Quiet))?;
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = process_seconds()? - cpu;
    let peak = peak_mb()?;
    fs::write(path.replace(".jsonl", ".head"), &trained.head)?;
    let before = answer(tuner.evaluator(None)?.as_ref(), &set).await?;
    let after = answer(tuner.evaluator(Some(&trained.head))?.as_ref(), &set).await?;
    for key in &trained.report.keys {
        println!(
            "{}",
            json!({
                "set": path, "report": key, "zero_shot": before[&key.key], "checkpoint": after[&key.key],
                "seconds": seconds, "cpu_seconds": cpu, "head_bytes": trained.head.len(), "peak_mb": peak,
            })
        );
    }
    for question in &set.questions {
        let mut file = fs::File::create(path.replace(".jsonl", &format!(".{}.csv", question.key)))?;
        for row in &set.rows {
            let Some(label) = row.labels.get(&question.key) else { continue };
            let features = tuner.features(&row.state, question)?;
            let features: Vec<String> = features.iter().map(|value| format!("{value:.5}")).collect();
            writeln!(file, "{},{label},{}", u8::from(row.held_out), features.join(","))?;
        }
    }
    Ok(())
}

/// For each key, `[the label's index, probabilities]` of each row that is held out.
async fn answer(backend: &dyn DecisionBackend, set: &Set) -> anyhow::Result<BTreeMap<String, Vec<Value>>> {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in set.rows.iter().filter(|row| row.held_out) {
        let decided = backend.decide(input(&row.state, &set.questions)).await;
        let answers = decided.map_err(|fault| anyhow!("{fault:?}"))?.answers;
        for question in &set.questions {
            let values = question.kind.values();
            let said = &answers[&question.key];
            let p: Vec<f64> = match said["noul"].as_f64() {
                Some(yes) => vec![yes, 1.0 - yes],
                None => {
                    let p = |value: &String| said["probabilities"][value.as_str()].as_f64().unwrap_or(0.0);
                    values.iter().map(p).collect()
                }
            };
            let label = values.iter().position(|value| Some(value) == row.labels.get(&question.key));
            all.entry(question.key.clone()).or_default().push(json!([label, p]));
        }
    }
    Ok(all)
}

fn input(state: &DecisionState, questions: &[Question]) -> DecisionInput {
    DecisionInput {
        state: state.value().clone(),
        questions: Arc::from(questions),
        mode: DecisionMode::Isolated,
        model: None,
        flow: Flow::default(),
        group: None,
        checkpoint: None,
        parameters: Parameters::default(),
    }
}

async fn serve(model: &DecisionModel, head: &str, path: &str, rounds: usize) -> anyhow::Result<()> {
    let set = read(path)?;
    let backends = [model.in_background(1, None)?, model.in_background(1, Some(&fs::read(head)?))?];
    let mut times = [Vec::new(), Vec::new()];
    for row in set.rows.iter().cycle().take(rounds) {
        for (backend, times) in backends.iter().zip(&mut times) {
            let begun = cpu_ms()?;
            let decided = backend.decide(input(&row.state, &set.questions)).await;
            decided.map_err(|fault| anyhow!("{fault:?}"))?;
            times.push(cpu_ms()? - begun);
        }
    }
    println!("{}", json!({ "serve": path, "without_ms": times[0], "with_ms": times[1] }));
    Ok(())
}
