//! What can be changed, one file a noun. Each takes one `input` and answers with a payload that has `userErrors`.

mod judge;

use async_graphql::MergedObject;

/// Everything that can be changed. `userErrors` is empty when it was.
#[derive(MergedObject, Default)]
pub(crate) struct Mutation(judge::JudgeMutation);
