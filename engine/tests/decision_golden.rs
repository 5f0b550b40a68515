//! The embedded decision model gives the same answers as the Python evaluation of the same quantised weights, whose
//! results are in its card.

#[allow(dead_code, reason = "its noise is for other tests")]
mod made;

use std::sync::Arc;

use engine::{decision::DecisionModel, runtime::OnnxRuntime};
use ports::Flow;
use ports::decision::{
    Choice, DecisionBackend as _, DecisionInput, DecisionMode, Parameters, Question, QuestionKind,
};
use serde_json::Value;

/// Written by `training/decision/golden.py`.
const GOLDEN: &str = "../models/gavel-decision-2.5.0.golden.jsonl";
/// The tolerance of a probability, and of their mean. Floats differ in the last digits from Python's, which may round
/// a byte the other way.
const TOLERANCE: f64 = 0.06;
const ON_AVERAGE: f64 = 0.002;
/// The difference between the two most probable outcomes from which both must agree on the first.
const MARGIN: f64 = 0.12;

#[tokio::test]
async fn probabilities_are_those_of_the_evaluation() {
    let golden = std::fs::read_to_string(GOLDEN).unwrap();
    for runtime in [OnnxRuntime::Off, OnnxRuntime::Auto] {
        let model = DecisionModel::open(&made::options(runtime)).unwrap();
        let mut questions = 0;
        let mut distances = Vec::new();
        for line in golden.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            // Requests cannot carry the answers to other questions; the layout's test covers these cases.
            if case.get("given").is_some() {
                continue;
            }
            let asked =
                case["questions"].as_object().unwrap().iter().map(|(key, value)| question(key, value));
            let input = DecisionInput {
                state: case["state"].clone(),
                questions: asked.collect::<Vec<_>>().into(),
                mode: DecisionMode::Isolated,
                model: None,
                flow: Flow::default(),
                checkpoint: None,
                parameters: Parameters::default(),
            };
            let questions_of_case = Arc::clone(&input.questions);
            let decision = model.decide(input).await.unwrap();
            for question in questions_of_case.iter() {
                let expected = &case["probabilities"][&question.key];
                let answer = &decision.answers[&question.key];
                let mut pairs: Vec<(f64, f64)> = match answer["noul"].as_f64() {
                    Some(yes) => vec![(expected["true"].as_f64().unwrap(), yes)],
                    None => answer["probabilities"]
                        .as_object()
                        .unwrap()
                        .iter()
                        .map(|(key, p)| (expected[key].as_f64().unwrap(), p.as_f64().unwrap()))
                        .collect(),
                };
                for (theirs, ours) in &pairs {
                    distances.push((theirs - ours).abs());
                    let at = format!("{} of {line:.200}: {pairs:?}", question.key);
                    assert!((theirs - ours).abs() <= TOLERANCE, "{} on {}", at, model.runtime());
                }
                pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
                if pairs.len() > 1 && pairs[0].0 - pairs[1].0 > MARGIN {
                    assert!(pairs.iter().all(|pair| pair.1 <= pairs[0].1), "{pairs:?}");
                }
                questions += 1;
            }
        }
        assert!(questions >= 40, "{questions}");
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        assert!(mean > 0.0 && mean <= ON_AVERAGE, "{mean} on {}", model.runtime());
    }
}

fn question(key: &str, value: &Value) -> Question {
    let criteria = &value["criteria"];
    let kind = match value["type"].as_str().expect("a type") {
        "choice" => QuestionKind::Choice(
            criteria
                .as_object()
                .expect("options")
                .iter()
                .map(|(value, description)| Choice { value: value.clone(), description: text(description) })
                .collect(),
        ),
        "score" => QuestionKind::Score(serde_json::from_value(criteria.clone()).expect("levels")),
        _ => QuestionKind::Noul { yes: text(&criteria["true"]), no: text(&criteria["false"]) },
    };
    Question { key: key.into(), instructions: value["instructions"].clone(), kind }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
