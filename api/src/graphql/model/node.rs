//! What has an id.

use async_graphql::{ID, Interface};

use super::{Account, ApiKey, Judge, Sample, User};

/// Anything that can be found again by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "Its id, unique over all types."))]
pub(crate) enum Node {
    Account(Account),
    ApiKey(ApiKey),
    Judge(Judge),
    Sample(Sample),
    User(User),
}
