//! The deployment, for those who run it.

use async_graphql::{Context, Object};

use crate::graphql::{
    context::actor,
    error::{FieldResult, field_error},
    model::Operator,
};

/// The deployment, for those who run it.
#[derive(Default)]
pub(crate) struct OperatorQuery;

#[Object]
impl OperatorQuery {
    /// The deployment, for a person whom its command line made an operator; `FORBIDDEN` for others, and for every API key.
    async fn operator(&self, ctx: &Context<'_>) -> FieldResult<Operator> {
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        Ok(Operator(actor.clone()))
    }
}
