//! `backend_calibration`: the temperatures of the operator's backends, with how good they are.

use sea_orm::entity::prelude::*;

/// The temperature of one group of questions to one backend.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "backend_calibration")]
pub struct Model {
    /// The backend's name in the settings.
    #[sea_orm(primary_key, auto_increment = false)]
    pub backend: String,
    /// `noul`, `score`, `choice_of_few` or `choice_of_many`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub question_group: String,
    /// The exact model that was calibrated.
    pub model: String,
    pub temperature: f64,
    /// Questions that the figures are of.
    pub questions: i32,
    pub accuracy: f64,
    pub ece_before: f64,
    pub ece_after: f64,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
