//! The native text engine: guardrails on one CPU core in microseconds. Decides nothing; a policy does that with its scores.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    EngineError,
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

/// Words a message may have before it is also read in overlapping windows, so that length hides nothing.
const WINDOW_WORDS: usize = 24;
/// Bytes of content, all messages together, that are scored on the calling thread; more goes to the blocking pool.
const INLINE_BYTES: usize = 4_096;
/// What a window's log-odds lose against the whole message's, for having many chances.
const WINDOW_PENALTY: f32 = 1.0;
/// Probability from which a harm's evidence is worth showing.
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
    /// Binds the weights in the binary; takes well under a millisecond.
    ///
    /// # Errors
    /// Weights that do not match their manifests, which a test of this crate rules out.
    pub fn load() -> Result<Self, EngineError> {
        let (linear, name) = weights::text().map_err(EngineError)?;
        let hosts = weights::hosts().map_err(EngineError)?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Self { models: Arc::new(Models { linear, hosts, name }), cores: Arc::new(Semaphore::new(cores)) })
    }

    /// Scores one message on the calling thread. Its cost is linear in its length.
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
    async fn score(&self, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
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

/// Cuts messages, in order, into shares of about 16 KiB.
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

    /// The highest sum for each head over the whole message and its windows, and which of them gave it.
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
