//! The labelled questions, by key.

use std::collections::BTreeMap;

use ports::{decision::Question, training::LeftOut};

use crate::train::TrainingExample;

/// A key's question and its labelled rows.
pub(super) struct KeyData {
    pub(super) question: Question,
    pub(super) fingerprint: String,
    /// The values of the question in the order of the sequences.
    pub(super) values: Vec<String>,
    pub(super) rows: Vec<LabelledRow>,
    /// Labels that were not used, by the reason.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

/// A labelled question.
#[derive(Clone)]
pub(super) struct LabelledRow {
    pub(super) content_hash: u64,
    /// An index into [`KeyData::values`].
    pub(super) label: usize,
    /// The logarithms of the zero-shot probabilities.
    pub(super) zero_shot: Vec<f64>,
    /// The same by a last layer that was not trained on this row, once there is one.
    pub(super) tuned: Option<Vec<f64>>,
    pub(super) features: Vec<f32>,
    /// For training the last layer; `None` when the question takes several sequences or the memory limit is reached.
    pub(super) example: Option<TrainingExample>,
}

impl KeyData {
    /// The number of labels for each value, in the order of [`KeyData::values`].
    pub(super) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.values.len()];
        self.rows.iter().for_each(|row| counts[row.label] += 1);
        counts
    }

    pub(super) fn classes(&self) -> BTreeMap<String, usize> {
        self.values.iter().cloned().zip(self.counts()).collect()
    }

    pub(super) fn left_out(&self) -> Vec<LeftOut> {
        let left_out = self.left_out.iter();
        left_out.map(|(reason, labels)| LeftOut { reason: (*reason).to_owned(), labels: *labels }).collect()
    }
}
