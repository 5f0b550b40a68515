//! A Checkpoint: for each key of a Judge that training improved, how to combine the answer of the base model, the
//! features of the sequence and, for some keys, a trained last layer. Its artefact is a weight file.
//!
//! A key's part applies only to the question that it was trained on: to the same tokens, type and options, in any
//! order. Another question under that key is answered by the base model, and a note says so.
//!
//! The artefact's `config` has `backbone`, the SHA-256 of the weight file that the features come from, and `keys`. The
//! tensors of key number `n` are `key.n.weight`, F32, `[options, features]`, and `key.n.bias`; options are in the order
//! of their texts. A trained layer has the tensors of a head.

use std::{collections::BTreeMap, sync::Arc};

use ports::EngineError;
use serde::{Deserialize, Serialize};

use super::{
    error::{CheckpointError, NotLearned},
    key_head::KeyHead,
    question::TokenizedQuestion,
};
use crate::{
    encoder::{Head, WeightFile, Weights},
    runtime::Runtime,
    train::{Precision, TrainError, TrainableHead},
};

const NAME: &str = "gavel-checkpoint";
const VERSION: &str = "1";

/// A Checkpoint that is ready to answer.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    keys: BTreeMap<String, Option<Arc<KeyHead>>>,
    /// The trained questions' fingerprints.
    fingerprints: BTreeMap<String, String>,
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
    /// Absent when the base model answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<HeadFactors>,
}

/// The factors of the two answers that a head combines.
#[derive(Serialize, Deserialize)]
struct HeadFactors {
    zero_shot: f64,
    tuned: f64,
}

/// A key's part of an artefact.
pub(crate) struct CheckpointPart {
    pub(crate) key: String,
    /// The fingerprint of its question.
    pub(crate) fingerprint: String,
    /// `None` where the base model answers.
    pub(crate) head: Option<KeyHead>,
}

impl CheckpointPart {
    fn config(&self) -> KeyConfig {
        let head = self.head.as_ref();
        KeyConfig {
            key: self.key.clone(),
            fingerprint: self.fingerprint.clone(),
            head: head.map(|head| HeadFactors { zero_shot: head.zero_shot, tuned: head.tuned }),
        }
    }
}

/// Writes an artefact.
///
/// # Errors
/// A weight that is not finite.
pub(crate) fn write(
    backbone: &str,
    parts: &[CheckpointPart],
    tuned: Option<&TrainableHead>,
) -> Result<Vec<u8>, TrainError> {
    let keys = parts.iter().map(CheckpointPart::config).collect();
    let config = ArtefactConfig { backbone: backbone.to_owned(), keys };
    let config = serde_json::to_value(config).map_err(|error| TrainError::Unfit(error.to_string()))?;
    let mut file = WeightFile::new(NAME, VERSION, &config);
    for (n, CheckpointPart { key, head, .. }) in parts.iter().enumerate() {
        let Some(head) = head else { continue };
        let options = head.bias.len().max(1);
        if !head.weight.iter().chain(&head.bias).all(|value| value.is_finite()) {
            return Err(TrainError::Unfit(format!("`{key}` has a weight that is not finite")));
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
    /// Reads an artefact for a model with `backbone` and a last layer number `layer`. `None` when it was trained on
    /// another backbone, or by a version with other features, since its weights then mean something else.
    ///
    /// # Errors
    /// Not an artefact, or one whose tensors do not fit.
    pub(super) fn read(
        artefact: Vec<u8>,
        runtime: &Runtime,
        backbone: &str,
        layer: usize,
    ) -> Result<Option<Self>, EngineError> {
        let weights = Weights::read(artefact)?;
        let Some(config) = ArtefactConfig::read(&weights).map_err(|error| weights.fault(error))? else {
            return Ok(None);
        };
        if config.backbone != backbone {
            return Ok(None);
        }
        let is_tuned = config.keys.iter().filter_map(|key| key.head.as_ref()).any(|head| head.tuned != 0.0);
        let tuned = if is_tuned { Some(Arc::new(Head::load(runtime, &weights, layer)?)) } else { None };
        let mut read = Self { keys: BTreeMap::new(), fingerprints: BTreeMap::new() };
        for (n, KeyConfig { key, fingerprint, head }) in config.keys.into_iter().enumerate() {
            let head = match head {
                Some(factors) => {
                    let head = factors.read_head(&weights, n, tuned.as_ref());
                    Some(Arc::new(head.map_err(|error| weights.fault(error))?))
                }
                None => None,
            };
            read.fingerprints.insert(key.clone(), fingerprint);
            read.keys.insert(key, head);
        }
        Ok(Some(read))
    }

    /// The part for a question; `None` when the base model answers.
    ///
    /// # Errors
    /// It was not trained on the question.
    pub(super) fn part(
        &self,
        key: &str,
        question: &TokenizedQuestion,
    ) -> Result<Option<Arc<KeyHead>>, NotLearned> {
        match self.fingerprints.get(key) {
            None => Err(NotLearned::Key(key.to_owned())),
            Some(fingerprint) if *fingerprint != question.fingerprint() => {
                Err(NotLearned::Question(key.to_owned()))
            }
            Some(_) => Ok(self.keys.get(key).cloned().flatten()),
        }
    }
}

impl ArtefactConfig {
    /// `None` for an artefact of another version.
    fn read(weights: &Weights) -> Result<Option<Self>, CheckpointError> {
        if weights.name != NAME {
            return Err(CheckpointError::OtherFile(NAME));
        }
        if weights.version != VERSION {
            return Ok(None);
        }
        Ok(Some(serde_json::from_str(&weights.config)?))
    }
}

impl HeadFactors {
    /// Reads the head of key number `n`.
    fn read_head(
        &self,
        weights: &Weights,
        n: usize,
        tuned: Option<&Arc<Head>>,
    ) -> Result<KeyHead, CheckpointError> {
        let head = KeyHead::read(weights, n)?;
        if !(self.zero_shot.is_finite() && self.tuned.is_finite()) {
            return Err(CheckpointError::NotFinite(n));
        }
        let tuned = tuned.filter(|_| self.tuned != 0.0);
        Ok(KeyHead { zero_shot: self.zero_shot, tuned: self.tuned, head: tuned.cloned(), ..head })
    }
}
