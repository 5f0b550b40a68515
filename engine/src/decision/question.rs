//! Turns a request into tokens and sequences.

use std::sync::Arc;

use ports::{
    EngineError,
    decision::{DecisionFault, DecisionInput, Question, QuestionKind},
};

use super::{
    config::DecisionConfig,
    key_head::{Evidence, KeyHead},
    layout::{LONGEST_QUESTION, QuestionLayout, QuestionTokens},
    render::{self, AnswerOption, SettledAnswer},
    values::TokenizedText,
};
use crate::{
    encoder::{Head, ScoringInput, ScoringOutput, TokenEmbeddings},
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
    pub(crate) outcomes: Vec<AnswerOption>,
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
                "and instructions must have at most {max_tokens} tokens together, not {tokens}; the state counts once \
                 for each question, and more often when it is long"
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
        given: &[SettledAnswer],
    ) -> Result<(), EngineError> {
        let others = self.tokens() - self.questions[n].layout.tokens();
        let tokenized = &mut self.questions[n];
        let question = TokenizedText::of(embeddings, &render::with_given(&tokenized.text, given))?;
        let parts = tokenized.parts(&question, &self.state);
        // A question without room for the answers stays as it is.
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
        let Some(text) = render::question(&question.instructions) else {
            return Err(too_long(field_of(question)));
        };
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
                "must have at most {LONGEST_QUESTION} tokens with the longest of its options, not {tokens}; move long \
                 text to the state"
            );
            return Err(DecisionFault::Invalid { field: field_of(question), message });
        }
        Ok(tokenized)
    }

    fn parts<'a>(&'a self, question: &'a TokenizedText, state: &'a TokenizedText) -> QuestionTokens<'a> {
        QuestionTokens { question, outcomes: &self.outcomes, options: &self.options, state }
    }

    /// The scorer's input for each of its sequences.
    pub(crate) fn scoring_inputs(&self, head: &Arc<Head>) -> impl Iterator<Item = ScoringInput> {
        let tuned = self.part.as_ref().and_then(|part| part.head.as_ref());
        let heads: Vec<Arc<Head>> = [Some(head), tuned].into_iter().flatten().cloned().collect();
        let features = self.part.is_some();
        let sequences = self.layout.sequences.iter().cloned();
        sequences.map(move |sequence| ScoringInput { sequence, heads: heads.clone(), features })
    }

    /// Combines the outputs for its sequences.
    pub(crate) fn evidence(&self, config: &DecisionConfig, outputs: &[ScoringOutput]) -> Evidence {
        let mut features = outputs.first().map(|output| output.features.clone()).unwrap_or_default();
        for output in outputs.iter().skip(1) {
            features.iter_mut().zip(&output.features).for_each(|(sum, value)| *sum += value);
        }
        features.iter_mut().for_each(|sum| *sum /= outputs.len().max(1) as f32);
        Evidence {
            zero_shot: self.probabilities(config, outputs, 0).unwrap_or_default(),
            tuned: self.probabilities(config, outputs, 1),
            features,
        }
    }

    /// The probabilities by head number `head`, if it was asked.
    fn probabilities(
        &self,
        config: &DecisionConfig,
        outputs: &[ScoringOutput],
        head: usize,
    ) -> Option<Vec<f64>> {
        let logits: Vec<&[f32]> =
            outputs.iter().filter_map(|output| Some(output.logits.get(head)?.as_slice())).collect();
        (!logits.is_empty()).then(|| config.probabilities(&self.kind, &self.layout.by_window(&logits)))
    }

    /// A hash of everything in the question that affects an answer: its type, its words, and its options in any order.
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

    /// The question with its most probable outcome, to be appended to another question.
    pub(super) fn settled_answer(&self, probabilities: &[f64]) -> SettledAnswer {
        let answer = self.outcomes[self.argmax(probabilities)].text.clone();
        SettledAnswer { question: self.text.clone(), answer }
    }

    /// The most probable outcome. Ties go to the first by text, whatever the request's order.
    pub(super) fn argmax(&self, probabilities: &[f64]) -> usize {
        let mut order = self.layout.order.iter().copied();
        let first = order.next().unwrap_or(0);
        order.fold(first, |best, i| if probabilities[i] > probabilities[best] { i } else { best })
    }
}

fn field_of(question: &Question) -> String {
    format!("instructions.{}", question.key)
}

fn too_long(field: String) -> DecisionFault {
    let longest = render::LONGEST;
    let message = format!(
        "must have at most {longest} bytes as text, in which each value follows the names of its ancestors"
    );
    DecisionFault::Invalid { field, message }
}
