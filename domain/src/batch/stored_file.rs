//! Files: uploaded ones, which batches read, and the results that batches write.

use chrono::{DateTime, Utc};
use entity::file;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, sea_query::Expr,
};
use strum::{EnumString, IntoStaticStr};

use crate::{Error, Result};
use ports::id::{AccountId, BatchId, FileId};

/// What a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FileKind {
    /// The items of a batch, as they were uploaded.
    Input,
    /// The results of a batch's items that succeeded.
    Output,
    /// Those of the others.
    Errors,
}

impl FileKind {
    /// The name in the `file` table.
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    pub id: FileId,
    pub kind: FileKind,
    /// The batch whose results it has.
    pub batch: Option<BatchId>,
    pub filename: String,
    pub bytes: i64,
    pub created_at: DateTime<Utc>,
    /// When it is deleted.
    pub expires_at: DateTime<Utc>,
}

impl TryFrom<file::Model> for StoredFile {
    type Error = Error;

    fn try_from(row: file::Model) -> Result<Self> {
        let kind = row.kind.parse();
        let kind = kind.map_err(|_| Error::internal(format!("`{}` is not a kind of a file", row.kind)))?;
        Ok(Self {
            id: row.id.into(),
            kind,
            batch: row.batch_id.map(BatchId::from),
            filename: row.filename,
            bytes: row.bytes,
            created_at: row.created_at,
            expires_at: row.expires_at,
        })
    }
}

/// The number of an account's uploaded files, and their bytes.
pub(super) async fn usage(on: &impl ConnectionTrait, account: &AccountId) -> Result<(u64, i64)> {
    let uploaded = file::Entity::find()
        .filter(file::Column::AccountId.eq(account.as_str()))
        .filter(file::Column::Kind.eq(FileKind::Input.as_str()))
        .filter(file::Column::Ready.eq(true));
    let count = uploaded.clone().count(on).await?;
    let sum = Expr::cust("CAST(SUM(bytes) AS BIGINT)");
    let bytes: Option<Option<i64>> = uploaded.select_only().expr(sum).into_tuple().one(on).await?;
    Ok((count, bytes.flatten().unwrap_or(0)))
}
