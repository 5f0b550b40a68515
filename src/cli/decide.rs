//! `gavel decide`: answers typed questions about a state on the command line, without a server or a charge.

use std::io::Read as _;

use anyhow::{Context as _, bail};
use clap::Args;
use domain::{
    Error,
    foundation::long_numbers::keep_digits,
    operations::inference::{self, Answer, Asked, Backend, InferenceRequest, Inferred, InstructionLimits},
};
use ports::decision::{DecisionMode, DecisionState, Parameters};
use serde_json::{Map, Value, json};

use super::output::{Output, table};
use crate::{compose, config::Config};

/// Answer typed questions about a state.
#[derive(Args)]
pub(super) struct Decide {
    /// The state to decide about: text, or a JSON object or array; `-` reads it from stdin.
    state: String,

    /// A choice: a key and its options, such as `team=billing,technical,sales`. Can be repeated.
    #[arg(long, value_name = "KEY=A,B,..")]
    choice: Vec<String>,

    /// A score: a key and its levels in ascending order, such as `anger=calm,annoyed,furious`. Can be repeated.
    #[arg(long, value_name = "KEY=LOW,..,HIGH")]
    score: Vec<String>,

    /// A yes/no question. Can be repeated; the keys of the answers are q1, q2 and so on.
    #[arg(long, value_name = "QUESTION")]
    noul: Vec<String>,

    /// Questions in the format of the API's `instructions`: JSON, or `@FILE`.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["choice", "score", "noul"])]
    instructions: Option<String>,

    /// Parameters in the format of the API, such as `{"abstain_below": 0.6}`.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    parameters: String,

    /// native answers each question on its own, hybrid all questions together.
    #[arg(long, default_value = "native", value_parser = ["native", "hybrid"])]
    mode: String,

    /// The backend to use.
    #[arg(long, default_value = "auto", value_parser = ["auto", "local", "openrouter"])]
    backend: String,

    /// The model to use.
    #[arg(long, default_value = "auto")]
    model: String,
}

impl Decide {
    pub(super) async fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let parameters: Map<String, Value> =
            serde_json::from_str(&self.parameters).context("--parameters must be a JSON object")?;
        let state = self.state()?;
        let questions = self.questions()?;
        inference::within("state", &state, "instructions", &questions)?;
        let Asked { questions, output: schema } =
            Asked::parse("instructions", &questions, InstructionLimits::OWN)?;
        let request = InferenceRequest {
            state: DecisionState::parse("state", state).map_err(Error::from)?,
            questions,
            output: schema,
            backend: match self.backend.as_str() {
                "local" => Backend::Local,
                "openrouter" => Backend::Openrouter,
                _ => Backend::Auto,
            },
            model: self.model.clone(),
            lenient_model: false,
            mode: if self.mode == "hybrid" { DecisionMode::Joint } else { DecisionMode::Isolated },
            parameters: Parameters::parse(&parameters).map_err(Error::from)?,
            checkpoint: None,
        };
        let inferred = inference::answer(&compose::inference(config)?, request).await?;
        output.show(&for_people(&inferred), for_programs(&inferred));
        Ok(())
    }

    fn state(&self) -> anyhow::Result<Value> {
        let mut text = self.state.clone();
        if text == "-" {
            text.clear();
            std::io::stdin().read_to_string(&mut text).context("cannot read the state")?;
        }
        let structured = text.trim_start().starts_with(['{', '[']);
        let parsed = structured.then(|| serde_json::from_slice(&keep_digits(text.as_bytes())).ok()).flatten();
        Ok(parsed.unwrap_or(Value::String(text)))
    }

    /// All questions as one JSON object of instructions.
    fn questions(&self) -> anyhow::Result<Value> {
        if let Some(given) = &self.instructions {
            let text = match given.strip_prefix('@') {
                Some(file) => std::fs::read_to_string(file).with_context(|| format!("file {file}"))?,
                None => given.clone(),
            };
            // Text that is not JSON is a plain prompt.
            return Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)));
        }
        let mut questions = Map::new();
        for given in &self.choice {
            let (key, options) = keyed(given)?;
            add(&mut questions, key, json!(options))?;
        }
        for given in &self.score {
            let (key, levels) = keyed(given)?;
            add(&mut questions, key, json!({ "type": "score", "criteria": levels }))?;
        }
        for (index, question) in self.noul.iter().enumerate() {
            let key = format!("q{}", index + 1);
            add(&mut questions, key, json!({ "type": "noul", "instructions": question }))?;
        }
        Ok(Value::Object(questions))
    }
}

fn add(questions: &mut Map<String, Value>, key: String, question: Value) -> anyhow::Result<()> {
    if questions.contains_key(&key) {
        bail!("two questions have the key {key:?}");
    }
    questions.insert(key, question);
    Ok(())
}

fn keyed(given: &str) -> anyhow::Result<(String, Vec<&str>)> {
    let (key, names) = given.split_once('=').context("a question must have the form KEY=A,B,..")?;
    Ok((key.to_owned(), names.split(',').map(str::trim).collect()))
}

fn for_people(inferred: &Inferred) -> String {
    let rows: Vec<[String; 3]> = inferred
        .answers
        .iter()
        .map(|(key, answer)| {
            let (said, sure) = match answer {
                Answer::Noul { noul, .. } => {
                    (if *noul >= 0.5 { "true" } else { "false" }.to_owned(), noul.max(1.0 - noul))
                }
                Answer::Choice { choice, .. } => (choice.clone(), answer.certainty().unwrap_or(0.0)),
                Answer::Score { score, .. } => (format!("{score:.2}"), answer.certainty().unwrap_or(0.0)),
                Answer::Text { text } => (text.clone(), 1.0),
            };
            [key.clone(), said, format!("{sure:.3}")]
        })
        .collect();
    format!(
        "{}\n{}: {}\n",
        table(["QUESTION", "ANSWER", "PROBABILITY"], &rows),
        inferred.model,
        inferred.routing.reason
    )
}

fn for_programs(inferred: &Inferred) -> Value {
    let answers: Map<String, Value> =
        inferred.answers.iter().map(|(key, answer)| (key.clone(), json!(answer))).collect();
    let mut shown = json!({
        "backend": inferred.backend,
        "model": inferred.model,
        "latency_ms": inferred.latency_ms,
        "answers": answers,
        "routing": inferred.routing,
        "inference_parameters": inferred.parameters,
        "usage": inferred.usage,
    });
    if let Some(output) = &inferred.output {
        shown["output"] = output.clone();
    }
    shown
}
