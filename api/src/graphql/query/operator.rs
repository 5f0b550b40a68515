//! Queries for the deployment's operators.

use async_graphql::{Context, Object};

use crate::graphql::{
    context::actor,
    error::{FieldResult, field_error},
    model::Operator,
};

#[derive(Default)]
pub(crate) struct OperatorQuery;

#[Object]
impl OperatorQuery {
    /// The deployment, for users whom its command line made operators; `FORBIDDEN` for other users and for all API
    /// keys.
    async fn operator(&self, ctx: &Context<'_>) -> FieldResult<Operator> {
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        Ok(Operator(actor.clone()))
    }
}
