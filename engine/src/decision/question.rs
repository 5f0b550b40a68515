//! Turns a request into tokens and sequences.

use std::sync::Arc;

use ports::{
    EngineError,
    decision::{DecisionFault, DecisionInput, Question, QuestionKind},
};

use super::{
    checkpoint::{Evidence, KeyHead},
    config::Config,
    layout::{LONGEST_QUESTION, QuestionLayout, QuestionTokens},
    render::{self, Outcome},
    values::TokenizedText,
};
use crate::{
    encoder::{Head, Read, Reading, Sequence, TokenEmbeddings},
    model_files::sha256,
};

/// A request in tokens.
pub(crate) struct TokenizedRequest {
    state: TokenizedText,
    pub(crate) questions: Vec<TokenizedQuestion>,
    /// The most tokens that the sequences may have together.
    max_tokens: usize,
}

/// A question in tokens.
pub(crate) struct TokenizedQuestion {
    pub(crate) kind: QuestionKind,
    /// The question as text.
    pub(super) text: String,
    pub(crate) outcomes: Vec<Outcome>,
    question: TokenizedText,
    /// The tokens of each outcome's text.
    options: Vec<TokenizedText>,
    pub(crate) layout: QuestionLayout,
    /// The part of a Checkpoint that answers it.
    pub(super) part: Option<Arc<KeyHead>>,
}

impl TokenizedRequest {
    /// Tokenizes a request. Sequences are built only once they are known to have at most `max_tokens` tokens.
    ///
    /// # Errors
    /// A request over `max_tokens`, a question that leaves no room for the state, or a failure of the tokenizer.
    pub(crate) fn of(
        embeddings: &TokenEmbeddings,
        input: &DecisionInput,
        max_tokens: usize,
    ) -> Result<Self, DecisionFault> {
        let text = render::state(&input.state).ok_or_else(|| too_long("state".into()))?;
        let state = TokenizedText::of(embeddings, &text).map_err(DecisionFault::Engine)?;
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

    /// Tokens in all sequences.
    pub(super) fn tokens(&self) -> usize {
        self.questions.iter().map(|tokenized| tokenized.layout.tokens()).sum()
    }

    /// Rebuilds the sequences of question `n` with the answers to other questions appended to it.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn condition_on(
        &mut self,
        embeddings: &TokenEmbeddings,
        n: usize,
        given: &[(String, String)],
    ) -> Result<(), EngineError> {
        let others = self.tokens() - self.questions[n].layout.tokens();
        let tokenized = &mut self.questions[n];
        let question = TokenizedText::of(embeddings, &render::with_given(&tokenized.text, given))?;
        let parts = tokenized.parts(&question, &self.state);
        // A question without room for the answers stays as it was.
        if parts.longest_question() <= LONGEST_QUESTION && others + parts.tokens() <= self.max_tokens {
            tokenized.layout = parts.layout();
        }
        Ok(())
    }

    /// Notes for the caller about questions that were split into windows or groups.
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
    /// Tokenizes a question, without building its sequences.
    fn of(embeddings: &TokenEmbeddings, question: &Question) -> Result<Self, DecisionFault> {
        let field = || format!("instructions.{}", question.key);
        let text = render::question(&question.instructions).ok_or_else(|| too_long(field()))?;
        let outcomes = render::outcomes(&question.kind);
        let options = outcomes.iter().map(|outcome| TokenizedText::of(embeddings, &outcome.text));
        let options = options.collect::<Result<Vec<_>, _>>().map_err(DecisionFault::Engine)?;
        let tokens = TokenizedText::of(embeddings, &text).map_err(DecisionFault::Engine)?;
        let kind = question.kind.clone();
        let layout = QuestionLayout::default();
        let part = None;
        let tokenized = Self { kind, text, outcomes, question: tokens, options, layout, part };
        let tokens = tokenized.parts(&tokenized.question, &TokenizedText::default()).longest_question();
        if tokens > LONGEST_QUESTION {
            let message = format!(
                "must have at most {LONGEST_QUESTION} tokens with the longest of its options, not {tokens}; what is long \
                 belongs into the state"
            );
            return Err(DecisionFault::Invalid { field: field(), message });
        }
        Ok(tokenized)
    }

    fn parts<'a>(&'a self, question: &'a TokenizedText, state: &'a TokenizedText) -> QuestionTokens<'a> {
        QuestionTokens { question, outcomes: &self.outcomes, options: &self.options, state }
    }

    /// What the model is to read, sequence by sequence.
    pub(crate) fn reads(&self, head: &Arc<Head>) -> impl Iterator<Item = Read> {
        let tuned = self.part.as_ref().and_then(|part| part.head.as_ref());
        let heads: Vec<Arc<Head>> = [Some(head), tuned].into_iter().flatten().cloned().collect();
        let features = self.part.is_some();
        let read =
            move |sequence: &Sequence| Read { sequence: sequence.clone(), heads: heads.clone(), features };
        self.layout.sequences.iter().map(read)
    }

    /// Combines what was read of its sequences.
    pub(crate) fn evidence(&self, config: &Config, readings: &[Reading]) -> Evidence {
        let by_head = |head: usize| {
            let logits: Vec<&[f32]> =
                readings.iter().filter_map(|reading| Some(reading.logits.get(head)?.as_slice())).collect();
            (!logits.is_empty()).then(|| config.probabilities(&self.kind, &self.layout.by_window(&logits)))
        };
        let mut features = readings.first().map(|reading| reading.features.clone()).unwrap_or_default();
        for reading in readings.iter().skip(1) {
            features.iter_mut().zip(&reading.features).for_each(|(sum, value)| *sum += value);
        }
        features.iter_mut().for_each(|sum| *sum /= readings.len().max(1) as f32);
        Evidence { zero_shot: by_head(0).unwrap_or_default(), tuned: by_head(1), features }
    }

    /// Identifies all that the model reads of the question: its type, its words, and its options in any order.
    pub(crate) fn fingerprint(&self) -> String {
        let kind = match self.kind {
            QuestionKind::Choice(_) => "choice",
            QuestionKind::Score(_) => "score",
            QuestionKind::Noul { .. } | QuestionKind::Prompt => "noul",
        };
        let mut options: Vec<_> = self
            .outcomes
            .iter()
            .map(|outcome| &outcome.key)
            .zip(self.options.iter().map(|o| &o.ids))
            .collect();
        options.sort();
        sha256(serde_json::json!([kind, self.question.ids, options]).to_string().as_bytes())
    }

    /// The texts of the question and of its most probable outcome, to be appended to another question.
    pub(super) fn question_and_answer(&self, probabilities: &[f64]) -> (String, String) {
        (self.text.clone(), self.outcomes[self.argmax(probabilities)].text.clone())
    }

    /// The most probable outcome. Ties go to the first by text, whatever the request's order.
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
