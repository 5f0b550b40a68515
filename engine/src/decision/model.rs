//! Loads the decision model and implements the domain's backend `local`. `layout` builds the sequences of the English
//! network, `multilingual` is the other one, and `joint` refines answers.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use ports::{
    EngineError, Flow,
    decision::{
        Decision, DecisionBackend, DecisionFault, DecisionInput, DecisionMode, HeadStore, ModelInfo,
        Question, QuestionKind, Usage,
    },
};
use serde_json::Map;

use super::{
    answer::answer,
    checkpoint::Checkpoint,
    checkpoint_cache::CheckpointCache,
    config::DecisionConfig,
    key_head::Evidence,
    listing::{english_info, model_infos},
    multilingual::{Multilingual, Networks},
    question::{Readers, TokenizedQuestion, TokenizedRequest},
    weights::{ENGLISH, MULTILINGUAL_WEIGHTS, NAME, WEIGHTS, embedded_backbone},
};
use crate::{
    encoder::{
        Backbone, Head, QueueLimits, QueueOrder, Scorer, ScoringInput, ScoringOutput, TokenEmbeddings,
        WeightError, Weights,
    },
    error::{named, unnamed},
    runtime::{OnnxRuntime, Runtime},
};

/// The deadline of a request, less than that of the API. It is far beyond [`DONE_WITHIN`], since the speed is an
/// estimate, and requests that come later take their shares.
const DEADLINE: Duration = Duration::from_secs(50);
/// The deadline of a request in the background, where all are admitted.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// The timeout of a probe. When the queue is full, a request that was answered within this time counts as a success.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Tokens in a batch. Larger batches are no faster and delay other requests.
const BATCH_TOKENS: usize = 256;
/// A request is admitted if it will be done within this time.
const DONE_WITHIN: Duration = Duration::from_secs(15);
/// The note for a request whose Checkpoint was trained on another model.
const OUTDATED: &str = "the Judge's Checkpoint was not used, since it was trained on another version of the model; \
                        train a new one";
/// Passes of a joint reading, unless the request sets them.
const DEFAULT_STEPS: u8 = 2;

/// The settings of a decision model.
#[derive(Clone, Debug)]
pub struct DecisionOptions {
    /// The folder with the token embeddings and, if installed, ONNX Runtime.
    pub models_dir: PathBuf,
    pub onnx_runtime: OnnxRuntime,
    /// The most tokens that a request's sequences may have together.
    pub token_work: usize,
    /// Worker threads; 0 means one for each core.
    pub threads: usize,
}

/// A decision model.
pub struct DecisionModel {
    name: String,
    shared: SharedParts,
    head: Arc<Head>,
    config: DecisionConfig,
    /// The network for other languages; a model of one weight file has none.
    multilingual: Option<Arc<Multilingual>>,
    /// The Checkpoints that requests name; `None` without a store.
    checkpoints: Option<CheckpointCache>,
    /// The Checkpoint that answers every request, whichever one it names.
    candidate: Option<Arc<Checkpoint>>,
    deadline: Duration,
    last_answered: Mutex<Instant>,
}

/// The parts that models on the same backbone share.
#[derive(Clone)]
struct SharedParts {
    scorer: Arc<Scorer>,
    runtime: Runtime,
    /// The SHA-256 of the English network's weight file.
    weights_sha256: String,
    /// What Checkpoints are pinned to: that hash, or one of both networks.
    backbone: String,
    /// The number of the last layer, which is the head's.
    last_layer: usize,
    token_work: usize,
}

impl DecisionModel {
    /// Loads the model in the binary. Blocks for nearly a second.
    ///
    /// # Errors
    /// The file that is missing or wrong.
    pub fn open(options: &DecisionOptions) -> Result<Self, EngineError> {
        let english = Self::load(&Weights::read_embedded(WEIGHTS)?, options)?;
        let words = TokenEmbeddings::open_multilingual(&options.models_dir)?;
        let runtime = &english.shared.runtime;
        let network =
            Multilingual::load(MULTILINGUAL_WEIGHTS, words, runtime, queue(options.threads, false))?;
        Ok(Self {
            name: NAME.into(),
            shared: SharedParts { backbone: embedded_backbone().into(), ..english.shared.clone() },
            multilingual: Some(Arc::new(network)),
            ..english
        })
    }

    /// Loads an English network alone from a weight file.
    ///
    /// # Errors
    /// Like [`open`](Self::open).
    pub fn of(weights: impl Into<Bytes>, options: &DecisionOptions) -> Result<Self, EngineError> {
        Self::load(&Weights::read(weights)?, options)
    }

    fn load(weights: &Weights, options: &DecisionOptions) -> Result<Self, EngineError> {
        let embeddings = TokenEmbeddings::shared(&options.models_dir)?;
        let runtime = Runtime::open(&options.onnx_runtime, &options.models_dir);
        let weights_sha256 = weights.sha256();
        let name = format!("{}-{}", weights.name, weights.version);
        let config = DecisionConfig::parse(&weights.config).map_err(|error| named(&name, error))?;
        let Some(last_layer) = weights.layers().checked_sub(1) else {
            return Err(named(&name, WeightError::NoLayers));
        };
        let head = Arc::new(Head::load(&runtime, weights, last_layer)?);
        let layers = Arc::new(Backbone::load(&runtime, embeddings, weights, last_layer)?);
        weights.release_pages();
        let scorer = Arc::new(Scorer::start(layers, queue(options.threads, false))?);
        Ok(Self {
            name,
            shared: SharedParts {
                scorer,
                runtime,
                backbone: weights_sha256.clone(),
                weights_sha256,
                last_layer,
                token_work: options.token_work,
            },
            head,
            config,
            multilingual: None,
            checkpoints: None,
            candidate: None,
            deadline: DEADLINE,
            last_answered: Mutex::new(Instant::now()),
        })
    }

    /// Answers requests that name a Checkpoint with its artefact from `store`. Keeps the most recently used in memory,
    /// up to `bytes` bytes of artefacts; in memory they take about three times as much.
    #[must_use]
    pub fn with_checkpoints(self, store: Arc<dyn HeadStore>, bytes: usize) -> Self {
        Self { checkpoints: Some(CheckpointCache::new(store, bytes)), ..self }
    }

    /// A model with the same weights and with a queue and threads of its own, of low priority, for work that can wait.
    /// It answers like this one, or like a Checkpoint with the artefact `candidate`.
    ///
    /// # Errors
    /// An artefact that cannot be used or was trained on another backbone; a thread that cannot be started.
    pub fn in_background(&self, threads: usize, candidate: Option<&[u8]>) -> Result<Self, EngineError> {
        let candidate = match candidate {
            Some(artefact) => Some(Arc::new(self.candidate(artefact)?)),
            None => None,
        };
        let scorer = Scorer::start(Arc::clone(self.shared.scorer.backbone()), queue(threads, true))?;
        let multilingual = match &self.multilingual {
            Some(network) => Some(Arc::new(network.with_queue(queue(threads, true))?)),
            None => None,
        };
        Ok(Self {
            name: self.name.clone(),
            shared: SharedParts { scorer: Arc::new(scorer), ..self.shared.clone() },
            head: Arc::clone(&self.head),
            config: self.config.clone(),
            multilingual,
            checkpoints: None,
            candidate,
            deadline: PATIENCE,
            last_answered: Mutex::new(Instant::now()),
        })
    }

    fn candidate(&self, artefact: &[u8]) -> Result<Checkpoint, EngineError> {
        self.shared.checkpoint(artefact.to_vec())?.ok_or_else(|| {
            EngineError(format!("the Checkpoint was trained on another model than {}", self.name))
        })
    }

    /// The runtime's name and version, such as `rten 0.27`.
    pub fn runtime(&self) -> &str {
        self.shared.runtime.name()
    }

    /// The hash that every Checkpoint is pinned to.
    pub fn backbone(&self) -> &str {
        &self.shared.backbone
    }

    /// The SHA-256 of the English network's weight file.
    pub(crate) fn weights_sha256(&self) -> &str {
        &self.shared.weights_sha256
    }

    pub(crate) fn scorer(&self) -> &Scorer {
        &self.shared.scorer
    }

    pub(crate) fn head(&self) -> &Arc<Head> {
        &self.head
    }

    pub(crate) fn config(&self) -> &DecisionConfig {
        &self.config
    }

    pub(crate) fn token_work(&self) -> usize {
        self.shared.token_work
    }

    /// The Checkpoint of a request, and the name of what answers. `None` for a Checkpoint that was trained on another
    /// model, such as an earlier version; the base model then answers.
    async fn checkpoint(
        &self,
        input: &DecisionInput,
    ) -> Result<(Option<Arc<Checkpoint>>, String), EngineError> {
        if let Some(candidate) = &self.candidate {
            return Ok((Some(Arc::clone(candidate)), format!("{}+candidate", self.name)));
        }
        let network = input.model.as_deref().filter(|name| self.is_network(name));
        let model = network.unwrap_or(&self.name);
        let Some(wanted) = &input.checkpoint else { return Ok((None, model.to_owned())) };
        let Some(cache) = &self.checkpoints else {
            return Err(named(&wanted.id, "there is no store of Checkpoints"));
        };
        Ok(match cache.get(wanted, |artefact| self.shared.clone().parse(artefact)).await? {
            Some(checkpoint) => (Some(checkpoint), format!("{model}+{}", wanted.id)),
            None => (None, model.to_owned()),
        })
    }

    /// Whether this is the name of one of its networks.
    fn is_network(&self, name: &str) -> bool {
        self.multilingual.as_ref().is_some_and(|network| name == network.name() || name == ENGLISH)
    }

    pub(super) async fn answer(&self, input: &DecisionInput) -> Result<Decision, DecisionFault> {
        let (checkpoint, model) = self.checkpoint(input).await.map_err(DecisionFault::Engine)?;
        let mut request = self.tokenize(input, checkpoint.is_some()).await?;
        let mut notes = request.notes(&input.questions);
        if let Some(checkpoint) = checkpoint {
            for (question, tokenized) in input.questions.iter().zip(&mut request.questions) {
                match checkpoint.part(&question.key, tokenized) {
                    Ok(part) => tokenized.part = part,
                    Err(note) => notes.push(note.to_string()),
                }
            }
        } else if input.checkpoint.is_some() {
            notes.push(OUTDATED.into());
        }
        let tokens = request.tokens();
        let all: Vec<usize> = (0..input.questions.len()).collect();
        let mut probabilities = vec![Vec::new(); all.len()];
        let order = QueueOrder::first(input.flow).within(input.group);
        self.score(order, &request, &all, &mut probabilities).await?;
        let mut usage = Usage { input_tokens: tokens as u64, ..Usage::default() };
        if input.mode == DecisionMode::Joint {
            let steps = input.parameters.steps.unwrap_or(DEFAULT_STEPS);
            usage.input_tokens +=
                self.refine_jointly(input.flow, &mut request, steps, &mut probabilities).await?;
        }
        usage.output_tokens = all.len() as u64;
        let mut answers = Map::new();
        for ((question, tokenized), p) in input.questions.iter().zip(&request.questions).zip(&probabilities) {
            answers.insert(question.key.clone(), answer(question, tokenized, p));
        }
        Ok(Decision { model, answers, usage, notes })
    }

    /// Tokenizes a request on the blocking pool. `features`: whether those of the English network are needed.
    async fn tokenize(
        &self,
        input: &DecisionInput,
        features: bool,
    ) -> Result<TokenizedRequest, DecisionFault> {
        let scorer = Arc::clone(&self.shared.scorer);
        let multilingual = self.multilingual.clone();
        let input = input.clone();
        let max_tokens = self.shared.token_work;
        let tokenized = tokio::task::spawn_blocking(move || {
            let multilingual = multilingual.as_deref();
            let readers = Readers { embeddings: scorer.embeddings(), multilingual, features };
            TokenizedRequest::of(readers, &input, max_tokens)
        });
        tokenized.await.unwrap_or_else(|error| Err(DecisionFault::Engine(unnamed(error))))
    }

    /// Scores the given questions together and writes their probabilities.
    pub(super) async fn score(
        &self,
        order: QueueOrder,
        request: &TokenizedRequest,
        questions: &[usize],
        probabilities: &mut [Vec<f64>],
    ) -> Result<(), DecisionFault> {
        let english = self.score_in_english(order, request, questions);
        let multilingual = self.score_multilingually(order, request, questions);
        let both = tokio::try_join!(english, multilingual)?;
        let others = both.1;
        let mut outputs = both.0.as_slice();
        for (n, other) in questions.iter().zip(others) {
            let tokenized = &request.questions[*n];
            let (own, rest) = outputs.split_at(tokenized.layout.sequences.len());
            outputs = rest;
            let evidence = self.evidence(request.networks, tokenized, own, other);
            probabilities[*n] = probabilities_of(tokenized, evidence).map_err(DecisionFault::Engine)?;
        }
        *self.last_answered.lock() = Instant::now();
        Ok(())
    }

    /// The outputs of the English network for all sequences of the questions.
    async fn score_in_english(
        &self,
        order: QueueOrder,
        request: &TokenizedRequest,
        questions: &[usize],
    ) -> Result<Vec<ScoringOutput>, DecisionFault> {
        let inputs: Vec<ScoringInput> =
            questions.iter().flat_map(|n| request.questions[*n].scoring_inputs(&self.head)).collect();
        Ok(self.shared.scorer.score(order, inputs).await?)
    }

    /// For each question, the probabilities by the multilingual network if it reads the question.
    async fn score_multilingually(
        &self,
        order: QueueOrder,
        request: &TokenizedRequest,
        questions: &[usize],
    ) -> Result<Vec<Option<Vec<f64>>>, DecisionFault> {
        match (&self.multilingual, &request.multilingual) {
            (Some(network), Some(part)) => network.score(order, part, questions).await,
            _ => Ok(vec![None; questions.len()]),
        }
    }

    /// What the networks computed for a question. `other`: the probabilities by the multilingual one, if it was asked.
    fn evidence(
        &self,
        networks: Networks,
        tokenized: &TokenizedQuestion,
        outputs: &[ScoringOutput],
        other: Option<Vec<f64>>,
    ) -> Evidence {
        let mut evidence = tokenized.evidence(&self.config, outputs);
        if let (Some(network), Some(other)) = (&self.multilingual, other) {
            evidence.zero_shot = match networks {
                Networks::Both => network.together(&tokenized.kind, &evidence.zero_shot, &other),
                Networks::English | Networks::Multilingual => other,
            };
        }
        evidence
    }

    /// What the networks know of the only question of a request, on the calling thread. `outputs`: those of the English
    /// network.
    ///
    /// # Errors
    /// A failure of the runtime.
    pub(crate) fn evidence_now(
        &self,
        request: &TokenizedRequest,
        outputs: &[ScoringOutput],
    ) -> Result<Evidence, EngineError> {
        let tokenized = &request.questions[0];
        let other = match (&self.multilingual, &request.multilingual) {
            (Some(network), Some(part)) => network.score_now(part, &[0])?.pop().flatten(),
            _ => None,
        };
        Ok(self.evidence(request.networks, tokenized, outputs, other))
    }

    /// What reads requests; `features`: whether those of the English network are needed.
    pub(crate) fn readers(&self, features: bool) -> Readers<'_> {
        let embeddings = self.shared.scorer.embeddings();
        Readers { embeddings, multilingual: self.multilingual.as_deref(), features }
    }

    fn answered_recently(&self) -> bool {
        self.last_answered.lock().elapsed() < PROBE_TIMEOUT
    }
}

/// The probability of each outcome, in the question's order.
fn probabilities_of(tokenized: &TokenizedQuestion, evidence: Evidence) -> Result<Vec<f64>, EngineError> {
    let sorted = match &tokenized.part {
        Some(part) => part.probabilities(&evidence)?,
        None => evidence.zero_shot,
    };
    Ok(tokenized.layout.in_question_order(&sorted))
}

impl SharedParts {
    fn checkpoint(&self, artefact: Vec<u8>) -> Result<Option<Checkpoint>, EngineError> {
        Checkpoint::read(artefact, &self.runtime, &self.backbone, self.last_layer)
    }

    /// Reads an artefact on the blocking pool.
    async fn parse(self, artefact: Vec<u8>) -> Result<Option<Checkpoint>, EngineError> {
        let parsed = tokio::task::spawn_blocking(move || self.checkpoint(artefact)).await;
        parsed.unwrap_or_else(|error| Err(unnamed(error)))
    }
}

/// The limits of the queue.
fn queue(threads: usize, background: bool) -> QueueLimits {
    let done_within = if background { PATIENCE } else { DONE_WITHIN };
    QueueLimits { threads, batch: BATCH_TOKENS, done_within, background }
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
        match &self.multilingual {
            Some(network) => model_infos(self.config.release_date.clone(), network.release_date().to_owned()),
            None => vec![english_info(self.name.clone(), self.config.release_date.clone())],
        }
    }

    fn takes_any_model(&self) -> bool {
        false
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        tokio::time::timeout(self.deadline, self.answer(&input)).await.unwrap_or(Err(DecisionFault::Busy))
    }

    async fn embed(&self, flow: Flow, texts: Vec<String>) -> Result<Option<Vec<Vec<f32>>>, DecisionFault> {
        let Some(network) = &self.multilingual else { return Ok(None) };
        network.embed(QueueOrder::first(flow), texts).await.map(Some)
    }

    /// Answers a test question. When the queue is full, a recently answered request counts instead.
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
            group: None,
            checkpoint: None,
            parameters: Default::default(),
        };
        match tokio::time::timeout(PROBE_TIMEOUT, self.answer(&input)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(DecisionFault::Busy)) | Err(_) if self.answered_recently() => Ok(()),
            Ok(Err(DecisionFault::Busy)) | Err(_) => {
                Err(EngineError(format!("no question was answered within {} s", PROBE_TIMEOUT.as_secs())))
            }
            Ok(Err(DecisionFault::Engine(error))) => Err(error),
            Ok(Err(DecisionFault::Invalid { field, message })) => {
                Err(EngineError(format!("{field} {message}")))
            }
            Ok(Err(fault)) => Err(EngineError(format!("{fault:?} in process"))),
        }
    }
}

impl std::fmt::Debug for DecisionModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecisionModel").field("name", &self.name).finish_non_exhaustive()
    }
}
