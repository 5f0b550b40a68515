//! Splits rows into folds by their content: stable, stratified, and with equal content in one fold.

use std::collections::BTreeMap;

use super::dataset::LabelledRow;

/// The fold of each row, 0 to `folds - 1`. Depends on the rows' content and labels and on the seed, not on their order.
pub(super) fn folds(rows: &[LabelledRow], folds: usize, seed: u64) -> Vec<usize> {
    let mut by_content: BTreeMap<u64, usize> = BTreeMap::new();
    for row in rows {
        let label = by_content.entry(row.content_hash).or_insert(row.label);
        *label = row.label.min(*label);
    }
    let mut order: Vec<(usize, u64, u64)> =
        by_content.into_iter().map(|(hash, label)| (label, mix(hash ^ mix(seed)), hash)).collect();
    order.sort_unstable();
    let fold: BTreeMap<u64, usize> =
        order.into_iter().enumerate().map(|(n, (_, _, hash))| (hash, n % folds)).collect();
    rows.iter().map(|row| fold[&row.content_hash]).collect()
}

/// The finaliser of SplitMix64.
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(content_hash: u64, label: usize) -> LabelledRow {
        LabelledRow {
            content_hash,
            label,
            zero_shot: vec![0.0; 2],
            tuned: None,
            features: Vec::new(),
            example: None,
        }
    }

    #[test]
    fn folds_are_even_in_each_class_and_do_not_depend_on_order() {
        let mut rows: Vec<LabelledRow> = (0..100).map(|n| row(mix(n), usize::from(n % 4 == 0))).collect();
        let before = folds(&rows, 5, 7);
        for class in 0..2 {
            for fold in 0..5 {
                let count =
                    rows.iter().zip(&before).filter(|(row, f)| (row.label, **f) == (class, fold)).count();
                assert_eq!(count, [15, 5][class]);
            }
        }
        rows.reverse();
        let mut after = folds(&rows, 5, 7);
        after.reverse();
        assert_eq!(before, after);
        assert_ne!(before, folds(&rows, 5, 8));
    }

    #[test]
    fn equal_content_is_in_one_fold() {
        let rows: Vec<LabelledRow> = (0..60).map(|n| row(mix(n % 20), (n % 3) as usize / 2)).collect();
        let split = folds(&rows, 4, 1);
        assert!((0..20).all(|n| split[n] == split[n + 20] && split[n] == split[n + 40]));
    }
}
