//! How the answers of a server's model are corrected for one question of a Judge: by what people said of its earlier
//! answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Error, Result};
use ports::decision::Question;

/// A correction that was fitted on the ground truths of a Judge's samples: the probability of a value becomes
/// `p^(1/temperature) * e^bias`, normalized again (Guo et al. 2017: vector scaling with one temperature).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recalibration {
    /// The server and its model, such as `ollama/qwen3:8b`.
    pub server_model: String,
    /// The key of the question.
    pub key: String,
    /// The hash of the question: a question that has changed keeps its answers.
    pub question: String,
    pub temperature: f64,
    /// By value; 0 for those that are not here.
    pub bias: BTreeMap<String, f64>,
    /// Whether the Checkpoint itself answered at least as well, so that the server need not be asked.
    pub checkpoint_suffices: bool,
}

impl Recalibration {
    /// A hash of a question as it is asked.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when it cannot be written as JSON.
    pub(crate) fn question_hash(question: &Question) -> Result<String> {
        let json = serde_json::to_vec(question).map_err(Error::internal)?;
        Ok(format!("{:x}", Sha256::digest(json)))
    }

    /// Corrects the probabilities of a question's `values`.
    pub(crate) fn apply(&self, values: &[String], probabilities: &mut [f64]) {
        let logs = values.iter().zip(probabilities.iter()).map(|(value, p)| self.logarithm(value, *p));
        let logs: Vec<f64> = logs.collect();
        softmax(&logs, probabilities);
    }

    /// Finds the probabilities that were corrected.
    pub(crate) fn undo(&self, values: &[String], probabilities: &mut [f64]) {
        let corrected = values.iter().zip(probabilities.iter());
        let logs = corrected.map(|(value, p)| (floored(*p).ln() - self.bias_of(value)) * self.temperature);
        let logs: Vec<f64> = logs.collect();
        softmax(&logs, probabilities);
    }

    fn logarithm(&self, value: &str, p: f64) -> f64 {
        floored(p).ln() / self.temperature + self.bias_of(value)
    }

    fn bias_of(&self, value: &str) -> f64 {
        self.bias.get(value).copied().unwrap_or_default()
    }
}

/// A probability that has a logarithm: those of answers are rounded.
fn floored(p: f64) -> f64 {
    p.max(1e-9)
}

/// Writes the probabilities whose logarithms are these, but for a constant.
pub(crate) fn softmax(logs: &[f64], probabilities: &mut [f64]) {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (p, log) in probabilities.iter_mut().zip(logs) {
        *p = (log - largest).exp();
    }
    let sum: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|p| *p /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_can_be_undone() {
        let values = ["a", "b", "c"].map(str::to_owned);
        let correction = Recalibration {
            server_model: "near/x".to_owned(),
            key: "team".to_owned(),
            question: String::new(),
            temperature: 2.0,
            bias: BTreeMap::from([("a".to_owned(), -1.0), ("c".to_owned(), 0.5)]),
            checkpoint_suffices: false,
        };
        let given = [0.7, 0.2, 0.1];
        let mut p = given;
        correction.apply(&values, &mut p);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p[0] < p[1], "{p:?}");
        // p^(1/2) * e^bias: .3078, .4472, .5214, over their sum.
        assert!((p[2] - 0.5214 / 1.2764).abs() < 1e-3, "{p:?}");
        correction.undo(&values, &mut p);
        assert!(p.iter().zip(given).all(|(p, given)| (p - given).abs() < 1e-9), "{p:?}");
    }
}
