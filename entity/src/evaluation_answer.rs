//! `evaluation_answer`: an evaluation's answer for one key of one sample, with the ground truth at that time.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "evaluation_answer")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub evaluation_id: String,
    /// The `seq` of the sample.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sample_seq: i64,
    /// The question's key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Whether the Checkpoint that answers was trained on the sample.
    pub trained: bool,
    /// The ground truth.
    pub truth: String,
    /// The answer, in the form of a ground truth; null for free text.
    pub value: Option<String>,
    /// The probability of `value`; null if the model abstained.
    pub probability: Option<f64>,
    /// The probability of the ground truth.
    pub truth_probability: Option<f64>,
    /// The Brier score.
    pub brier: Option<f64>,
}

/// No relations are declared: queries use keys.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
