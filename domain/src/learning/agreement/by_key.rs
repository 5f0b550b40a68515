//! The metrics of each question's key, of one model or of two on the same samples.

use super::{Difference, GradedAnswer, KeyMetrics, Pair, difference, metrics};
use ports::decision::Question;

/// Two models under one key, on the samples that both answered.
#[derive(Clone, Debug)]
pub struct ComparedKey {
    pub key: String,
    pub new: KeyMetrics,
    pub old: KeyMetrics,
    pub difference: Option<Difference>,
}

/// The metrics of the answers to a question.
pub fn question_metrics(question: &Question, graded: &[&GradedAnswer]) -> KeyMetrics {
    metrics(&question.key, question.kind.answer_name(), graded)
}

/// Compares two models key by key, in the order of the questions; keys without pairs are left out.
pub fn compare_keys(questions: &[Question], pairs: &[Pair]) -> Vec<ComparedKey> {
    let mut compared = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        let of_key: Vec<&Pair> = pairs.iter().filter(|pair| pair.key == at).collect();
        if of_key.is_empty() {
            continue;
        }
        let new: Vec<&GradedAnswer> = of_key.iter().map(|pair| &pair.new).collect();
        let old: Vec<&GradedAnswer> = of_key.iter().map(|pair| &pair.old).collect();
        compared.push(ComparedKey {
            key: question.key.clone(),
            new: question_metrics(question, &new),
            old: question_metrics(question, &old),
            difference: difference(of_key),
        });
    }
    compared
}
