//! `sample_answer`: the answers and ground truths of samples, a row for each key. Repeats the columns that statistics
//! filter by, so that they read only this table.

use sea_orm::entity::prelude::*;

/// The answer and the ground truth of one key of a sample.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample_answer")]
pub struct Model {
    /// The `seq` of the sample.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sample_seq: i64,
    /// The instruction's key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// The order of the sample's keys, from 0.
    pub position: i32,
    /// Copied from the sample.
    pub judge_id: String,
    /// Copied from the sample.
    pub judge_version: i32,
    /// Copied from the sample.
    pub source: String,
    /// Copied from the sample.
    pub created_at: DateTimeUtc,
    /// `choice`, `score`, `noul` or `text`.
    pub kind: String,
    /// The answer: a choice (or `none_of_these`), the number of the most probable level, `true` or `false`; null for
    /// text, and if only a ground truth was imported.
    pub value: Option<String>,
    /// The answer as in responses, as JSON; null without one.
    pub answer: Option<String>,
    /// The probability of `value`; null for an abstention.
    pub probability: Option<f64>,
    /// The probability of each possible value, as a JSON object; null without an answer, or for text.
    pub probabilities: Option<String>,
    /// The sum of the squared probabilities, for the Brier score.
    pub squares: Option<f64>,
    /// The ground truth; null until it is set.
    pub truth: Option<String>,
    /// The probability of the ground truth.
    pub truth_probability: Option<f64>,
    /// Who set the ground truth: `user_…` or `key_…`.
    pub truth_by: Option<String>,
    pub truth_at: Option<DateTimeUtc>,
}

/// None: relations are queried by key.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
