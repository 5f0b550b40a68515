//! Requests become the same sequences as in training, which the first cases of the golden file record.

use std::path::{Path, PathBuf};

use domain::Flow;
use domain::inference::{Choice, DecisionInput, Mode, Parameters, Question, QuestionKind};
use serde_json::Value;

use super::question::TokenizedRequest;
use crate::encoder::TokenEmbeddings;

/// Written by `training/decision/golden.py`.
const GOLDEN: &str = "../models/gavel-decision-1.0.0.golden.jsonl";

#[test]
fn sequences_are_those_of_training() {
    let models_dir = std::env::var_os("GAVEL_MODELS_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models"), PathBuf::from);
    let embeddings = TokenEmbeddings::open(&models_dir).unwrap();
    let golden = std::fs::read_to_string(GOLDEN).unwrap();
    let mut compared = 0;
    for case in golden.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let Some(sequences) = case["sequences"].as_object() else { continue };
        let asked = case["questions"].as_object().unwrap();
        let input = DecisionInput {
            state: case["state"].clone(),
            questions: asked.iter().map(|(key, value)| question(key, value)).collect(),
            mode: Mode::Native,
            model: None,
            flow: Flow::default(),
            checkpoint: None,
            parameters: Parameters::default(),
        };
        let mut request = TokenizedRequest::of(&embeddings, &input, usize::MAX).unwrap();
        for (n, key) in asked.keys().enumerate() {
            if let Some(given) = case["given"].get(key) {
                let given: Vec<(String, String)> = serde_json::from_value(given.clone()).unwrap();
                request.condition_on(&embeddings, n, &given).unwrap();
            }
            let layout = &request.questions[n].layout;
            let expected = sequences[key].as_array().unwrap();
            assert_eq!(layout.sequences.len(), expected.len(), "{key}");
            for (at, (ours, theirs)) in layout.sequences.iter().zip(expected).enumerate() {
                let numbers =
                    |name: &str| -> Vec<u32> { serde_json::from_value(theirs[name].clone()).unwrap() };
                assert_eq!(ours.ids, numbers("ids"), "{key}");
                assert_eq!(ours.markers, numbers("markers"), "{key}");
                assert!(ours.positions.iter().map(|p| u32::from(*p)).eq(numbers("positions")), "{key}");
                assert!(ours.segments.iter().map(|s| u32::from(*s)).eq(numbers("segments")), "{key}");
                assert!(ours.owners.iter().map(|o| u32::from(*o)).eq(numbers("owners")), "{key}");
                let group = layout.order[layout.groups[at % layout.groups.len()].clone()].iter();
                let keys: Vec<&str> = group.map(|i| request.questions[n].outcomes[*i].key.as_str()).collect();
                assert_eq!(serde_json::json!(keys), theirs["options"], "{key}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 8, "{compared}");
}

fn question(key: &str, value: &Value) -> Question {
    let (criteria, text) = (&value["criteria"], |value: &Value| value.as_str().map(str::to_owned));
    let kind = match value["type"].as_str().unwrap() {
        "choice" => {
            let choices = criteria.as_object().unwrap().iter();
            let choice = |(value, description): (&String, &Value)| Choice {
                value: value.clone(),
                description: text(description),
            };
            QuestionKind::Choice(choices.map(choice).collect())
        }
        "score" => QuestionKind::Score(serde_json::from_value(criteria.clone()).unwrap()),
        _ => QuestionKind::Noul { yes: text(&criteria["true"]), no: text(&criteria["false"]) },
    };
    Question { key: key.into(), instructions: value["instructions"].clone(), kind }
}
