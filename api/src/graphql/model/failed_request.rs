//! Requests that were refused or failed.

use async_graphql::{Context, ID, Object};
use domain::foundation::failed_requests::{FailedRequestFilter, FailedRequestRow};

use super::Actor;
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, count_of},
};

pub(crate) struct FailedRequest(FailedRequestRow);

pub(crate) type FailedRequestConnection = ListConnection<FailedRequest>;

/// A request that was refused or failed. Nothing was charged for it.
#[Object]
impl FailedRequest {
    /// The id of the request, as in the response header `x-request-id`.
    async fn request_id(&self) -> ID {
        ID(self.0.request.id.to_string())
    }

    /// The account whose request it was; null if that is not known.
    async fn account_id(&self) -> Option<ID> {
        self.0.request.account.as_ref().map(|account| ID(account.to_string()))
    }

    /// The API key or the user that sent it; null if that is not known.
    async fn actor(&self) -> Option<Actor> {
        self.0.request.actor.clone().map(Actor)
    }

    /// The HTTP method.
    async fn method(&self) -> &str {
        &self.0.request.method
    }

    /// The route, such as `/api/v1/moderate/text`.
    async fn path(&self) -> &str {
        &self.0.request.route
    }

    /// The HTTP status of the response.
    async fn status(&self) -> u16 {
        self.0.request.status
    }

    /// The code of the error.
    async fn code(&self) -> &str {
        &self.0.request.code
    }

    /// The message of the error.
    async fn message(&self) -> &str {
        &self.0.request.message
    }

    /// How long the response took, in milliseconds.
    async fn latency_ms(&self) -> f64 {
        self.0.request.latency_ms
    }

    /// When the request was answered.
    async fn created_at(&self) -> DateTime {
        self.0.request.at.into()
    }
}

/// A page of requests.
pub(super) async fn failed_requests(
    ctx: &Context<'_>,
    filter: FailedRequestFilter,
    args: PageArgs,
) -> FieldResult<FailedRequestConnection> {
    let requests = services(ctx)?.failed_requests.clone();
    let list = format!("failed:{}", filter.account.as_ref().map_or("all", |account| account.as_str()));
    let slice = requests.list(&filter, args.page::<i64>(&list)?).await.map_err(field_error)?;
    let count =
        count_of((requests, filter), |(requests, filter)| async move { requests.count(&filter).await });
    Ok(connection(&list, slice, |row| row.seq, FailedRequest, count))
}
