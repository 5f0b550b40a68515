//! Queries of bulk batches by their id. Lists are fields of the account.

use async_graphql::{Context, ID, Object};
use domain::batch::BatchAccess;
use ports::id::BatchId;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Batch,
};

#[derive(Default)]
pub(crate) struct BatchQuery;

#[Object]
impl BatchQuery {
    /// A bulk batch of the account. Null with the code `NOT_FOUND` if there is none with this id.
    async fn batch(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The batch's id.")] id: ID,
    ) -> FieldResult<Option<Batch>> {
        find(ctx, &id).await.map(Some)
    }
}

pub(super) async fn find(ctx: &Context<'_>, id: &str) -> FieldResult<Batch> {
    let service = services(ctx)?;
    let access = BatchAccess::of(actor(ctx)?);
    let id = BatchId::parse(id).map_err(field_error)?;
    service.batches.find(&access, &id).await.map(Batch).map_err(field_error)
}
