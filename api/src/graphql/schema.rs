//! The schema: what can be asked, changed and watched, and how much of it at once.

use std::sync::Arc;

use async_graphql::{
    Data, Json, MergedObject, MergedSubscription, Response, SDLExportOptions, Schema, SchemaBuilder,
    extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute},
};
use chrono::NaiveDate;
use domain::Context;
use serde_json::Value;

use super::{
    conformance::null_propagation::NullPropagation,
    context::RequestInfo,
    current_actor::CurrentActor,
    loaders::Batches,
    mutation::{
        AccountMutation, ApiKeyMutation, ImportMutation, JudgeMutation, OperatorMutation, SampleMutation,
        SessionMutation, UserMutation,
    },
    query::{AccountQuery, JudgeQuery, OperatorQuery, SampleQuery, ViewerQuery},
    subscription::{AccountSubscription, SampleSubscription},
};

/// Everything that can be asked. Each account sees itself alone.
#[derive(MergedObject, Default)]
pub(crate) struct Query(AccountQuery, JudgeQuery, OperatorQuery, SampleQuery, ViewerQuery);

/// Everything that can be changed. `userErrors` is empty when it was.
#[derive(MergedObject, Default)]
pub(crate) struct Mutation(
    AccountMutation,
    ApiKeyMutation,
    ImportMutation,
    JudgeMutation,
    OperatorMutation,
    SampleMutation,
    SessionMutation,
    UserMutation,
);

/// Everything that can be watched, over a WebSocket. These are hints: they come soon after what happened was committed, on
/// whichever replica that was, and in rare cases one is lost. What must not be missed is read with a query.
#[derive(MergedSubscription, Default)]
pub(crate) struct Subscription(AccountSubscription, SampleSubscription);

/// How much one operation may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryLimits {
    /// Fields within fields.
    pub(crate) depth: usize,
    /// Fields, those of a list's rows as often as rows were asked for.
    pub(crate) complexity: usize,
    /// Whether the schema can be asked for.
    pub(crate) introspection: bool,
}

/// The schema, ready to run.
pub(crate) type GavelSchema = Schema<Query, Mutation, Subscription>;

/// The schema over a running service.
pub(crate) fn build(ctx: Context, limits: QueryLimits) -> GavelSchema {
    let schema = builder()
        .data(ctx)
        .extension(NullPropagation::default())
        .extension(Fresh)
        .limit_depth(limits.depth)
        .limit_complexity(limits.complexity);
    let schema = schema.limit_recursive_depth(64).limit_directives(16);
    if limits.introspection {
        schema.finish()
    } else {
        schema.disable_introspection().disable_suggestions().finish()
    }
}

/// Makes the loaders anew for each time something is executed, which for a subscription is each time it sends something:
/// rows that were read once must not be taken for what they are later.
struct Fresh;

impl ExtensionFactory for Fresh {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Fresh)
    }
}

#[async_graphql::async_trait::async_trait]
impl Extension for Fresh {
    async fn execute(
        &self,
        ctx: &ExtensionContext<'_>,
        name: Option<&str>,
        next: NextExecute<'_>,
    ) -> Response {
        let (mut data, batches) = (Data::default(), Batches::default());
        let current = CurrentActor::new(batches.clone());
        let actor = ctx.data_opt::<RequestInfo>().and_then(|request_info| request_info.actor.as_ref());
        if let (Some(actor), Some(service)) = (actor, ctx.data_opt::<Context>()) {
            current.enter(service, actor.clone());
        }
        data.insert(current);
        batches.run(next.run_with_data(ctx, name, data)).await
    }
}

/// The schema in the schema definition language, sorted: what `schema.graphql` holds.
pub fn sdl() -> String {
    let sorted = SDLExportOptions::new().sorted_fields().sorted_arguments().sorted_enum_items();
    builder().finish().sdl_with_options(sorted)
}

fn builder() -> SchemaBuilder<Query, Mutation, Subscription> {
    Schema::build(Query::default(), Mutation::default(), Subscription::default())
        .override_output_type_description::<NaiveDate>("A day as ISO 8601 writes it, such as `2026-11-21`.")
        .override_output_type_description::<Json<Value>>(
            "Any JSON: an object, a list, a string, a number, true or false.",
        )
}
