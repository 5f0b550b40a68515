//! Reads batches, and ends them.

use chrono::{DateTime, Utc};
use entity::batch;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumString, IntoStaticStr};

use super::{access::BatchAccess, stored_file};
use crate::{
    Error, Result,
    background::job,
    foundation::{
        database::Database,
        page::{Page, Slice, slice},
    },
    money::amount::Amount,
};
use ports::id::{AccountId, BatchId, FileId, JobId};

/// The status of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BatchStatus {
    Queued,
    Running,
    /// Every item has succeeded or failed.
    Completed,
    /// It could not be carried out.
    Failed,
    Cancelled,
    /// It expired before all items had run.
    Expired,
}

impl BatchStatus {
    /// The name on the wire and in the `batch` table.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether items may still be run.
    pub fn is_open(self) -> bool {
        matches!(self, BatchStatus::Queued | BatchStatus::Running)
    }

    fn parse(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::internal(format!("`{name}` is not a status of a batch")))
    }
}

/// The names of the open statuses.
pub(super) const OPEN: [&str; 2] = ["queued", "running"];
/// The name of the status before a batch is visible.
pub(super) const UPLOADING: &str = "uploading";

/// A batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    pub id: BatchId,
    pub account: AccountId,
    pub status: BatchStatus,
    /// The number of items.
    pub total: i32,
    /// Items that succeeded.
    pub completed: i32,
    /// Items that failed; they are not charged.
    pub failed: i32,
    /// The price of a text item.
    pub text_price: Amount,
    /// The price of an inference item.
    pub inference_price: Amount,
    /// The price of a picture of an item.
    pub image_price: Amount,
    /// The file that it was read from, if it was.
    pub input: Option<BatchInput>,
    /// Credits that are held for items that have not run.
    pub held: Amount,
    /// Credits charged so far.
    pub charged: Amount,
    /// The client's own strings.
    pub metadata: Map<String, Value>,
    /// Why it failed; how much had not run when it expired.
    pub error: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub expires_at: DateTime<Utc>,
}

/// The file that a batch was read from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchInput {
    pub file: FileId,
    /// The path of all items.
    pub endpoint: String,
}

impl TryFrom<batch::Model> for Batch {
    type Error = Error;

    fn try_from(row: batch::Model) -> Result<Self> {
        let status = BatchStatus::parse(&row.status)?;
        let held = if status.is_open() { row.held - row.charged } else { 0 };
        Ok(Self {
            id: row.id.into(),
            account: row.account_id.into(),
            status,
            total: row.total,
            completed: row.completed,
            failed: row.failed,
            text_price: Amount::from_milli(row.text_price),
            inference_price: Amount::from_milli(row.inference_price),
            image_price: Amount::from_milli(row.image_price),
            input: row
                .input_file
                .zip(row.endpoint)
                .map(|(file, endpoint)| BatchInput { file: file.into(), endpoint }),
            held: Amount::from_milli(held),
            charged: Amount::from_milli(row.charged),
            metadata: serde_json::from_str(&row.metadata).map_err(Error::internal)?,
            error: row.error,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            expires_at: row.expires_at,
        })
    }
}

job::subject_table!(batch, Status);

/// The visible batches of somebody.
fn visible(access: &BatchAccess) -> Select<batch::Entity> {
    let of_account = batch::Entity::find()
        .filter(batch::Column::AccountId.eq(access.account.as_str()))
        .filter(batch::Column::Status.ne(UPLOADING));
    let of_account = match access.from_files {
        true => of_account.filter(batch::Column::InputFile.is_not_null()),
        false => of_account,
    };
    match &access.own {
        Some(own) => of_account.filter(batch::Column::SubmittedBy.eq(own)),
        None => of_account,
    }
}

pub(super) async fn find_row(db: &Database, access: &BatchAccess, id: &BatchId) -> Result<batch::Model> {
    let row = visible(access).filter(batch::Column::Id.eq(id.as_str()));
    db.in_time(row.one(db.read())).await?.ok_or_else(|| Error::not_found("batch"))
}

/// Reads batches of an account; ids that do not exist are left out.
pub(super) async fn find_many(db: &Database, account: &AccountId, ids: &[BatchId]) -> Result<Vec<Batch>> {
    let all = BatchAccess { account: account.clone(), own: None, from_files: false };
    let rows = visible(&all).filter(batch::Column::Id.is_in(ids.iter().map(BatchId::as_str)));
    db.in_time(rows.all(db.read())).await?.into_iter().map(Batch::try_from).collect()
}

/// A page of batches, newest first; keys are ids.
pub(super) async fn list(db: &Database, access: &BatchAccess, page: Page<String>) -> Result<Slice<Batch>> {
    let rows: Slice<batch::Model> = slice(visible(access), batch::Column::Id, true, page, db.read()).await?;
    rows.try_map(Batch::try_from)
}

pub(super) async fn count(db: &Database, access: &BatchAccess) -> Result<u64> {
    Ok(db.in_time(visible(access).count(db.read())).await?)
}

/// The number of an account's batches that have not ended, and the bytes of all its batches and files.
pub(super) async fn usage(on: &impl ConnectionTrait, account: &AccountId) -> Result<(u64, i64)> {
    let of_account = batch::Entity::find().filter(batch::Column::AccountId.eq(account.as_str()));
    let open = of_account.clone().filter(batch::Column::Status.is_in(OPEN)).count(on).await?;
    let bytes: Option<Option<i64>> =
        of_account.select_only().expr(Expr::cust("CAST(SUM(bytes) AS BIGINT)")).into_tuple().one(on).await?;
    let (_, of_files) = stored_file::usage(on, account).await?;
    Ok((open, bytes.flatten().unwrap_or(0).saturating_add(of_files)))
}

/// Locks a batch on the transaction, without checking the owner; none when it was erased.
pub(super) async fn lock(tx: &impl ConnectionTrait, id: &str) -> Result<Option<batch::Model>> {
    let row = batch::Entity::find_by_id(id).order_by_asc(batch::Column::Id).lock_exclusive();
    Ok(row.one(tx).await?)
}

pub(super) fn job_of(row: &batch::Model) -> JobId {
    JobId::from(row.job_id.clone())
}
