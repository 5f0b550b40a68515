//! Answers in System One's shape.

use ports::decision::{Question, QuestionKind};
use serde_json::{Map, Value, json};

use super::question::TokenizedQuestion;

/// The answer with these probabilities.
pub(super) fn answer(question: &Question, tokenized: &TokenizedQuestion, probabilities: &[f64]) -> Value {
    match question.kind {
        QuestionKind::Choice(_) => json!({
            "choice": tokenized.outcomes[tokenized.argmax(probabilities)].key,
            "probabilities": by_key(tokenized, probabilities),
        }),
        QuestionKind::Score(_) => json!({ "probabilities": by_key(tokenized, probabilities) }),
        QuestionKind::Noul { .. } | QuestionKind::Prompt => json!({ "noul": probabilities[0] }),
    }
}

fn by_key(tokenized: &TokenizedQuestion, probabilities: &[f64]) -> Map<String, Value> {
    let keys = tokenized.outcomes.iter().map(|outcome| outcome.key.clone());
    keys.zip(probabilities.iter().map(|p| json!(p))).collect()
}
