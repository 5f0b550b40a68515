//! The linear models of the native engine, and how they read a message.

use std::ops::Range;

use ports::{
    EngineError,
    text::{Categories, DomainScore, LexiconHit, TextExplanation, TextInput, TextMode, TextScores, links},
};

use super::{
    evidence::explain,
    host::HostModel,
    language::{ABUSE, Language, LanguagePenalties},
    lexicon::Lexicon,
    linear::{HEADS, LinearModel, sigmoid},
    normalize::normalize,
    weights::{self, TextModel},
    window_sums::WindowSums,
    windows::{TextWindow, message_windows, sentences},
    words::Normalized,
};

/// The least probability of a harm whose evidence is shown.
const EXPLAIN_FROM: f64 = 0.1;

/// The models of the native engine.
#[derive(Debug)]
pub(super) struct NativeModels {
    linear: LinearModel,
    hosts: HostModel,
    languages: LanguagePenalties,
    name: String,
}

/// A message as the models read it.
#[derive(Debug)]
pub(super) struct NativeReading {
    pub(super) links: Vec<links::Link>,
    pub(super) text: Normalized,
    pub(super) sentences: Vec<Range<usize>>,
    /// Every window, the whole message first.
    pub(super) windows: Vec<ScoredWindow>,
    /// The language of the whole message.
    pub(super) language: Language,
    pub(super) lexicon: Vec<LexiconHit>,
}

/// A window with its scores.
#[derive(Debug)]
pub(super) struct ScoredWindow {
    pub(super) window: TextWindow,
    /// The sum of each head.
    sums: [f32; HEADS],
    /// The penalty of its language.
    language_penalty: f32,
}

impl NativeModels {
    /// Combines a text model with the domain-name model in the binary.
    pub(super) fn with(text: TextModel) -> Result<Self, EngineError> {
        let TextModel { linear, languages, name } = text;
        Ok(Self { linear, hosts: weights::hosts()?, languages, name })
    }

    pub(super) fn name_for(&self, mode: TextMode) -> String {
        match mode {
            TextMode::Native => self.name.clone(),
            TextMode::Hybrid => format!("{} (guardrails only: no hybrid decoder installed)", self.name),
        }
    }

    pub(super) fn score(&self, input: &TextInput) -> TextScores {
        self.rate(input, &self.read(&input.content))
    }

    pub(super) fn read(&self, content: &str) -> NativeReading {
        let links = links::find(content);
        let text = normalize(content, &links);
        let sentences = sentences(content, &text);
        let mut sums = WindowSums::new(&self.linear, &text);
        let mut windows = Vec::new();
        for window in message_windows(content, &text, &sentences) {
            let language = Language::detect(content, &text, window.words.clone());
            windows.push(ScoredWindow {
                sums: sums.of(window.words.clone()),
                language_penalty: self.languages.of(language),
                window,
            });
        }
        let language = Language::detect(content, &text, 0..text.words.len());
        let lexicon = Lexicon::shared()
            .map_or_else(Vec::new, |all| all.find(content, &text, &sentences, language.tag()));
        NativeReading { links, text, sentences, windows, language, lexicon }
    }

    pub(super) fn rate(&self, input: &TextInput, reading: &NativeReading) -> TextScores {
        let categories = self.categories(reading, &(0..reading.text.words.len()), 0.0);
        let links = reading.links.iter().filter(|link| !link.email);
        TextScores {
            model: self.name_for(input.mode),
            categories,
            lexicon: reading.lexicon.clone(),
            domains: links.map(|link| self.domain_score(link)).collect(),
            explanation: input.explain.then(|| self.explain(reading, &categories)),
        }
    }

    fn domain_score(&self, link: &links::Link) -> DomainScore {
        DomainScore {
            scam: self.hosts.scam(&link.host),
            host: link.host.clone(),
            start: link.host_start,
            end: link.host_end,
        }
    }

    fn explain(&self, reading: &NativeReading, categories: &Categories) -> TextExplanation {
        let worst: [&Range<usize>; HEADS] = std::array::from_fn(|head| {
            self.worst(reading, head).map_or(&(0..0), |(window, _)| &window.words)
        });
        let evidence =
            explain(&self.linear, &reading.text, &worst, |head| categories.0[head] >= EXPLAIN_FROM);
        TextExplanation {
            evidence,
            normalized_text: reading.text.text.clone(),
            language: reading.language.tag(),
        }
    }

    /// The highest probability of each harm in the windows within some words, less their penalties beyond `penalty`.
    pub(super) fn categories(
        &self,
        reading: &NativeReading,
        words: &Range<usize>,
        penalty: f32,
    ) -> Categories {
        Categories(std::array::from_fn(|head| {
            let within = reading.windows.iter().filter(|scored| {
                words.start <= scored.window.words.start && scored.window.words.end <= words.end
            });
            let most = within.map(|scored| self.log_odds(head, scored)).fold(f64::NEG_INFINITY, f64::max);
            sigmoid(most + f64::from(penalty))
        }))
    }

    /// The window with the highest log-odds of a harm, of equals the first, and these log-odds.
    pub(super) fn worst<'a>(&self, reading: &'a NativeReading, head: usize) -> Option<(&'a TextWindow, f64)> {
        let scored = reading.windows.iter().map(|scored| (&scored.window, self.log_odds(head, scored)));
        scored.reduce(|worst, next| if next.1 > worst.1 { next } else { worst })
    }

    pub(super) fn log_odds(&self, head: usize, scored: &ScoredWindow) -> f64 {
        let language_penalty = if ABUSE.contains(&head) { scored.language_penalty } else { 0.0 };
        let log_odds = self.linear.log_odds(head, scored.sums[head]);
        log_odds - f64::from(scored.window.penalty + language_penalty)
    }
}
