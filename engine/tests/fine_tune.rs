//! Checkpoints end to end on the real model: trained, stored, used for answers, and rejected where they do not fit.
#![allow(clippy::unwrap_used)]

mod made;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use engine::{decision::DecisionModel, fine_tune::FineTuner, model_files::sha256, runtime::OnnxRuntime};
use made::{on_both, options, weights};
use ports::{
    EngineError, Flow,
    decision::{
        CheckpointRef, Choice, Decision, DecisionBackend, DecisionFault, DecisionInput, DecisionMode,
        DecisionState, HeadStore, Parameters, Question, QuestionKind,
    },
    id::CheckpointId,
    training::{
        KeyReport, Level, Trained, Trainer, TrainingControl, TrainingError, TrainingLabel, TrainingRequest,
        TrainingSample,
    },
};
use serde_json::{Map, Value};

fn choice(key: &str, text: &str, values: &[&str]) -> Question {
    let choices = values.iter().map(|value| Choice { value: (*value).to_owned(), description: None });
    Question { key: key.into(), instructions: text.into(), kind: QuestionKind::Choice(choices.collect()) }
}

fn team() -> Question {
    choice("team", "Which team takes it?", &["birch", "amber"])
}

fn gift() -> Question {
    let kind = QuestionKind::Noul { yes: None, no: None };
    Question { key: "call".into(), instructions: "Do we call back?".into(), kind }
}

fn priority() -> Question {
    let levels = ["can wait", "this week", "at once"].map(str::to_owned).into();
    Question {
        key: "priority".into(),
        instructions: "Our priority".into(),
        kind: QuestionKind::Score(levels),
    }
}

/// A contrast set: parcels go to `amber`, money goes to `birch`, which the names do not reveal.
fn messages(things: &[&str]) -> Vec<(String, &'static str)> {
    let wordings = [
        ("I paid for the {} and the parcel has not arrived", "amber"),
        ("the courier lost the {} that I ordered", "amber"),
        ("the {} was delivered to another street", "amber"),
        ("the {} arrived but my card was charged twice", "birch"),
        ("I sent the {} back and miss the refund", "birch"),
        ("the invoice for the {} has the wrong amount", "birch"),
    ];
    things.iter().flat_map(|thing| wordings.map(|(text, team)| (text.replace("{}", thing), team))).collect()
}

const THINGS: [&str; 6] = ["kettle", "lamp", "radio", "drill", "camera", "toaster"];
const OTHER_THINGS: [&str; 3] = ["printer", "guitar", "bicycle"];

fn sample(text: &str, labels: &[(&Question, &str)]) -> TrainingSample {
    let hash = text.bytes().fold(14_695_981_039_346_656_037u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
    });
    let labels = labels.iter().map(|(question, value)| TrainingLabel {
        asked: Arc::new((*question).clone()),
        value: (*value).to_owned(),
    });
    let state = DecisionState::parse("state", text.into()).unwrap();
    TrainingSample { state, content_hash: hash, labels: labels.collect() }
}

fn teams(things: &[&str]) -> Vec<TrainingSample> {
    messages(things).iter().map(|(text, label)| sample(text, &[(&team(), label)])).collect()
}

/// Cancels once it has been asked `cancel_after` times.
#[derive(Default)]
struct Watch {
    asked: AtomicUsize,
    cancel_after: Option<usize>,
    cancelled_at: Mutex<Option<Instant>>,
    done: Mutex<Vec<f64>>,
}

impl TrainingControl for Watch {
    fn cancelled(&self) -> bool {
        let cancelled = self.cancel_after.is_some_and(|n| self.asked.fetch_add(1, Ordering::SeqCst) >= n);
        if cancelled {
            self.cancelled_at.lock().unwrap().get_or_insert_with(Instant::now);
        }
        cancelled
    }

    fn progress(&self, done: f64) {
        self.done.lock().unwrap().push(done);
    }

    fn event(&self, _: Level, message: &str, _: Map<String, Value>) {
        assert!(!message.is_empty());
    }
}

fn model() -> Arc<DecisionModel> {
    static MODEL: std::sync::OnceLock<Arc<DecisionModel>> = std::sync::OnceLock::new();
    Arc::clone(MODEL.get_or_init(|| Arc::new(DecisionModel::open(&options(OnnxRuntime::Auto)).unwrap())))
}

fn train_with(
    questions: &[Question],
    samples: Vec<TrainingSample>,
    control: &Watch,
) -> Result<Trained, TrainingError> {
    let expected = samples.len();
    let mut samples = samples.into_iter().map(Ok);
    let request = TrainingRequest { questions, samples: &mut samples, expected, seed: 7 };
    FineTuner::new(model(), 1).unwrap().train(request, control)
}

fn train(questions: &[Question], samples: Vec<TrainingSample>) -> Trained {
    train_with(questions, samples, &Watch::default()).unwrap()
}

fn input(text: &str, questions: Vec<Question>, checkpoint: Option<CheckpointRef>) -> DecisionInput {
    DecisionInput {
        state: text.into(),
        questions: questions.into(),
        mode: DecisionMode::Isolated,
        model: None,
        flow: Flow::default(),
        group: None,
        checkpoint,
        parameters: Parameters::default(),
    }
}

async fn decide(backend: &dyn DecisionBackend, input: DecisionInput) -> Decision {
    backend.decide(input).await.expect("an answer")
}

fn p(decision: &Decision, key: &str, value: &str) -> f64 {
    decision.answers[key]["probabilities"][value].as_f64().unwrap()
}

async fn accuracy(backend: &dyn DecisionBackend) -> f64 {
    let messages = messages(&OTHER_THINGS);
    let mut right = 0;
    for (text, label) in &messages {
        let decision = decide(backend, input(text, vec![team()], None)).await;
        right += usize::from(decision.answers["team"]["choice"] == *label);
    }
    right as f64 / messages.len() as f64
}

/// Artefacts in memory, and how often they were read.
#[derive(Default)]
struct Memory {
    artefacts: Mutex<HashMap<String, Vec<u8>>>,
    reads: AtomicUsize,
}

#[async_trait]
impl HeadStore for Memory {
    async fn read(&self, sha256: &str) -> Result<Vec<u8>, EngineError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let found = self.artefacts.lock().unwrap().get(sha256).cloned();
        found.ok_or_else(|| EngineError("no such artefact".into()))
    }
}

impl Memory {
    fn put(&self, artefact: &[u8]) -> CheckpointRef {
        let sha256 = sha256(artefact);
        self.artefacts.lock().unwrap().insert(sha256.clone(), artefact.to_vec());
        CheckpointRef { id: CheckpointId::new(), sha256 }
    }
}

fn served(store: &Arc<Memory>, bytes: usize) -> DecisionModel {
    let store: Arc<dyn HeadStore> = Arc::clone(store) as _;
    DecisionModel::open(&options(OnnxRuntime::Auto)).unwrap().with_checkpoints(store, bytes)
}

fn scores<'a>(report: &'a KeyReport, name: &str) -> &'a ports::training::Candidate {
    report.candidates.iter().find(|candidate| candidate.name == name).unwrap()
}

#[tokio::test]
async fn what_a_judge_learned_is_served_and_nothing_else_changes() {
    let control = Watch::default();
    let trained = train_with(&[team()], teams(&THINGS), &control).unwrap();
    let key = &trained.report.keys[0];
    let before = scores(key, "zero_shot");
    let after = scores(key, &key.chosen);
    assert!(trained.report.improved && key.chosen != "zero_shot", "{key:?}");
    assert!(after.log_loss < before.log_loss && after.accuracy >= before.accuracy, "{key:?}");
    assert!(trained.head.len() < 100_000, "{}", trained.head.len());
    let done = control.done.lock().unwrap().clone();
    assert!(done.is_sorted() && done.last() == Some(&1.0), "{done:?}");

    let tuner = FineTuner::new(model(), 1).unwrap();
    let [live, candidate] = [tuner.evaluator(None).unwrap(), tuner.evaluator(Some(&trained.head)).unwrap()];
    let zero_shot = accuracy(live.as_ref()).await;
    let learned = accuracy(candidate.as_ref()).await;
    assert!(learned > 0.9 && learned > zero_shot + 0.1, "{zero_shot} to {learned}");

    let store = Arc::new(Memory::default());
    let checkpoint = Some(store.put(&trained.head));
    let model = served(&store, 1 << 20);
    let id = checkpoint.as_ref().unwrap().id.clone();
    let text = "the courier brought the guitar to my neighbour";
    let decision = decide(&model, input(text, vec![team()], checkpoint.clone())).await;
    assert!(decision.model.ends_with(&format!("+{id}")) && decision.notes.is_empty(), "{decision:?}");
    let expected = decide(candidate.as_ref(), input(text, vec![team()], None)).await;
    assert_eq!(decision.answers, expected.answers);
    let swapped = choice("team", "Which team  takes it?", &["amber", "birch"]);
    let swapped = decide(&model, input(text, vec![swapped], checkpoint.clone())).await;
    assert!((p(&swapped, "team", "amber") - p(&decision, "team", "amber")).abs() < 1e-12);

    // Another question under the key, another key, and no Checkpoint: the base model.
    for (question, noted) in [
        (choice("team", "Which team must not see it?", &["amber", "birch"]), true),
        (choice("team", "Which team takes it?", &["amber", "birch", "cedar"]), true),
        (choice("group", "Which team takes it?", &["amber", "birch"]), true),
    ] {
        let key = question.key.clone();
        let with = decide(&model, input(text, vec![question.clone()], checkpoint.clone())).await;
        let without = decide(&model, input(text, vec![question], None)).await;
        assert_eq!(with.answers, without.answers);
        assert_eq!(with.notes.iter().any(|note| note.contains(&format!("{key:?}"))), noted, "{with:?}");
    }
    assert_eq!(store.reads.load(Ordering::SeqCst), 1, "it stays in memory");
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let [one, again] = [(), ()].map(|()| train(&[team()], teams(&THINGS)));
    assert_eq!(one.head, again.head);
    let mut reports = [one.report, again.report];
    reports.iter_mut().for_each(|report| report.seconds = 0.0);
    assert_eq!(reports[0], reports[1]);
}

#[tokio::test]
async fn where_nothing_helps_the_model_as_it_is_stays() {
    let messages = messages(&THINGS);
    let noise = messages.iter().enumerate().map(|(n, (text, _))| {
        let label = if (n * 7919) % 13 % 2 == 0 { "amber" } else { "birch" };
        sample(text, &[(&team(), label)])
    });
    let trained = train(&[team()], noise.collect());
    let key = &trained.report.keys[0];
    // Labels without sense may be answered with their shares, but nothing is learned of the texts.
    assert!(["zero_shot", "calibrated"].contains(&key.chosen.as_str()), "{key:?}");
    assert!(!key.reason.is_empty() && key.candidates[0].name == "zero_shot");
}

#[test]
fn what_cannot_be_learned_from_is_left_out_and_counted() {
    let old = choice("team", "Which team takes it?", &["amber", "birch", "cedar"]);
    let four = QuestionKind::Score(["a", "b", "c", "d"].map(str::to_owned).into());
    let four = Question { kind: four, ..priority() };
    let gone = choice("gone", "?", &["x", "y"]);
    let mut samples = teams(&THINGS);
    for n in 0..12 {
        let text = format!("number {n} has a cracked lid");
        let level = if n % 2 == 0 { "0" } else { "2" };
        samples.push(sample(
            &text,
            &[(&old, "cedar"), (&four, "1"), (&gone, "x"), (&priority(), level), (&gift(), "true")],
        ));
    }
    let trained = train(&[team(), gift(), priority()], samples);
    let [team, call, priority] = trained.report.keys.as_slice() else { panic!("{:?}", trained.report) };
    assert_eq!((team.labels, team.left_out[0].labels), (36, 12));
    assert_eq!(team.left_out[0].reason, "no longer an option");
    let names: Vec<&str> = priority.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
    for name in ["calibrated", "linear", "ordinal", "last_layer", "linear_on_last_layer"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(team.classes, [("amber".to_owned(), 18), ("birch".to_owned(), 18)].into());
    assert_eq!((call.labels, call.chosen.as_str(), call.folds), (12, "zero_shot", 0));
    assert!(call.reason.contains("only one of its values"), "{}", call.reason);
    assert_eq!((priority.labels, priority.left_out[0].labels), (12, 12));
    assert_eq!(priority.classes["1"], 0);
    assert_eq!(trained.report.unknown_keys, [("gone".to_owned(), 12)].into());
}

#[test]
fn too_few_labels_are_named() {
    for samples in [
        vec![],
        teams(&["lamp"]),
        teams(&THINGS).into_iter().filter(|s| s.labels[0].value == "amber").collect(),
    ] {
        let ended = train_with(&[team(), gift()], samples, &Watch::default());
        let Err(TrainingError::TooFewLabels(why)) = ended else { panic!("{ended:?}") };
        assert!(why.contains("8 samples"), "{why}");
    }
}

#[test]
fn a_cancelled_training_ends_within_a_second() {
    let counted = Watch { cancel_after: Some(usize::MAX), ..Watch::default() };
    train_with(&[team()], teams(&THINGS), &counted).unwrap();
    let asked = counted.asked.load(Ordering::SeqCst);
    for after in [0, 1, asked / 3, asked / 2, asked - 2] {
        let control = Watch { cancel_after: Some(after), ..Watch::default() };
        let ended = train_with(&[team()], teams(&THINGS), &control);
        assert!(matches!(ended, Err(TrainingError::Cancelled)), "after {after} of {asked}: {ended:?}");
        let at = control.cancelled_at.lock().unwrap().unwrap();
        assert!(at.elapsed() < Duration::from_secs(2), "{:?}", at.elapsed());
    }
}

#[tokio::test]
async fn an_artefact_that_is_missing_or_damaged_fails_the_request() {
    let trained = train(&[team()], teams(&THINGS));
    let store = Arc::new(Memory::default());
    let good = store.put(&trained.head);
    let missing = CheckpointRef { sha256: sha256(b"never stored"), ..good.clone() };
    let damaged = store.put(&trained.head[1..]);
    store.artefacts.lock().unwrap().insert(damaged.sha256.clone(), trained.head.clone());
    let no_artefact = store.put(&weights(3));
    let model = served(&store, 1 << 20);
    for (unfit, why) in
        [(missing, "no such artefact"), (damaged, "the artefact has the hash"), (no_artefact, "is not a")]
    {
        let ended = model.decide(input("hello", vec![team()], Some(unfit.clone()))).await;
        let Err(DecisionFault::Engine(error)) = ended else { panic!("{ended:?}") };
        assert!(error.0.contains(why) && error.0.contains(unfit.id.as_str()), "{error}");
    }
    // A model without a store.
    let [_, other] = on_both(&weights(4));
    let ended = other.decide(input("hello", vec![team()], Some(good.clone()))).await;
    assert!(matches!(ended, Err(DecisionFault::Engine(error)) if error.0.contains("no store")));
    assert!(FineTuner::new(Arc::new(other), 1).is_err());
    decide(&model, input("hello", vec![team()], Some(good))).await;
}

#[tokio::test]
async fn after_an_upgrade_the_model_as_it_is_answers_and_says_so() {
    let trained = train(&[team()], teams(&THINGS));
    let store = Arc::new(Memory::default());
    let of_another = store.put(&trained.head);
    let [_, upgraded] = on_both(&weights(4));
    let refused = upgraded.in_background(1, Some(&trained.head)).unwrap_err();
    assert!(refused.0.contains("was trained on another model than made-0.0.4"), "{refused}");
    let plain = decide(&upgraded, input("hello", vec![team()], None)).await;
    let upgraded = upgraded.with_checkpoints(Arc::clone(&store) as _, 1 << 20);
    for _ in 0..2 {
        let answered = decide(&upgraded, input("hello", vec![team()], Some(of_another.clone()))).await;
        assert_eq!((&answered.answers, answered.model.as_str()), (&plain.answers, "made-0.0.4"));
        assert!(!answered.answered_by(&of_another.id));
        assert!(answered.notes[0].contains("another version of the model; train a new one"), "{answered:?}");
    }
    assert_eq!(store.reads.load(Ordering::SeqCst), 1, "it is remembered");
    // The same backbone, and a file of another version.
    let version = br#""version":"1""#;
    let at = trained.head.windows(version.len()).position(|bytes| bytes == version).unwrap();
    let other = [&trained.head[..at], br#""version":"2""#, &trained.head[at + version.len()..]].concat();
    let model = served(&store, 1 << 20);
    let plain = decide(&model, input("hello", vec![team()], None)).await;
    let answered = decide(&model, input("hello", vec![team()], Some(store.put(&other)))).await;
    assert_eq!((answered.answers, answered.model), (plain.answers, plain.model));
    assert!(answered.notes[0].contains("another version of the model; train a new one"));
}

#[tokio::test]
async fn the_checkpoints_in_memory_are_bounded() {
    let store = Arc::new(Memory::default());
    let two = [THINGS, ["desk", "chair", "table", "sofa", "shelf", "mirror"]];
    let [one, other] = two.map(|things| store.put(&train(&[team()], teams(&things)).head));
    let model = served(&store, 1);
    for (checkpoint, reads) in [(&one, 1), (&one, 1), (&other, 2), (&other, 2), (&one, 3)] {
        decide(&model, input("hello", vec![team()], Some(checkpoint.clone()))).await;
        assert_eq!(store.reads.load(Ordering::SeqCst), reads);
    }
    // Many at once read it once.
    let store = Arc::new(Memory::default());
    let checkpoint = Some(store.put(&train(&[team()], teams(&THINGS)).head));
    let model = served(&store, 1);
    let asks = (0..4).map(|_| decide(&model, input("hello", vec![team()], checkpoint.clone())));
    let asks: Vec<_> = asks.collect();
    for decision in futures(asks).await {
        assert!(decision.model.contains('+'));
    }
    assert_eq!(store.reads.load(Ordering::SeqCst), 1);
}

async fn futures<F: Future<Output = Decision>>(asks: Vec<F>) -> Vec<Decision> {
    let [a, b, c, d]: [F; 4] = asks.try_into().unwrap_or_else(|_| panic!("four"));
    let (a, b, c, d) = tokio::join!(a, b, c, d);
    vec![a, b, c, d]
}
