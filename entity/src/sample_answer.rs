//! `sample_answer`: the answer of a sample under one key, and its ground truth. Repeats what statistics filter by, so that
//! they read this table alone.

use sea_orm::entity::prelude::*;

/// One key of one sample.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample_answer")]
pub struct Model {
    /// The sample, by its `seq`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sample_seq: i64,
    /// The instruction's key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Its place among the sample's keys, from 0.
    pub position: i32,
    /// The sample's Judge.
    pub judge_id: String,
    /// The sample's version of the Judge.
    pub judge_version: i32,
    /// The sample's source.
    pub source: String,
    /// The sample's time.
    pub created_at: DateTimeUtc,
    /// `choice`, `score`, `noul` or `text`.
    pub kind: String,
    /// What was answered: a choice (or `none_of_these`), the most probable level's number, `true` or `false`; null for words, and
    /// when only a ground truth was imported.
    pub value: Option<String>,
    /// The answer as the wire shows it, JSON; null without one.
    pub answer: Option<String>,
    /// How probable `value` is said to be; null when it abstains.
    pub probability: Option<f64>,
    /// A probability for each possible value, a JSON object; null without an answer, or with one in words.
    pub probabilities: Option<String>,
    /// The sum of their squares, for the Brier score.
    pub squares: Option<f64>,
    /// What a person says it should be; null until one did.
    pub truth: Option<String>,
    /// How probable that was said to be.
    pub truth_probability: Option<f64>,
    /// Who set it: `user_…` or `key_…`.
    pub truth_by: Option<String>,
    /// When.
    pub truth_at: Option<DateTimeUtc>,
}

/// Relations are queried by key; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
