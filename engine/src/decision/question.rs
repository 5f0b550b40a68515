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
    multilingual::{AskedQuestion, Multilingual, MultilingualRequest, Networks},
    render::{self, AnswerOption, SettledAnswer},
    values::TokenizedText,
    weights::ENGLISH,
};
use crate::{
    encoder::{Head, ScoringInput, ScoringOutput, TokenEmbeddings},
    model_files::sha256,
};

/// What reads requests.
#[derive(Clone, Copy)]
pub(crate) struct Readers<'a> {
    pub(crate) embeddings: &'a TokenEmbeddings,
    /// Without it, the English network answers alone.
    pub(crate) multilingual: Option<&'a Multilingual>,
    /// Whether the features of the English network are needed in any case.
    pub(crate) features: bool,
}

/// A request in tokens.
pub(crate) struct TokenizedRequest {
    state: TokenizedText,
    /// The networks that answer.
    pub(super) networks: Networks,
    /// For the multilingual network, if it answers.
    pub(super) multilingual: Option<MultilingualRequest>,
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

impl Readers<'_> {
    /// The networks that answer: those of the model that a request names, or those that are best for the state.
    fn networks(&self, model: Option<&str>, state: &str) -> Networks {
        match self.multilingual {
            None => Networks::English,
            Some(network) if model == Some(network.name()) => Networks::Multilingual,
            Some(_) if model == Some(ENGLISH) => Networks::English,
            Some(_) => Networks::for_state(state),
        }
    }
}

impl TokenizedRequest {
    /// Tokenizes a request. Sequences are built only once they are known to have at most `max_tokens` tokens.
    ///
    /// # Errors
    /// A request over `max_tokens`, a question that leaves no room for the state, or a failure of the tokenizer.
    pub(crate) fn of(
        readers: Readers<'_>,
        input: &DecisionInput,
        max_tokens: usize,
    ) -> Result<Self, DecisionFault> {
        let embeddings = readers.embeddings;
        let text = render::state(&input.state).ok_or_else(|| too_long("state".into()))?;
        let state = TokenizedText::of(embeddings, &text).map_err(DecisionFault::Engine)?;
        let tokenized = input.questions.iter().map(|question| TokenizedQuestion::of(embeddings, question));
        let mut tokenized = tokenized.collect::<Result<Vec<_>, _>>()?;
        let networks = readers.networks(input.model.as_deref(), &text);
        let in_english = networks.have_english() || readers.features;
        if in_english {
            check_tokens(&tokenized, &state, max_tokens)?;
        }
        let multilingual = match readers.multilingual {
            Some(network) if networks.have_multilingual() => {
                let asked: Vec<_> = tokenized.iter().map(|question| question.asked(&question.text)).collect();
                Some(network.request(&text, &asked, max_tokens)?)
            }
            _ => None,
        };
        let in_sequences: Vec<usize> = match &multilingual {
            Some(request) if !in_english => (0..tokenized.len()).filter(|n| !request.reads(*n)).collect(),
            _ => (0..tokenized.len()).collect(),
        };
        if !in_english {
            check_tokens(in_sequences.iter().map(|n| &tokenized[*n]), &state, max_tokens)?;
        }
        for n in in_sequences {
            tokenized[n].layout = tokenized[n].parts(&tokenized[n].question, &state).layout();
        }
        Ok(Self { questions: tokenized, networks, multilingual, state, max_tokens })
    }

    /// Tokens in all sequences, or those that the multilingual network reads if it answers alone.
    pub(super) fn tokens(&self) -> usize {
        match &self.multilingual {
            Some(request) if !self.networks.have_english() => request.tokens(),
            _ => self.sequence_tokens(),
        }
    }

    fn sequence_tokens(&self) -> usize {
        self.questions.iter().map(|tokenized| tokenized.layout.tokens()).sum()
    }

    /// Rebuilds the sequences of question `n` with the answers to other questions appended to it.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn condition_on(
        &mut self,
        readers: Readers<'_>,
        n: usize,
        given: &[SettledAnswer],
    ) -> Result<(), EngineError> {
        let others = self.sequence_tokens() - self.questions[n].layout.tokens();
        let tokenized = &mut self.questions[n];
        let text = render::with_given(&tokenized.text, given);
        if let (Some(network), Some(request)) = (readers.multilingual, &mut self.multilingual) {
            network.rephrase(request, n, &tokenized.asked(&text))?;
        }
        if tokenized.layout.sequences.is_empty() {
            return Ok(());
        }
        let question = TokenizedText::of(readers.embeddings, &text)?;
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
        let windows = windows.max(self.multilingual.as_ref().map_or(1, MultilingualRequest::windows));
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
        let layout = QuestionLayout::in_order(&outcomes);
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

    /// The question as text, in other words.
    fn asked<'a>(&'a self, text: &'a str) -> AskedQuestion<'a> {
        let options = self.layout.order.iter().map(|option| self.outcomes[*option].text.as_str());
        AskedQuestion { kind: &self.kind, text, options: options.collect() }
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

/// Checks that the sequences of questions have at most `max_tokens` tokens, without building them.
fn check_tokens<'a>(
    questions: impl IntoIterator<Item = &'a TokenizedQuestion>,
    state: &TokenizedText,
    max_tokens: usize,
) -> Result<(), DecisionFault> {
    let questions = questions.into_iter();
    let tokens: usize = questions.map(|question| question.parts(&question.question, state).tokens()).sum();
    if tokens <= max_tokens {
        return Ok(());
    }
    let message = format!(
        "must have at most {max_tokens} tokens together with the instructions, not {tokens}; the state counts once for \
         each question, and more often when it is long"
    );
    Err(DecisionFault::Invalid { field: "state".into(), message })
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
