//! Samples by their id. Lists of them are fields of their Judge.

use async_graphql::{Context, ID, Object};
use domain::{dataset, id::SampleId};

use crate::graphql::{
    error::{Fault, fault},
    model::Sample,
    visitor::{actor, service},
};

/// Samples by their id.
#[derive(Default)]
pub(crate) struct SampleQuery;

#[Object]
impl SampleQuery {
    /// A sample of the account. Null, with the code `NOT_FOUND`, when there is none of this id.
    async fn sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "`sample_…`")] id: ID,
    ) -> Fault<Option<Sample>> {
        find(ctx, &id).await.map(Some)
    }
}

pub(super) async fn find(ctx: &Context<'_>, id: &str) -> Fault<Sample> {
    let (service, actor) = (service(ctx)?, actor(ctx)?);
    let id = SampleId::sent(id).map_err(fault)?;
    dataset::find(&service.db, &actor.account, &id).await.map(Sample).map_err(fault)
}
