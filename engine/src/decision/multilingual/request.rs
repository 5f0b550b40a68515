//! A request as the multilingual network reads it.

use std::{ops::Range, sync::Arc};

use ports::{
    EngineError,
    decision::{DecisionFault, QuestionKind},
};

use super::texts::{Text, Texts, Window};
use crate::decision::layout::{self, groups};

/// The tokens of a window that is not read beside a question: a state that fits is read whole.
const BESIDE: usize = 110;

/// A question as text.
pub(crate) struct AskedQuestion<'a> {
    pub(crate) kind: &'a QuestionKind,
    pub(crate) text: &'a str,
    /// The texts of the options, in the order of the sequences.
    pub(crate) options: Vec<&'a str>,
}

/// The windows of the state, and the questions; `None` for a question that is longer than the network reads.
pub(crate) struct MultilingualRequest {
    pub(super) windows: Vec<Arc<Window>>,
    pub(super) questions: Vec<Option<MultilingualQuestion>>,
}

/// A question with its options in the order of the sequences, in groups.
pub(super) struct MultilingualQuestion {
    pub(super) kind: QuestionKind,
    pub(super) groups: Vec<Arc<QuestionGroup>>,
}

/// A question with some of its options.
pub(super) struct QuestionGroup {
    /// 0 for a choice, 1 for a score, 2 for yes or no.
    pub(super) kind: usize,
    pub(super) question: Arc<Text>,
    pub(super) options: Vec<Arc<Text>>,
}

impl MultilingualRequest {
    /// Tokenizes a state and the questions about it.
    ///
    /// # Errors
    /// A request with more than `max_tokens`, or a failure of the tokenizer.
    pub(super) fn of(
        texts: &Texts,
        state: &str,
        questions: &[AskedQuestion<'_>],
        max_tokens: usize,
    ) -> Result<Self, DecisionFault> {
        let windows = windows_of(texts, state).map_err(DecisionFault::Engine)?;
        let questions = questions.iter().map(|question| MultilingualQuestion::of(texts, question));
        let questions = questions.collect::<Result<Vec<_>, _>>().map_err(DecisionFault::Engine)?;
        let request = Self { windows, questions };
        let tokens = request.tokens();
        if tokens > max_tokens {
            let message =
                format!("must have at most {max_tokens} tokens together with the instructions, not {tokens}");
            return Err(DecisionFault::Invalid { field: "state".into(), message });
        }
        Ok(request)
    }

    /// The tokens that are read: those of the state once, those of each question and its options once for each window.
    pub(crate) fn tokens(&self) -> usize {
        let windows: usize = self.windows.iter().map(|window| window.ids.len()).sum();
        let questions: usize = self.questions.iter().flatten().map(MultilingualQuestion::tokens).sum();
        windows + questions * self.windows.len()
    }

    pub(crate) fn windows(&self) -> usize {
        self.windows.len()
    }

    /// Whether the network reads question `n`.
    pub(crate) fn reads(&self, n: usize) -> bool {
        self.questions.get(n).is_some_and(Option::is_some)
    }

    /// Replaces question `n`, unless the network would not read the new one.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn rephrase(
        &mut self,
        texts: &Texts,
        n: usize,
        question: &AskedQuestion<'_>,
    ) -> Result<(), EngineError> {
        if let Some(rephrased) = MultilingualQuestion::of(texts, question)? {
            self.questions[n] = Some(rephrased);
        }
        Ok(())
    }
}

impl MultilingualQuestion {
    fn of(texts: &Texts, question: &AskedQuestion<'_>) -> Result<Option<Self>, EngineError> {
        let kind = kind(question.kind);
        let Some(asked) = texts.text(question.text)? else { return Ok(None) };
        let options = question.options.iter().map(|option| texts.text(option));
        let Some(options) = options.collect::<Result<Option<Vec<_>>, _>>()? else { return Ok(None) };
        let lengths: Vec<usize> = options.iter().map(|option| option.joining()).collect();
        let groups = groups(asked.joining(), &lengths).into_iter().map(|group: Range<usize>| {
            Arc::new(QuestionGroup { kind, question: Arc::clone(&asked), options: options[group].to_vec() })
        });
        Ok(Some(Self { kind: question.kind.clone(), groups: groups.collect() }))
    }

    fn tokens(&self) -> usize {
        self.groups.iter().map(|group| group.tokens()).sum()
    }
}

impl QuestionGroup {
    /// The tokens that enter the upper layers.
    pub(super) fn tokens(&self) -> usize {
        self.texts().map(|text| text.joining()).sum()
    }

    /// The question and its options.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Arc<Text>> {
        std::iter::once(&self.question).chain(&self.options)
    }
}

/// The windows of a text.
pub(super) fn windows_of(texts: &Texts, text: &str) -> Result<Vec<Arc<Window>>, EngineError> {
    texts.windows(text, |tokens| layout::windows(tokens, BESIDE))
}

fn kind(kind: &QuestionKind) -> usize {
    match kind {
        QuestionKind::Choice(_) => 0,
        QuestionKind::Score(_) => 1,
        QuestionKind::Noul { .. } | QuestionKind::Prompt => 2,
    }
}
