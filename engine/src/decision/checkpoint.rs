//! A Checkpoint: for each key of a Judge that training improved, how the answer of the model as it is, the features of the
//! sequence and, with some, a trained last layer are combined. Its artefact is a weight file.
//!
//! A key's part applies to the question that it was trained on and to no other: the question's tokens, its type and its
//! options, in any order, are what the model reads. Whoever asks another question under that key is answered by the model
//! as it is, and the routing says so.
//!
//! The artefact's `config` has `backbone`, the SHA-256 of the weight file that the features come from, and `keys`. The
//! tensors of key number `n` are `key.n.weight`, F32, `[options, features]`, and `key.n.bias`; options are in the order of
//! their texts. A trained layer has the tensors of a head.

use std::{collections::BTreeMap, sync::Arc};

use ports::EngineError;
use serde::{Deserialize, Serialize};

use super::{config::softmax, question::TokenizedQuestion};
use crate::{
    encoder::{Head, WeightFile, Weights},
    runtime::Runtime,
    train::{Precision, TrainError},
};

const NAME: &str = "gavel-checkpoint";
/// Version 1 had features of the last layer; it is not read any more.
const VERSION: &str = "2";
/// The least probability of which the logarithm is taken.
const LEAST: f64 = 1e-6;

/// A Checkpoint that is ready to answer.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    keys: BTreeMap<String, Option<Arc<KeyHead>>>,
    /// The trained questions' fingerprints.
    fingerprints: BTreeMap<String, String>,
}

/// How a question is answered: `softmax(zero_shot * ln p + tuned * ln t + weight * features + bias)`, where `p` are the
/// probabilities by the model as it is, and `t` those by the trained last layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyHead {
    pub(crate) zero_shot: f64,
    pub(crate) tuned: f64,
    /// `[options, features]`, row-major; may be empty.
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    /// The trained last layer; there when `tuned` is not 0.
    pub(crate) head: Option<Arc<Head>>,
}

/// What was read of a question, with the options in the order of the sequences.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    pub(crate) zero_shot: Vec<f64>,
    /// By the trained last layer, if there is one.
    pub(crate) tuned: Option<Vec<f64>>,
    /// Means over the sequences.
    pub(crate) features: Vec<f32>,
}

#[derive(Serialize, Deserialize)]
struct ArtefactConfig {
    backbone: String,
    keys: Vec<KeyConfig>,
}

#[derive(Serialize, Deserialize)]
struct KeyConfig {
    key: String,
    fingerprint: String,
    /// Absent when the model as it is answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<Shares>,
}

#[derive(Serialize, Deserialize)]
struct Shares {
    zero_shot: f64,
    tuned: f64,
}

/// A key's part of an artefact: its name, its question's fingerprint and its head; none where the model as it is
/// answers.
pub(crate) type Part = (String, String, Option<KeyHead>);

/// Writes an artefact.
///
/// # Errors
/// A weight that is not finite.
pub(crate) fn write(
    backbone: &str,
    parts: &[Part],
    tuned: Option<&crate::train::Head>,
) -> Result<Vec<u8>, TrainError> {
    let keys = parts.iter().map(|(key, fingerprint, head)| KeyConfig {
        key: key.clone(),
        fingerprint: fingerprint.clone(),
        head: head.as_ref().map(|head| Shares { zero_shot: head.zero_shot, tuned: head.tuned }),
    });
    let config = ArtefactConfig { backbone: backbone.to_owned(), keys: keys.collect() };
    let config = serde_json::to_value(config).map_err(|error| error.to_string())?;
    let mut file = WeightFile::new(NAME, VERSION, &config);
    for (n, (key, _, head)) in parts.iter().enumerate() {
        let Some(head) = head else { continue };
        let options = head.bias.len().max(1);
        if !head.weight.iter().chain(&head.bias).all(|value| value.is_finite()) {
            return Err(format!("`{key}` has a weight that is not a number").into());
        }
        file.floats(format!("key.{n}.weight"), &[options, head.weight.len() / options], &head.weight);
        file.floats(format!("key.{n}.bias"), &[head.bias.len()], &head.bias);
    }
    if let Some(tuned) = tuned {
        tuned.write(&mut file, Precision::Quantised)?;
    }
    Ok(file.into_bytes())
}

impl Checkpoint {
    /// Reads an artefact for a model with `backbone` and a last layer number `layer`; none when it was trained on another
    /// backbone, or by another version with other features: they mean something else.
    ///
    /// # Errors
    /// Not an artefact, or one whose tensors do not fit.
    pub(super) fn read(
        bytes: &[u8],
        runtime: &Runtime,
        backbone: &str,
        layer: usize,
    ) -> Result<Option<Self>, EngineError> {
        let weights = Weights::read(bytes).map_err(EngineError)?;
        let unfit = |why: String| EngineError(format!("{} {}: {why}", weights.name, weights.version));
        if weights.name != NAME {
            return Err(unfit(format!("is not a {NAME}")));
        }
        if weights.version != VERSION {
            return Ok(None);
        }
        let config: ArtefactConfig =
            serde_json::from_str(&weights.config).map_err(|error| unfit(format!("the config: {error}")))?;
        if config.backbone != backbone {
            return Ok(None);
        }
        let tuned = config.keys.iter().filter_map(|key| key.head.as_ref()).any(|head| head.tuned != 0.0);
        let tuned = match tuned {
            true => Some(Arc::new(Head::load(runtime, &weights, layer)?)),
            false => None,
        };
        let mut read = Self { keys: BTreeMap::new(), fingerprints: BTreeMap::new() };
        for (n, KeyConfig { key, fingerprint, head }) in config.keys.into_iter().enumerate() {
            let head = match head {
                Some(shares) => Some(Arc::new(KeyHead::read(&weights, n, &shares, &tuned).map_err(unfit)?)),
                None => None,
            };
            read.fingerprints.insert(key.clone(), fingerprint);
            read.keys.insert(key, head);
        }
        Ok(Some(read))
    }

    /// The part for a question; none when the model as it is answers.
    ///
    /// # Errors
    /// A remark for the client: the question is not one that it was trained on.
    pub(super) fn part(
        &self,
        key: &str,
        question: &TokenizedQuestion,
    ) -> Result<Option<Arc<KeyHead>>, String> {
        match self.fingerprints.get(key) {
            None => {
                Err(format!("the Checkpoint has not learned {key:?}, which the model without it answered"))
            }
            Some(fingerprint) if *fingerprint != question.fingerprint() => Err(format!(
                "{key:?} has other words, options or another type than the Checkpoint learned, so the model without it \
                 answered"
            )),
            Some(_) => Ok(self.keys.get(key).cloned().flatten()),
        }
    }
}

impl KeyHead {
    fn read(
        weights: &Weights<'_>,
        n: usize,
        shares: &Shares,
        tuned: &Option<Arc<Head>>,
    ) -> Result<Self, String> {
        let (shape, weight) = weights.floats(&format!("key.{n}.weight"))?;
        let &[options, _] = shape.as_slice() else { return Err(format!("`key.{n}.weight` is no matrix")) };
        let bias = weights.vector(&format!("key.{n}.bias"), options)?;
        let finite = weight.iter().chain(&bias).all(|value| value.is_finite());
        if !(finite && shares.zero_shot.is_finite() && shares.tuned.is_finite()) {
            return Err(format!("key {n} has a weight that is not a number"));
        }
        let head = tuned.clone().filter(|_| shares.tuned != 0.0);
        Ok(Self { zero_shot: shares.zero_shot, tuned: shares.tuned, weight, bias, head })
    }

    /// A probability for each option.
    ///
    /// # Errors
    /// Other numbers of options or features than it was trained on.
    pub(crate) fn probabilities(&self, evidence: &Evidence) -> Result<Vec<f64>, String> {
        let options = evidence.zero_shot.len();
        let features = evidence.features.len();
        if self.bias.len() != options || !(self.weight.is_empty() || self.weight.len() == options * features)
        {
            return Err(format!(
                "a head for {} options on {options} options of {features} features",
                self.bias.len()
            ));
        }
        Ok(softmax(&self.logits(evidence)))
    }

    fn logits(&self, evidence: &Evidence) -> Vec<f64> {
        let features = evidence.features.len().max(1);
        let linear = |option: usize| -> f64 {
            let row = self.weight.get(option * features..(option + 1) * features).unwrap_or(&[]);
            row.iter().zip(&evidence.features).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum()
        };
        let logits = evidence.zero_shot.iter().enumerate().map(|(option, p)| {
            let tuned = evidence.tuned.as_ref().map_or(0.0, |tuned| self.tuned * ln(tuned[option]));
            self.zero_shot * ln(*p) + tuned + linear(option) + f64::from(self.bias[option])
        });
        logits.collect()
    }
}

/// The logarithm of a probability, bounded.
pub(crate) fn ln(p: f64) -> f64 {
    p.max(LEAST).ln()
}
