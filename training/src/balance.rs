//! Weights of rows in many languages by which no language is a harm by itself: in every source and language a harm is half as frequent as
//! in the English rows.

use std::collections::HashMap;

use engine::text::linear::HEADS;

use crate::data::Row;
use crate::yardstick::is_benign;

/// Rows of one kind that a source must have in a language to be balanced against the other kind.
const MIN_ROWS: f32 = 40.0;
/// The weight of rows that a source calls benign where it has next to none that are not: they say that a language is harmless, and
/// its harms would be missed.
const BENIGN_ALONE: f32 = 0.5;
/// The most by which either kind is raised or lowered.
const MAX_FACTOR: f32 = 4.0;

/// How frequent harms are made, against the English rows: less, since the parts of a message give more chances of a false alarm where the
/// model knows less.
const SHARE: f32 = 0.5;

/// Labels a row that is not abusive of any kind as free of every harm that its source says nothing of, or in some languages our own few
/// harmful rows would be all that is known of a harm.
pub fn assume_benign(rows: &mut [Row]) {
    for row in rows.iter_mut().filter(|row| is_benign(row)) {
        row.labels = row.labels.map(|label| label.or(Some(false)));
    }
}

/// The weights of the benign and the harmful rows of a source and language, for each harm.
pub struct Balance(HashMap<(String, String), [[f32; 2]; HEADS]>);

impl Balance {
    /// Weighs `foreign` rows so that each harm's share is that among the `english` ones.
    pub fn of(english: &[Row], foreign: &[Row]) -> Self {
        let wanted = counts(english.iter()).map(|[benign, harmful]| SHARE * harmful / benign);
        let mut groups: HashMap<(String, String), Vec<&Row>> = HashMap::new();
        for row in foreign {
            groups.entry((row.source.clone(), row.lang.clone())).or_default().push(row);
        }
        let weights = |rows: Vec<&Row>| {
            let counts = counts(rows.into_iter());
            std::array::from_fn(|head| match counts[head] {
                [benign, harmful] if benign >= MIN_ROWS && harmful >= MIN_ROWS => {
                    // The square root on both sides, so that the group keeps its weight.
                    let factor = (wanted[head] * benign / harmful).sqrt().clamp(1.0 / MAX_FACTOR, MAX_FACTOR);
                    [1.0 / factor, factor]
                }
                [_, harmful] if harmful < MIN_ROWS => [BENIGN_ALONE, 1.0],
                _ => [1.0, 1.0],
            })
        };
        Self(groups.into_iter().map(|(group, rows)| (group, weights(rows))).collect())
    }

    /// The weight of a row for a harm: 1 for a row that was not balanced.
    pub fn weight(&self, row: &Row, head: usize) -> f32 {
        let weights = self.0.get(&(row.source.clone(), row.lang.clone()));
        weights.map_or(1.0, |weights| weights[head][usize::from(row.labels[head] == Some(true))])
    }
}

/// Benign and harmful rows for each harm.
fn counts<'a>(rows: impl Iterator<Item = &'a Row>) -> [[f32; 2]; HEADS] {
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
