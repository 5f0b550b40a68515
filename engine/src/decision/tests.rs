//! Requests become the same sequences as in training, which the first cases of the golden file record.

use std::path::{Path, PathBuf};

use ports::Flow;
use ports::decision::{Choice, DecisionInput, DecisionMode, Parameters, Question, QuestionKind};
use serde_json::Value;

use super::{
    DecisionModel, DecisionOptions,
    checkpoint::{CheckpointPart, write},
    key_head::KeyHead,
    question::{Readers, TokenizedRequest},
    render::SettledAnswer,
    weights::WEIGHTS,
};
use crate::{
    encoder::{TokenEmbeddings, Weights},
    runtime::OnnxRuntime,
    train::TrainableHead,
};

/// Written by `training/decision/golden.py`.
const GOLDEN: &str = "../models/gavel-decision-2.5.0.golden.jsonl";

#[test]
fn sequences_are_those_of_training() {
    let embeddings = TokenEmbeddings::open(&models_dir()).unwrap();
    let readers = Readers { embeddings: &embeddings, multilingual: None, features: false };
    let golden = std::fs::read_to_string(GOLDEN).unwrap();
    let mut compared = 0;
    for case in golden.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let Some(sequences) = case["sequences"].as_object() else { continue };
        let asked = case["questions"].as_object().unwrap();
        let input = DecisionInput {
            state: case["state"].clone(),
            questions: asked.iter().map(|(key, value)| question(key, value)).collect(),
            mode: DecisionMode::Isolated,
            model: None,
            flow: Flow::default(),
            group: None,
            checkpoint: None,
            parameters: Parameters::default(),
        };
        let mut request = TokenizedRequest::of(readers, &input, usize::MAX).unwrap();
        for (n, key) in asked.keys().enumerate() {
            if let Some(given) = case["given"].get(key) {
                let given: Vec<[String; 2]> = serde_json::from_value(given.clone()).unwrap();
                let given = given.into_iter().map(|[question, answer]| SettledAnswer { question, answer });
                request.condition_on(readers, n, &given.collect::<Vec<_>>()).unwrap();
            }
            let layout = &request.questions[n].layout;
            let expected = sequences[key].as_array().unwrap();
            assert_eq!(layout.sequences.len(), expected.len(), "{key}");
            for (at, (ours, theirs)) in layout.sequences.iter().zip(expected).enumerate() {
                assert_eq!(ours.ids, numbers(&theirs["ids"]), "{key}");
                assert_eq!(ours.markers, numbers(&theirs["markers"]), "{key}");
                assert!(
                    ours.positions.iter().map(|p| u32::from(*p)).eq(numbers(&theirs["positions"])),
                    "{key}"
                );
                assert!(
                    ours.segments.iter().map(|s| u32::from(*s)).eq(numbers(&theirs["segments"])),
                    "{key}"
                );
                assert!(ours.ranks.iter().map(|r| u32::from(*r)).eq(numbers(&theirs["ranks"])), "{key}");
                assert!(ours.owners.iter().map(|o| u32::from(*o)).eq(numbers(&theirs["owners"])), "{key}");
                let group = layout.order[layout.groups[at % layout.groups.len()].clone()].iter();
                let keys: Vec<&str> = group.map(|i| request.questions[n].outcomes[*i].key.as_str()).collect();
                assert_eq!(serde_json::json!(keys), theirs["options"], "{key}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 8, "{compared}");
}

fn numbers(value: &Value) -> Vec<u32> {
    serde_json::from_value(value.clone()).unwrap()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn question(key: &str, value: &Value) -> Question {
    let criteria = &value["criteria"];
    let kind = match value["type"].as_str().unwrap() {
        "choice" => {
            let choices = criteria.as_object().unwrap().iter();
            let choices = choices
                .map(|(value, description)| Choice { value: value.clone(), description: text(description) });
            QuestionKind::Choice(choices.collect())
        }
        "score" => QuestionKind::Score(serde_json::from_value(criteria.clone()).unwrap()),
        _ => QuestionKind::Noul { yes: text(&criteria["true"]), no: text(&criteria["false"]) },
    };
    Question { key: key.into(), instructions: value["instructions"].clone(), kind }
}

fn models_dir() -> PathBuf {
    std::env::var_os("GAVEL_MODELS_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models"), PathBuf::from)
}

#[tokio::test]
async fn a_last_layer_in_an_artefact_is_served_beside_the_models_own() {
    let models_dir = models_dir();
    let onnx_runtime = OnnxRuntime::Auto;
    let options = DecisionOptions { models_dir, onnx_runtime, token_work: 65_536, threads: 1 };
    let model = DecisionModel::open(&options).unwrap();
    let asked = question("ok", &serde_json::json!({ "type": "noul", "instructions": "Is it good?" }));
    let input = DecisionInput {
        state: "The soup was cold.".into(),
        questions: [asked].into(),
        mode: DecisionMode::Isolated,
        model: None,
        flow: Flow::default(),
        group: None,
        checkpoint: None,
        parameters: Parameters::default(),
    };
    let request = TokenizedRequest::of(model.readers(false), &input, usize::MAX).unwrap();
    let fingerprint = request.questions[0].fingerprint();
    let weights = Weights::read(WEIGHTS).unwrap();
    let head = TrainableHead::read(&weights, weights.layers() - 1).unwrap();
    let before = model.answer(&input).await.unwrap().answers["ok"]["noul"].as_f64().unwrap();
    // The same layer twice, at a half each, changes no answer; a bias does.
    for (bias, expected) in [(0.0, before), (1.0, 1.0 / (1.0 + (1.0 - before) / before / 1f64.exp()))] {
        // Yes comes after no in the order of the texts.
        let part = KeyHead { zero_shot: 0.5, tuned: 0.5, bias: vec![0.0, bias], ..KeyHead::default() };
        let fingerprint = fingerprint.clone();
        let parts = [CheckpointPart { key: "ok".to_owned(), fingerprint, head: Some(part) }];
        let artefact = write(model.backbone(), &parts, Some(&head)).unwrap();
        assert!(artefact.len() < 3_000_000, "{}", artefact.len());
        let tuned = model.in_background(1, Some(&artefact)).unwrap();
        let decision = tuned.answer(&input).await.unwrap();
        let after = decision.answers["ok"]["noul"].as_f64().unwrap();
        assert!(decision.notes.is_empty(), "{decision:?}");
        assert!((after - expected).abs() < 0.03, "{before} to {after}, not {expected}");
        // Without its last layer the same file is refused.
        let alone = write(model.backbone(), &parts, None).unwrap();
        assert!(model.in_background(1, Some(&alone)).is_err());
    }
}
