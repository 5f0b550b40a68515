//! Queries of moderation policies by their id. The list is a field of the account.

use async_graphql::{Context, ID, Object};
use ports::id::PolicyId;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::ModerationPolicy,
};

#[derive(Default)]
pub(crate) struct ModerationPolicyQuery;

#[Object]
impl ModerationPolicyQuery {
    /// A moderation policy of the account. Null with the code `NOT_FOUND` if there is none with this id.
    async fn moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The policy's id.")] id: ID,
    ) -> FieldResult<Option<ModerationPolicy>> {
        find(ctx, &id).await.map(Some)
    }
}

pub(super) async fn find(ctx: &Context<'_>, id: &str) -> FieldResult<ModerationPolicy> {
    let id = PolicyId::parse(id).map_err(field_error)?;
    let found = services(ctx)?.policies.find(&actor(ctx)?.account, &id).await;
    found.map(ModerationPolicy).map_err(field_error)
}
