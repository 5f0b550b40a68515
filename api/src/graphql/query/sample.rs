//! Queries of samples by their id. Lists of samples are fields of their Judge.

use async_graphql::{Context, ID, Object};
use domain::{Error, foundation::actor::Role};
use ports::id::SampleId;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Sample,
};

#[derive(Default)]
pub(crate) struct SampleQuery;

#[Object]
impl SampleQuery {
    /// A sample of the account. Null with the code `NOT_FOUND` if there is none with this id.
    async fn sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The sample's id.")] id: ID,
    ) -> FieldResult<Option<Sample>> {
        find(ctx, &id).await.map(Some)
    }
}

pub(super) async fn find(ctx: &Context<'_>, id: &str) -> FieldResult<Sample> {
    let service = services(ctx)?;
    let actor = actor(ctx)?;
    let id = SampleId::parse(id).map_err(field_error)?;
    let sample = service.datasets.find(&actor.account, &id).await.map_err(field_error)?;
    if actor.role == Role::Moderator && sample.moderation.is_none() {
        return Err(field_error(Error::not_found("sample")));
    }
    Ok(Sample::from(sample))
}
