//! What can be asked, one file a noun.

mod account;
mod judge;

use async_graphql::MergedObject;

/// Everything that can be asked. Each account sees itself alone.
#[derive(MergedObject, Default)]
pub(crate) struct Query(account::AccountQuery, judge::JudgeQuery);
