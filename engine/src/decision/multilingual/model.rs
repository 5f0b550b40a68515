//! The multilingual network behind a queue.

use std::sync::Arc;

use ports::{
    EngineError,
    decision::{DecisionFault, QuestionKind},
};
use serde::Deserialize;

use super::{
    request::{AskedQuestion, MultilingualQuestion, MultilingualRequest, QuestionGroup, windows_of},
    texts::{Text, Texts, Window},
};
use crate::{
    decision::{
        config::{DecisionConfig, softmax},
        error::ConfigError,
        key_head::ln,
    },
    encoder::{
        BatchJob, Batcher, JoinInput, QueueLimits, QueueOrder, StateReader, TokenEmbeddings, WeightError,
        Weights, unit_mean,
    },
    error::{named, unnamed},
    runtime::Runtime,
};

/// The network.
pub(crate) struct Multilingual {
    shared: Arc<SharedNetwork>,
    batcher: Batcher<ReadJob, Vec<f32>>,
}

struct SharedNetwork {
    name: String,
    reader: Arc<StateReader>,
    texts: Texts,
    config: DecisionConfig,
    /// The temperatures of the mean of both networks' log-probabilities.
    together: Together,
}

/// The part of the config that is this network's own.
#[derive(Deserialize)]
struct MultilingualConfig {
    /// The first layer in which a question reads the state.
    split: usize,
    together: Together,
}

/// A temperature for each type of question.
#[derive(Clone, Copy, Deserialize)]
struct Together {
    choice: f64,
    score: f64,
    noul: f64,
}

/// A question, or a part of its options, about a window of the state; or that window's vector.
struct ReadJob {
    window: Arc<Window>,
    /// `None` to make the vector.
    group: Option<Arc<QuestionGroup>>,
}

impl Multilingual {
    /// Loads a weight file, and the words from the models' folder.
    ///
    /// # Errors
    /// A file that is missing or wrong, or a graph that the runtime refuses.
    pub(crate) fn load(
        weights: &'static [u8],
        embeddings: TokenEmbeddings,
        runtime: &Runtime,
        limits: QueueLimits,
    ) -> Result<Self, EngineError> {
        let weights = Weights::read_embedded(weights)?;
        let name = format!("{}-{}", weights.name, weights.version);
        let config = DecisionConfig::parse(&weights.config).map_err(|error| named(&name, error))?;
        let own = MultilingualConfig::parse(&weights.config).map_err(|error| named(&name, error))?;
        if own.split >= weights.layers() {
            return Err(named(&name, WeightError::NoLayers));
        }
        let reader = Arc::new(StateReader::load(runtime, Arc::new(embeddings), &weights, own.split)?);
        weights.release_pages();
        let texts = Texts::new(Arc::clone(&reader))?;
        let shared = SharedNetwork { name, reader, texts, config, together: own.together };
        Self::start(Arc::new(shared), limits)
    }

    /// The same network with a queue and threads of its own.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub(crate) fn with_queue(&self, limits: QueueLimits) -> Result<Self, EngineError> {
        Self::start(Arc::clone(&self.shared), limits)
    }

    fn start(shared: Arc<SharedNetwork>, limits: QueueLimits) -> Result<Self, EngineError> {
        let of_threads = Arc::clone(&shared.reader);
        let batcher = Batcher::start("gavel-reader", limits, move |batch| read(&of_threads, batch))?;
        Ok(Self { shared, batcher })
    }

    /// Its name and version.
    pub(crate) fn name(&self) -> &str {
        &self.shared.name
    }

    /// Such as `2026-11-27`.
    pub(crate) fn release_date(&self) -> &str {
        &self.shared.config.release_date
    }

    /// Tokenizes a state and the questions about it.
    ///
    /// # Errors
    /// A request with more than `max_tokens`, or a failure of the tokenizer.
    pub(crate) fn request(
        &self,
        state: &str,
        questions: &[AskedQuestion<'_>],
        max_tokens: usize,
    ) -> Result<MultilingualRequest, DecisionFault> {
        MultilingualRequest::of(&self.shared.texts, state, questions, max_tokens)
    }

    /// Replaces question `n`, unless the network would not read the new one.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(crate) fn rephrase(
        &self,
        request: &mut MultilingualRequest,
        n: usize,
        question: &AskedQuestion<'_>,
    ) -> Result<(), EngineError> {
        request.rephrase(&self.shared.texts, n, question)
    }

    /// The probabilities of some questions' options, in the order of the sequences; `None` for a question that the
    /// network does not read.
    ///
    /// # Errors
    /// [`DecisionFault::Busy`], or a failure of the runtime.
    pub(crate) async fn score(
        &self,
        order: QueueOrder,
        request: &MultilingualRequest,
        questions: &[usize],
    ) -> Result<Vec<Option<Vec<f64>>>, DecisionFault> {
        let asked = questions.iter().filter_map(|n| request.questions[*n].as_ref());
        let jobs: Vec<BatchJob<ReadJob>> = asked.flat_map(|question| jobs(request, question)).collect();
        let scores = self.batcher.run(order, jobs).await?;
        Ok(self.shared.probabilities(request, questions, &scores))
    }

    /// Like [`score`](Self::score), on the calling thread, bypassing the queue.
    ///
    /// # Errors
    /// A failure of the runtime.
    pub(crate) fn score_now(
        &self,
        request: &MultilingualRequest,
        questions: &[usize],
    ) -> Result<Vec<Option<Vec<f64>>>, EngineError> {
        let asked = questions.iter().filter_map(|n| request.questions[*n].as_ref());
        let jobs: Vec<ReadJob> =
            asked.flat_map(|question| jobs(request, question)).map(|job| job.work).collect();
        let scores = read(&self.shared.reader, &jobs)?;
        Ok(self.shared.probabilities(request, questions, &scores))
    }

    /// A unit vector for each text: the mean of those of its windows.
    ///
    /// # Errors
    /// [`DecisionFault::Busy`], or a failure of the tokenizer or the runtime.
    pub(crate) async fn embed(
        &self,
        order: QueueOrder,
        texts: Vec<String>,
    ) -> Result<Vec<Vec<f32>>, DecisionFault> {
        let shared = Arc::clone(&self.shared);
        let windows = tokio::task::spawn_blocking(move || {
            texts.iter().map(|text| windows_of(&shared.texts, text)).collect::<Result<Vec<_>, _>>()
        });
        let windows = windows.await.map_err(unnamed).and_then(|windows| windows);
        let windows = windows.map_err(DecisionFault::Engine)?;
        let jobs = windows.iter().flatten().map(|window| BatchJob {
            shape: 0,
            tokens: window.ids.len(),
            work: ReadJob { window: Arc::clone(window), group: None },
        });
        let vectors = self.batcher.run(order, jobs.collect()).await?;
        let mut rest = vectors.as_slice();
        let means = windows.iter().map(|windows| {
            let (own, others) = rest.split_at(windows.len());
            rest = others;
            unit_mean(own)
        });
        Ok(means.collect())
    }

    /// The answer of both networks: the mean of their log-probabilities, at a temperature.
    pub(crate) fn together(&self, kind: &QuestionKind, one: &[f64], other: &[f64]) -> Vec<f64> {
        let temperature = self.shared.together.of(kind);
        let means = one.iter().zip(other).map(|(p, q)| (ln(*p) + ln(*q)) / 2.0 / temperature);
        softmax(&means.collect::<Vec<_>>())
    }
}

impl SharedNetwork {
    /// `scores` are those of all jobs of the questions, in order.
    fn probabilities(
        &self,
        request: &MultilingualRequest,
        questions: &[usize],
        scores: &[Vec<f32>],
    ) -> Vec<Option<Vec<f64>>> {
        let mut rest = scores;
        let found = questions.iter().map(|n| {
            let question = request.questions[*n].as_ref()?;
            let groups = question.groups.len();
            let (own, others) = rest.split_at(groups * request.windows.len());
            rest = others;
            let windows = own.chunks(groups.max(1));
            let windows =
                windows.map(|groups| groups.iter().flatten().map(|score| f64::from(*score)).collect());
            Some(self.config.probabilities(&question.kind, &windows.collect::<Vec<_>>()))
        });
        found.collect()
    }
}

impl MultilingualConfig {
    fn parse(text: &str) -> Result<Self, ConfigError> {
        let config: Self = serde_json::from_str(text)?;
        let Together { choice, score, noul } = config.together;
        let usable =
            [choice, score, noul].iter().all(|temperature| temperature.is_finite() && *temperature > 0.0);
        usable.then_some(config).ok_or(ConfigError::Temperature)
    }
}

impl Together {
    fn of(&self, kind: &QuestionKind) -> f64 {
        match kind {
            QuestionKind::Choice(_) => self.choice,
            QuestionKind::Score(_) => self.score,
            QuestionKind::Noul { .. } | QuestionKind::Prompt => self.noul,
        }
    }
}

/// A job for each window and group, by window, then by group.
fn jobs<'a>(
    request: &'a MultilingualRequest,
    question: &'a MultilingualQuestion,
) -> impl Iterator<Item = BatchJob<ReadJob>> + 'a {
    request.windows.iter().flat_map(move |window| {
        question.groups.iter().map(move |group| {
            // The first question about a window pays for it, but all are made before it is known which is the first.
            let tokens = group.tokens() + window.ids.len() / request.questions.len().max(1);
            BatchJob {
                shape: 0,
                tokens,
                work: ReadJob { window: Arc::clone(window), group: Some(Arc::clone(group)) },
            }
        })
    })
}

/// The scores of each job's options, or its window's vector.
fn read(reader: &StateReader, batch: &[ReadJob]) -> Result<Vec<Vec<f32>>, EngineError> {
    encode_windows(reader, batch)?;
    encode_texts(reader, batch)?;
    let asked = batch.iter().filter_map(|job| job.group.as_ref().map(|group| job.input(group)));
    let inputs = asked.collect::<Option<Vec<_>>>();
    let inputs = inputs.ok_or_else(|| EngineError("a text was not encoded".into()))?;
    let mut scores = reader.join(&inputs)?.into_iter();
    let results = batch.iter().map(|job| match &job.group {
        Some(_) => scores.next(),
        None => job.window.encoded.get().map(|encoded| encoded.pooled().to_vec()),
    });
    results.collect::<Option<_>>().ok_or_else(|| EngineError("the reader skipped a job".into()))
}

/// Encodes the windows that are not encoded yet. Two threads may encode the same one; both results are the same, and
/// the first is kept.
fn encode_windows(reader: &StateReader, batch: &[ReadJob]) -> Result<(), EngineError> {
    let mut new: Vec<&Arc<Window>> = Vec::new();
    for ReadJob { window, .. } in batch {
        if window.encoded.get().is_none() && !new.iter().any(|other| Arc::ptr_eq(other, window)) {
            new.push(window);
        }
    }
    let inputs: Vec<_> = new.iter().map(|window| window.input()).collect();
    for (window, encoded) in new.iter().zip(reader.encode_states(&inputs)?) {
        window.encoded.get_or_init(|| Arc::new(encoded));
    }
    Ok(())
}

/// Encodes the questions and options that are not encoded yet.
fn encode_texts(reader: &StateReader, batch: &[ReadJob]) -> Result<(), EngineError> {
    let mut new: Vec<&Arc<Text>> = Vec::new();
    for text in batch.iter().filter_map(|job| job.group.as_ref()).flat_map(|group| group.texts()) {
        if text.encoded.get().is_none() && !new.iter().any(|other| Arc::ptr_eq(other, text)) {
            new.push(text);
        }
    }
    let ids: Vec<&[u32]> = new.iter().map(|text| text.ids.as_slice()).collect();
    for (text, encoded) in new.iter().zip(reader.encode_texts(&ids)?) {
        text.encoded.get_or_init(|| Arc::new(encoded));
    }
    Ok(())
}

impl ReadJob {
    /// `None` if a part of it is not encoded.
    fn input(&self, group: &QuestionGroup) -> Option<JoinInput> {
        let window = &self.window;
        Some(JoinInput {
            kind: group.kind,
            state: Arc::clone(window.encoded.get()?),
            question: group.question.beside(window)?,
            options: group.options.iter().map(|option| option.beside(window)).collect::<Option<_>>()?,
        })
    }
}

impl std::fmt::Debug for Multilingual {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Multilingual").field("name", &self.shared.name).finish_non_exhaustive()
    }
}
