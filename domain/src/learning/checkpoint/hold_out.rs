//! The samples that training never sees, and what the candidate and the live model answer to them.

use std::{collections::HashMap, sync::Arc};

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::{
    read::{Chunks, LabelledSample},
    servers::ServerComparison,
    snapshot::Content,
};
use crate::{
    Result,
    background::job::JobRun,
    learning::agreement::{self, ComparedKey, Difference, GradedAnswer, KeyMetrics, Pair, Verdict},
    operations::inference::{Answers, ask},
};
use ports::id::CheckpointId;
use ports::{
    Flow,
    decision::{DecisionBackend, DecisionInput, DecisionMode, DecisionState, Parameters, Question},
};

/// One in this many contents is held out.
const SHARE: u64 = 5;
/// Minimum contents that are held out.
const LEAST: usize = 4;
/// Samples in progress at once.
const AT_ONCE: usize = 4;

/// The comparison of a Checkpoint with the model that was live when it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Different contents that it was trained on.
    pub training_samples: u64,
    /// Different contents that were held out.
    pub hold_out_samples: u64,
    /// The Checkpoint that was live; `None` for the base model.
    pub live: Option<CheckpointId>,
    /// In the order of the questions; those without a label in the hold-out are left out.
    pub keys: Vec<KeyComparison>,
    /// What was learnt of the servers that answered for the Judge.
    pub servers: Vec<ServerComparison>,
    /// Over all keys; `None` without labels.
    pub difference: Option<Difference>,
    pub verdict: Verdict,
    /// Why the labels should be looked at again before it is activated.
    pub doubt: Option<String>,
    /// Whether it was activated when it was made.
    pub activated: bool,
}

/// The metrics of one key on the hold-out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyComparison {
    pub key: String,
    pub checkpoint: KeyMetrics,
    pub live: KeyMetrics,
    pub difference: Option<Difference>,
}

impl Metrics {
    /// Whether its Judge answers better with it: by its own answers, or by those of servers that it corrects.
    pub(super) fn helps(&self) -> bool {
        let corrects = self.servers.iter().any(ServerComparison::improves);
        self.verdict.better || (corrects && !self.verdict.worse)
    }
}

impl From<ComparedKey> for KeyComparison {
    fn from(compared: ComparedKey) -> Self {
        let ComparedKey { key, new, old, difference } = compared;
        Self { key, checkpoint: new, live: old, difference }
    }
}

/// Folds samples of the same content, newest first, into one: the newest label of each key counts. Then splits them
/// into those to train on and those held out. A content is always on the same side, except to reach the minimum.
pub(super) fn split(samples: Vec<Content>) -> (Vec<Content>, Vec<Content>) {
    let mut folded: Vec<Content> = Vec::with_capacity(samples.len());
    let mut by_hash: HashMap<[u64; 2], usize> = HashMap::with_capacity(samples.len());
    for sample in samples {
        match by_hash.get(&sample.hash) {
            Some(at) => {
                for (key, value) in sample.labels {
                    folded[*at].labels.entry(key).or_insert(value);
                }
            }
            None => {
                by_hash.insert(sample.hash, folded.len());
                folded.push(sample);
            }
        }
    }
    // Sides depend on the second half of the hash; the trainer's folds may depend on the first.
    folded.sort_unstable_by_key(|content| content.hash[1]);
    let held = folded.partition_point(|content| content.hash[1] < u64::MAX / SHARE);
    let mut training = folded.split_off(held.max(LEAST).min(folded.len()));
    training.sort_unstable_by_key(|content| content.seq);
    folded.sort_unstable_by_key(|content| content.seq);
    (training, folded)
}

fn graded(answers: &Answers, key: &str, truth: &str) -> Option<GradedAnswer> {
    let (_, answer) = answers.iter().find(|(answered, _)| answered == key)?;
    Some(GradedAnswer::of(key, answer, truth))
}

/// How many contents are on each side of the split.
#[derive(Clone, Copy)]
pub(super) struct SplitSizes {
    pub(super) training: usize,
    pub(super) hold_out: usize,
}

/// The models to compare, and what they are asked.
pub(super) struct Contest {
    pub(super) questions: Arc<[Question]>,
    pub(super) parameters: Parameters,
    pub(super) candidate: Arc<dyn DecisionBackend>,
    pub(super) live: Arc<dyn DecisionBackend>,
    pub(super) flow: Flow,
}

impl Contest {
    /// Asks both models about the samples; calls `step` after each. Stops early when the run is interrupted.
    pub(super) async fn pairs(
        &self,
        mut samples: Chunks,
        run: &JobRun,
        mut step: impl FnMut(),
    ) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        while let Some(chunk) = samples.next().await? {
            let asked = chunk.iter().map(|sample| self.of_sample(sample));
            let mut answered = stream::iter(asked.collect::<Vec<_>>()).buffered(AT_ONCE);
            while let Some(of_sample) = answered.try_next().await? {
                pairs.extend(of_sample);
                step();
                run.yield_slot().await;
                if run.interruption().is_some() {
                    return Ok(pairs);
                }
            }
        }
        Ok(pairs)
    }

    async fn of_sample(&self, sample: &LabelledSample) -> Result<Vec<Pair>> {
        let truths: Vec<(usize, &str)> = sample
            .labels
            .iter()
            .filter_map(|label| {
                let key = self.questions.iter().position(|question| question.key == label.asked.key)?;
                let fits = agreement::is_value_of(&self.questions[key], &label.value);
                fits.then_some((key, label.value.as_str()))
            })
            .collect();
        if truths.is_empty() {
            return Ok(Vec::new());
        }
        let (new, old) = tokio::try_join!(
            self.answers(self.candidate.as_ref(), &sample.state),
            self.answers(self.live.as_ref(), &sample.state)
        )?;
        let seq = usize::try_from(sample.seq).unwrap_or_default();
        let pairs = truths.into_iter().filter_map(|(key, truth)| {
            let name = &self.questions[key].key;
            let new = graded(&new, name, truth)?;
            let old = graded(&old, name, truth)?;
            Some(Pair { sample: seq, key, new, old })
        });
        Ok(pairs.collect())
    }

    async fn answers(&self, backend: &dyn DecisionBackend, state: &DecisionState) -> Result<Answers> {
        let input = DecisionInput {
            state: state.value().clone(),
            questions: self.questions.clone(),
            mode: DecisionMode::default(),
            model: None,
            flow: self.flow,
            group: None,
            checkpoint: None,
            parameters: self.parameters.clone(),
        };
        Ok(ask(backend, &input).await?.answers)
    }

    /// The metrics of all pairs.
    pub(super) fn metrics(&self, pairs: &[Pair], sizes: SplitSizes, live: Option<CheckpointId>) -> Metrics {
        let compared = agreement::compare_keys(&self.questions, pairs);
        let difference = agreement::difference(pairs);
        let keys: Vec<&str> = self.questions.iter().map(|question| question.key.as_str()).collect();
        Metrics {
            training_samples: sizes.training as u64,
            hold_out_samples: sizes.hold_out as u64,
            live,
            keys: compared.into_iter().map(KeyComparison::from).collect(),
            servers: Vec::new(),
            verdict: agreement::verdict(difference.as_ref(), pairs, &keys),
            difference,
            doubt: agreement::doubt(pairs, &keys),
            activated: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn content(seq: i64, hash: u64, labels: &[(&str, &str)]) -> Content {
        let labels: BTreeMap<String, String> =
            labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let spread = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Content { seq, hash: [hash, spread], bytes: 1, labels }
    }

    fn contents(number: i64) -> Vec<Content> {
        (0..number).rev().map(|seq| content(seq, seq as u64 + 1, &[("k", "a")])).collect()
    }

    #[test]
    fn a_content_stays_on_its_side_and_a_fifth_is_held_out() {
        let (training, held) = split(contents(1_000));
        assert_eq!(training.len() + held.len(), 1_000);
        assert!((150..250).contains(&held.len()), "{}", held.len());
        let (_, of_fewer) = split(contents(500));
        assert!(of_fewer.iter().all(|content| held.contains(content)));
        let (training, held) = split(contents(8));
        assert!(held.len() >= LEAST && training.len() + held.len() == 8);
    }

    #[test]
    fn the_same_content_is_one_sample_with_its_newest_labels() {
        let samples = vec![
            content(9, 7, &[("k", "new")]),
            content(3, 7, &[("k", "old"), ("other", "kept")]),
            content(2, 8, &[("k", "x")]),
        ];
        let (training, mut held) = split(samples);
        held.extend(training);
        held.sort_by_key(|content| content.seq);
        assert_eq!(held.iter().map(|content| content.seq).collect::<Vec<_>>(), [2, 9]);
        assert_eq!(held[1].labels["k"], "new");
        assert_eq!(held[1].labels["other"], "kept");
    }
}
