//! `sample`: recorded or imported requests of a Judge. Stored only with the account's consent (`store_content`, or an
//! import).

use sea_orm::entity::prelude::*;

/// A sample. Its answers and ground truths are rows of `sample_answer`.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample")]
pub struct Model {
    /// The order of lists. Commits may come out of order.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// `sample_…`
    #[sea_orm(unique)]
    pub id: String,
    pub account_id: String,
    pub judge_id: String,
    /// The version of the Judge that answered; for an import, the current one.
    pub judge_version: i32,
    /// `inference` or `import`.
    pub source: String,
    /// `req_…`; null for an import.
    pub request_id: Option<String>,
    /// The SHA-256 of state and instructions, in hexadecimal.
    pub content_hash: String,
    /// The state, as JSON.
    pub state: String,
    /// The request's own instructions, as JSON; null for the Judge's.
    pub instructions: Option<String>,
    /// The model that answered, with its version; null without answers.
    pub model: Option<String>,
    /// `local` or `openrouter`; null without answers.
    pub backend: Option<String>,
    /// In milliseconds.
    pub latency_ms: Option<f64>,
    /// In milli-credits.
    pub credits: i64,
    /// The probability of the most probable answer, the least over all keys; null without answers. The order of the
    /// review queue.
    pub certainty: Option<f64>,
    /// The number of keys with a ground truth.
    pub labels: i32,
    /// The reviewer: `user_…` or `key_…`.
    pub claimed_by: Option<String>,
    /// Milliseconds since 1970 by the database's clock.
    pub claimed_until: Option<i64>,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by key.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
