//! Queries of Checkpoints by their id. Lists of Checkpoints are fields of their Judge and of the account.

use async_graphql::{Context, ID, Object};
use ports::id::CheckpointId;

use crate::graphql::{
    context::loaders,
    error::{FieldResult, field_error},
    loaders::found,
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
    found(loaders.checkpoints.load_one(id).await, "Checkpoint").map(Checkpoint).map_err(field_error)
}
