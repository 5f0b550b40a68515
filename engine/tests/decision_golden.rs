//! Each network of the embedded decision model gives the same answers as the Python evaluation of the same quantised
//! weights, whose results are in its card.

#[allow(dead_code, reason = "its noise is for other tests")]
mod made;

use std::sync::Arc;

use engine::{decision::DecisionModel, runtime::OnnxRuntime};
use ports::Flow;
use ports::decision::{
    Choice, DecisionBackend as _, DecisionInput, DecisionMode, Parameters, Question, QuestionKind,
};
use serde_json::Value;

/// The networks. Their golden files are written by `training/decision/golden.py` and
/// `training/decision/multilingual/golden.py`.
const NETWORKS: [Network; 2] = [
    Network { name: "gavel-decision-2.5.0", tolerance: 0.06, on_average: 0.002 },
    // Twice as many layers, each of which rounds. A state of many windows differs most, since one window decides.
    Network { name: "gavel-decision-multilingual-1.0.0", tolerance: 0.15, on_average: 0.006 },
];

struct Network {
    name: &'static str,
    /// Of a probability. Floats differ in the last digits from Python's, which may round a byte the other way.
    tolerance: f64,
    /// Of the mean difference.
    on_average: f64,
}

#[tokio::test]
async fn probabilities_are_those_of_the_evaluation() {
    for runtime in [OnnxRuntime::Off, OnnxRuntime::Auto] {
        let model = DecisionModel::open(&made::options(runtime)).unwrap();
        for network in NETWORKS {
            compare(&model, &network).await;
        }
    }
}

async fn compare(model: &DecisionModel, network: &Network) {
    let Network { name, tolerance, on_average } = *network;
    let golden = std::fs::read_to_string(format!("../models/{name}.golden.jsonl")).expect("a golden file");
    let mut questions = 0;
    let mut distances = Vec::new();
    for line in golden.lines() {
        let case: Value = serde_json::from_str(line).expect("a case");
        // Requests cannot carry the answers to other questions; the layout's test covers these cases.
        if case.get("given").is_some() {
            continue;
        }
        let asked =
            case["questions"].as_object().expect("questions").iter().map(|(key, value)| question(key, value));
        let input = DecisionInput {
            state: case["state"].clone(),
            questions: asked.collect::<Vec<_>>().into(),
            mode: DecisionMode::Isolated,
            model: Some(name.into()),
            flow: Flow::default(),
            group: None,
            checkpoint: None,
            parameters: Parameters::default(),
        };
        let questions_of_case = Arc::clone(&input.questions);
        let decision = model.decide(input).await.expect("a decision");
        assert_eq!(decision.model, name);
        for question in questions_of_case.iter() {
            let expected = &case["probabilities"][&question.key];
            let answer = &decision.answers[&question.key];
            let mut pairs: Vec<(f64, f64)> = match answer["noul"].as_f64() {
                Some(yes) => vec![(expected["true"].as_f64().expect("a number"), yes)],
                None => answer["probabilities"]
                    .as_object()
                    .expect("probabilities")
                    .iter()
                    .map(|(key, p)| {
                        (expected[key].as_f64().expect("a number"), p.as_f64().expect("a number"))
                    })
                    .collect(),
            };
            for (theirs, ours) in &pairs {
                distances.push((theirs - ours).abs());
                let at = format!("{} of {line:.200}: {pairs:?}", question.key);
                assert!((theirs - ours).abs() <= tolerance, "{} on {}", at, model.runtime());
            }
            pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
            if pairs.len() > 1 && pairs[0].0 - pairs[1].0 > 2.0 * tolerance {
                assert!(pairs.iter().all(|pair| pair.1 <= pairs[0].1), "{pairs:?}");
            }
            questions += 1;
        }
    }
    assert!(questions >= 40, "{questions}");
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    assert!(mean > 0.0 && mean <= on_average, "{mean} on {}", model.runtime());
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
