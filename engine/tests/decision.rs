//! Properties of the decision model that hold for any weights: answers do not depend on order, on other questions or
//! on the runtime; nothing is truncated silently; requests over the limits are refused.

mod made;

use std::sync::Arc;

use engine::{
    decision::{DecisionModel, DecisionOptions},
    runtime::OnnxRuntime,
};
use made::{models_dir, on_both, options, weights, weights_as_sure_as};
use ports::Flow;
use ports::decision::{
    Choice, Decision, DecisionBackend as _, DecisionFault, DecisionInput, DecisionMode, Parameters, Question,
    QuestionKind,
};
use serde_json::{Value, json};

fn choice(key: &str, question: &str, options: &[(&str, Option<&str>)]) -> Question {
    let choices = options.iter().map(|(value, description)| Choice {
        value: (*value).into(),
        description: description.map(str::to_owned),
    });
    Question { key: key.into(), instructions: question.into(), kind: QuestionKind::Choice(choices.collect()) }
}

fn noul(key: &str, question: &str) -> Question {
    Question {
        key: key.into(),
        instructions: question.into(),
        kind: QuestionKind::Noul { yes: None, no: None },
    }
}

fn team() -> Question {
    let options = [
        ("billing", Some("Payments, invoices, refunds")),
        ("technical", Some("Bugs and outages")),
        ("sales", None),
        ("account_security", Some("Passwords and sign-in")),
    ];
    choice("team", "Which team should handle this?", &options)
}

fn questions() -> Vec<Question> {
    let levels = ["Calm", "Slightly annoyed", "Angry", "Furious"].map(str::to_owned).into();
    let mut questions = vec![
        team(),
        noul("urgent", "Is this urgent?"),
        Question { key: "anger".into(), instructions: Value::Null, kind: QuestionKind::Score(levels) },
        Question { key: "answer".into(), instructions: "Is it spam?".into(), kind: QuestionKind::Prompt },
    ];
    for n in 0..8 {
        questions.push(noul(&format!("q{n}"), &"Does the message say why? ".repeat(n + 1)));
    }
    questions
}

fn input(state: impl Into<Value>, questions: Vec<Question>) -> DecisionInput {
    DecisionInput {
        state: state.into(),
        questions: Arc::from(questions),
        mode: DecisionMode::Isolated,
        model: None,
        flow: Flow::default(),
        group: None,
        checkpoint: None,
        parameters: Parameters::default(),
    }
}

/// The tolerance between two runtimes. Their floats differ in the last digits, which may round a byte the other way.
const RUNTIMES: f64 = 0.02;

const STATE: &str = "I was charged twice for my subscription and nobody answers. Fix this today!";

async fn decide(model: &DecisionModel, input: DecisionInput) -> Decision {
    model.decide(input).await.expect("an answer")
}

/// All probabilities of an answer.
fn numbers(answer: &Value) -> Vec<f64> {
    match answer["probabilities"].as_object() {
        Some(probabilities) => probabilities.values().map(|p| p.as_f64().expect("a number")).collect(),
        None => vec![answer["noul"].as_f64().expect("a number")],
    }
}

#[tokio::test]
async fn both_runtimes_answer_alike_and_with_probabilities() {
    let [one, other] = on_both(&weights(1));
    let [one, other] =
        [decide(&one, input(STATE, questions())).await, decide(&other, input(STATE, questions())).await];
    assert_eq!(one.answers.keys().collect::<Vec<_>>(), other.answers.keys().collect::<Vec<_>>());
    assert_eq!(one.model, "made-0.0.1");
    let mut told_apart = false;
    for (key, answer) in &one.answers {
        let ours = numbers(answer);
        let theirs = numbers(&other.answers[key]);
        for (a, b) in ours.iter().zip(&theirs) {
            assert!((a - b).abs() <= RUNTIMES && (0.0..=1.0).contains(a), "{key}: {ours:?} {theirs:?}");
        }
        if ours.len() > 1 {
            assert!((ours.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{key}: {ours:?}");
            told_apart |= ours.iter().any(|p| (p - ours[0]).abs() > 0.01);
        }
    }
    assert!(told_apart, "noise that tells nothing apart tests nothing: {:?}", one.answers);
}

#[tokio::test]
async fn no_order_of_options_changes_an_answer() {
    let names: Vec<String> = (0..9).map(|n| format!("option_{n}")).collect();
    let options: Vec<(&str, Option<&str>)> =
        names.iter().enumerate().map(|(n, name)| (name.as_str(), (n % 3 == 0).then_some(STATE))).collect();
    for model in on_both(&weights(2)) {
        let first = decide(&model, input(STATE, vec![choice("q", "Which?", &options)])).await;
        let mut shuffled = options.clone();
        let mut state = 7_usize;
        for _ in 0..500 {
            for i in (1..shuffled.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                shuffled.swap(i, (state >> 33) % (i + 1));
            }
            let again = decide(&model, input(STATE, vec![choice("q", "Which?", &shuffled)])).await;
            // Maps of serde_json are equal whatever the order of their keys.
            assert_eq!(first.answers, again.answers);
        }
    }
}

#[tokio::test]
async fn a_question_is_answered_alike_alone_and_in_company() {
    for model in on_both(&weights(3)) {
        let model = Arc::new(model);
        let together = decide(&model, input(STATE, questions())).await;
        for question in questions() {
            let key = question.key.clone();
            let alone = decide(&model, input(STATE, vec![question])).await;
            assert_eq!(alone.answers[&key], together.answers[&key], "{key} on {}", model.runtime());
        }
        let at_once: Vec<_> = (0..8)
            .map(|n| {
                let model = Arc::clone(&model);
                let mut questions = questions();
                questions.rotate_left(n);
                tokio::spawn(async move { decide(&model, input(STATE, questions)).await })
            })
            .collect();
        for task in at_once {
            assert_eq!(task.await.unwrap().answers, together.answers, "{}", model.runtime());
        }
    }
}

#[tokio::test]
async fn an_input_that_is_split_is_read_completely_and_noted() {
    let model = DecisionModel::of(weights(4), &options(OnnxRuntime::Auto)).unwrap();
    let short = decide(&model, input(STATE, vec![team()])).await;
    assert_eq!(short.notes, Vec::<String>::new());
    let filler = "Nobody had questions about the printer. ".repeat(150);
    let one = decide(&model, input(format!("{filler}Refund me."), vec![team()])).await;
    assert_eq!(one.notes.len(), 1, "{:?}", one.notes);
    assert!(one.notes[0].contains("windows"), "{:?}", one.notes);
    assert!(one.usage.input_tokens > 1_000, "{:?}", one.usage);
    let other = decide(&model, input(format!("{filler}Reset my password."), vec![team()])).await;
    assert_ne!(one.answers, other.answers, "the end of a long state counts");

    let names: Vec<String> = (0..255).map(|n| format!("option {n}")).collect();
    let all: Vec<_> = names.iter().map(|name| (name.as_str(), Some("described at some length"))).collect();
    let many = decide(&model, input(STATE, vec![choice("which", "Which?", &all)])).await;
    assert!(many.notes[0].contains("\"which\"") && many.notes[0].contains("groups"), "{:?}", many.notes);
    assert_eq!(numbers(&many.answers["which"]).len(), 255);
    assert!((numbers(&many.answers["which"]).iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[tokio::test]
async fn tokens_are_counted_for_each_question() {
    let model = DecisionModel::of(weights(4), &options(OnnxRuntime::Auto)).unwrap();
    let one = decide(&model, input(STATE, vec![team()])).await.usage;
    let two = decide(&model, input(STATE, vec![team(), noul("urgent", "Is this urgent?")])).await.usage;
    assert_eq!((one.output_tokens, two.output_tokens), (1, 2));
    // [CLS] is this urgent ? [SEP] [MASK] no [MASK] yes [SEP], sixteen of the state, [SEP].
    assert_eq!(two.input_tokens - one.input_tokens, 11 + 16);
}

/// The field and the message of an error for the client.
fn refused(result: Result<Decision, DecisionFault>) -> (String, String) {
    match result {
        Err(DecisionFault::Invalid { field, message }) => (field, message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_input_over_a_limit_is_rejected_with_the_limit() {
    let model = DecisionModel::of(weights(5), &options(OnnxRuntime::Auto)).unwrap();
    let (field, message) = refused(model.decide(input("word ".repeat(60_000), vec![team()])).await);
    assert_eq!(field, "state");
    assert!(message.contains("65536 tokens"), "{message}");
    let long = noul("long", &"word ".repeat(1_000));
    let (field, message) = refused(model.decide(input(STATE, vec![team(), long])).await);
    assert_eq!(field, "instructions.long");
    assert!(message.contains("768 tokens"), "{message}");
}

/// An input that is read jointly.
fn joint_input(questions: Vec<Question>, steps: u8) -> DecisionInput {
    let mut input = input(STATE, questions);
    input.mode = DecisionMode::Joint;
    input.parameters.steps = Some(steps);
    input
}

#[tokio::test]
async fn a_joint_reading_asks_again_and_answers_every_question() {
    let model = DecisionModel::of(weights_as_sure_as(6, 8.0), &options(OnnxRuntime::Auto)).unwrap();
    let native = decide(&model, input(STATE, questions())).await;
    let one = decide(&model, joint_input(questions(), 1)).await;
    assert_eq!((&one.answers, &one.usage), (&native.answers, &native.usage), "one pass is native");
    let alone = decide(&model, joint_input(vec![team()], 4)).await;
    assert_eq!(alone.answers["team"], native.answers["team"], "there is no other answer to append");
    let four = decide(&model, joint_input(questions(), 4)).await;
    assert!(four.usage.input_tokens > native.usage.input_tokens, "{:?}", four.usage);
    assert_ne!(four.answers, native.answers);
    assert_eq!(four.answers.len(), native.answers.len());
}

#[tokio::test]
async fn any_state_is_answered_about() {
    let model = DecisionModel::of(weights(9), &options(OnnxRuntime::Auto)).unwrap();
    let states =
        [json!(""), json!(null), json!([]), json!({}), json!(0), json!(true), json!({"a": {"b": [1, {}]}})];
    for state in states {
        let p = numbers(&decide(&model, input(state.clone(), vec![noul("q", "")])).await.answers["q"])[0];
        assert!(p > 0.0 && p < 1.0, "{state}: {p}");
    }
}

#[tokio::test]
async fn it_says_what_it_is_and_that_it_works() {
    for model in on_both(&weights(1)) {
        model.probe().await.unwrap();
        let names: Vec<String> = model.models().into_iter().map(|model| model.name).collect();
        assert_eq!((model.name(), model.is_remote(), names), ("local", false, vec!["made-0.0.1".to_owned()]));
    }
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let options = DecisionOptions { models_dir: folder.path().to_owned(), ..options(OnnxRuntime::Off) };
    assert!(error(&weights(1), &options).contains("minilm-l6-words.safetensors"));
    std::fs::write(folder.path().join("minilm-l6-words.safetensors"), b"another").unwrap();
    assert!(error(&weights(1), &options).contains("has the SHA-256"));
    let installed = DecisionOptions { models_dir: models_dir(), ..options };
    assert!(!error(b"no weights", &installed).is_empty());
}

fn error(weights: &[u8], options: &DecisionOptions) -> String {
    DecisionModel::of(weights.to_vec(), options).expect_err("a faulty model").to_string()
}
