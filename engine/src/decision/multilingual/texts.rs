//! Texts as the multilingual network reads them: `<s> query: TEXT </s>`, each with its encoding once it is known.

use std::{
    num::NonZeroUsize,
    ops::Range,
    sync::{Arc, OnceLock},
};

use lru::LruCache;
use parking_lot::Mutex;
use ports::EngineError;

use crate::{
    decision::values::{Scales, TextValue, TokenizedText},
    encoder::{EncodedState, EncodedText, JoinText, StateInput, StateReader},
};

/// What the network was trained with before each text.
const PREFIX: &str = "query:";
/// The most tokens of a text with those around it; the longest in training.
const MOST_TOKENS: usize = 508;
/// The most questions and options whose encodings are kept for later requests, and the most tokens of each. Together
/// they take at most 19 MB.
const KEPT: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");
const KEPT_TOKENS: usize = 48;

/// A question or an option.
pub(super) struct Text {
    pub(super) ids: Vec<u32>,
    values: Vec<Option<TextValue>>,
    /// Tokens before those of the text itself.
    first: usize,
    pub(super) encoded: OnceLock<Arc<EncodedText>>,
}

/// A window of a state.
pub(super) struct Window {
    pub(super) ids: Vec<u32>,
    pub(super) ranks: Vec<u8>,
    pub(super) scales: Scales,
    pub(super) encoded: OnceLock<Arc<EncodedState>>,
}

/// Makes texts, and keeps those that are asked again and again.
pub(super) struct Texts {
    reader: Arc<StateReader>,
    /// `<s> query:`
    before: Vec<u32>,
    end: u32,
    kept: Mutex<LruCache<String, Arc<Text>>>,
}

impl Texts {
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn new(reader: Arc<StateReader>) -> Result<Self, EngineError> {
        let special = reader.embeddings().special();
        let mut before = vec![special.begin];
        before.extend(reader.embeddings().tokenize(PREFIX)?);
        Ok(Self { reader, before, end: special.end, kept: Mutex::new(LruCache::new(KEPT)) })
    }

    /// A question or an option; `None` if it is longer than the network reads.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn text(&self, text: &str) -> Result<Option<Arc<Text>>, EngineError> {
        if let Some(known) = self.kept.lock().get(text) {
            return Ok(Some(Arc::clone(known)));
        }
        let TokenizedText { ids, values } = TokenizedText::of(self.reader.embeddings(), text)?;
        if ids.len() > self.room() {
            return Ok(None);
        }
        let first = self.before.len();
        let made = Text { ids: self.wrapped(&ids), values, first, encoded: OnceLock::new() };
        let made = Arc::new(made);
        if made.ids.len() <= KEPT_TOKENS {
            self.kept.lock().put(text.to_owned(), Arc::clone(&made));
        }
        Ok(Some(made))
    }

    /// Windows of a state; `split` says where they are, given its tokens.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn windows(
        &self,
        state: &str,
        split: impl Fn(usize) -> Vec<Range<usize>>,
    ) -> Result<Vec<Arc<Window>>, EngineError> {
        let state = TokenizedText::of(self.reader.embeddings(), state)?;
        let windows = split(state.ids.len()).into_iter().map(|window| {
            let values = &state.values[window.clone()];
            let scales = Scales::of(values.iter());
            let mut ranks = vec![0; self.before.len()];
            ranks.extend(values.iter().map(|value| scales.rank(*value)));
            ranks.push(0);
            Arc::new(Window {
                ids: self.wrapped(&state.ids[window]),
                ranks,
                scales,
                encoded: OnceLock::new(),
            })
        });
        Ok(windows.collect())
    }

    /// The most tokens of a text itself.
    pub(super) fn room(&self) -> usize {
        MOST_TOKENS - self.before.len() - 1
    }

    fn wrapped(&self, ids: &[u32]) -> Vec<u32> {
        let mut wrapped = Vec::with_capacity(self.before.len() + ids.len() + 1);
        wrapped.extend(&self.before);
        wrapped.extend(ids);
        wrapped.push(self.end);
        wrapped
    }
}

impl Text {
    /// Tokens that enter the upper layers: the first one and those of the text itself.
    pub(super) fn joining(&self) -> usize {
        self.ids.len() - self.first
    }

    /// The encoded text beside a window of the state; `None` if it is not encoded.
    pub(super) fn beside(&self, window: &Window) -> Option<JoinText> {
        let mut ranks = vec![0; self.first];
        ranks.extend(self.values.iter().map(|value| window.scales.rank(*value)));
        let own = self.first..self.ids.len() - 1;
        let tokens = std::iter::once(0).chain(own).collect();
        Some(JoinText { text: Arc::clone(self.encoded.get()?), ranks, tokens })
    }
}

impl Window {
    pub(super) fn input(&self) -> StateInput<'_> {
        StateInput { ids: &self.ids, ranks: &self.ranks }
    }
}
