//! Queries of Checkpoints by their id. Lists of Checkpoints are fields of their Judge and of the account.

use async_graphql::{Context, ID, Object};
use domain::Error;
use ports::id::CheckpointId;

use crate::graphql::{
    context::loaders,
    error::{FieldResult, field_error},
    loaders::batch_error,
    model::Checkpoint,
};

#[derive(Default)]
pub(crate) struct CheckpointQuery;

#[Object]
impl CheckpointQuery {
    /// A Checkpoint of the account. Null with the code `NOT_FOUND` if there is none with this id.
    async fn checkpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Checkpoint's id.")] id: ID,
    ) -> FieldResult<Option<Checkpoint>> {
        find(ctx, &id).await.map(Some)
    }
}

pub(super) async fn find(ctx: &Context<'_>, id: &str) -> FieldResult<Checkpoint> {
    let loaders = loaders(ctx)?;
    let id = CheckpointId::parse(id).map_err(field_error)?;
    let found = loaders.checkpoints.load_one(id).await.map_err(batch_error).map_err(field_error)?;
    let missing = || field_error(Error::not_found("Checkpoint"));
    found.map(Checkpoint).ok_or_else(missing)
}
