//! The domain's trainer on the model in process.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use bytes::Bytes;
use parking_lot::Mutex;
use ports::{
    EngineError,
    decision::{DecisionBackend, DecisionState, Question},
    training::{
        Level, Trained, Trainer, TrainingControl, TrainingError, TrainingLabel, TrainingReport,
        TrainingRequest, TrainingSample,
    },
};
use serde_json::{Map, Value, json};

use super::{
    choose::{Chosen, LEAST_LABELS, choose},
    dataset::KeyData,
    last_layer::{self, InitialLayer},
    sample_reader::SampleReader,
};
use crate::{
    decision::{
        DecisionModel,
        checkpoint::{self, CheckpointPart},
        embedded_weights,
        key_head::KeyHead,
    },
    encoder::Weights,
    error::unnamed,
    model_files::sha256,
    priority,
    train::{TrainError, TrainableHead},
};

/// The progress once all samples are read.
const SAMPLES_READ: f64 = 0.4;
/// The progress once the last layer is trained.
const LAST_LAYER_TRAINED: f64 = 0.85;

/// Trains on a model's frozen backbone.
pub struct FineTuner {
    model: Arc<DecisionModel>,
    weights: Bytes,
    threads: usize,
}

impl FineTuner {
    /// A trainer on the model in the binary, with a number of threads, at least one.
    ///
    /// # Errors
    /// The model is another one.
    pub fn new(model: Arc<DecisionModel>, threads: usize) -> Result<Self, EngineError> {
        Self::of(model, Bytes::from_static(embedded_weights()), threads)
    }

    /// The same on the model of a weight file.
    ///
    /// # Errors
    /// The model was loaded from another file.
    pub fn of(model: Arc<DecisionModel>, weights: Bytes, threads: usize) -> Result<Self, EngineError> {
        if sha256(&weights) != model.weights_sha256() {
            return Err(EngineError("the model was loaded from another weight file".into()));
        }
        Ok(Self { model, weights, threads: threads.max(1) })
    }

    /// The features of a question about a state, on which the linear candidates are fitted; for comparisons with other
    /// software.
    ///
    /// # Errors
    /// A state that is too long to learn from, or a failure of the runtime.
    pub fn features(&self, state: &DecisionState, question: &Question) -> Result<Vec<f32>, EngineError> {
        let mut reader = SampleReader::new(&self.model, std::slice::from_ref(question));
        let value = question.kind.values().into_iter().next().unwrap_or_default();
        let labels = vec![TrainingLabel { asked: Arc::new(question.clone()), value }];
        reader.read(&TrainingSample { state: state.clone(), content_hash: 0, labels }, &|| true)?;
        let row = reader.keys.into_iter().flat_map(|key| key.rows).next();
        row.map(|row| row.features).ok_or_else(|| EngineError("too long to learn from".into()))
    }

    fn run(
        &self,
        request: TrainingRequest<'_>,
        control: &TrainingMonitor<'_>,
    ) -> Result<Trained, TrainingError> {
        let begun = Instant::now();
        let questions = request.questions;
        let seed = request.seed;
        let SampleReader { mut keys, unknown_keys, samples, .. } = self.read(request, control)?;
        keys.sort_by_key(|data| questions.iter().position(|question| question.key == data.question.key));
        let labels: usize = keys.iter().map(|data| data.rows.len()).sum();
        control.event(Level::Info, "samples read", json!({ "samples": samples, "labels": labels }));
        require_labels(&keys)?;
        let layer = self.last_layer(&mut keys, seed, control)?;
        let mut parts = Vec::new();
        let mut reports = Vec::new();
        for (n, data) in keys.iter().enumerate() {
            let Chosen { report, head } = choose(data, seed, &|| control.goes_on()).map_err(failed)?;
            let chosen = json!({ "key": report.key, "labels": report.labels, "chosen": report.chosen });
            control.event(Level::Info, &report.reason, chosen);
            let fingerprint = data.fingerprint.clone();
            parts.push(CheckpointPart { key: report.key.clone(), fingerprint, head });
            reports.push(report);
            let share = (1.0 - LAST_LAYER_TRAINED) * (n + 1) as f64 / keys.len() as f64;
            control.progress(LAST_LAYER_TRAINED + share);
        }
        control.check()?;
        let heads: Vec<&KeyHead> = parts.iter().filter_map(|part| part.head.as_ref()).collect();
        let layer = layer.filter(|_| heads.iter().any(|head| head.tuned != 0.0));
        let improved = !heads.is_empty();
        let head = checkpoint::write(self.model.backbone(), &parts, layer.as_ref()).map_err(failed)?;
        let seconds = begun.elapsed().as_secs_f64();
        let report = TrainingReport { samples, keys: reports, unknown_keys, improved, seconds };
        Ok(Trained { head, backbone: self.model.backbone().to_owned(), report })
    }

    fn read<'s, 'r: 's>(
        &'s self,
        request: TrainingRequest<'r>,
        control: &TrainingMonitor<'_>,
    ) -> Result<SampleReader<'s>, TrainingError> {
        let mut reader = SampleReader::new(&self.model, request.questions);
        for sample in request.samples {
            let sample = sample?;
            control.check()?;
            reader.read(&sample, &|| control.goes_on())?;
            let share = (reader.samples as f64 / request.expected.max(1) as f64).min(1.0);
            control.progress(SAMPLES_READ * share);
        }
        control.check()?;
        Ok(reader)
    }

    fn last_layer(
        &self,
        keys: &mut [KeyData],
        seed: u64,
        control: &TrainingMonitor<'_>,
    ) -> Result<Option<TrainableHead>, TrainingError> {
        if let Some(why) = last_layer::refused(keys) {
            control.event(Level::Info, &why, json!({}));
            return Ok(None);
        }
        let layers = Weights::read(self.weights.clone()).map_err(unnamed)?.layers();
        let start = InitialLayer { weights: &self.weights, layer: layers.saturating_sub(1), seed };
        let trained = last_layer::train(
            &start,
            keys,
            &|done| control.progress(SAMPLES_READ + (LAST_LAYER_TRAINED - SAMPLES_READ) * done),
            &|| control.goes_on(),
        );
        let trained = trained.map_err(failed)?;
        if trained.is_none() {
            control.event(
                Level::Info,
                "the last layer shows no gain on a third of the labels; left as it is",
                json!({}),
            );
        }
        Ok(trained)
    }
}

impl Trainer for FineTuner {
    fn backbone(&self) -> &str {
        self.model.backbone()
    }

    fn train(
        &self,
        request: TrainingRequest<'_>,
        control: &dyn TrainingControl,
    ) -> Result<Trained, TrainingError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .thread_name(|n| format!("gavel-train-{n}"))
            .start_handler(|_| priority::lower())
            .build()
            .map_err(unnamed)?;
        let control = TrainingMonitor { control, done: Mutex::new(0.0), stopped: AtomicBool::new(false) };
        pool.install(|| self.run(request, &control))
    }

    fn evaluator(&self, head: Option<&[u8]>) -> Result<Arc<dyn DecisionBackend>, EngineError> {
        Ok(Arc::new(self.model.in_background(self.threads, head)?))
    }
}

/// The caller's control. Once cancelled it stays cancelled, and the progress never goes down.
struct TrainingMonitor<'a> {
    control: &'a dyn TrainingControl,
    done: Mutex<f64>,
    stopped: AtomicBool,
}

impl TrainingMonitor<'_> {
    fn goes_on(&self) -> bool {
        if self.control.cancelled() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        !self.stopped.load(Ordering::Relaxed)
    }

    fn check(&self) -> Result<(), TrainingError> {
        if self.goes_on() { Ok(()) } else { Err(TrainingError::Cancelled) }
    }

    fn progress(&self, done: f64) {
        let mut most = self.done.lock();
        *most = most.max(done.clamp(0.0, 1.0));
        self.control.progress(*most);
    }

    fn event(&self, level: Level, message: &str, numbers: Value) {
        let numbers = match numbers {
            Value::Object(numbers) => numbers,
            _ => Map::new(),
        };
        self.control.event(level, message, numbers);
    }
}

fn failed(error: TrainError) -> TrainingError {
    match error {
        TrainError::Cancelled => TrainingError::Cancelled,
        TrainError::Unfit(why) => TrainingError::Failed(EngineError(why)),
    }
}

/// Checks that some key has enough labels.
///
/// # Errors
/// No key has; the message lists the labels of each.
fn require_labels(keys: &[KeyData]) -> Result<(), TrainingError> {
    if keys.iter().any(has_enough_labels) {
        return Ok(());
    }
    let found = if keys.is_empty() {
        "no sample has one".to_owned()
    } else {
        keys.iter().map(describe_labels).collect::<Vec<_>>().join("; ")
    };
    Err(TrainingError::TooFewLabels(format!(
        "at least one question needs {LEAST_LABELS} samples with a ground truth, with two samples for each of two of \
         its values: {found}"
    )))
}

fn has_enough_labels(data: &KeyData) -> bool {
    data.rows.len() >= LEAST_LABELS && data.counts().into_iter().filter(|count| *count > 1).count() > 1
}

fn describe_labels(data: &KeyData) -> String {
    let values = data.classes().into_iter().map(|(value, count)| format!("{value}: {count}"));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("{:?} has {} ({values})", data.question.key, data.rows.len())
}
