//! `sample`: recorded inferences of a Judge, and imported samples. Rows exist only with the account's consent
//! (`store_content`, or an import).

use sea_orm::entity::prelude::*;

/// A sample. Its answers and ground truth are rows of `sample_answer`.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sample")]
pub struct Model {
    /// Position among all samples; the order of lists. Commits may be out of order.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// `sample_…`
    #[sea_orm(unique)]
    pub id: String,
    pub account_id: String,
    /// The Judge whose dataset it belongs to.
    pub judge_id: String,
    /// The version of the Judge that answered; for an import, the newest at that time.
    pub judge_version: i32,
    /// `inference` or `import`.
    pub source: String,
    /// `req_…` of the inference; null for an import.
    pub request_id: Option<String>,
    /// Hex SHA-256 of state and instructions.
    pub content_hash: String,
    /// The input of the decision, JSON.
    pub state: String,
    /// The request's own instructions, JSON; null if they were the Judge's.
    pub instructions: Option<String>,
    /// The model that answered, with its version; null without answers.
    pub model: Option<String>,
    /// `local` or `openrouter`; null without answers.
    pub backend: Option<String>,
    /// `ckpt_…` of the Checkpoint that answered; null for none.
    pub checkpoint_id: Option<String>,
    /// Milliseconds; null without answers.
    pub latency_ms: Option<f64>,
    /// Milli-credits charged.
    pub credits: i64,
    /// The probability of the most probable answer, or the lowest of these over the keys; null without one. The order
    /// of the review queue.
    pub certainty: Option<f64>,
    /// The number of keys with a ground truth.
    pub labels: i32,
    /// The reviewer: `user_…` or `key_…`.
    pub claimed_by: Option<String>,
    /// Expiry of the claim, in milliseconds since 1970 by the database's clock.
    pub claimed_until: Option<i64>,
    /// The action of a verdict; null, as the columns that follow, for a sample of a Judge.
    pub action: Option<String>,
    /// The harms of a verdict: the names of its categories, with a space before and after each.
    pub harms: Option<String>,
    /// The threat score of a verdict. The order of the moderation queue.
    pub threat_score: Option<f64>,
    /// The author of a moderated message, if the request named one.
    pub author: Option<String>,
    /// The channel of a moderated message, if the request named one.
    pub channel: Option<String>,
    /// The language of a moderated message, a BCP 47 tag.
    pub language: Option<String>,
    /// `policy_…` of the policy that decided; null for none.
    pub policy_id: Option<String>,
    /// The rest of a verdict, JSON: its signals and its policy.
    pub verdict: Option<String>,
    /// `user_…` of the person who is to decide; null for anybody.
    pub assigned_to: Option<String>,
    /// The version of the policy that decided as a shadow; null for none.
    pub shadow_version: Option<i32>,
    /// The action that the shadow would have taken; null for none.
    pub shadow_action: Option<String>,
    /// The time of the inference or import.
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use keys.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
