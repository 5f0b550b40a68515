//! Loads the decision model and implements the domain's backend `local`. `layout` builds the sequences, `hybrid`
//! refines answers.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    EngineError, Flow,
    inference::{
        Decision, DecisionBackend, DecisionFault, DecisionInput, Mode, ModelInfo, Question, QuestionKind,
        Usage,
    },
};
use serde_json::{Map, Value, json};

use super::{
    config::Config,
    question::{TokenizedQuestion, TokenizedRequest},
    weights::WEIGHTS,
};
use crate::{
    encoder::{Backbone, Head, Order, QueueError, QueueLimits, Scorer, TokenEmbeddings, Weights},
    model_files::sha256,
    runtime::{OnnxRuntime, Runtime},
};

/// The deadline of a request.
const DEADLINE: Duration = Duration::from_secs(25);
/// The timeout of a probe. A request that was answered within this time counts as a success when the queue is full.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Tokens in a batch. Larger batches are no faster and delay other requests.
const BATCH_TOKENS: usize = 512;
/// The most work in the queue, in time: less than the deadline, since the queue's speed is an estimate.
const QUEUED_WORK: Duration = Duration::from_secs(15);
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

/// A decision model. Several can share a backbone.
pub struct DecisionModel {
    name: String,
    base: Base,
    head: Arc<Head>,
    config: Config,
    last_answered: Mutex<Instant>,
}

/// The parts that models on the same backbone share.
#[derive(Clone)]
struct Base {
    scorer: Arc<Scorer>,
    runtime: Runtime,
    /// The SHA-256 of the backbone's weight file.
    backbone: String,
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
        let backbone_hash = sha256(weights);
        let weights = Weights::read(weights).map_err(EngineError)?;
        let last = last_layer(&weights)?;
        let backbone = Backbone::load(&runtime, embeddings, &weights, last)?;
        let limits = QueueLimits { threads: options.threads, batch: BATCH_TOKENS, work: QUEUED_WORK };
        let scorer = Arc::new(Scorer::start(backbone, limits)?);
        Self::on(Base { scorer, runtime, backbone: backbone_hash, token_work: options.token_work }, &weights)
    }

    /// Loads a head's weight file and makes a model of it and this model's backbone.
    ///
    /// # Errors
    /// Not the weight file of a head, or a head that was trained on another backbone.
    pub fn with_head(&self, head: &[u8]) -> Result<Self, EngineError> {
        let weights = Weights::read(head).map_err(EngineError)?;
        let mut model = Self::on(self.base.clone(), &weights)?;
        match &model.config.backbone {
            Some(backbone) if *backbone != self.base.backbone => Err(EngineError(format!(
                "{}: was trained on the backbone {backbone}, not on {}",
                model.name, self.base.backbone
            ))),
            _ => {
                model.config = model.config.or(&self.config);
                Ok(model)
            }
        }
    }

    fn on(base: Base, weights: &Weights<'_>) -> Result<Self, EngineError> {
        let name = format!("{}-{}", weights.name, weights.version);
        let config =
            Config::parse(&weights.config).map_err(|error| EngineError(format!("{name}: {error}")))?;
        let head = Arc::new(Head::load(&base.runtime, weights, last_layer(weights)?)?);
        Ok(Self { name, base, head, config, last_answered: Mutex::new(Instant::now()) })
    }

    /// The runtime's name and version, such as `rten 0.27`.
    pub fn runtime(&self) -> &str {
        self.base.runtime.name()
    }

    async fn answer(&self, input: &DecisionInput) -> Result<Decision, DecisionFault> {
        let mut request = self.read(input).await?;
        let tokens = request.tokens();
        let all: Vec<usize> = (0..input.questions.len()).collect();
        let mut probabilities = vec![Vec::new(); all.len()];
        self.score(Order::first(input.flow), &request, &all, &mut probabilities).await?;
        let mut usage = Usage { input_tokens: tokens as u64, ..Usage::default() };
        if input.mode == Mode::Hybrid {
            let steps = input.parameters.steps.unwrap_or(DEFAULT_STEPS);
            usage.input_tokens += self.refine(input.flow, &mut request, steps, &mut probabilities).await?;
        }
        usage.output_tokens = all.len() as u64;
        let answers = input.questions.iter().zip(&request.questions).zip(&probabilities);
        let answers =
            answers.map(|((question, tokenized), p)| (question.key.clone(), shape(question, tokenized, p)));
        let answers = answers.collect();
        Ok(Decision { model: self.name.clone(), answers, usage, notes: request.notes(&input.questions) })
    }

    /// Tokenizes a request on the blocking pool.
    async fn read(&self, input: &DecisionInput) -> Result<TokenizedRequest, DecisionFault> {
        let (scorer, input) = (Arc::clone(&self.base.scorer), input.clone());
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
        let sequences = questions.iter().flat_map(|n| request.questions[*n].layout.sequences.iter().cloned());
        let logits = self.base.scorer.score(order, &self.head, sequences.collect()).await.map_err(
            |error| match error {
                QueueError::Busy => DecisionFault::Busy,
                QueueError::Failed(error) => DecisionFault::Engine(error),
            },
        )?;
        let mut logits = logits.as_slice();
        for n in questions {
            let tokenized = &request.questions[*n];
            let (own, rest) = logits.split_at(tokenized.layout.sequences.len());
            logits = rest;
            let sorted = self.config.probabilities(&tokenized.kind, &tokenized.layout.by_window(own));
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

/// The index of the last layer, which is part of the head.
fn last_layer(weights: &Weights<'_>) -> Result<usize, EngineError> {
    let fault = || EngineError(format!("{} {}: no layers", weights.name, weights.version));
    weights.layers().checked_sub(1).ok_or_else(fault)
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
        tokio::time::timeout(DEADLINE, self.answer(&input)).await.unwrap_or(Err(DecisionFault::Busy))
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
            mode: Mode::Native,
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
