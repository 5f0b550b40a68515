//! Finds the probability threshold of a value at which its answers reach a wanted precision or recall, measured on
//! labelled samples.

use sea_orm::QueryResult;

use super::{
    Statistics,
    select::{Scope, Select, Table, by_backend, count},
};
use crate::{Error, Result, learning::dataset::SampleFilter};
use ports::id::{AccountId, DatasetId};

/// A target share: above 0, up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share(u64);

/// The metric that a threshold must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThresholdAim {
    /// At least this precision; of those thresholds the lowest, which has the highest recall.
    Precision(Share),
    /// At least this recall; of those thresholds the one with the highest precision, and of equal ones the highest.
    Recall(Share),
    /// At most this rate of false alarms among the samples whose ground truth is another; of those thresholds the
    /// lowest, which has the highest recall.
    FalseAlarms(Share),
}

/// A query for one threshold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThresholdQuery {
    pub dataset: DatasetId,
    pub key: String,
    /// The answer that the threshold is for.
    pub value: String,
    pub aim: ThresholdAim,
}

/// The rule "the answer is the value when its probability is at least `probability`", measured on the labelled
/// samples for which the value is a possible answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The threshold; it is a probability that occurred.
    pub probability: f64,
    /// Labelled samples for which the value is a possible answer.
    pub count: u64,
    /// Samples whose ground truth is the value.
    pub support: u64,
    /// Samples that reach the threshold.
    pub answered: u64,
    /// Samples that reach the threshold and whose ground truth is the value.
    pub right: u64,
}

impl Share {
    /// Validates a share.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming `field`, unless the share is above 0 and up to 1.
    pub fn new(field: &str, share: f64) -> Result<Self> {
        let fits = share > 0.0 && share <= 1.0;
        if fits {
            Ok(Self(share.to_bits()))
        } else {
            Err(Error::invalid(field, "must be above 0 and at most 1"))
        }
    }

    fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl ThresholdAim {
    /// Builds the target from exactly one of the three shares.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for several, none, and shares out of range.
    pub fn of(precision: Option<f64>, recall: Option<f64>, false_alarms: Option<f64>) -> Result<Self> {
        match (precision, recall, false_alarms) {
            (Some(precision), None, None) => Share::new("precision", precision).map(ThresholdAim::Precision),
            (None, Some(recall), None) => Share::new("recall", recall).map(ThresholdAim::Recall),
            (None, None, Some(rate)) => Share::new("falseAlarms", rate).map(ThresholdAim::FalseAlarms),
            (None, None, None) => {
                Err(Error::invalid("precision", "is required unless `recall` or `falseAlarms` is given"))
            }
            (Some(_), ..) => {
                Err(Error::invalid("precision", "must not be given together with `recall` or `falseAlarms`"))
            }
            (None, Some(_), Some(_)) => {
                Err(Error::invalid("recall", "must not be given together with `falseAlarms`"))
            }
        }
    }

    /// The target as (precision, recall, false alarms).
    fn shares(self) -> [Option<f64>; 3] {
        match self {
            ThresholdAim::Precision(precision) => [Some(precision.get()), None, None],
            ThresholdAim::Recall(recall) => [None, Some(recall.get()), None],
            ThresholdAim::FalseAlarms(rate) => [None, None, Some(rate.get())],
        }
    }
}

impl Threshold {
    pub fn precision(&self) -> f64 {
        self.right as f64 / self.answered as f64
    }

    pub fn recall(&self) -> f64 {
        self.right as f64 / self.support as f64
    }
}

impl Statistics {
    /// Computes the thresholds in the order of the queries; `None` where no threshold reaches the target.
    pub async fn thresholds(
        &self,
        account: &AccountId,
        filter: &SampleFilter,
        queries: &[ThresholdQuery],
    ) -> Result<Vec<Option<Threshold>>> {
        let mut found = vec![None; queries.len()];
        // No row contains a NUL, and PostgreSQL rejects one as a parameter.
        let numbered = queries.iter().enumerate();
        let numbered: Vec<_> =
            numbered.filter(|(_, query)| !query.key.contains('\0') && !query.value.contains('\0')).collect();
        if numbered.is_empty() {
            return Ok(found);
        }
        for row in select(Scope { db: &self.db, account, filter }, &numbered).rows(&self.db, account).await? {
            let number = count(&row, "number")?;
            let place = usize::try_from(number).ok().and_then(|number| found.get_mut(number));
            *place.ok_or_else(|| Error::internal("a threshold that nobody asked for"))? = Some(read(&row)?);
        }
        Ok(found)
    }
}

fn read(row: &QueryResult) -> Result<Threshold> {
    Ok(Threshold {
        probability: row.try_get("", "p")?,
        count: count(row, "samples")?,
        support: count(row, "support")?,
        answered: count(row, "answered")?,
        right: count(row, "right_ones")?,
    })
}

fn select(scope: Scope<'_>, queries: &[(usize, &ThresholdQuery)]) -> Select {
    let mut select = Select::new(scope.db);
    let mut rows = Vec::with_capacity(queries.len());
    for (number, query) in queries {
        let texts = [query.dataset.as_str(), &query.key, &query.value].map(|text| select.bind(text));
        let shares =
            query.aim.shares().map(|share| format!("CAST({} AS DOUBLE PRECISION)", select.bind(share)));
        rows.push(format!("(CAST({number} AS BIGINT), {}, {})", texts.join(", "), shares.join(", ")));
    }
    // A key can be any text, so no JSON path names it safely on SQLite.
    let p = by_backend(
        scope.db,
        "CAST(CAST(s.probabilities AS JSON) ->> q.value AS DOUBLE PRECISION)",
        "(SELECT CAST(e.value AS REAL) FROM json_each(s.probabilities) e WHERE e.key = q.value)",
    );
    select.sql = format!(
        "WITH asked (number, judge_id, key, value, least_precision, least_recall, most_alarms) AS (VALUES {}), \
         scored AS (SELECT q.number, {p} AS p, CASE WHEN s.truth = q.value THEN 1 ELSE 0 END AS hit \
         FROM asked q JOIN judge j ON j.id = q.judge_id \
         JOIN sample_answer s ON s.judge_id = j.id AND s.key = q.key",
        rows.join(", ")
    );
    select.within(scope, Table::Answers);
    select.sql += CURVE;
    select
}

/// Every probability that occurred, with the metrics of a threshold there; then the best one that reaches the
/// target.
const CURVE: &str = " AND s.truth IS NOT NULL AND s.probabilities IS NOT NULL), \
    steps AS (SELECT number, p, SUM(hit) AS hits, COUNT(*) AS n FROM scored WHERE p IS NOT NULL GROUP BY number, p), \
    curve AS (SELECT number, p, \
        CAST(SUM(n) OVER (PARTITION BY number) AS BIGINT) AS samples, \
        CAST(SUM(hits) OVER (PARTITION BY number) AS BIGINT) AS support, \
        CAST(SUM(n) OVER (PARTITION BY number ORDER BY p DESC) AS BIGINT) AS answered, \
        CAST(SUM(hits) OVER (PARTITION BY number ORDER BY p DESC) AS BIGINT) AS right_ones FROM steps), \
    shares AS (SELECT c.*, CAST(c.right_ones AS DOUBLE PRECISION) / c.answered AS precise, q.least_precision, \
        q.least_recall, q.most_alarms FROM curve c JOIN asked q ON q.number = c.number WHERE c.support > 0), \
    ranked AS (SELECT shares.*, ROW_NUMBER() OVER (PARTITION BY number ORDER BY \
        CASE WHEN least_recall IS NULL THEN p END, CASE WHEN least_recall IS NOT NULL THEN precise END DESC, p DESC) \
        AS place FROM shares WHERE precise >= least_precision \
        OR CAST(right_ones AS DOUBLE PRECISION) / support >= least_recall \
        OR answered - right_ones <= most_alarms * (samples - support)) \
    SELECT number, p, samples, support, answered, right_ones FROM ranked WHERE place = 1";
