//! `GET` and `POST /graphql`, by the specification of GraphQL over HTTP. Accepts only JSON, with one operation in a
//! request.

use std::time::Instant;

use async_graphql::{
    Request, Response as GraphqlResponse, ServerError, Value as ConstValue, parser::types::OperationType,
};
use axum::{
    Extension,
    body::Body,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::Utc;
use domain::{
    Code, Error,
    foundation::{failed_requests::FailedRequest, round::milliseconds},
};
use ports::id::RequestId;
use serde_json::{Map, Value, json};
use tokio::{runtime::Handle, task::spawn_blocking};

use super::{
    admission::{Admission, Permits},
    byte_budget::ByteBudget,
    conformance::{is_request_error, response_body},
    context::RequestInfo,
    held_body::held_body,
    operation::{self, Operation, malformed},
    state::GraphqlState,
};
use crate::{
    error::{Failure, GRAPHQL_JSON},
    extract::ApiJson,
};

const JSON: &str = "application/json";

/// Runs the operation in a body.
pub(crate) async fn post(
    State(state): State<GraphqlState>,
    Extension(info): Extension<RequestInfo>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<Value>,
) -> Result<Response, Failure> {
    let Some(media_type) = negotiate(&headers) else { return Ok(not_acceptable(&info.request_id)) };
    let request = from_body(body)?;
    respond(&state, info, Asked { method: Method::POST, media_type }, operation::check(request)).await
}

/// Runs the query in a URL. Mutations need `POST`.
pub(crate) async fn get(
    State(state): State<GraphqlState>,
    Extension(info): Extension<RequestInfo>,
    headers: HeaderMap,
    parameters: Result<Query<Vec<(String, String)>>, QueryRejection>,
) -> Result<Response, Failure> {
    let Some(media_type) = negotiate(&headers) else { return Ok(not_acceptable(&info.request_id)) };
    let Query(parameters) = parameters.map_err(|error| malformed(error.body_text()))?;
    let checked = operation::check(from_parameters(parameters)?);
    if checked.as_ref().is_ok_and(|operation| operation.operation_type == OperationType::Mutation) {
        let error = Error::new(Code::MethodNotAllowed, "a mutation needs POST");
        let mut response = Failure(error).into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Ok(response);
    }
    respond(&state, info, Asked { method: Method::GET, media_type }, checked).await
}

/// How an operation was sent, and what its response is to be.
struct Asked {
    method: Method,
    /// The media type of the response.
    media_type: &'static str,
}

async fn respond(
    state: &GraphqlState,
    info: RequestInfo,
    Asked { method, media_type }: Asked,
    checked: Result<Operation, ServerError>,
) -> Result<Response, Failure> {
    let start = Instant::now();
    let request_id = info.request_id.clone();
    let actor = info.actor.clone();
    let mut held = None;
    let mut response = match checked {
        Ok(Operation { operation_type: OperationType::Subscription, .. }) => {
            let error = operation::unsupported("subscriptions need a WebSocket, at /graphql/ws");
            GraphqlResponse::from_errors(vec![error])
        }
        Ok(operation) => {
            let permit = state.operation_permit(&info).await?;
            let budget = state.byte_budgets.begin(info.caller());
            let held_by_operation = Held { budget, permits: Permits::default() };
            let response = execute(state, info, operation, &held_by_operation).await?;
            held = Some((permit, held_by_operation));
            response
        }
        Err(error) => GraphqlResponse::from_errors(vec![error]),
    };
    operation::complete_errors(&mut response.errors, &request_id);
    let error = response.errors.first().cloned();
    let response = http_response(media_type, response, held)?;
    if let (Some(actor), Some(error)) = (actor, error) {
        state.services.failed_requests.keep(FailedRequest {
            id: request_id,
            account: Some(actor.account.clone()),
            actor: Some(actor.name().to_owned()),
            method: method.to_string(),
            route: "/graphql".to_owned(),
            status: response.status().as_u16(),
            code: code_of(&error),
            message: error.message,
            latency_ms: milliseconds(start.elapsed().as_secs_f64() * 1e3),
            at: Utc::now(),
        });
    }
    Ok(response)
}

/// The code in the extensions of an error.
fn code_of(error: &ServerError) -> String {
    match error.extensions.as_ref().and_then(|extensions| extensions.get("code")) {
        Some(ConstValue::String(code)) => code.clone(),
        _ => Code::InternalError.as_str().to_owned(),
    }
}

/// What an operation holds until its response has been sent.
struct Held {
    budget: ByteBudget,
    permits: Permits,
}

async fn execute(
    state: &GraphqlState,
    info: RequestInfo,
    operation: Operation,
    held: &Held,
) -> Result<GraphqlResponse, Failure> {
    let Operation { mut request, field_order, introspects, .. } = operation;
    let introspection =
        if introspects { Some(state.introspection_slots.acquire(&info.caller()).await?) } else { None };
    request.data.insert(info);
    request.data.insert(held.budget.clone());
    request.data.insert(Admission {
        accounts: state.services.accounts.clone(),
        access: state.access.clone(),
        operation_slots: state.operation_slots.clone(),
        permits: held.permits.clone(),
    });
    let schema = state.schema.clone();
    let limit = state.settings.graphql_timeout;
    let executed = async move { tokio::time::timeout(limit, schema.execute(request)).await };
    let executed = match introspection {
        None => executed.await,
        // It computes without a pause, which would block other requests on this thread.
        Some(permit) => {
            let runtime = Handle::current();
            let executed = spawn_blocking(move || {
                let executed = runtime.block_on(executed);
                drop(permit);
                executed
            });
            executed.await.map_err(Error::internal)?
        }
    };
    let mut response = executed
        .map_err(|_| Error::new(Code::Overloaded, "the operation took too long; ask for less at once"))?;
    field_order.apply(&mut response.data);
    Ok(response)
}

/// The response; `held` is kept until it has been sent.
fn http_response(
    media_type: &'static str,
    response: GraphqlResponse,
    held: impl Send + 'static,
) -> Result<Response, Failure> {
    let refused = is_request_error(&response) && media_type == GRAPHQL_JSON;
    let status = if refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let body = held_body(response_body(&response).map_err(Error::internal)?, held);
    let mut http = with_media_type(status, media_type, body);
    http.headers_mut().extend(response.http_headers);
    Ok(http)
}

fn with_media_type(status: StatusCode, media_type: &'static str, body: Body) -> Response {
    (status, [(header::CONTENT_TYPE, format!("{media_type}; charset=utf-8"))], body).into_response()
}

fn not_acceptable(request_id: &RequestId) -> Response {
    let message = format!("the answer is {GRAPHQL_JSON} or {JSON}, and the header Accept names neither");
    let code = Code::UnsupportedMediaType.as_str();
    let extensions = json!({ "code": code, "request_id": request_id.as_str() });
    let body = json!({ "errors": [{ "message": message, "extensions": extensions }] });
    with_media_type(StatusCode::NOT_ACCEPTABLE, GRAPHQL_JSON, body.to_string().into())
}

/// The media type of the response that the client prefers; `None` when it accepts neither.
fn negotiate(headers: &HeaderMap) -> Option<&'static str> {
    if media_ranges(headers).next().is_none() {
        return Some(JSON);
    }
    let graphql = quality(headers, &[GRAPHQL_JSON, "application/*", "*/*"]).unwrap_or_default();
    let json = quality(headers, &[JSON, "application/*", "*/*"]).unwrap_or_default();
    let named = quality(headers, &[GRAPHQL_JSON]).is_some();
    match (graphql > json || named && graphql == json, graphql.max(json) > 0.0) {
        (_, false) => None,
        (true, _) => Some(GRAPHQL_JSON),
        (false, _) => Some(JSON),
    }
}

/// The quality that the header Accept gives to the first of these media ranges that it names. With the most specific
/// one first, it is that of the media type, by RFC 9110, 12.5.1.
pub(super) fn quality(headers: &HeaderMap, names: &[&str]) -> Option<f32> {
    names.iter().find_map(|name| Some(media_ranges(headers).find(|(range, _)| range == name)?.1))
}

/// All media ranges of the header Accept, each with its quality.
fn media_ranges(headers: &HeaderMap) -> impl Iterator<Item = (String, f32)> {
    let lines = headers.get_all(header::ACCEPT).into_iter().map(|line| line.to_str().unwrap_or_default());
    lines.flat_map(|line| line.split(',')).filter_map(media_range)
}

/// A media range such as `application/json;q=0.9`, with its quality.
fn media_range(text: &str) -> Option<(String, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let range = parts.next().filter(|range| !range.is_empty())?.to_ascii_lowercase();
    let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
    Some((range, quality.unwrap_or(1.0).clamp(0.0, 1.0)))
}

fn from_body(body: Value) -> Result<Request, Error> {
    match body {
        Value::Object(members) => operation::read(members),
        Value::Array(_) => Err(malformed("operations come one at a time; the body must be an object")),
        _ => Err(malformed("the body must be an object")),
    }
}

fn from_parameters(parameters: Vec<(String, String)>) -> Result<Request, Error> {
    let mut members = Map::new();
    for (name, value) in parameters {
        let value = match name.as_str() {
            "variables" | "extensions" if value.is_empty() => Value::Null,
            "variables" | "extensions" => serde_json::from_str(&value)
                .map_err(|error| malformed(format!("{name} must be a JSON object: {error}")))?,
            _ => Value::String(value),
        };
        if members.insert(name.clone(), value).is_some() {
            return Err(malformed(format!("{name} must be given once")));
        }
    }
    operation::read(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiated(accept: &str) -> Option<&'static str> {
        let value = HeaderValue::from_str(accept).unwrap();
        negotiate(&HeaderMap::from_iter([(header::ACCEPT, value)]))
    }

    #[test]
    fn the_media_type_is_what_the_client_prefers() {
        assert_eq!(negotiate(&HeaderMap::new()), Some(JSON));
        for (accept, expected) in [
            ("*/*", Some(JSON)),
            ("application/*", Some(JSON)),
            (GRAPHQL_JSON, Some(GRAPHQL_JSON)),
            ("application/json", Some(JSON)),
            ("Application/JSON; charset=utf-8", Some(JSON)),
            ("application/graphql-response+json, application/json;q=0.9", Some(GRAPHQL_JSON)),
            ("application/json, application/graphql-response+json", Some(GRAPHQL_JSON)),
            ("application/json, application/graphql-response+json;q=0.5, */*;q=0.1", Some(JSON)),
            ("application/graphql-response+json;q=0, */*", Some(JSON)),
            ("text/html", None),
            ("application/json;q=0", None),
        ] {
            assert_eq!(negotiated(accept), expected, "{accept}");
        }
    }
}
