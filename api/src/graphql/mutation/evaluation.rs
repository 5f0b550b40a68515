//! Mutations of evaluation runs.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{
    foundation::actor::Role,
    learning::evaluation::{self, EvaluationOrder},
    money::amount::Amount,
};

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{Evaluation, EvaluationInput},
};

#[derive(Default)]
pub(crate) struct EvaluationMutation;

/// An evaluation to be started.
#[derive(InputObject)]
struct StartEvaluationInput {
    /// What to evaluate.
    #[graphql(flatten)]
    evaluation: EvaluationInput,
    /// The maximum cost in credits, as `evaluationPrice` returns it.
    max_credits: f64,
}

/// An evaluation.
#[derive(InputObject)]
struct CancelEvaluationInput {
    /// The evaluation's id.
    id: ID,
}

/// The evaluation, or errors.
#[derive(SimpleObject)]
struct EvaluationPayload {
    /// The evaluation; null if nothing changed.
    evaluation: Option<Evaluation>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

impl EvaluationPayload {
    fn of(result: domain::Result<evaluation::Evaluation>) -> FieldResult<Self> {
        let (evaluation, user_errors) = split_user_errors(result)?;
        Ok(Self { evaluation: evaluation.map(Evaluation), user_errors })
    }
}

#[Object]
impl EvaluationMutation {
    /// Runs a Judge's version or a Checkpoint over the Judge's labelled samples, in the background. Each sample costs
    /// one inference: the price of all is held, what is answered is charged, and the rest is released. Needs the role
    /// editor.
    async fn start_evaluation(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What to evaluate, and for how much.")] input: StartEvaluationInput,
    ) -> FieldResult<EvaluationPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let start = async {
            actor.require(Role::Editor)?;
            let max_credits = Amount::from_credits("max_credits", input.max_credits)?;
            let evaluation = input.evaluation.read()?;
            service.evaluations.start(actor, EvaluationOrder { evaluation, max_credits }, None).await
        };
        EvaluationPayload::of(start.await)
    }

    /// Cancels an evaluation that is queued or running. What was answered stays charged, and the rest is released.
    /// Needs the role editor.
    async fn cancel_evaluation(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The evaluation to cancel.")] input: CancelEvaluationInput,
    ) -> FieldResult<EvaluationPayload> {
        let id = parse_id(&input.id);
        EvaluationPayload::of(services(ctx)?.evaluations.cancel(actor(ctx)?, &id).await)
    }
}
