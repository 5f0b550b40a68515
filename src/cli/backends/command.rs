//! Lists, tests and calibrates backends.

use std::time::Instant;

use clap::Subcommand;
use domain::{
    Code, Error,
    operations::inference::{
        self, Backend, BackendCalibration, Calibrations, Inference, InferenceRequest, InstructionLimits,
        NewCalibration, parse_instructions,
    },
};
use ports::decision::{DecisionMode, DecisionState, Parameters};
use serde_json::{Map, Value, json};

use super::questions;
use crate::{
    cli::{
        arguments::number,
        output::{Output, table},
    },
    compose,
    config::Config,
    database,
};

/// List, test and calibrate the backends of the settings.
#[derive(Subcommand)]
pub(in crate::cli) enum Backends {
    /// Show the backends, what they cost and how they are calibrated. Asks no server.
    List,
    /// Ask a backend a few questions, and show what it answers.
    Test {
        /// The name in the settings.
        name: String,
    },
    /// Ask a backend some 300 questions whose answers are known, fit what makes its probabilities honest, and store it.
    Calibrate {
        /// The name in the settings.
        name: String,
        /// How many questions to ask, at least 160.
        #[arg(long, default_value_t = 300, value_parser = |text: &str| number(text, 160_u32..=2_000))]
        questions: u32,
    },
}

impl Backends {
    pub(in crate::cli) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let inference = compose::named_backends(config)?;
        match self {
            Backends::List => list(config, &inference, output).await,
            Backends::Test { name } => test(&inference, &name, output).await,
            Backends::Calibrate { name, questions } => {
                let calibrations = Calibrations::new(database::open(config).await?);
                calibrate(&inference, &calibrations, Wanted { name, questions }, output).await
            }
        }
    }
}

/// What to calibrate, and with how many questions.
struct Wanted {
    name: String,
    questions: u32,
}

async fn list(config: &Config, inference: &Inference, output: &Output) -> anyhow::Result<()> {
    let calibrations = Calibrations::new(database::open(config).await?).list().await?;
    let mut rows = Vec::new();
    let mut listed = Vec::new();
    for named in &*inference.named {
        let name = named.backend.name();
        let model = named.backend.models().first().map(|model| model.name.clone());
        let calibrated = calibrations.iter().find(|calibration| calibration.backend == name);
        let calibrated = calibrated.map(|calibration| calibration.model.clone());
        rows.push([
            name.to_owned(),
            model.clone().unwrap_or_else(|| "the first listed".to_owned()),
            named.price.map_or_else(|| "usual".to_owned(), |price| price.to_string()),
            named.max_state_bytes.to_string(),
            if named.external { "external" } else { "local" }.to_owned(),
            calibrated.clone().unwrap_or_else(|| "no".to_owned()),
        ]);
        listed.push(json!({
            "name": name,
            "model": model,
            "price": named.price.map(|price| price.credits()),
            "max_state_bytes": named.max_state_bytes,
            "external": named.external,
            "calibrated_as": calibrated,
        }));
    }
    let header = ["BACKEND", "MODEL", "CREDITS", "STATE BYTES", "WHERE", "CALIBRATED AS"];
    output.show(&table(header, &rows), json!({ "backends": listed }));
    Ok(())
}

async fn test(inference: &Inference, name: &str, output: &Output) -> anyhow::Result<()> {
    let named = inference.named.iter().find(|named| named.backend.name() == name);
    let Some(named) = named else { return Err(unknown(inference, name).into()) };
    let probed = named.backend.probe().await;
    if let Err(error) = &probed {
        output.note(&format!("the list of models could not be read: {error}"));
    }
    let asked = json!({
        "team": { "type": "choice", "instructions": "Which team answers this?",
            "criteria": { "billing": "invoices and payments", "shipping": "parcels", "technical": "errors" } },
        "angry": { "type": "noul", "instructions": "Is the customer angry?" },
        "urgency": { "type": "score", "instructions": "How urgent is it?",
            "criteria": ["not at all", "it should be done this week", "it must be done today"] },
    });
    let state = "My invoice of May shows the amount twice. There is no hurry, thank you!";
    let request = InferenceRequest {
        state: DecisionState::parse("state", json!(state)).map_err(Error::from)?,
        questions: parse_instructions("instructions", &asked, InstructionLimits::OWN)?,
        output: None,
        backend: Backend::Auto,
        model: name.to_owned(),
        lenient_model: false,
        mode: DecisionMode::Isolated,
        parameters: Parameters::default(),
        checkpoint: None,
    };
    let start = Instant::now();
    let inferred = inference::answer(inference, request).await?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let mut rows = Vec::new();
    let mut answers = Map::new();
    for (key, answer) in &inferred.answers {
        let answer_json = serde_json::to_value(answer)?;
        let shown = match &answer_json["probabilities"] {
            Value::Null => answer_json["noul"].to_string(),
            probabilities => probabilities.to_string(),
        };
        rows.push([key.clone(), shown]);
        answers.insert(key.clone(), answer_json);
    }
    let text = format!(
        "{}\n{name} answered as {} in {ms:.0} ms, with {} tokens read and {} written. Expected: billing, not \
         angry, not urgent.",
        table(["QUESTION", "PROBABILITIES"], &rows),
        inferred.model,
        inferred.usage.input_tokens,
        inferred.usage.output_tokens,
    );
    let value = json!({
        "backend": name, "model": inferred.model, "latency_ms": inferred.latency_ms, "answers": answers,
        "usage": inferred.usage, "models_listed": probed.is_ok(),
    });
    output.show(&text, value);
    Ok(())
}

async fn calibrate(
    inference: &Inference,
    calibrations: &Calibrations,
    wanted: Wanted,
    output: &Output,
) -> anyhow::Result<()> {
    let questions = questions::labelled(wanted.questions as usize)?;
    let asked = questions.len();
    output.note(&format!("asking {} {asked} questions", wanted.name));
    let start = Instant::now();
    let NewCalibration { calibration, failed, left_out } =
        inference.calibrate(&wanted.name, questions).await?;
    calibrations.store(&calibration).await?;
    let seconds = start.elapsed().as_secs_f64();
    let BackendCalibration { backend, model, groups, .. } = &calibration;
    let rows: Vec<[String; 6]> = groups
        .iter()
        .map(|group| {
            [
                group.group.as_str().to_owned(),
                group.questions.to_string(),
                format!("{:.3}", group.accuracy),
                format!("{:.3}", group.ece_before),
                format!("{:.3}", group.ece_after),
                format!("{:.2}", group.temperature),
            ]
        })
        .collect();
    let left_out: Vec<&str> = left_out.iter().map(|group| group.as_str()).collect();
    let mut text = format!(
        "{}\nStored for {backend} as {model}: {asked} questions in {seconds:.0} s, {failed} not answered. Half of \
         them were fitted on; the figures are of the other half.",
        table(["QUESTIONS", "MEASURED", "ACCURACY", "ECE BEFORE", "ECE AFTER", "TEMPERATURE"], &rows)
    );
    if !left_out.is_empty() {
        let groups = left_out.join(", ");
        text.push_str(&format!(
            "\nNot calibrated, with too few answers: {groups}. Ask more with --questions."
        ));
    }
    let measured: Vec<Value> = groups
        .iter()
        .map(|group| {
            json!({
                "questions": group.group.as_str(), "measured": group.questions, "accuracy": group.accuracy,
                "ece_before": group.ece_before, "ece_after": group.ece_after, "temperature": group.temperature,
            })
        })
        .collect();
    let value = json!({
        "backend": backend, "model": model, "asked": asked, "failed": failed, "groups": measured,
        "left_out": left_out,
    });
    output.show(&text, value);
    Ok(())
}

fn unknown(inference: &Inference, name: &str) -> Error {
    let names: Vec<&str> = inference.named.iter().map(|named| named.backend.name()).collect();
    let message = match names.as_slice() {
        [] => format!("there is no backend `{name}`: the settings have no [backends.{name}]"),
        names => format!("there is no backend `{name}`; the settings name: {}", names.join(", ")),
    };
    Error::new(Code::NotFound, message)
}
