//! The native text engine: linear models that score a message in microseconds on one core. Verdicts are the policy's.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    EngineError, Flow,
    moderation::{
        Categories, DomainScore, Mode, TextEngine, TextExplanation, TextFault, TextInput, TextScores, links,
    },
};
use tokio::sync::Semaphore;

use super::evidence::explain;
use super::features::Features;
use super::host::Hosts;
use super::linear::{HEADS, Linear};
use super::normalize::{Normalized, normalize};
use super::weights;

/// Words of a window. A longer message is scored as a whole and in overlapping windows, so that padding hides nothing.
const WINDOW_WORDS: usize = 24;
/// Bytes of all messages up to which they are scored on the calling thread; more go to the blocking pool.
const INLINE_BYTES: usize = 4_096;
/// Subtracted from a window's log-odds, since a long message has many windows.
const WINDOW_PENALTY: f32 = 1.0;
/// The least probability of a harm whose evidence is shown.
const EXPLAIN_FROM: f64 = 0.1;

/// The native engine. Cheap to clone.
#[derive(Clone, Debug)]
pub struct NativeText {
    models: Arc<Models>,
    cores: Arc<Semaphore>,
}

#[derive(Debug)]
struct Models {
    linear: Linear,
    hosts: Hosts,
    name: String,
}

impl NativeText {
    /// Loads the weights in the binary, in well under a millisecond.
    ///
    /// # Errors
    /// Weights that do not match their manifests; a test rules this out.
    pub fn load() -> Result<Self, EngineError> {
        let (linear, name) = weights::text().map_err(EngineError)?;
        let hosts = weights::hosts().map_err(EngineError)?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Self { models: Arc::new(Models { linear, hosts, name }), cores: Arc::new(Semaphore::new(cores)) })
    }

    /// Scores one message on the calling thread, in time linear in its length.
    pub fn score_one(&self, input: &TextInput) -> TextScores {
        self.models.score(input)
    }

    /// The model's name and version for a mode, such as `gavel-text-native-1.0.0`.
    pub fn model(&self, mode: Mode) -> String {
        self.models.name_for(mode)
    }
}

#[async_trait]
impl TextEngine for NativeText {
    async fn score(&self, _: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        if bytes <= INLINE_BYTES {
            return Ok(messages.iter().map(|message| self.models.score(message)).collect());
        }
        let mut tasks = Vec::new();
        for share in shares(messages, bytes) {
            let cores = Arc::clone(&self.cores);
            let permit = cores.acquire_owned().await.map_err(|cause| EngineError(cause.to_string()))?;
            let models = Arc::clone(&self.models);
            tasks.push(tokio::task::spawn_blocking(move || {
                let scores: Vec<TextScores> = share.iter().map(|message| models.score(message)).collect();
                drop(permit);
                scores
            }));
        }
        let mut scores = Vec::new();
        for task in tasks {
            scores.extend(task.await.map_err(|cause| EngineError(cause.to_string()))?);
        }
        Ok(scores)
    }
}

/// Splits messages, in order, into chunks of about 16 KiB.
fn shares(messages: Vec<TextInput>, bytes: usize) -> Vec<Vec<TextInput>> {
    let mut shares: Vec<Vec<TextInput>> = Vec::with_capacity(bytes / (4 * INLINE_BYTES) + 1);
    let mut filled = usize::MAX;
    for message in messages {
        if filled >= 4 * INLINE_BYTES {
            shares.push(Vec::new());
            filled = 0;
        }
        filled += message.content.len();
        if let Some(share) = shares.last_mut() {
            share.push(message);
        }
    }
    shares
}

impl Models {
    fn name_for(&self, mode: Mode) -> String {
        match mode {
            Mode::Native => self.name.clone(),
            Mode::Hybrid => format!("{} (guardrails only: no hybrid decoder installed)", self.name),
        }
    }

    fn score(&self, input: &TextInput) -> TextScores {
        let links = links::find(&input.content);
        let text = normalize(&input.content, &links);
        let (sums, windows) = self.sums(&text);
        let categories = std::array::from_fn(|head| self.linear.probability(head, sums[head]));
        let domain = |link: &links::Link| DomainScore {
            scam: self.hosts.scam(&link.host),
            host: link.host.clone(),
            start: link.host_start,
            end: link.host_end,
        };
        TextScores {
            model: self.name_for(input.mode),
            categories: Categories(categories),
            domains: links.iter().filter(|link| !link.email).map(domain).collect(),
            explanation: input.explain.then(|| TextExplanation {
                evidence: explain(&self.linear, &text, &windows, |head| categories[head] >= EXPLAIN_FROM),
                normalized_text: text.text,
            }),
        }
    }

    /// The highest sum of each head over the whole message and its windows, and the window that gave it.
    fn sums(&self, text: &Normalized) -> ([f32; HEADS], [Range<usize>; HEADS]) {
        let all = 0..text.words.len();
        let mut best = self.linear.sums(&Features::read(text, all.clone()));
        let mut from: [Range<usize>; HEADS] = std::array::from_fn(|_| all.clone());
        if all.end <= WINDOW_WORDS * 3 / 2 {
            return (best, from);
        }
        for start in (0..all.end - WINDOW_WORDS / 2).step_by(WINDOW_WORDS / 2) {
            let window = start..(start + WINDOW_WORDS).min(all.end);
            let sums = self.linear.sums(&Features::read(text, window.clone()));
            for head in 0..HEADS {
                let sum = sums[head] - WINDOW_PENALTY / self.linear.slope(head);
                if sum > best[head] {
                    best[head] = sum;
                    from[head] = window.clone();
                }
            }
        }
        (best, from)
    }
}
