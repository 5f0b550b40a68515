//! Shared code of the training and evaluation commands. Never linked into the server.

pub mod balance;
pub mod calibration;
pub mod chat;
pub mod corpus;
pub mod cost;
pub mod data;
pub mod disguises;
pub mod domains;
pub mod engines;
pub mod languages;
pub mod metrics;
pub mod modes;
pub mod padding;
pub mod parts;
pub mod report;
pub mod sgd;
pub mod yardstick;

use std::path::Path;

use anyhow::Result;
use engine::text::features::{pair_hash, word_bucket, word_hash};
use engine::text::normalize::normalize;
use ports::text::links;

/// The dev rows of both folders, and the contrast rows kept back.
///
/// # Errors
/// Files that cannot be read.
pub fn dev_rows(english: &Path, languages: &Path) -> Result<Vec<data::LabelledText>> {
    let mut rows = data::read(&english.join("text_dev.jsonl.gz"))?;
    rows.extend(data::read(&languages.join("text_dev.jsonl.gz"))?);
    let contrast = data::read("training/text/contrast/train.jsonl".as_ref())?;
    rows.extend(contrast.into_iter().filter(contrast_kept_back));
    Ok(rows)
}

/// Whether a contrast row is held out from training, for hyperparameters, calibration and the policy: one in six.
/// Chosen by the smallest hash of its normalised word pairs, so that variants of one template mostly stay together.
pub fn contrast_kept_back(row: &data::LabelledText) -> bool {
    let text = normalize(&row.text, &links::find(&row.text));
    let hashes: Vec<u64> = text.words.iter().map(|word| word_hash(text.word(word))).collect();
    let pairs = hashes.windows(2).map(|pair| word_bucket(pair_hash(pair[0], pair[1])));
    pairs.chain(hashes.first().map(|first| word_bucket(*first))).min().is_some_and(|least| least % 6 == 0)
}
