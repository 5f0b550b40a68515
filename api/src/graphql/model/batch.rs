//! Bulk batches.

use async_graphql::{Context, Enum, ID, Json, Object, SimpleObject};
use domain::batch::{self, BatchAccess};
use serde_json::Value;

use crate::graphql::{
    context::{actor, services},
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, count_of},
};

/// The status of a bulk batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "batch::BatchStatus")]
pub(crate) enum BatchStatus {
    /// Waits for a worker.
    Queued,
    /// Workers run its items.
    Running,
    /// Every item has succeeded or failed.
    Completed,
    /// It could not be carried out.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It expired before all items had run.
    Expired,
}

pub(crate) struct Batch(pub(crate) batch::Batch);

pub(crate) type BatchConnection = ListConnection<Batch>;

/// Some results of a bulk batch.
#[derive(SimpleObject)]
pub(crate) struct BatchResults {
    /// JSON Lines, as REST has them at `/api/v1/batches/{id}/results`; empty at the end.
    lines: String,
    /// The part that comes next; null at the end of what there is.
    next_part: Option<i32>,
}

/// Many requests under one id, run in the background.
#[Object]
impl Batch {
    /// The batch's id, `batch_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The batch's status.
    async fn status(&self) -> BatchStatus {
        self.0.status.into()
    }

    /// The number of items.
    async fn total(&self) -> i32 {
        self.0.total
    }

    /// The number of items that succeeded.
    async fn completed(&self) -> i32 {
        self.0.completed
    }

    /// The number of items that failed; they are not charged.
    async fn failed(&self) -> i32 {
        self.0.failed
    }

    /// Credits for a text item, when the batch was submitted.
    async fn text_price(&self) -> f64 {
        self.0.text_price.credits()
    }

    /// Credits for an inference item, when the batch was submitted.
    async fn inference_price(&self) -> f64 {
        self.0.inference_price.credits()
    }

    /// Credits for a picture of an item, when the batch was submitted.
    async fn image_price(&self) -> f64 {
        self.0.image_price.credits()
    }

    /// Credits held for the items that have not run.
    async fn credits_held(&self) -> f64 {
        self.0.held.credits()
    }

    /// Credits charged so far.
    async fn credits_charged(&self) -> f64 {
        self.0.charged.credits()
    }

    /// The strings that came with the batch, as an object.
    async fn metadata(&self) -> Json<Value> {
        Json(Value::Object(self.0.metadata.clone()))
    }

    /// Why the batch failed; how many items had not run when it expired.
    async fn error(&self) -> Option<&str> {
        self.0.error.as_deref()
    }

    /// When the batch was submitted.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When its first item was run.
    async fn started_at(&self) -> Option<DateTime> {
        self.0.started_at.map(DateTime)
    }

    /// When it ended.
    async fn finished_at(&self) -> Option<DateTime> {
        self.0.finished_at.map(DateTime)
    }

    /// When it expires if it has not ended.
    async fn expires_at(&self) -> DateTime {
        self.0.expires_at.into()
    }

    /// The results that there are, in the order of the items. A part holds some hundred.
    #[graphql(complexity = "20 + child_complexity")]
    async fn results(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The part: 0, then each `nextPart`.", default = 0)] part: i32,
    ) -> FieldResult<BatchResults> {
        let service = services(ctx)?;
        let access = BatchAccess::of(actor(ctx)?);
        let results = service.batches.results(&access, &self.0.id).await.map_err(field_error)?;
        let mut results = results.from(part);
        let lines = results.next().await.map_err(field_error)?;
        let next_part = lines.as_ref().map(|_| results.position());
        let lines = lines.map(|lines| String::from_utf8_lossy(&lines).into_owned()).unwrap_or_default();
        Ok(BatchResults { lines, next_part })
    }
}

/// A page of the batches of the actor's account.
pub(super) async fn batches(ctx: &Context<'_>, args: PageArgs) -> FieldResult<BatchConnection> {
    let all = services(ctx)?.batches.clone();
    let actor = actor(ctx)?;
    let access = BatchAccess::of(actor);
    let list = format!("batches:{}", actor.account);
    let slice = all.list(&access, args.page::<String>(&list)?).await.map_err(field_error)?;
    let count = count_of((all, access), |(all, access)| async move { all.count(&access).await });
    Ok(connection(&list, slice, |batch| batch.id.to_string(), Batch, count))
}
