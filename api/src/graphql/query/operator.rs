//! The deployment, for those who run it.

use async_graphql::{Context, Object};

use crate::graphql::{
    error::{Fault, fault},
    model::Operator,
    visitor::actor,
};

/// The deployment, for those who run it.
#[derive(Default)]
pub(crate) struct OperatorQuery;

#[Object]
impl OperatorQuery {
    /// The deployment, for a person whom its command line made an operator; `FORBIDDEN` for others, and for every API key.
    async fn operator(&self, ctx: &Context<'_>) -> Fault<Operator> {
        let actor = actor(ctx)?;
        actor.require_operator().map_err(fault)?;
        Ok(Operator(actor.clone()))
    }
}
