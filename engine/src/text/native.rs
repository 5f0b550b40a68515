//! The native text engine: linear models that score a message in microseconds on one core. Verdicts are the policy's.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use ports::{
    EngineError, Flow,
    text::{
        Categories, Category, DomainScore, TextEngine, TextExplanation, TextFault, TextInput, TextMode,
        TextScores, links,
    },
};
use tokio::sync::Semaphore;

use super::evidence::explain;
use super::host::Hosts;
use super::language::{ABUSE, Language, LanguagePenalties};
use super::linear::{HEADS, Linear, sigmoid};
use super::normalize::{Normalized, normalize};
use super::weights;
use super::window_sums::WindowSums;
use super::windows::{Window, message_windows, sentence_windows, sentences};

/// Sentences up to which the encoder reads pairs of them, and all but the first or the last.
const PAIRED_SENTENCES: usize = 8;
/// The least probability of any harm with which the encoder reads a sentence by itself. Chosen on dev: higher, and padding hides
/// harms that the encoder alone finds.
const SUSPICIOUS: f64 = 0.05;
/// The least log-odds of a harm with which the encoder reads the window within a sentence that is worst for it.
const CUT_LOG_ODDS: f64 = -1.5;
/// Bytes of all messages up to which they are read on the calling thread; more go to the blocking pool.
pub(super) const INLINE_BYTES: usize = 4_096;
/// The least probability of a harm whose evidence is shown.
const EXPLAIN_FROM: f64 = 0.1;

/// The native engine. Cheap to clone.
#[derive(Clone, Debug)]
pub struct NativeText {
    models: Arc<Models>,
    cores: Arc<Semaphore>,
}

/// A message as the models read it.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) links: Vec<links::Link>,
    pub(super) text: Normalized,
    pub(super) sentences: Vec<Range<usize>>,
    /// Every window, the whole message first.
    windows: Vec<Scored>,
}

/// A window with what the model says of it.
#[derive(Debug)]
struct Scored {
    window: Window,
    /// The sum of each head.
    sums: [f32; HEADS],
    /// The penalty of its language.
    language_penalty: f32,
}

#[derive(Debug)]
struct Models {
    linear: Linear,
    hosts: Hosts,
    languages: LanguagePenalties,
    name: String,
}

impl NativeText {
    /// Loads the weights in the binary, in well under a millisecond.
    ///
    /// # Errors
    /// Weights that do not match their manifests; a test rules this out.
    pub fn load() -> Result<Self, EngineError> {
        Self::with(weights::text())
    }

    /// Loads the text model of a manifest and its table, to measure other weights than those in the binary.
    ///
    /// # Errors
    /// A manifest that cannot be parsed, or a table of the wrong length.
    pub fn of(manifest: &str, table: &'static [u8]) -> Result<Self, EngineError> {
        Self::with(weights::text_of(manifest, table))
    }

    fn with(text: Result<weights::Text, String>) -> Result<Self, EngineError> {
        let weights::Text { linear, languages, name } = text.map_err(EngineError)?;
        let hosts = weights::hosts().map_err(EngineError)?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let models = Models { linear, hosts, languages, name };
        Ok(Self { models: Arc::new(models), cores: Arc::new(Semaphore::new(cores)) })
    }

    /// Scores one message on the calling thread, in time linear in its length.
    pub fn score_one(&self, input: &TextInput) -> TextScores {
        self.models.score(input)
    }

    /// Like [`score_one`](Self::score_one), with what the encoder needs besides.
    pub(super) fn score_windows(&self, input: &TextInput) -> (TextScores, Reading) {
        let reading = self.models.read(&input.content);
        (self.models.rate(input, &reading), reading)
    }

    /// The windows that the encoder should read by themselves: sentences where some harm is not improbable, pairs of neighbours where one
    /// is more probable than in either, all but the first or the last sentence where that one is harmless and the rest may be more than toxic, and
    /// the cut windows that are worst for a probable harm. With
    /// each the highest probability of each harm in the windows within it, less their penalties beyond its own.
    pub(super) fn suspects(
        &self,
        reading: &Reading,
        sentences: &[Range<usize>],
    ) -> Vec<(Window, Categories)> {
        let models = &self.models;
        let rated = |window: Window| {
            let categories = models.categories(reading, &window.words, window.penalty);
            (window, categories)
        };
        let is_suspicious = |(_, rated): &(Window, Categories)| rated.0.iter().any(|p| *p >= SUSPICIOUS);
        let could_act = |(_, rated): &(Window, Categories)| {
            let mut others = (0..HEADS).filter(|head| *head != Category::Toxic as usize);
            others.any(|head| rated.0[head] >= SUSPICIOUS)
        };
        let singles: Vec<_> = sentence_windows(&reading.text, sentences, 1).into_iter().map(rated).collect();
        let mut found = Vec::new();
        if singles.len() <= PAIRED_SENTENCES {
            let own =
                |words: &Range<usize>| reading.windows.iter().find(|scored| scored.window.words == *words);
            for pair in singles.windows(2) {
                let [(first, first_rated), (second, second_rated)] = pair else { continue };
                let words = first.words.start..second.words.end;
                let Some(scored) =
                    own(&words).filter(|scored| scored.window.words.len() < reading.text.words.len())
                else {
                    continue;
                };
                let together = (0..HEADS).any(|head| {
                    let p = sigmoid(models.log_odds(head, scored));
                    p >= SUSPICIOUS && p > first_rated.0[head].max(second_rated.0[head])
                });
                if together {
                    found.push(rated(scored.window.clone()));
                }
            }
        }
        // What several sentences say together is read without the harmless one that was put before or behind it.
        if let [first, middle @ .., last] = singles.as_slice()
            && let (Some(second), Some(last_but_one)) = (middle.first(), middle.last())
            && singles.len() <= PAIRED_SENTENCES
        {
            let rests = [
                (first, second.0.words.start..last.0.words.end),
                (last, first.0.words.start..last_but_one.0.words.end),
            ];
            for (_, words) in rests.into_iter().filter(|(without, _)| !is_suspicious(without)) {
                let rest = rated(Window { words, ..first.0.clone() });
                if could_act(&rest) && !found.iter().any(|(known, _)| *known == rest.0) {
                    found.push(rest);
                }
            }
        }
        found.extend(singles.into_iter().filter(is_suspicious));
        for head in 0..HEADS {
            let worst = models
                .worst(reading, head)
                .filter(|(window, log_odds)| window.cut && *log_odds > CUT_LOG_ODDS);
            let new = worst.filter(|(window, _)| !found.iter().any(|(known, _)| known == *window));
            found.extend(new.map(|(window, _)| rated(window.clone())));
        }
        // A single sentence is the whole, which the encoder reads anyway.
        found.retain(|(window, _)| window.words.len() < reading.text.words.len());
        found
    }

    /// The model's name and version for a mode, such as `gavel-text-native-1.8.0`.
    pub fn model(&self, mode: TextMode) -> String {
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
    fn name_for(&self, mode: TextMode) -> String {
        match mode {
            TextMode::Native => self.name.clone(),
            TextMode::Hybrid => format!("{} (guardrails only: no hybrid decoder installed)", self.name),
        }
    }

    fn score(&self, input: &TextInput) -> TextScores {
        self.rate(input, &self.read(&input.content))
    }

    fn read(&self, content: &str) -> Reading {
        let links = links::find(content);
        let text = normalize(content, &links);
        let sentences = sentences(content, &text);
        let mut sums = WindowSums::new(&self.linear, &text);
        let score = |window: Window| Scored {
            sums: sums.of(window.words.clone()),
            language_penalty: self.languages.of(Language::detect(content, &text, window.words.clone())),
            window,
        };
        let windows = message_windows(content, &text, &sentences).into_iter().map(score).collect();
        Reading { links, text, sentences, windows }
    }

    fn rate(&self, input: &TextInput, reading: &Reading) -> TextScores {
        let best: [&Range<usize>; HEADS] = std::array::from_fn(|head| {
            self.worst(reading, head).map_or(&(0..0), |(window, _)| &window.words)
        });
        let categories = self.categories(reading, &(0..reading.text.words.len()), 0.0);
        let domain = |link: &links::Link| DomainScore {
            scam: self.hosts.scam(&link.host),
            host: link.host.clone(),
            start: link.host_start,
            end: link.host_end,
        };
        TextScores {
            model: self.name_for(input.mode),
            categories,
            domains: reading.links.iter().filter(|link| !link.email).map(domain).collect(),
            explanation: input.explain.then(|| TextExplanation {
                evidence: explain(&self.linear, &reading.text, &best, |head| {
                    categories.0[head] >= EXPLAIN_FROM
                }),
                normalized_text: reading.text.text.clone(),
                language: Language::detect(&input.content, &reading.text, 0..reading.text.words.len()).tag(),
            }),
        }
    }

    /// The highest probability of each harm in the windows within some words, less their penalties beyond `penalty`.
    fn categories(&self, reading: &Reading, words: &Range<usize>, penalty: f32) -> Categories {
        let within = |window: &Window| words.start <= window.words.start && window.words.end <= words.end;
        Categories(std::array::from_fn(|head| {
            let scored = reading.windows.iter().filter(|scored| within(&scored.window));
            let most = scored.map(|scored| self.log_odds(head, scored)).fold(f64::NEG_INFINITY, f64::max);
            sigmoid(most + f64::from(penalty))
        }))
    }

    /// The window with the highest log-odds of a harm, of equals the first, and these log-odds.
    fn worst<'a>(&self, reading: &'a Reading, head: usize) -> Option<(&'a Window, f64)> {
        let scored = reading.windows.iter().map(|scored| (&scored.window, self.log_odds(head, scored)));
        scored.reduce(|worst, next| if next.1 > worst.1 { next } else { worst })
    }

    fn log_odds(&self, head: usize, Scored { window, sums, language_penalty }: &Scored) -> f64 {
        let language_penalty = if ABUSE.contains(&head) { *language_penalty } else { 0.0 };
        self.linear.log_odds(head, sums[head]) - f64::from(window.penalty + language_penalty)
    }
}
