//! The types of agreement and calibration. They are computed in the domain.

use async_graphql::SimpleObject;
use domain::{foundation::round::significant, learning::agreement};

use crate::agreement::{ConfusionCell, Interval};

/// The agreement of answers with the ground truth, over the labelled samples with an answer that is not in words. An
/// abstention disagrees with every ground truth.
#[derive(SimpleObject)]
pub(crate) struct Agreement {
    /// The number of these samples.
    count: u64,
    /// The number of these samples that came without an answer, as imports do, and have that of the Judge's latest
    /// evaluation that has succeeded: of the filter's version, if it has one.
    evaluated: u64,
    /// The number of these samples whose answer is the ground truth.
    agreeing: u64,
    /// `agreeing / count`; null without samples.
    accuracy: Option<f64>,
    /// Wilson's interval of 95 % for the accuracy; null without samples.
    accuracy_interval: Option<Interval>,
    /// The mean of F1 over all classes that occur as ground truth or as answer (Opitz and Burst 2019, as in
    /// scikit-learn). An abstention is not a class, but a ground truth that was missed. Null without samples.
    macro_f1: Option<f64>,
    /// Cohen's kappa (1960): (p - e) / (1 - e), with the accuracy p and the accuracy expected by chance e = Σ support ·
    /// answered / count². Null without samples, and if e is 1.
    kappa: Option<f64>,
    /// The confusion matrix: how often each ground truth got each answer. Cells that are 0 are left out.
    confusion: Vec<ConfusionCell>,
    /// Every value that occurs as ground truth or as answer.
    classes: Vec<ClassStats>,
}

/// A value as a class.
#[derive(SimpleObject)]
pub(crate) struct ClassStats {
    /// The value.
    value: String,
    /// How often the value is the ground truth.
    support: u64,
    /// How often the value was answered.
    answered: u64,
    /// The share of the value's answers that are true; null if it was never answered.
    precision: Option<f64>,
    /// The share of the samples with this ground truth that were answered with it; null if there are none.
    recall: Option<f64>,
    /// 2 · correct / (answered + support); 0 for a class that is never the ground truth or never answered.
    f1: f64,
}

/// The calibration of the probabilities: whether answers are right as often as their probability says. Over the
/// labelled samples whose answer has a probability; abstentions have none.
#[derive(SimpleObject)]
pub(crate) struct Calibration {
    /// The number of these samples.
    count: u64,
    /// The expected calibration error (Guo et al. 2017): Σ count / n · |accuracy - confidence| over the bins. Null
    /// without samples.
    ece: Option<f64>,
    /// The Brier score (1950) over all values: the mean of Σ (p - t)², with t = 1 for the ground truth and 0 for every
    /// other value. 0 is best and 2 is worst; for a yes/no question it is twice the one-sided score. Over the labelled
    /// samples with probabilities, abstentions included; null without any.
    brier: Option<f64>,
    /// The reliability diagram: ten bins of equal width, the lowest first, empty ones included.
    bins: Vec<ReliabilityBin>,
}

/// A bin of the reliability diagram: the answers whose probability lies in one tenth.
#[derive(SimpleObject)]
pub(crate) struct ReliabilityBin {
    /// The lower bound, which the bin includes.
    from: f64,
    /// The upper bound, which only the last bin includes.
    to: f64,
    /// The number of answers.
    count: u64,
    /// The mean probability of the answers; null without answers.
    confidence: Option<f64>,
    /// The share of the answers that are right; null without answers.
    accuracy: Option<f64>,
}

impl From<agreement::Agreement> for Agreement {
    fn from(of: agreement::Agreement) -> Self {
        let interval = agreement::wilson(of.agreeing, of.count);
        Self {
            count: of.count,
            evaluated: of.evaluated,
            agreeing: of.agreeing,
            accuracy: of.accuracy.map(significant),
            accuracy_interval: interval.map(Interval::from),
            macro_f1: of.macro_f1.map(significant),
            kappa: of.kappa.map(significant),
            confusion: of.confusion.into_iter().map(ConfusionCell::from).collect(),
            classes: of.classes.into_iter().map(ClassStats::from).collect(),
        }
    }
}

impl From<agreement::Class> for ClassStats {
    fn from(of: agreement::Class) -> Self {
        let agreement::Class { value, support, answered, precision, recall, f1 } = of;
        let precision = precision.map(significant);
        let recall = recall.map(significant);
        Self { value, support, answered, precision, recall, f1: significant(f1) }
    }
}

impl From<agreement::Calibration> for Calibration {
    fn from(of: agreement::Calibration) -> Self {
        let width = of.bins.len() as f64;
        let bins = (0..).zip(of.bins).map(|(place, bin)| ReliabilityBin {
            from: f64::from(place) / width,
            to: f64::from(place + 1) / width,
            count: bin.count,
            confidence: bin.confidence.map(significant),
            accuracy: bin.accuracy.map(significant),
        });
        Self {
            count: of.count,
            ece: of.ece.map(significant),
            brier: of.brier.map(significant),
            bins: bins.collect(),
        }
    }
}
