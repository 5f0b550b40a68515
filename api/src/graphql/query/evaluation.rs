//! Queries of evaluation runs. Lists of them are fields of their Judge and of the account.

use async_graphql::{Context, ID, Object};
use ports::id::EvaluationId;

use crate::graphql::{
    context::{actor, loaders, services},
    error::{FieldResult, field_error},
    loaders::found,
    model::{
        Evaluation, EvaluationCascade, EvaluationComparison, EvaluationInput, EvaluationPrice, compared,
    },
    pagination::{PageArgs, cost},
};

/// The complexity of a comparison: it reads all answers of both.
const COMPARISON_COST: usize = 100;

#[derive(Default)]
pub(crate) struct EvaluationQuery;

#[Object]
impl EvaluationQuery {
    /// An evaluation of the account. Null with the code `NOT_FOUND` if there is none with this id.
    async fn evaluation(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The evaluation's id.")] id: ID,
    ) -> FieldResult<Option<Evaluation>> {
        find(ctx, &id).await.map(Some)
    }

    /// What an evaluation would cost, without starting it.
    async fn evaluation_price(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What would be evaluated.")] input: EvaluationInput,
    ) -> FieldResult<EvaluationPrice> {
        let service = services(ctx)?;
        let who = actor(ctx)?;
        let new = input.read().map_err(field_error)?;
        let estimate = service.evaluations.estimate(who, &new).await;
        estimate.map(EvaluationPrice::from).map_err(field_error)
    }

    /// Two evaluations of a Judge that have succeeded, side by side, with the answers that differ.
    #[graphql(complexity = "cost(first, last, child_complexity) + COMPARISON_COST")]
    #[allow(clippy::too_many_arguments)]
    async fn compare_evaluations(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The id of the evaluation to compare with.")] old: ID,
        #[graphql(desc = "The id of the evaluation to compare.")] new: ID,
        #[graphql(desc = "Changes from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only changes after this cursor.")] after: Option<String>,
        #[graphql(desc = "Changes from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only changes before this cursor.")] before: Option<String>,
    ) -> FieldResult<EvaluationComparison> {
        compared(ctx, &old, &new, PageArgs { first, after, last, before }).await
    }

    /// The curve of a cascade over evaluations of a Judge that have succeeded: accuracy against price.
    #[graphql(complexity = "child_complexity + COMPARISON_COST")]
    async fn evaluation_cascade(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "The ids of the steps' evaluations, two or three, in the order in which they are asked."
        )]
        evaluations: Vec<ID>,
        #[graphql(desc = "The accuracy that is wanted, 0 to 1; `cheapest` reaches it at the least price.")]
        accuracy: Option<f64>,
    ) -> FieldResult<EvaluationCascade> {
        let account = &actor(ctx)?.account;
        let ids: domain::Result<Vec<EvaluationId>> =
            evaluations.iter().map(|id| Ok(EvaluationId::parse(id)?)).collect();
        let found = services(ctx)?.evaluations.cascade(account, &ids.map_err(field_error)?).await;
        found.map(|found| EvaluationCascade::new(found, accuracy)).map_err(field_error)
    }
}

pub(super) async fn find(ctx: &Context<'_>, id: &str) -> FieldResult<Evaluation> {
    let loaders = loaders(ctx)?;
    let id = EvaluationId::parse(id).map_err(field_error)?;
    found(loaders.evaluations.load_one(id).await, "evaluation").map(Evaluation).map_err(field_error)
}
