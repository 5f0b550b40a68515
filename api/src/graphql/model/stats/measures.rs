//! Agreement and calibration, as types. The arithmetic is the domain's.

use async_graphql::SimpleObject;
use domain::dataset::stats;

/// How far answers agree with ground truth. Looks at labelled samples with an answer other than in words. An abstention is an answer
/// that disagrees with every truth.
#[derive(SimpleObject)]
pub(crate) struct Agreement {
    /// How many such samples.
    count: u64,
    /// How many of them were answered with the ground truth.
    agreeing: u64,
    /// `agreeing / count`; null without samples.
    accuracy: Option<f64>,
    /// The mean of F1 over all classes that occur as truth or as answer (Opitz and Burst 2019, as scikit-learn has it); an abstention
    /// is no class, but a truth that was missed. Null without samples.
    macro_f1: Option<f64>,
    /// Cohen's kappa (1960): (p - e) / (1 - e) of the accuracy p and the accuracy e = Σ support · answered / count² that chance
    /// would have. Null without samples, and when e is 1.
    kappa: Option<f64>,
    /// The confusion matrix: how often which truth met which answer; cells that are 0 are left out.
    confusion: Vec<ConfusionCell>,
    /// Every value that occurs as truth or as answer.
    classes: Vec<ClassStats>,
}

/// How often one truth met one answer.
#[derive(SimpleObject)]
pub(crate) struct ConfusionCell {
    /// What is true.
    truth: String,
    /// What was answered; null for abstaining.
    answered: Option<String>,
    /// How often.
    count: u64,
}

/// One value as a class.
#[derive(SimpleObject)]
pub(crate) struct ClassStats {
    /// The value.
    value: String,
    /// How often it is true.
    support: u64,
    /// How often it was answered.
    answered: u64,
    /// The share of its answers that are true; null when it was never answered.
    precision: Option<f64>,
    /// The share of its truths that were answered; null when it is never true.
    recall: Option<f64>,
    /// 2 · right / (answered + support); 0 for a class that is never true or never answered.
    f1: f64,
}

/// Whether what is said to be probable happens as often. Looks at labelled samples whose answer has a probability; abstentions have
/// none.
#[derive(SimpleObject)]
pub(crate) struct Calibration {
    /// How many such samples.
    count: u64,
    /// Expected calibration error (Guo et al. 2017): Σ count / n · |accuracy - confidence| over the bins. Null without samples.
    ece: Option<f64>,
    /// Brier score (1950) over all values: the mean of Σ (p - t)², with t 1 for the truth and 0 for every other value; 0 at best, 2
    /// at worst, and for a yes/no question twice the one-sided score. Over labelled samples that have probabilities,
    /// abstentions included; null without such.
    brier: Option<f64>,
    /// The reliability diagram: ten bins of equal width, the lowest first, empty ones included.
    bins: Vec<ReliabilityBin>,
}

/// Answers whose probability lies in one tenth.
#[derive(SimpleObject)]
pub(crate) struct ReliabilityBin {
    /// The least probability in it.
    from: f64,
    /// The probability that is just above it; the last bin includes 1.
    to: f64,
    /// How many answers.
    count: u64,
    /// Their mean probability; null without any.
    confidence: Option<f64>,
    /// The share of them that is true; null without any.
    accuracy: Option<f64>,
}

impl From<stats::Agreement> for Agreement {
    fn from(of: stats::Agreement) -> Self {
        let cell = |cell: stats::Confusion| ConfusionCell {
            truth: cell.truth,
            answered: cell.answered,
            count: cell.count,
        };
        Self {
            count: of.count,
            agreeing: of.agreeing,
            accuracy: of.accuracy,
            macro_f1: of.macro_f1,
            kappa: of.kappa,
            confusion: of.confusion.into_iter().map(cell).collect(),
            classes: of.classes.into_iter().map(ClassStats::from).collect(),
        }
    }
}

impl From<stats::Class> for ClassStats {
    fn from(of: stats::Class) -> Self {
        let stats::Class { value, support, answered, precision, recall, f1 } = of;
        Self { value, support, answered, precision, recall, f1 }
    }
}

impl From<stats::Calibration> for Calibration {
    fn from(of: stats::Calibration) -> Self {
        let width = of.bins.len() as f64;
        let bin = |(place, bin): (i32, stats::Bin)| ReliabilityBin {
            from: f64::from(place) / width,
            to: f64::from(place + 1) / width,
            count: bin.count,
            confidence: bin.confidence,
            accuracy: bin.accuracy,
        };
        let bins = (0..).zip(of.bins).map(bin).collect();
        Self { count: of.count, ece: of.ece, brier: of.brier, bins }
    }
}
