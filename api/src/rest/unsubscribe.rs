//! `/api/v1/unsubscribe`: ends the e-mails of a kind by the link in one of them, without a session. One click in a mail
//! program is a `POST` (RFC 8058); a browser is sent to a page that asks first, since programs that check links for
//! harm open them.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Error, Result};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    app::App,
    error::Failure,
    extract::{QueryParameters, for_each_parameter},
};

/// What was ended.
#[derive(Serialize, ToSchema)]
pub struct UnsubscribeResponse {
    /// Always `true`.
    unsubscribed: bool,
    /// The kind of e-mail: `weekly_summary` or `low_balance`.
    #[schema(example = "weekly_summary")]
    kind: String,
}

/// Unsubscribe from e-mails
///
/// Ends the e-mails of the kind in which the link was. Repeating is no error. The body is not read. Needs no key.
#[utoipa::path(
    post, path = "/api/v1/unsubscribe", tag = "operation", operation_id = "unsubscribe", security(()),
    params(("token" = String, Query, description = "The token of the e-mail's link")),
    responses(
        (status = 200, description = "No more of these e-mails are sent", body = UnsubscribeResponse),
        (status = 422, description = "`VALIDATION_FAILED`: the token is not that of a link."),
    )
)]
pub(crate) async fn unsubscribe(
    State(app): State<App>,
    query: QueryParameters,
) -> Result<Json<UnsubscribeResponse>, Failure> {
    let kind = app.services.subscriptions.unsubscribe(&token(query)?).await?;
    Ok(Json(UnsubscribeResponse { unsubscribed: true, kind: kind.to_string() }))
}

/// Open the page to unsubscribe
///
/// Redirects to the dashboard's page that asks whether to unsubscribe.
#[utoipa::path(
    get, path = "/api/v1/unsubscribe", tag = "operation", operation_id = "openUnsubscribe", security(()),
    params(("token" = String, Query, description = "The token of the e-mail's link")),
    responses(
        (status = 303, description = "The page"),
        (status = 422, description = "`VALIDATION_FAILED`: there is no token."),
    )
)]
pub(crate) async fn open_unsubscribe(query: QueryParameters) -> Result<Response, Failure> {
    let page = format!("/unsubscribe?token={}", token(query)?);
    let page = HeaderValue::try_from(page).map_err(Error::internal)?;
    let headers = HeaderMap::from_iter([(header::LOCATION, page)]);
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

fn token(QueryParameters(query): QueryParameters) -> Result<String> {
    let mut token = None;
    for_each_parameter(query, "token", |name, value| match name {
        "token" => {
            token = Some(value.to_owned());
            Ok(true)
        }
        _ => Ok(false),
    })?;
    let token = token.ok_or_else(|| Error::invalid("token", "is required"))?;
    match token.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_')) {
        true => Ok(token),
        false => Err(Error::invalid("token", "is not the token of a link in an e-mail")),
    }
}
