//! Property tests: invariants of every answer, whatever a backend returned.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Answer, InstructionLimits, NONE_OF_THESE, answer::Correction, parse_instructions, validate};
use crate::Code;
use ports::decision::{Choice, Parameters, Question, QuestionKind};

fn choice(options: &[String]) -> Question {
    let options = options.iter().map(|value| Choice { value: value.clone(), description: None });
    let kind = QuestionKind::Choice(options.collect());
    Question { key: "q".to_owned(), instructions: Value::Null, kind }
}

fn score(levels: usize) -> Question {
    let levels = (0..levels).map(|level| format!("level {level}")).collect();
    Question { key: "q".to_owned(), instructions: Value::Null, kind: QuestionKind::Score(levels) }
}

/// Builds a backend's answer with these weights on the options.
fn said(names: &[String], weights: &[f64]) -> Value {
    let sum: f64 = weights.iter().sum();
    let probabilities: Map<String, Value> =
        names.iter().zip(weights).map(|(name, weight)| (name.clone(), json!(weight / sum))).collect();
    json!({ "probabilities": probabilities })
}

fn at(temperature: f64) -> Parameters {
    Parameters { temperature, ..Parameters::default() }
}

fn read(question: &Question, said: &Value, parameters: &Parameters) -> Answer {
    Answer::read(question, said, parameters, Correction::default()).expect("some outcome has a probability")
}

fn probabilities(answer: &Answer) -> Vec<f64> {
    match answer {
        Answer::Choice { probabilities, .. } | Answer::Score { probabilities, .. } => {
            probabilities.values().map(|p| p.as_f64().expect("a number")).collect()
        }
        Answer::Noul { noul, .. } => vec![*noul, 1.0 - noul],
        Answer::Text { .. } => Vec::new(),
    }
}

fn chosen(answer: &Answer) -> &str {
    match answer {
        Answer::Choice { choice, .. } => choice,
        other => panic!("not a choice: {other:?}"),
    }
}

/// Options and a weight for each; ties are frequent.
fn options() -> impl Strategy<Value = (Vec<String>, Vec<f64>)> {
    prop::collection::btree_map("[a-z]{1,3}", (0_u32..4).prop_map(|n| f64::from(n) / 4.0), 2..12)
        .prop_filter("all impossible", |weights| weights.values().any(|weight| *weight > 0.0))
        .prop_map(|weights| weights.into_iter().unzip())
}

proptest! {
    #[test]
    fn probabilities_sum_to_one_at_any_temperature((names, weights) in options(), temperature in 0.05..20.0_f64) {
        let answer = read(&choice(&names), &said(&names, &weights), &at(temperature));
        let p = probabilities(&answer);
        prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{p:?}");
        prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{p:?}");
        let Answer::Choice { confidence, .. } = &answer else { panic!("a choice") };
        prop_assert!((0.0..=1.0).contains(confidence));
    }

    #[test]
    fn the_order_of_options_changes_nothing_even_among_equals(
        (names, weights) in options(), turn in 0_usize..12,
    ) {
        let mut turned = names.clone();
        turned.rotate_left(turn % names.len());
        let said = said(&names, &weights);
        let one = read(&choice(&names), &said, &Parameters::default());
        let other = read(&choice(&turned), &said, &Parameters::default());
        prop_assert_eq!(chosen(&one), chosen(&other));
        // Equal up to the last bits, which depend on the order of a sum.
        let certainty = |answer: &Answer| answer.certainty().expect("a certainty");
        prop_assert!((certainty(&one) - certainty(&other)).abs() < 1e-12);
    }

    #[test]
    fn more_temperature_is_never_more_certainty(
        (names, weights) in options(), a in 0.05..20.0_f64, b in 0.05..20.0_f64,
    ) {
        let cool = a.min(b);
        let warm = a.max(b);
        let question = choice(&names);
        let said = said(&names, &weights);
        let cool = read(&question, &said, &at(cool));
        let warm = read(&question, &said, &at(warm));
        prop_assert!(cool.certainty() >= warm.certainty().map(|p| p - 1e-9));
        prop_assert_eq!(chosen(&cool), chosen(&warm), "the likeliest stays so");
    }

    #[test]
    fn whoever_is_less_sure_than_asked_abstains((names, weights) in options(), below in 0.0..=1.0_f64) {
        let parameters = Parameters { abstain_below: Some(below), ..Parameters::default() };
        let answer = read(&choice(&names), &said(&names, &weights), &parameters);
        let Answer::Choice { choice, abstained, .. } = &answer else { panic!("a choice") };
        let unsure = answer.certainty().expect("a certainty") < below;
        prop_assert_eq!(*abstained, Some(unsure));
        prop_assert_eq!(choice == NONE_OF_THESE, unsure);
    }

    #[test]
    fn a_score_lies_between_its_levels(weights in prop::collection::vec(0.01..1.0_f64, 2..=10)) {
        let names: Vec<String> = (0..weights.len()).map(|level| level.to_string()).collect();
        let answer = read(&score(weights.len()), &said(&names, &weights), &Parameters::default());
        let Answer::Score { score, confidence, legend, .. } = &answer else { panic!("a score") };
        prop_assert!((0.0..=weights.len() as f64 - 1.0).contains(score), "{score}");
        prop_assert!((0.0..=1.0).contains(confidence), "{confidence}");
        prop_assert_eq!(legend.len(), weights.len());
    }

    #[test]
    fn no_instructions_make_the_parser_panic_and_what_it_takes_is_within_the_limits(
        instructions in json_of_any_shape(),
    ) {
        match parse_instructions("instructions", &instructions, InstructionLimits::OWN) {
            Ok(questions) => {
                prop_assert!((1..=64).contains(&questions.len()));
                for question in questions {
                    match question.kind {
                        QuestionKind::Choice(options) => prop_assert!((2..=255).contains(&options.len())),
                        QuestionKind::Score(levels) => prop_assert!((2..=10).contains(&levels.len())),
                        QuestionKind::Noul { .. } | QuestionKind::Prompt => {}
                    }
                }
            }
            Err(error) => {
                prop_assert_eq!(error.code, Code::ValidationFailed);
                prop_assert!(error.details[0].field.starts_with("instructions"), "{}", error.message);
            }
        }
    }
}

/// JSON with the words that the parser interprets.
fn json_of_any_shape() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "criteria",
        "instructions",
        "key",
        "choice",
        "score",
        "noul",
        "true",
        "false",
        "a",
        "b",
        " ",
        "",
        "object",
        "properties",
        "required",
        "boolean",
        "integer",
        "enum",
        "anyOf",
        "items",
        "$ref",
        "#/properties/a",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

#[test]
fn what_a_backend_may_not_say_is_no_answer() {
    let names = ["a".to_owned(), "b".to_owned()];
    let options = choice(&names);
    let levels = score(2);
    let noul = Question { kind: QuestionKind::Noul { yes: None, no: None }, ..levels.clone() };
    for (question, said) in [
        (&options, json!({ "probabilities": { "a": 0.5, "c": 0.5 } })),
        (&options, json!({ "choice": "c", "probabilities": { "a": 1.0 } })),
        (&options, json!({ "choice": "a" })),
        (&options, json!({ "choice": "a", "probabilities": {} })),
        (&options, json!({ "choice": "a", "probabilities": { "a": 1.5 } })),
        (&options, json!({ "choice": "a", "probabilities": { "a": "1" } })),
        (&options, json!({ "type": "score", "probabilities": { "a": 1.0 } })),
        (&options, json!("a")),
        (&levels, json!({ "probabilities": { "2": 1.0 } })),
        (&levels, json!({ "score": 1.0 })),
        (&noul, json!({ "noul": -0.1 })),
        (&noul, json!({ "noul": null })),
        (&noul, json!({ "type": "choice", "noul": 0.5 })),
        (&noul, json!({})),
    ] {
        let answers = Map::from_iter([("q".to_owned(), said.clone())]);
        assert!(validate::validate(std::slice::from_ref(question), &answers).is_err(), "{said}");
    }
    let none = json!({ "probabilities": { "a": 0.0, "b": 0.0 } });
    let refused = Answer::read(&options, &none, &Parameters::default(), Correction::default());
    assert!(refused.is_err(), "everything is impossible");
}
