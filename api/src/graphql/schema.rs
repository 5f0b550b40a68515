//! The schema: what can be queried, changed and subscribed to, and how much of it in one operation.

use std::{any::TypeId, sync::Arc};

use async_graphql::{
    Data, Json, MergedObject, MergedSubscription, PathSegment, Pos, QueryPathNode, QueryPathSegment, Request,
    Response, SDLExportOptions, Schema, SchemaBuilder, ServerError, ServerResult, ValidationResult, Value,
    extensions::{
        Extension, ExtensionContext, ExtensionFactory, NextExecute, NextPrepareRequest, NextResolve,
        NextValidation, ResolveInfo,
    },
    parser::types::{DocumentOperations, OperationType},
};
use domain::{
    foundation::actor::Role,
    services::{Probes, Services},
};
use serde_json::Value as AnyJson;

use super::{
    byte_budget::{self, ByteBudget, ByteBudgets},
    conformance::NullPropagation,
    context::RequestInfo,
    current_actor::CurrentActor,
    error::field_error,
    introspection,
    loaders::Batches,
    model,
    moderator::{ModeratorLimit, forbidden},
    mutation::{
        AccountMutation, ApiKeyMutation, BatchMutation, CheckpointMutation, EvaluationMutation,
        ImportMutation, JudgeMutation, MailMutation, ModerationLogMutation, ModerationPolicyMutation,
        OperatorMutation, SampleMutation, SavedViewMutation, SessionMutation, UserMutation, WebhookMutation,
    },
    query::{
        AccountQuery, BatchQuery, CheckpointQuery, EvaluationQuery, JudgeQuery, ModerationPolicyQuery,
        OperatorQuery, ProofOfWorkQuery, SampleQuery, ViewerQuery, WebhookQuery,
    },
    subscription::{AccountFeeds, AccountSubscription, ProgressSubscription, SampleSubscription},
};
use crate::slots::AccountSlots;

/// Spreads of fragments and selections within each other that async-graphql follows.
const MAX_RECURSION: usize = 64;
/// Directives that a field may have.
const MAX_DIRECTIVES: usize = 16;

/// All queries. An account's members and keys see that account alone.
#[derive(MergedObject, Default)]
pub(crate) struct Query(
    AccountQuery,
    BatchQuery,
    CheckpointQuery,
    EvaluationQuery,
    JudgeQuery,
    ModerationPolicyQuery,
    OperatorQuery,
    ProofOfWorkQuery,
    SampleQuery,
    ViewerQuery,
    WebhookQuery,
);

/// All mutations. `userErrors` is empty if the mutation succeeded.
#[derive(MergedObject, Default)]
pub(crate) struct Mutation(
    AccountMutation,
    ApiKeyMutation,
    BatchMutation,
    CheckpointMutation,
    EvaluationMutation,
    ImportMutation,
    JudgeMutation,
    MailMutation,
    ModerationLogMutation,
    ModerationPolicyMutation,
    OperatorMutation,
    SampleMutation,
    SavedViewMutation,
    SessionMutation,
    UserMutation,
    WebhookMutation,
);

/// All subscriptions, over a WebSocket. A subscription sends hints: they arrive soon after the change was committed, on
/// whichever replica that was, and in rare cases one is lost. Use a query for what must not be missed.
#[derive(MergedSubscription, Default)]
pub(crate) struct Subscription(AccountSubscription, ProgressSubscription, SampleSubscription);

/// Limits of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryLimits {
    /// Fields within fields.
    pub(super) depth: usize,
    /// Fields, those of a list's rows as often as rows were asked for.
    pub(super) complexity: usize,
    /// Whether the schema can be queried.
    pub(super) introspection: bool,
}

impl QueryLimits {
    /// Adds the limit to the library's error.
    fn explain(self, mut error: ServerError) -> ServerError {
        let Self { depth, complexity, .. } = self;
        match error.message.as_str() {
            "Query is too complex." => {
                error.message = format!(
                    "the operation is too complex: it costs more than {complexity} (`graphql_complexity`); request \
                     fewer rows or fields"
                );
            }
            "Query is nested too deep." => {
                error.message = format!(
                    "the operation is nested too deep: it has more than {depth} levels (`graphql_depth`)"
                );
            }
            _ => {}
        }
        error
    }
}

/// The permits that a subscription's executions take, one for each event; in the data of subscriptions. Queries and
/// mutations have theirs for the whole request.
#[derive(Clone)]
pub(super) struct SubscriptionSlots(pub(super) AccountSlots);

pub(super) type GavelSchema = Schema<Query, Mutation, Subscription>;

/// The schema over a running service.
pub(super) fn build(
    services: Services,
    probes: Arc<Probes>,
    limits: QueryLimits,
    budgets: ByteBudgets,
) -> GavelSchema {
    let feeds = AccountFeeds::new(services.clone());
    let schema = builder()
        .data(probes)
        .data(feeds)
        .data(budgets)
        .data(limits)
        .data(services)
        .extension(NullPropagation::default())
        .extension(PerExecution::default())
        .limit_depth(limits.depth)
        .limit_complexity(limits.complexity)
        .limit_recursive_depth(MAX_RECURSION)
        .limit_directives(MAX_DIRECTIVES);
    if limits.introspection {
        schema.finish()
    } else {
        schema.disable_introspection().disable_suggestions().finish()
    }
}

/// Limits introspection, counts bytes, and gives each execution a current actor with loaders of its own: a subscription
/// is executed for each event, and must not get rows that were loaded for an earlier one.
#[derive(Default)]
struct PerExecution {
    limit: Arc<ModeratorLimit>,
}

impl ExtensionFactory for PerExecution {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(PerExecution::default())
    }
}

#[async_graphql::async_trait::async_trait]
impl Extension for PerExecution {
    async fn prepare_request(
        &self,
        ctx: &ExtensionContext<'_>,
        mut request: Request,
        next: NextPrepareRequest<'_>,
    ) -> ServerResult<Request> {
        introspection::check(&ctx.schema_env.registry, &mut request)?;
        require_no_subscription_of_a_moderator(&mut request)?;
        next.run(ctx, request).await
    }

    /// Says which limit an operation exceeds.
    async fn validation(
        &self,
        ctx: &ExtensionContext<'_>,
        next: NextValidation<'_>,
    ) -> Result<ValidationResult, Vec<ServerError>> {
        let validated = next.run(ctx).await;
        let Some(limits) = ctx.data_opt::<QueryLimits>() else { return validated };
        validated.map_err(|errors| errors.into_iter().map(|error| limits.explain(error)).collect())
    }

    async fn execute(
        &self,
        ctx: &ExtensionContext<'_>,
        name: Option<&str>,
        next: NextExecute<'_>,
    ) -> Response {
        let mut data = Data::default();
        let batches = Batches::default();
        let (info, budgets) = match (ctx.data::<RequestInfo>(), ctx.data::<ByteBudgets>()) {
            (Ok(info), Ok(budgets)) => (info, budgets),
            (Err(error), _) | (_, Err(error)) => {
                return Response::from_errors(vec![error.into_server_error(Pos::default())]);
            }
        };
        // That of a query or mutation lasts until its response is sent.
        let budget = ctx.data_opt::<ByteBudget>().cloned();
        let current = CurrentActor::new(
            batches.clone(),
            budget.unwrap_or_else(|| budgets.begin(info.caller())),
            self.limit.clone(),
        );
        let actor = info.actor.as_ref();
        if let (Some(actor), Some(service)) = (actor, ctx.data_opt::<Services>()) {
            current.enter(service, actor.clone());
        }
        data.insert(current);
        let _permit = match (actor, ctx.data_opt::<SubscriptionSlots>()) {
            (Some(actor), Some(SubscriptionSlots(slots))) => match slots.acquire(&actor.account).await {
                Ok(permit) => Some(permit),
                Err(error) => {
                    return Response::from_errors(vec![field_error(error).into_server_error(Pos::default())]);
                }
            },
            _ => None,
        };
        batches.run(next.run_with_data(ctx, name, data)).await
    }

    /// Keeps moderators to what is theirs, and counts the values of leaves, of which responses are made.
    async fn resolve(
        &self,
        ctx: &ExtensionContext<'_>,
        info: ResolveInfo<'_>,
        next: NextResolve<'_>,
    ) -> ServerResult<Option<Value>> {
        let is_field = matches!(info.path_node.segment, QueryPathSegment::Name(_));
        let leaf = is_field && info.field.selection_set.node.items.is_empty();
        let path = info.path_node;
        let pos = info.field.name.pos;
        if is_field && let Err(error) = self.limit.require(&info) {
            return Err(at_path(field_error(error).into_server_error(pos), path));
        }
        let value = next.run(ctx, info).await?;
        if leaf
            && let (Some(value), Some(budget)) = (&value, ctx.data_opt::<ByteBudget>())
            && let Err(error) = budget.reserve(byte_budget::size(value)).await
        {
            return Err(at_path(field_error(error).into_server_error(pos), path));
        }
        Ok(value)
    }
}

/// # Errors
/// `FORBIDDEN` for a moderator's subscription.
fn require_no_subscription_of_a_moderator(request: &mut Request) -> ServerResult<()> {
    let info =
        request.data.get(&TypeId::of::<RequestInfo>()).and_then(|info| info.downcast_ref::<RequestInfo>());
    let role = info.and_then(|info| info.actor.as_ref()).map(|actor| actor.role);
    if role != Some(Role::Moderator) {
        return Ok(());
    }
    let subscribes = match &request.parsed_query()?.operations {
        DocumentOperations::Single(operation) => operation.node.ty == OperationType::Subscription,
        DocumentOperations::Multiple(named) => {
            named.values().any(|operation| operation.node.ty == OperationType::Subscription)
        }
    };
    if subscribes { Err(field_error(forbidden()).into_server_error(Pos::default())) } else { Ok(()) }
}

/// An error of the field at a path.
fn at_path(mut error: ServerError, path: &QueryPathNode<'_>) -> ServerError {
    let mut segments = Vec::new();
    let mut node = Some(path);
    while let Some(QueryPathNode { parent, segment }) = node {
        segments.push(match segment {
            QueryPathSegment::Index(index) => PathSegment::Index(*index),
            QueryPathSegment::Name(name) => PathSegment::Field((*name).to_owned()),
        });
        node = *parent;
    }
    segments.reverse();
    error.path = segments;
    error
}

/// The schema in the schema definition language, sorted, as `schema.graphql` holds it.
pub fn sdl() -> String {
    let sorted = SDLExportOptions::new().sorted_fields().sorted_arguments().sorted_enum_items();
    builder().finish().sdl_with_options(sorted)
}

fn builder() -> SchemaBuilder<Query, Mutation, Subscription> {
    let builder = Schema::build(Query::default(), Mutation::default(), Subscription::default())
        .override_output_type_description::<Json<AnyJson>>(
            "Any JSON: an object, a list, a string, a number, true or false.",
        );
    model::describe_connections(builder)
}
