//! Loads the decision model and implements the domain's backend `local`. `layout` builds the sequences, `hybrid`
//! refines answers.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use ports::{
    EngineError, Flow,
    decision::{
        Decision, DecisionBackend, DecisionFault, DecisionInput, DecisionMode, HeadStore, ModelInfo,
        Question, QuestionKind, Usage,
    },
};
use serde_json::{Map, Value, json};

use super::{
    checkpoint::Checkpoint,
    checkpoint_cache::CheckpointCache,
    config::Config,
    question::{TokenizedQuestion, TokenizedRequest},
    weights::WEIGHTS,
};
use crate::{
    encoder::{Backbone, Head, Order, QueueError, QueueLimits, Read, Scorer, TokenEmbeddings, Weights},
    model_files::sha256,
    runtime::{OnnxRuntime, Runtime},
};

/// The deadline of a request.
const DEADLINE: Duration = Duration::from_secs(25);
/// The deadline of a request in the background, and the most work in the queue there.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// The timeout of a probe. A request that was answered within this time counts as a success when the queue is full.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Tokens in a batch. Larger batches are no faster and delay other requests.
const BATCH_TOKENS: usize = 512;
/// The most work in the queue, in time: less than the deadline, since the queue's speed is an estimate.
const QUEUED_WORK: Duration = Duration::from_secs(15);
/// What a request is told whose Checkpoint was trained on another model.
const OUTDATED: &str = "the Judge's Checkpoint was not used, since it was trained on another version of the model; train a new one";
/// Passes in hybrid mode unless the request sets them.
const DEFAULT_STEPS: u8 = 2;

/// The settings of a decision model.
#[derive(Clone, Debug)]
pub struct DecisionOptions {
    /// The folder with the token embeddings and, if installed, ONNX Runtime.
    pub models_dir: PathBuf,
    pub onnx_runtime: OnnxRuntime,
    /// The most tokens that a request's sequences may have together.
    pub token_work: usize,
    /// Worker threads; 0 is the number of cores.
    pub threads: usize,
}

/// A decision model.
pub struct DecisionModel {
    name: String,
    base: Base,
    head: Arc<Head>,
    config: Config,
    /// The Checkpoints that requests name; none are known without a store.
    checkpoints: Option<CheckpointCache>,
    /// Answers every request, whichever Checkpoint it names.
    candidate: Option<Arc<Checkpoint>>,
    deadline: Duration,
    last_answered: Mutex<Instant>,
}

/// The parts that models on the same backbone share.
#[derive(Clone)]
struct Base {
    scorer: Arc<Scorer>,
    runtime: Runtime,
    /// The SHA-256 of the backbone's weight file.
    backbone: String,
    /// The number of the last layer, which is the head's.
    last_layer: usize,
    token_work: usize,
}

impl DecisionModel {
    /// Loads the model in the binary. Blocks for a good part of a second.
    ///
    /// # Errors
    /// The file that is missing or wrong.
    pub fn open(options: &DecisionOptions) -> Result<Self, EngineError> {
        Self::of(WEIGHTS, options)
    }

    /// Loads the model of a weight file.
    ///
    /// # Errors
    /// Like [`open`](Self::open).
    pub fn of(weights: &[u8], options: &DecisionOptions) -> Result<Self, EngineError> {
        let embeddings = TokenEmbeddings::shared(&options.models_dir)?;
        let runtime = Runtime::open(&options.onnx_runtime, &options.models_dir);
        let backbone = sha256(weights);
        let weights = Weights::read(weights).map_err(EngineError)?;
        let name = format!("{}-{}", weights.name, weights.version);
        let fault = |why: String| EngineError(format!("{name}: {why}"));
        let config = Config::parse(&weights.config).map_err(fault)?;
        let last_layer = weights.layers().checked_sub(1).ok_or_else(|| fault("no layers".into()))?;
        let head = Arc::new(Head::load(&runtime, &weights, last_layer)?);
        let layers = Arc::new(Backbone::load(&runtime, embeddings, &weights, last_layer)?);
        let scorer = Arc::new(Scorer::start(layers, queue(options.threads, false))?);
        let base = Base { scorer, runtime, backbone, last_layer, token_work: options.token_work };
        let last_answered = Mutex::new(Instant::now());
        let checkpoints = None;
        let candidate = None;
        let deadline = DEADLINE;
        Ok(Self { name, base, head, config, checkpoints, candidate, deadline, last_answered })
    }

    /// Answers requests that name a Checkpoint with its artefact from `store`. Keeps those that were used last in
    /// memory, up to `bytes` bytes of artefacts; in memory they take about three times as much.
    #[must_use]
    pub fn with_checkpoints(self, store: Arc<dyn HeadStore>, bytes: usize) -> Self {
        Self { checkpoints: Some(CheckpointCache::new(store, bytes)), ..self }
    }

    /// A model with the same weights, and a queue and threads of its own, of low priority, for work that may wait. It
    /// answers as this one does, or like a Checkpoint with the artefact `candidate`.
    ///
    /// # Errors
    /// An artefact that is not one, or was trained on another backbone; a thread that cannot be started.
    pub fn in_background(&self, threads: usize, candidate: Option<&[u8]>) -> Result<Self, EngineError> {
        let candidate = candidate.map(|bytes| {
            let another =
                || EngineError(format!("the Checkpoint was trained on another model than {}", self.name));
            self.base.checkpoint(bytes)?.ok_or_else(another)
        });
        let candidate = candidate.transpose()?;
        let scorer = Scorer::start(Arc::clone(self.base.scorer.backbone()), queue(threads, true))?;
        Ok(Self {
            name: self.name.clone(),
            base: Base { scorer: Arc::new(scorer), ..self.base.clone() },
            head: Arc::clone(&self.head),
            config: self.config.clone(),
            checkpoints: None,
            candidate: candidate.map(Arc::new),
            deadline: PATIENCE,
            last_answered: Mutex::new(Instant::now()),
        })
    }

    /// The runtime's name and version, such as `rten 0.27`.
    pub fn runtime(&self) -> &str {
        self.base.runtime.name()
    }

    /// The SHA-256 of the weight file, which every Checkpoint is pinned to.
    pub fn backbone(&self) -> &str {
        &self.base.backbone
    }

    pub(crate) fn scorer(&self) -> &Scorer {
        &self.base.scorer
    }

    pub(crate) fn head(&self) -> &Arc<Head> {
        &self.head
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn token_work(&self) -> usize {
        self.base.token_work
    }

    /// The Checkpoint of a request, and the name of what answers. None for one that was trained on another model, such as
    /// an earlier version: the model as it is answers.
    async fn checkpoint(
        &self,
        input: &DecisionInput,
    ) -> Result<(Option<Arc<Checkpoint>>, String), EngineError> {
        if let Some(candidate) = &self.candidate {
            return Ok((Some(Arc::clone(candidate)), format!("{}+candidate", self.name)));
        }
        let Some(wanted) = &input.checkpoint else { return Ok((None, self.name.clone())) };
        let cache = self.checkpoints.as_ref();
        let cache =
            cache.ok_or_else(|| EngineError(format!("{}: there is no store of Checkpoints", wanted.id)))?;
        let parse = |bytes: Vec<u8>| async {
            let base = self.base.clone();
            let parsed = tokio::task::spawn_blocking(move || base.checkpoint(&bytes)).await;
            parsed.unwrap_or_else(|error| Err(EngineError(error.to_string())))
        };
        Ok(match cache.get(wanted, parse).await? {
            Some(checkpoint) => (Some(checkpoint), format!("{}+{}", self.name, wanted.id)),
            None => (None, self.name.clone()),
        })
    }

    pub(super) async fn answer(&self, input: &DecisionInput) -> Result<Decision, DecisionFault> {
        let (checkpoint, model) = self.checkpoint(input).await.map_err(DecisionFault::Engine)?;
        let mut request = self.read(input).await?;
        let mut notes = request.notes(&input.questions);
        if let Some(checkpoint) = checkpoint {
            for (question, tokenized) in input.questions.iter().zip(&mut request.questions) {
                match checkpoint.part(&question.key, tokenized) {
                    Ok(part) => tokenized.part = part,
                    Err(note) => notes.push(note),
                }
            }
        } else if input.checkpoint.is_some() {
            notes.push(OUTDATED.into());
        }
        let tokens = request.tokens();
        let all: Vec<usize> = (0..input.questions.len()).collect();
        let mut probabilities = vec![Vec::new(); all.len()];
        self.score(Order::first(input.flow), &request, &all, &mut probabilities).await?;
        let mut usage = Usage { input_tokens: tokens as u64, ..Usage::default() };
        if input.mode == DecisionMode::Joint {
            let steps = input.parameters.steps.unwrap_or(DEFAULT_STEPS);
            usage.input_tokens += self.refine(input.flow, &mut request, steps, &mut probabilities).await?;
        }
        usage.output_tokens = all.len() as u64;
        let answers = input.questions.iter().zip(&request.questions).zip(&probabilities);
        let answers =
            answers.map(|((question, tokenized), p)| (question.key.clone(), shape(question, tokenized, p)));
        let answers = answers.collect();
        Ok(Decision { model, answers, usage, notes })
    }

    /// Tokenizes a request on the blocking pool.
    async fn read(&self, input: &DecisionInput) -> Result<TokenizedRequest, DecisionFault> {
        let scorer = Arc::clone(&self.base.scorer);
        let input = input.clone();
        let max_tokens = self.base.token_work;
        let read = tokio::task::spawn_blocking(move || {
            TokenizedRequest::of(scorer.embeddings(), &input, max_tokens)
        });
        read.await.unwrap_or_else(|error| Err(DecisionFault::Engine(EngineError(error.to_string()))))
    }

    /// Scores the given questions in one go and writes their probabilities.
    pub(super) async fn score(
        &self,
        order: Order,
        request: &TokenizedRequest,
        questions: &[usize],
        probabilities: &mut [Vec<f64>],
    ) -> Result<(), DecisionFault> {
        let reads: Vec<Read> =
            questions.iter().flat_map(|n| request.questions[*n].reads(&self.head)).collect();
        let readings = self.base.scorer.score(order, reads).await.map_err(|error| match error {
            QueueError::Busy => DecisionFault::Busy,
            QueueError::Failed(error) => DecisionFault::Engine(error),
        })?;
        let mut readings = readings.as_slice();
        for n in questions {
            let tokenized = &request.questions[*n];
            let (own, rest) = readings.split_at(tokenized.layout.sequences.len());
            readings = rest;
            let evidence = tokenized.evidence(&self.config, own);
            let sorted = match &tokenized.part {
                Some(part) => {
                    part.probabilities(&evidence).map_err(|why| DecisionFault::Engine(EngineError(why)))?
                }
                None => evidence.zero_shot,
            };
            probabilities[*n] = tokenized.layout.in_question_order(&sorted);
        }
        *self.last_answered.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }

    pub(super) fn embeddings(&self) -> &TokenEmbeddings {
        self.base.scorer.embeddings()
    }

    fn answered_lately(&self) -> bool {
        self.last_answered.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < PROBE_TIMEOUT
    }
}

impl Base {
    fn checkpoint(&self, artefact: &[u8]) -> Result<Option<Checkpoint>, EngineError> {
        Checkpoint::read(artefact, &self.runtime, &self.backbone, self.last_layer)
    }
}

/// In the background nobody waits, and no request is refused for being one too many.
fn queue(threads: usize, background: bool) -> QueueLimits {
    let work = if background { PATIENCE } else { QUEUED_WORK };
    QueueLimits { threads, batch: BATCH_TOKENS, work, background }
}

/// Writes an answer in System One's shape.
fn shape(question: &Question, tokenized: &TokenizedQuestion, probabilities: &[f64]) -> Value {
    let by_key = || -> Map<String, Value> {
        let keys = tokenized.outcomes.iter().map(|outcome| outcome.key.clone());
        keys.zip(probabilities.iter().map(|p| json!(p))).collect()
    };
    match question.kind {
        QuestionKind::Choice(_) => {
            json!({ "choice": tokenized.outcomes[tokenized.argmax(probabilities)].key, "probabilities": by_key() })
        }
        QuestionKind::Score(_) => json!({ "probabilities": by_key() }),
        QuestionKind::Noul { .. } | QuestionKind::Prompt => json!({ "noul": probabilities[0] }),
    }
}

#[async_trait]
impl DecisionBackend for DecisionModel {
    fn name(&self) -> &'static str {
        "local"
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn models(&self) -> Vec<ModelInfo> {
        let description =
            "Gavel's own marker cross-encoder: typed questions about any state, in English, on the CPU";
        vec![ModelInfo {
            name: self.name.clone(),
            description: description.into(),
            release_date: self.config.release_date.clone(),
        }]
    }

    fn takes_any_model(&self) -> bool {
        false
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        tokio::time::timeout(self.deadline, self.answer(&input)).await.unwrap_or(Err(DecisionFault::Busy))
    }

    /// Answers a question of its own. When the queue is full, recently answered requests count instead.
    async fn probe(&self) -> Result<(), EngineError> {
        let question = Question {
            key: "q".into(),
            instructions: "Is this a question?".into(),
            kind: QuestionKind::Noul { yes: None, no: None },
        };
        let input = DecisionInput {
            state: "Is it?".into(),
            questions: Arc::from([question]),
            mode: DecisionMode::Isolated,
            model: None,
            flow: Flow::default(),
            checkpoint: None,
            parameters: Default::default(),
        };
        match tokio::time::timeout(PROBE_TIMEOUT, self.answer(&input)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(DecisionFault::Busy)) | Err(_) if self.answered_lately() => Ok(()),
            Ok(Err(DecisionFault::Busy)) | Err(_) => {
                Err(EngineError(format!("no question was answered within {} s", PROBE_TIMEOUT.as_secs())))
            }
            Ok(Err(DecisionFault::Engine(error) | DecisionFault::Upstream(error))) => Err(error),
            Ok(Err(DecisionFault::Invalid { field, message })) => {
                Err(EngineError(format!("{field} {message}")))
            }
        }
    }
}

impl std::fmt::Debug for DecisionModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecisionModel")
            .field("name", &self.name)
            .field("runtime", &self.base.runtime)
            .finish()
    }
}
