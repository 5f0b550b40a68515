//! Weights of rows in many languages, so that a language by itself is not a harm: in every source and language, a harm
//! is half as frequent as in the English rows.

use std::collections::HashMap;

use engine::text::linear::HEADS;

use crate::data::LabelledText;
use crate::yardstick::is_benign;

/// Minimum rows of each kind, benign and harmful, for balancing a source in a language.
const MIN_ROWS: f32 = 40.0;
/// The weight of benign rows of a source that has almost no harmful ones in the language: they would teach that the
/// language is harmless, so that its harms are missed.
const BENIGN_ALONE: f32 = 0.5;
/// Maximum factor by which either kind is raised or lowered.
const MAX_FACTOR: f32 = 4.0;

/// The frequency of harms relative to the English rows. It is lower, because each part of a message is a chance of a
/// false alarm, and the model knows less in other languages.
const SHARE: f32 = 0.5;

/// Labels benign rows as free of every harm that their source does not label. Otherwise our own few harmful rows would
/// be all the evidence for a harm in some languages.
pub fn assume_benign(rows: &mut [LabelledText]) {
    for row in rows.iter_mut().filter(|row| is_benign(row)) {
        row.labels = row.labels.map(|label| label.or(Some(false)));
    }
}

/// The weights of the benign and the harmful rows of a source and language, for each harm.
pub struct Balance(HashMap<(String, String), [[f32; 2]; HEADS]>);

impl Balance {
    /// Weighs `foreign` rows so that each harm's share is that among the `english` ones.
    pub fn of(english: &[LabelledText], foreign: &[LabelledText]) -> Self {
        let wanted = counts(english.iter()).map(|[benign, harmful]| SHARE * harmful / benign);
        let mut groups: HashMap<(String, String), Vec<&LabelledText>> = HashMap::new();
        for row in foreign {
            groups.entry((row.source.clone(), row.lang.clone())).or_default().push(row);
        }
        Self(groups.into_iter().map(|(group, rows)| (group, weights(&rows, &wanted))).collect())
    }

    /// The weight of a row for a harm: 1 for a row that was not balanced.
    pub fn weight(&self, row: &LabelledText, head: usize) -> f32 {
        let weights = self.0.get(&(row.source.clone(), row.lang.clone()));
        weights.map_or(1.0, |weights| weights[head][usize::from(row.labels[head] == Some(true))])
    }
}

/// The weights of the benign and the harmful rows of a group, so that it has the `wanted` ratio of harmful to benign
/// rows.
fn weights(rows: &[&LabelledText], wanted: &[f32; HEADS]) -> [[f32; 2]; HEADS] {
    let counts = counts(rows.iter().copied());
    std::array::from_fn(|head| match counts[head] {
        [benign, harmful] if benign >= MIN_ROWS && harmful >= MIN_ROWS => {
            // The square root on both sides, so that the group keeps its weight.
            let factor = (wanted[head] * benign / harmful).sqrt().clamp(1.0 / MAX_FACTOR, MAX_FACTOR);
            [1.0 / factor, factor]
        }
        [_, harmful] if harmful < MIN_ROWS => [BENIGN_ALONE, 1.0],
        _ => [1.0, 1.0],
    })
}

/// The numbers of benign and harmful rows for each harm.
fn counts<'a>(rows: impl Iterator<Item = &'a LabelledText>) -> [[f32; 2]; HEADS] {
    let mut counts = [[0.0; 2]; HEADS];
    for row in rows {
        for (count, label) in counts.iter_mut().zip(row.labels) {
            if let Some(label) = label {
                count[usize::from(label)] += 1.0;
            }
        }
    }
    counts
}
