//! The interface of types that have an id.

use async_graphql::{ID, Interface};

use super::{
    Account, ApiKey, Batch, Checkpoint, Evaluation, Judge, ModerationPolicy, Sample, User, WebhookEndpoint,
};

/// An object that can be queried by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The object's id, unique over all types."))]
pub(crate) enum Node {
    Account(Account),
    ApiKey(ApiKey),
    Batch(Batch),
    Checkpoint(Checkpoint),
    Evaluation(Evaluation),
    Judge(Judge),
    ModerationPolicy(ModerationPolicy),
    Sample(Sample),
    User(User),
    WebhookEndpoint(WebhookEndpoint),
}
