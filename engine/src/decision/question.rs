//! A request as the model reads it: texts, their tokens, and how they are laid out.

use std::sync::Arc;

use domain::{
    inference::{Question, QuestionKind},
    ports::{DecisionFault, DecisionInput, EngineError},
};

use super::{
    layout::{LONGEST_QUESTION, Laid, Parts},
    render::{self, Outcome},
};
use crate::encoder::TokenEmbeddings;

/// A request.
pub(super) struct Reading {
    state: Arc<[u32]>,
    /// In the request's order.
    pub(super) asked: Vec<Asked>,
    /// Tokens that may be read at once.
    at_most: usize,
}

/// A question.
pub(super) struct Asked {
    pub(super) kind: QuestionKind,
    /// What is asked, in words.
    pub(super) text: String,
    pub(super) outcomes: Vec<Outcome>,
    /// The tokens of what is asked.
    question: Vec<u32>,
    /// The tokens of each outcome.
    options: Vec<Vec<u32>>,
    pub(super) laid: Laid,
}

impl Reading {
    /// Reads all of it, and lays nothing out before it is known to come to `at_most` tokens.
    ///
    /// # Errors
    /// More than that; a question that is too long to leave room for a state; the tokenizer's own.
    pub(super) fn of(
        embeddings: &TokenEmbeddings,
        input: &DecisionInput,
        at_most: usize,
    ) -> Result<Self, DecisionFault> {
        let text = render::state(&input.state).ok_or_else(|| too_long("state".into()))?;
        let state: Arc<[u32]> = embeddings.tokenize(&text).map_err(DecisionFault::Engine)?.into();
        let asked = input.questions.iter().map(|question| Asked::of(embeddings, question));
        let mut asked = asked.collect::<Result<Vec<_>, _>>()?;
        let tokens = asked.iter().map(|asked| asked.parts(&asked.question, &state).tokens()).sum::<usize>();
        if tokens > at_most {
            let message = format!(
                "and instructions must come to at most {at_most} tokens, the state read once for each question (more \
                 often when it is long), not {tokens}"
            );
            return Err(DecisionFault::Invalid { field: "state".into(), message });
        }
        for asked in &mut asked {
            asked.laid = asked.parts(&asked.question, &state).lay();
        }
        Ok(Self { asked, state, at_most })
    }

    /// Tokens to be read for all questions.
    pub(super) fn tokens(&self) -> usize {
        self.asked.iter().map(|asked| asked.laid.tokens()).sum()
    }

    /// Lays question `n` out anew, with other answers beside it.
    ///
    /// # Errors
    /// The tokenizer's own.
    pub(super) fn give(
        &mut self,
        embeddings: &TokenEmbeddings,
        n: usize,
        given: &[(String, String)],
    ) -> Result<(), EngineError> {
        let others = self.tokens() - self.asked[n].laid.tokens();
        let asked = &mut self.asked[n];
        let question = embeddings.tokenize(&render::with_given(&asked.text, given))?;
        let parts = asked.parts(&question, &self.state);
        // One that has no room for the others' answers stays as it was.
        if parts.longest_question() <= LONGEST_QUESTION && others + parts.tokens() <= self.at_most {
            asked.laid = parts.lay();
        }
        Ok(())
    }

    /// What the caller should know of how it was read.
    pub(super) fn notes(&self, questions: &[Question]) -> Vec<String> {
        let mut notes = Vec::new();
        let windows = self.asked.iter().map(|asked| asked.laid.windows).max().unwrap_or(1);
        if windows > 1 {
            notes.push(format!("the state was read in {windows} overlapping windows"));
        }
        for (question, asked) in questions.iter().zip(&self.asked) {
            let groups = asked.laid.groups.len();
            if groups > 1 {
                notes.push(format!("the options of {:?} were read in {groups} groups", question.key));
            }
        }
        notes
    }
}

impl Asked {
    /// Reads a question; it is not laid out yet.
    fn of(embeddings: &TokenEmbeddings, question: &Question) -> Result<Self, DecisionFault> {
        let field = || format!("instructions.{}", question.key);
        let text = render::question(&question.instructions).ok_or_else(|| too_long(field()))?;
        let outcomes = render::outcomes(&question.kind);
        let options = outcomes.iter().map(|outcome| embeddings.tokenize(&outcome.text));
        let options = options.collect::<Result<Vec<_>, _>>().map_err(DecisionFault::Engine)?;
        let tokens = embeddings.tokenize(&text).map_err(DecisionFault::Engine)?;
        let kind = question.kind.clone();
        let asked = Self { kind, text, outcomes, question: tokens, options, laid: Laid::default() };
        let tokens = asked.parts(&asked.question, &[]).longest_question();
        if tokens > LONGEST_QUESTION {
            let message = format!(
                "must have at most {LONGEST_QUESTION} tokens with the longest of its options, not {tokens}; what is long \
                 belongs into the state"
            );
            return Err(DecisionFault::Invalid { field: field(), message });
        }
        Ok(asked)
    }

    fn parts<'a>(&'a self, question: &'a [u32], state: &'a [u32]) -> Parts<'a> {
        Parts { question, outcomes: &self.outcomes, options: &self.options, state }
    }

    /// The question and its answer, as another question hears of them.
    pub(super) fn said(&self, probabilities: &[f64]) -> (String, String) {
        (self.text.clone(), self.outcomes[self.surest(probabilities)].text.clone())
    }

    /// The most probable outcome; among equals the first by its text, whatever the order they came in.
    pub(super) fn surest(&self, probabilities: &[f64]) -> usize {
        let mut order = self.laid.order.iter().copied();
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
