//! `batch`: bulk batches. Their items and results are rows of `batch_chunk`.

use sea_orm::entity::prelude::*;

/// A bulk batch.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "batch")]
pub struct Model {
    /// `batch_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// The job that ends the batch, and that owns its hold.
    pub job_id: String,
    /// `key_…` or `user_…`.
    pub submitted_by: String,
    /// `uploading` (not visible yet), `queued`, `running`, `completed`, `failed`, `cancelled` or `expired`.
    pub status: String,
    /// The number of items.
    pub total: i32,
    /// Items that succeeded.
    pub completed: i32,
    /// Items that failed.
    pub failed: i32,
    /// Chunks that have no results yet.
    pub chunks_left: i32,
    /// The price of a text item, in milli-credits, when the batch was submitted.
    pub text_price: i64,
    /// The price of an inference item, in milli-credits, when the batch was submitted.
    pub inference_price: i64,
    /// The price of a picture of an item, in milli-credits, when the batch was submitted.
    pub image_price: i64,
    /// Milli-credits that were held for all items.
    pub held: i64,
    /// Milli-credits charged so far.
    pub charged: i64,
    /// Bytes of its items and results.
    pub bytes: i64,
    /// The file that it was read from, if it was; the file may be gone.
    pub input_file: Option<String>,
    /// The path of all its items, if it was read from a file.
    pub endpoint: Option<String>,
    /// Bytes of the file with the answers so far, if it was read from a file.
    pub output_bytes: i64,
    /// Bytes of the file with the failures so far, if it was read from a file.
    pub error_bytes: i64,
    /// The client's metadata, a JSON object.
    pub metadata: String,
    /// Why it failed.
    pub error: Option<String>,
    pub created_at: DateTimeUtc,
    pub started_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
    pub expires_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
