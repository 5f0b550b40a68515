//! The schema: what can be asked, changed and watched, and how much of it at once.

use async_graphql::{EmptySubscription, MergedObject, SDLExportOptions, Schema, SchemaBuilder};
use domain::Context;

use super::{
    mutation::{JudgeMutation, SessionMutation},
    query::{AccountQuery, JudgeQuery, SampleQuery, ViewerQuery},
};

/// Everything that can be asked. Each account sees itself alone.
#[derive(MergedObject, Default)]
pub(crate) struct Query(AccountQuery, JudgeQuery, SampleQuery, ViewerQuery);

/// Everything that can be changed. `userErrors` is empty when it was.
#[derive(MergedObject, Default)]
pub(crate) struct Mutation(JudgeMutation, SessionMutation);

/// How much one operation may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Fields within fields.
    pub(crate) depth: usize,
    /// Fields, those of a list's rows as often as rows were asked for.
    pub(crate) complexity: usize,
    /// Whether the schema can be asked for.
    pub(crate) introspection: bool,
}

/// The schema, ready to run.
pub(crate) type GavelSchema = Schema<Query, Mutation, EmptySubscription>;

/// The schema over a running service.
pub(crate) fn build(ctx: Context, limits: Limits) -> GavelSchema {
    let schema = builder().data(ctx).limit_depth(limits.depth).limit_complexity(limits.complexity);
    let schema = schema.limit_recursive_depth(64).limit_directives(16);
    if limits.introspection {
        schema.finish()
    } else {
        schema.disable_introspection().disable_suggestions().finish()
    }
}

/// The schema in the schema definition language, sorted: what `schema.graphql` holds.
pub fn sdl() -> String {
    let sorted = SDLExportOptions::new().sorted_fields().sorted_arguments().sorted_enum_items();
    builder().finish().sdl_with_options(sorted)
}

fn builder() -> SchemaBuilder<Query, Mutation, EmptySubscription> {
    Schema::build(Query::default(), Mutation::default(), EmptySubscription)
}
