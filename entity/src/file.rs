//! `file`: files of clients that speak OpenAI's API. The bytes of uploads are rows of `file_chunk`; those of results
//! are in `batch_chunk`.

use sea_orm::entity::prelude::*;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "file")]
pub struct Model {
    /// `file_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// `key_…` or `user_…`: who uploaded it, or submitted its batch.
    pub submitted_by: String,
    /// `input` (uploaded), `output` or `errors` (of a batch).
    pub kind: String,
    /// The batch whose results it has.
    pub batch_id: Option<String>,
    pub filename: String,
    /// Its size; 0 while it is uploaded.
    pub bytes: i64,
    /// False while it is uploaded, and not visible yet.
    pub ready: bool,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
