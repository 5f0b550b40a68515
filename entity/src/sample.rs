//! `sample`: what a Judge saw and said, or what was imported for it. Only there with the account's consent
//! (`store_content`, or an import).

use sea_orm::entity::prelude::*;

/// One sample. Its answers and ground truth are rows of `sample_answer`.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample")]
pub struct Model {
    /// Its place among all samples; what lists are ordered by. Commits may come out of order.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// `sample_…`
    #[sea_orm(unique)]
    pub id: String,
    /// Whose it is.
    pub account_id: String,
    /// The Judge in whose dataset it is.
    pub judge_id: String,
    /// The version of the Judge that was asked; for an import, the newest then.
    pub judge_version: i32,
    /// `inference` or `import`.
    pub source: String,
    /// `req_…` of the inference; null for an import.
    pub request_id: Option<String>,
    /// Hex SHA-256 of state and instructions.
    pub content_hash: String,
    /// What was decided about, JSON.
    pub state: String,
    /// The instructions when the request brought its own, JSON; null when they were the Judge's.
    pub instructions: Option<String>,
    /// Which model answered, with its version; null without answers.
    pub model: Option<String>,
    /// Who answered: `local` or `openrouter`; null without answers.
    pub backend: Option<String>,
    /// How long answering took, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Milli-credits charged for it.
    pub credits: i64,
    /// The least probability of a most probable answer, over all keys; null without such. What the review queue is ordered by.
    pub certainty: Option<f64>,
    /// How many keys have a ground truth.
    pub labels: i32,
    /// Who is reviewing it: `user_…` or `key_…`.
    pub claimed_by: Option<String>,
    /// Until when, in milliseconds since 1970 by the database's clock.
    pub claimed_until: Option<i64>,
    /// When it was recorded or imported.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by key; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
