//! A request as the model reads it: texts, their tokens, and how they are laid out.

use std::sync::Arc;

use domain::{
    inference::{Question, QuestionKind},
    ports::{DecisionFault, DecisionInput, EngineError},
};

use super::{
    layout::{LONGEST_HEAD, Laid, Parts},
    render::{self, Outcome},
};
use crate::encoder::Words;

/// A request.
pub(super) struct Reading {
    state: Arc<[u32]>,
    /// In the request's order.
    pub(super) asked: Vec<Asked>,
}

/// A question.
pub(super) struct Asked {
    pub(super) kind: QuestionKind,
    /// What is asked, in words.
    pub(super) text: String,
    pub(super) outcomes: Vec<Outcome>,
    /// The tokens of each outcome.
    options: Vec<Vec<u32>>,
    pub(super) laid: Laid,
}

impl Reading {
    /// Reads all of it.
    ///
    /// # Errors
    /// A question that is too long to leave room for a state; the tokenizer's own.
    pub(super) fn of(words: &Words, input: &DecisionInput) -> Result<Self, DecisionFault> {
        let state: Arc<[u32]> =
            words.tokens(&render::state(&input.state)).map_err(DecisionFault::Engine)?.into();
        let asked = input.questions.iter().map(|question| Asked::of(words, question, &state));
        Ok(Self { asked: asked.collect::<Result<_, _>>()?, state })
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
        words: &Words,
        n: usize,
        given: &[(String, String)],
    ) -> Result<(), EngineError> {
        let asked = &mut self.asked[n];
        let question = words.tokens(&render::with_given(&asked.text, given))?;
        let options = std::mem::take(&mut asked.options);
        let parts = Parts { question, outcomes: &asked.outcomes, options, state: &self.state };
        let laid = (parts.longest_head() <= LONGEST_HEAD).then(|| parts.lay());
        asked.options = parts.options;
        // One that has no room for the others' answers stays as it was.
        if let Some(laid) = laid {
            asked.laid = laid;
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
    fn of(words: &Words, question: &Question, state: &[u32]) -> Result<Self, DecisionFault> {
        let text = render::question(&question.instructions);
        let outcomes = render::outcomes(&question.kind);
        let options = outcomes.iter().map(|outcome| words.tokens(&outcome.text));
        let options = options.collect::<Result<Vec<_>, _>>().map_err(DecisionFault::Engine)?;
        let tokens = words.tokens(&text).map_err(DecisionFault::Engine)?;
        let parts = Parts { question: tokens, outcomes: &outcomes, options, state };
        let head = parts.longest_head();
        if head > LONGEST_HEAD {
            let message = format!(
                "must have at most {LONGEST_HEAD} tokens with the longest of its options, not {head}; what is long \
                 belongs into the state"
            );
            return Err(DecisionFault::Invalid { field: format!("instructions.{}", question.key), message });
        }
        let (laid, options) = (parts.lay(), parts.options);
        Ok(Self { kind: question.kind.clone(), text, outcomes, options, laid })
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
