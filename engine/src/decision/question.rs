//! A request as the model reads it: texts, their tokens, and how they are laid out.

use std::sync::Arc;

use domain::{
    EngineError,
    inference::{DecisionFault, DecisionInput, Question, QuestionKind},
};

use super::{
    layout::{LONGEST_QUESTION, QuestionLayout, QuestionTokens},
    render::{self, Outcome},
};
use crate::encoder::TokenEmbeddings;

/// A request.
pub(super) struct TokenizedRequest {
    state: Arc<[u32]>,
    /// In the request's order.
    pub(super) questions: Vec<TokenizedQuestion>,
    /// Tokens that may be read at once.
    max_tokens: usize,
}

/// A question.
pub(super) struct TokenizedQuestion {
    pub(super) kind: QuestionKind,
    /// The question in words.
    pub(super) text: String,
    pub(super) outcomes: Vec<Outcome>,
    /// The tokens of the question.
    question: Vec<u32>,
    /// The tokens of each outcome.
    options: Vec<Vec<u32>>,
    pub(super) layout: QuestionLayout,
}

impl TokenizedRequest {
    /// Reads all of it, and lays nothing out before it is known to come to `max_tokens` tokens.
    ///
    /// # Errors
    /// More than that; a question that is too long to leave room for a state; the tokenizer's own.
    pub(super) fn of(
        embeddings: &TokenEmbeddings,
        input: &DecisionInput,
        max_tokens: usize,
    ) -> Result<Self, DecisionFault> {
        let text = render::state(&input.state).ok_or_else(|| too_long("state".into()))?;
        let state: Arc<[u32]> = embeddings.tokenize(&text).map_err(DecisionFault::Engine)?.into();
        let tokenized = input.questions.iter().map(|question| TokenizedQuestion::of(embeddings, question));
        let mut tokenized = tokenized.collect::<Result<Vec<_>, _>>()?;
        let tokens = tokenized
            .iter()
            .map(|tokenized| tokenized.parts(&tokenized.question, &state).tokens())
            .sum::<usize>();
        if tokens > max_tokens {
            let message = format!(
                "and instructions must come to at most {max_tokens} tokens, the state read once for each question (more \
                 often when it is long), not {tokens}"
            );
            return Err(DecisionFault::Invalid { field: "state".into(), message });
        }
        for tokenized in &mut tokenized {
            tokenized.layout = tokenized.parts(&tokenized.question, &state).layout();
        }
        Ok(Self { questions: tokenized, state, max_tokens })
    }

    /// Tokens to be read for all questions.
    pub(super) fn tokens(&self) -> usize {
        self.questions.iter().map(|tokenized| tokenized.layout.tokens()).sum()
    }

    /// Lays question `n` out anew, with other answers beside it.
    ///
    /// # Errors
    /// The tokenizer's own.
    pub(super) fn condition_on(
        &mut self,
        embeddings: &TokenEmbeddings,
        n: usize,
        given: &[(String, String)],
    ) -> Result<(), EngineError> {
        let others = self.tokens() - self.questions[n].layout.tokens();
        let tokenized = &mut self.questions[n];
        let question = embeddings.tokenize(&render::with_given(&tokenized.text, given))?;
        let parts = tokenized.parts(&question, &self.state);
        // One that has no room for the others' answers stays as it was.
        if parts.longest_question() <= LONGEST_QUESTION && others + parts.tokens() <= self.max_tokens {
            tokenized.layout = parts.layout();
        }
        Ok(())
    }

    /// What the caller should know of how it was read.
    pub(super) fn notes(&self, questions: &[Question]) -> Vec<String> {
        let mut notes = Vec::new();
        let windows = self.questions.iter().map(|tokenized| tokenized.layout.windows).max().unwrap_or(1);
        if windows > 1 {
            notes.push(format!("the state was read in {windows} overlapping windows"));
        }
        for (question, tokenized) in questions.iter().zip(&self.questions) {
            let groups = tokenized.layout.groups.len();
            if groups > 1 {
                notes.push(format!("the options of {:?} were read in {groups} groups", question.key));
            }
        }
        notes
    }
}

impl TokenizedQuestion {
    /// Reads a question; it is not laid out yet.
    fn of(embeddings: &TokenEmbeddings, question: &Question) -> Result<Self, DecisionFault> {
        let field = || format!("instructions.{}", question.key);
        let text = render::question(&question.instructions).ok_or_else(|| too_long(field()))?;
        let outcomes = render::outcomes(&question.kind);
        let options = outcomes.iter().map(|outcome| embeddings.tokenize(&outcome.text));
        let options = options.collect::<Result<Vec<_>, _>>().map_err(DecisionFault::Engine)?;
        let tokens = embeddings.tokenize(&text).map_err(DecisionFault::Engine)?;
        let kind = question.kind.clone();
        let tokenized =
            Self { kind, text, outcomes, question: tokens, options, layout: QuestionLayout::default() };
        let tokens = tokenized.parts(&tokenized.question, &[]).longest_question();
        if tokens > LONGEST_QUESTION {
            let message = format!(
                "must have at most {LONGEST_QUESTION} tokens with the longest of its options, not {tokens}; what is long \
                 belongs into the state"
            );
            return Err(DecisionFault::Invalid { field: field(), message });
        }
        Ok(tokenized)
    }

    fn parts<'a>(&'a self, question: &'a [u32], state: &'a [u32]) -> QuestionTokens<'a> {
        QuestionTokens { question, outcomes: &self.outcomes, options: &self.options, state }
    }

    /// The question and its answer, as another question hears of them.
    pub(super) fn question_and_answer(&self, probabilities: &[f64]) -> (String, String) {
        (self.text.clone(), self.outcomes[self.argmax(probabilities)].text.clone())
    }

    /// The most probable outcome; among equals the first by its text, whatever the order they came in.
    pub(super) fn argmax(&self, probabilities: &[f64]) -> usize {
        let mut order = self.layout.order.iter().copied();
        let first = order.next().unwrap_or(0);
        order.fold(first, |best, i| if probabilities[i] > probabilities[best] { i } else { best })
    }
}

fn too_long(field: String) -> DecisionFault {
    let longest = render::LONGEST;
    let message = format!(
        "must come to at most {longest} bytes in words, where each value has the names of all above it"
    );
    DecisionFault::Invalid { field, message }
}
