//! Agreement and calibration, from sums over labelled samples. Pure.
//!
//! Sources: Cohen, "A coefficient of agreement for nominal scales" (1960); macro-F1 as the mean of the classes' F1
//! (Opitz and Burst, "Macro F1 and Macro F1", 2019, the first of their two); Brier, "Verification of forecasts
//! expressed in terms of probability" (1950), his own form over all classes; expected calibration error as in Guo et
//! al., "On calibration of modern neural networks" (2017), with ten bins.

use std::collections::BTreeMap;

/// Number of confidence bins, of equal width.
pub(crate) const BINS: usize = 10;

/// Labelled samples under one key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// No two cells have the same ground truth, answer and bin.
    pub cells: Vec<Cell>,
    /// How many of them have the answer of an evaluation.
    pub evaluated: u64,
}

/// Labelled samples with the same ground truth, answer and confidence bin.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The ground truth.
    pub truth: String,
    /// The answer; `None` for free text and without an answer.
    pub value: Option<String>,
    /// Index of the confidence bin, from 0; `None` when the answer has no probability, which is an abstention if
    /// `value` is set.
    pub bin: Option<usize>,
    /// Number of samples.
    pub count: u64,
    /// Sum of the answers' probabilities.
    pub confidence: f64,
    /// Sum of the Brier scores of the samples with probabilities.
    pub brier: f64,
    /// Number of samples with probabilities.
    pub scored: u64,
}

/// Agreement of answers with ground truth. Counts answered samples; an abstention is a disagreement.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Labelled samples with an answer that is not free text, abstentions included.
    pub count: u64,
    /// How many of them have the answer of an evaluation.
    pub evaluated: u64,
    /// Samples whose answer equals the ground truth.
    pub agreeing: u64,
    /// `agreeing / count`; `None` when `count` is 0.
    pub accuracy: Option<f64>,
    /// The mean of the classes' F1; `None` without classes.
    pub macro_f1: Option<f64>,
    /// (p - e) / (1 - e), with the observed agreement p and the agreement e expected by chance; `None` when e is 1
    /// or there are no samples.
    pub kappa: Option<f64>,
    /// The confusion matrix; cells that are 0 are left out.
    pub confusion: Vec<Confusion>,
    /// Every value that occurs as ground truth or answer.
    pub classes: Vec<Class>,
}

/// A cell of the confusion matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// The ground truth.
    pub truth: String,
    /// The answer; `None` when the model abstained.
    pub answered: Option<String>,
    pub count: u64,
}

/// The metrics of one value as a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    pub value: String,
    /// Samples with this ground truth.
    pub support: u64,
    /// Samples with this answer.
    pub answered: u64,
    /// The share of its answers that are right; `None` without answers.
    pub precision: Option<f64>,
    /// The share of its ground truths that were answered; `None` without any.
    pub recall: Option<f64>,
    /// 2 t / (answered + support), with t true positives.
    pub f1: f64,
}

/// Calibration of the answers' probabilities. Counts answers with a probability; abstentions have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Labelled samples whose answer has a probability.
    pub count: u64,
    /// Expected calibration error: the mean of |confidence - accuracy| over the bins, weighted by their counts;
    /// `None` without any.
    pub ece: Option<f64>,
    /// Brier score: the mean of Σ (p - t)² over all values, with t = 1 for the ground truth and 0 for others, over
    /// the labelled samples with probabilities, abstentions included: 0 at best, 2 at worst; `None` without any.
    pub brier: Option<f64>,
    /// Ten bins of probability, from the lowest, empty ones included.
    pub bins: Vec<Bin>,
}

/// The answers in one bin of probability; the last bin includes 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    pub count: u64,
    /// Their mean probability; `None` for an empty bin.
    pub confidence: Option<f64>,
    /// The share of right answers; `None` for an empty bin.
    pub accuracy: Option<f64>,
}

impl Cell {
    /// The answer, unless the model abstained.
    fn answered(&self) -> Option<&str> {
        self.bin.and(self.value.as_deref())
    }

    fn agrees(&self) -> bool {
        self.answered() == Some(&self.truth)
    }
}

impl Labelled {
    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.cells.iter().map(|cell| cell.count).sum()
    }

    /// Adds the answers of an evaluation, for samples without one.
    pub(crate) fn answer_by_evaluation(&mut self, answered: Cell) {
        self.evaluated += answered.count;
        let mut same_truth = self.cells.iter_mut().filter(|cell| cell.truth == answered.truth);
        if let Some(without) = same_truth.find(|cell| cell.value.is_none()) {
            without.count = without.count.saturating_sub(answered.count);
        }
        self.cells.retain(|cell| cell.count > 0);
        let mut same_truth = self.cells.iter_mut().filter(|cell| cell.truth == answered.truth);
        match same_truth.find(|cell| cell.value == answered.value && cell.bin == answered.bin) {
            Some(cell) => {
                cell.count += answered.count;
                cell.confidence += answered.confidence;
                cell.brier += answered.brier;
                cell.scored += answered.scored;
            }
            None => self.cells.push(answered),
        }
    }

    pub fn agreement(&self) -> Agreement {
        let answered: Vec<&Cell> = self.cells.iter().filter(|cell| cell.value.is_some()).collect();
        let count: u64 = answered.iter().map(|cell| cell.count).sum();
        let agreeing: u64 = answered.iter().filter(|cell| cell.agrees()).map(|cell| cell.count).sum();
        let classes = classes(&answered);
        let by_f1 = classes.iter().map(|class| class.f1).sum::<f64>();
        Agreement {
            count,
            evaluated: self.evaluated,
            agreeing,
            accuracy: share(agreeing, count),
            macro_f1: (!classes.is_empty()).then(|| by_f1 / classes.len() as f64),
            kappa: kappa(count, agreeing, &classes),
            confusion: confusion(&answered),
            classes,
        }
    }

    pub fn calibration(&self) -> Calibration {
        let bins: Vec<Bin> = (0..BINS).map(|bin| self.bin(bin)).collect();
        let count: u64 = bins.iter().map(|bin| bin.count).sum();
        let gaps =
            bins.iter().filter_map(|bin| Some(bin.count as f64 * (bin.confidence? - bin.accuracy?).abs()));
        let gap: f64 = gaps.sum();
        let scored: u64 = self.cells.iter().map(|cell| cell.scored).sum();
        let brier: f64 = self.cells.iter().map(|cell| cell.brier).sum();
        Calibration {
            count,
            ece: (count > 0).then(|| gap / count as f64),
            brier: (scored > 0).then(|| brier / scored as f64),
            bins,
        }
    }

    fn bin(&self, bin: usize) -> Bin {
        let cells: Vec<&Cell> = self.cells.iter().filter(|cell| cell.bin == Some(bin)).collect();
        let count: u64 = cells.iter().map(|cell| cell.count).sum();
        let agreeing: u64 = cells.iter().filter(|cell| cell.agrees()).map(|cell| cell.count).sum();
        let confidence: f64 = cells.iter().map(|cell| cell.confidence).sum();
        Bin {
            count,
            confidence: (count > 0).then(|| confidence / count as f64),
            accuracy: share(agreeing, count),
        }
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn classes(cells: &[&Cell]) -> Vec<Class> {
    // Ground truths, answers and true positives of each class.
    let mut sums: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for cell in cells {
        sums.entry(&cell.truth).or_default().0 += cell.count;
        if let Some(answered) = cell.answered() {
            let sums = sums.entry(answered).or_default();
            sums.1 += cell.count;
            sums.2 += if cell.agrees() { cell.count } else { 0 };
        }
    }
    let mut classes = Vec::with_capacity(sums.len());
    for (value, (support, answered, right)) in sums {
        classes.push(Class {
            value: value.to_owned(),
            support,
            answered,
            precision: share(right, answered),
            recall: share(right, support),
            f1: 2.0 * right as f64 / (answered + support) as f64,
        });
    }
    classes
}

/// Computed in integers, so that chance agreement of exactly 1 is detected.
fn kappa(count: u64, agreeing: u64, classes: &[Class]) -> Option<f64> {
    let pairs = u128::from(count) * u128::from(count);
    let chance: u128 =
        classes.iter().map(|class| u128::from(class.support) * u128::from(class.answered)).sum();
    let agree = u128::from(agreeing) * u128::from(count);
    (pairs > chance).then(|| (agree as f64 - chance as f64) / (pairs - chance) as f64)
}

fn confusion(cells: &[&Cell]) -> Vec<Confusion> {
    let mut counts: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
    for cell in cells {
        *counts.entry((&cell.truth, cell.answered())).or_default() += cell.count;
    }
    let mut cells = Vec::with_capacity(counts.len());
    for ((truth, answered), count) in counts {
        cells.push(Confusion { truth: truth.to_owned(), answered: answered.map(str::to_owned), count });
    }
    cells
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cell(truth: &str, value: Option<&str>, bin: Option<usize>, count: u64) -> Cell {
        let confidence = bin.map_or(0.0, |bin| (bin as f64 + 0.5) / 10.0 * count as f64);
        let scored = if value.is_some() { count } else { 0 };
        Cell {
            truth: truth.to_owned(),
            value: value.map(str::to_owned),
            bin,
            count,
            confidence,
            brier: scored as f64,
            scored,
        }
    }

    fn near(found: Option<f64>, wanted: f64) {
        assert!(found.is_some_and(|found| (found - wanted).abs() < 1e-12), "{found:?} is not {wanted}");
    }

    /// The table of 50 proposals in Wikipedia's article on Cohen's kappa: 20 yes/yes, 15 no/no, 5 and 10
    /// disagreements; 0.4.
    #[test]
    fn kappa_is_that_of_a_known_table() {
        let cells = vec![
            cell("yes", Some("yes"), Some(9), 20),
            cell("yes", Some("no"), Some(5), 5),
            cell("no", Some("yes"), Some(5), 10),
            cell("no", Some("no"), Some(9), 15),
        ];
        let agreement = Labelled { cells, evaluated: 0 }.agreement();
        near(agreement.kappa, 0.4);
        near(agreement.accuracy, 0.7);
        near(agreement.macro_f1, (40.0 / 55.0 + 30.0 / 45.0) / 2.0);
        assert_eq!((agreement.count, agreement.agreeing), (50, 35));
    }

    #[test]
    fn abstentions_disagree_and_are_no_class() {
        let cells = vec![
            cell("a", Some("a"), Some(9), 3),
            cell("a", Some("none_of_these"), None, 1),
            cell("b", Some("b"), None, 2),
            cell("c", None, None, 7),
        ];
        let labelled = Labelled { cells, evaluated: 0 };
        assert_eq!(labelled.count(), 13);
        let agreement = labelled.agreement();
        near(agreement.accuracy, 0.5);
        let classes: Vec<&str> = agreement.classes.iter().map(|class| class.value.as_str()).collect();
        assert_eq!(classes, ["a", "b"], "neither what abstained nor what was never answered");
        near(agreement.macro_f1, 6.0 / 7.0 / 2.0);
        // 6 pairs: chance agrees on 4 × 3 of 36.
        near(agreement.kappa, (18.0 - 12.0) / (36.0 - 12.0));
        let abstained: Vec<_> = agreement.confusion.iter().filter(|cell| cell.answered.is_none()).collect();
        assert_eq!(abstained.iter().map(|cell| cell.count).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(labelled.calibration().count, 3);
    }

    #[test]
    fn evaluations_answer_what_nobody_asked() {
        let cells =
            vec![cell("a", Some("a"), Some(9), 3), cell("a", None, None, 4), cell("b", None, None, 1)];
        let mut labelled = Labelled { cells, evaluated: 0 };
        labelled.answer_by_evaluation(cell("a", Some("a"), Some(9), 1));
        labelled.answer_by_evaluation(cell("a", Some("b"), Some(5), 2));
        labelled.answer_by_evaluation(cell("b", Some("b"), Some(5), 1));
        let agreement = labelled.agreement();
        assert_eq!((labelled.count(), labelled.cells.len()), (8, 4), "{labelled:?}");
        assert_eq!((agreement.count, agreement.evaluated, agreement.agreeing), (7, 4, 5));
    }

    #[test]
    fn nothing_has_no_figures() {
        let nothing = Labelled::default();
        let agreement = nothing.agreement();
        assert_eq!((agreement.accuracy, agreement.macro_f1, agreement.kappa), (None, None, None));
        let calibration = nothing.calibration();
        assert_eq!((calibration.ece, calibration.brier, calibration.bins.len()), (None, None, 10));
        let one_class = Labelled { cells: vec![cell("a", Some("a"), Some(9), 5)], evaluated: 0 };
        assert_eq!(one_class.agreement().kappa, None, "chance alone would agree");
    }

    #[test]
    fn calibration_error_weighs_bins_by_their_counts() {
        let cells = vec![
            cell("a", Some("a"), Some(9), 6),
            cell("b", Some("a"), Some(9), 2),
            cell("b", Some("b"), Some(5), 2),
        ];
        let calibration = Labelled { cells, evaluated: 0 }.calibration();
        near(calibration.bins[9].confidence, 0.95);
        near(calibration.bins[9].accuracy, 0.75);
        near(calibration.ece, (8.0 * 0.2 + 2.0 * 0.45) / 10.0);
        near(calibration.brier, 1.0);
    }

    fn cells() -> impl Strategy<Value = Vec<Cell>> {
        let value = prop::sample::select(vec!["a", "b", "c"]);
        let one = (value.clone(), prop::option::of(value), prop::option::of(0..BINS), 1u64..1000);
        let one = one.prop_map(|(truth, value, bin, count)| cell(truth, value, value.and(bin), count));
        prop::collection::vec(one, 0..40)
    }

    proptest! {
        #[test]
        fn figures_stay_within_their_ranges(cells in cells()) {
            let labelled = Labelled { cells, evaluated: 0 };
            let agreement = labelled.agreement();
            let calibration = labelled.calibration();
            for share in [agreement.accuracy, agreement.macro_f1, calibration.ece].into_iter().flatten() {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&share));
            }
            prop_assert!(agreement.kappa.is_none_or(|kappa| (-1.0 - 1e-12..=1.0).contains(&kappa)));
            prop_assert_eq!(agreement.confusion.iter().map(|cell| cell.count).sum::<u64>(), agreement.count);
            prop_assert_eq!(agreement.classes.iter().map(|class| class.support).sum::<u64>(), agreement.count);
            prop_assert!(calibration.count <= agreement.count && agreement.count <= labelled.count());
        }

        #[test]
        fn who_is_always_right_scores_one(counts in prop::collection::vec(1u64..1000, 2..5)) {
            let names = ["a", "b", "c", "d"];
            let cells = counts.iter().zip(names).map(|(count, name)| cell(name, Some(name), Some(9), *count));
            let agreement = Labelled { cells: cells.collect(), evaluated: 0 }.agreement();
            let measures = [agreement.accuracy, agreement.macro_f1, agreement.kappa];
            prop_assert_eq!(measures, [Some(1.0); 3]);
        }
    }
}
