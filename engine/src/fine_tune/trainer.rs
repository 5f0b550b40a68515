//! The domain's trainer on the model in process.

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use ports::{
    EngineError,
    decision::{DecisionBackend, Question, State},
    training::{
        Level, Trained, Trainer, TrainingControl, TrainingError, TrainingLabel, TrainingReport,
        TrainingRequest, TrainingSample,
    },
};
use serde_json::{Map, Value, json};

use super::{
    choose::{Chosen, LEAST_LABELS, choose},
    dataset::KeyData,
    last_layer::{self, Start},
    reading::Reader,
};
use crate::{
    decision::{DecisionModel, checkpoint, embedded_weights},
    encoder::Weights,
    model_files::sha256,
    priority,
    train::{Head, TrainError},
};

/// The shares of the work after which samples are read, and the last layer is trained.
const READ: f64 = 0.4;
const LAST_LAYER: f64 = 0.85;

/// Trains on a model's frozen backbone.
pub struct FineTuner {
    model: Arc<DecisionModel>,
    weights: Cow<'static, [u8]>,
    threads: usize,
}

impl FineTuner {
    /// A trainer on the model in the binary, with so many threads (at least one).
    ///
    /// # Errors
    /// Another model.
    pub fn new(model: Arc<DecisionModel>, threads: usize) -> Result<Self, EngineError> {
        Self::of(model, Cow::Borrowed(embedded_weights()), threads)
    }

    /// The same on the model of a weight file.
    ///
    /// # Errors
    /// The model was loaded from another file.
    pub fn of(
        model: Arc<DecisionModel>,
        weights: Cow<'static, [u8]>,
        threads: usize,
    ) -> Result<Self, EngineError> {
        if sha256(&weights) != model.backbone() {
            return Err(EngineError("the weight file is not the model's".into()));
        }
        Ok(Self { model, weights, threads: threads.max(1) })
    }

    /// The features of a question about a state, which the linear candidates are fitted on: to compare them with other
    /// software.
    ///
    /// # Errors
    /// What is too long to learn from, or a failure of the runtime.
    pub fn features(&self, state: &State, question: &Question) -> Result<Vec<f32>, EngineError> {
        let mut reader = Reader::new(&self.model, std::slice::from_ref(question));
        let value = question.kind.values().into_iter().next().unwrap_or_default();
        let labels = vec![TrainingLabel { asked: Arc::new(question.clone()), value }];
        reader.read(&TrainingSample { state: state.clone(), content_hash: 0, labels }, &|| true)?;
        let row = reader.keys.into_iter().flat_map(|key| key.rows).next();
        row.map(|row| row.features).ok_or_else(|| EngineError("too long to learn from".into()))
    }

    fn run(&self, request: TrainingRequest<'_>, control: &Control<'_>) -> Result<Trained, TrainingError> {
        let begun = Instant::now();
        let mut reader = Reader::new(&self.model, request.questions);
        for sample in request.samples {
            let sample = sample?;
            control.check()?;
            reader.read(&sample, &|| control.goes_on())?;
            control.progress(READ * (reader.samples as f64 / request.expected.max(1) as f64).min(1.0));
        }
        control.check()?;
        let Reader { mut keys, unknown_keys, samples, .. } = reader;
        keys.sort_by_key(|data| {
            request.questions.iter().position(|question| question.key == data.question.key)
        });
        let labels: usize = keys.iter().map(|data| data.rows.len()).sum();
        control.event(Level::Info, "samples read", json!({ "samples": samples, "labels": labels }));
        enough(&keys)?;
        let layer = self.last_layer(&mut keys, request.seed, control)?;
        let mut parts = Vec::new();
        let mut reports = Vec::new();
        for (n, data) in keys.iter().enumerate() {
            let Chosen { report, head } =
                choose(data, request.seed, &|| control.goes_on()).map_err(failed)?;
            let chosen = json!({ "key": report.key, "labels": report.labels, "chosen": report.chosen });
            control.event(Level::Info, &report.reason, chosen);
            parts.push((report.key.clone(), data.fingerprint.clone(), head));
            reports.push(report);
            control.progress(LAST_LAYER + (1.0 - LAST_LAYER) * (n + 1) as f64 / keys.len() as f64);
        }
        control.check()?;
        let heads = || parts.iter().filter_map(|(_, _, head)| head.as_ref());
        let layer = layer.filter(|_| heads().any(|head| head.tuned != 0.0));
        let improved = heads().next().is_some();
        let head = checkpoint::write(self.model.backbone(), &parts, layer.as_ref()).map_err(failed)?;
        let seconds = begun.elapsed().as_secs_f64();
        let report = TrainingReport { samples, keys: reports, unknown_keys, improved, seconds };
        Ok(Trained { head, backbone: self.model.backbone().to_owned(), report })
    }

    fn last_layer(
        &self,
        keys: &mut [KeyData],
        seed: u64,
        control: &Control<'_>,
    ) -> Result<Option<Head>, TrainingError> {
        if let Some(why) = last_layer::refused(keys) {
            control.event(Level::Info, &why, json!({}));
            return Ok(None);
        }
        let layers = Weights::read(&self.weights).map_err(EngineError)?.layers();
        let start = Start { weights: &self.weights, layer: layers.saturating_sub(1), seed };
        let progress = |done| control.progress(READ + (LAST_LAYER - READ) * done);
        last_layer::train(&start, keys, &progress, &|| control.goes_on()).map(Some).map_err(failed)
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
            .map_err(|error| EngineError(error.to_string()))?;
        let control = Control { control, done: Mutex::new(0.0), stopped: AtomicBool::new(false) };
        pool.install(|| self.run(request, &control))
    }

    fn evaluator(&self, head: Option<&[u8]>) -> Result<Arc<dyn DecisionBackend>, EngineError> {
        Ok(Arc::new(self.model.in_background(self.threads, head)?))
    }
}

/// The caller's control. Once cancelled it stays so, and progress never goes down.
struct Control<'a> {
    control: &'a dyn TrainingControl,
    done: Mutex<f64>,
    stopped: AtomicBool,
}

impl Control<'_> {
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
        let mut most = self.done.lock().unwrap_or_else(PoisonError::into_inner);
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

/// # Errors
/// No key has enough labels; the message lists what each has.
fn enough(keys: &[KeyData]) -> Result<(), TrainingError> {
    let enough = |data: &KeyData| {
        data.rows.len() >= LEAST_LABELS && data.counts().into_iter().filter(|count| *count > 1).count() > 1
    };
    if keys.iter().any(enough) {
        return Ok(());
    }
    let each = keys.iter().map(|data| {
        let values = data.classes().into_iter().map(|(value, count)| format!("{value}: {count}"));
        format!("{:?} has {} ({})", data.question.key, data.rows.len(), values.collect::<Vec<_>>().join(", "))
    });
    let each = if keys.is_empty() { "there is none".to_owned() } else { each.collect::<Vec<_>>().join("; ") };
    Err(TrainingError::TooFewLabels(format!(
        "at least one question needs {LEAST_LABELS} samples with a ground truth, two of them for each of two of its values: \
         {each}"
    )))
}
