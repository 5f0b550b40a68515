//! `sample_answer`: the answer of a sample for one key, and its ground truth. It repeats the columns that statistics
//! filter by, so that they read only this table.

use sea_orm::entity::prelude::*;

/// One key of one sample.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample_answer")]
pub struct Model {
    /// The `seq` of the sample.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sample_seq: i64,
    /// The question's key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Index among the sample's keys, from 0.
    pub position: i32,
    /// Copy of the sample's column.
    pub judge_id: String,
    /// Copy of the sample's column.
    pub judge_version: i32,
    /// Copy of the sample's column.
    pub source: String,
    /// Copy of the sample's column.
    pub created_at: DateTimeUtc,
    /// `choice`, `score`, `noul` or `text`.
    pub kind: String,
    /// The answer: a choice (or `none_of_these`), the number of the most probable level, `true` or `false`; null
    /// for free text, and if only a ground truth was imported.
    pub value: Option<String>,
    /// The answer in wire form, JSON; null without one.
    pub answer: Option<String>,
    /// The probability of `value`; null if the model abstained.
    pub probability: Option<f64>,
    /// The probability of each possible value, a JSON object; null for free text and without an answer.
    pub probabilities: Option<String>,
    /// The sum of the squared probabilities, for the Brier score.
    pub squares: Option<f64>,
    /// The server that answered and its model, such as `ollama/qwen3:8b`; null for the model in process.
    pub server_model: Option<String>,
    /// The ground truth, set by a reviewer or an import; null until then.
    pub truth: Option<String>,
    /// The probability that the model gave to the ground truth.
    pub truth_probability: Option<f64>,
    /// The actor who set the ground truth: `user_…` or `key_…`.
    pub truth_by: Option<String>,
    pub truth_at: Option<DateTimeUtc>,
}

/// No relations are declared: queries use keys.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
