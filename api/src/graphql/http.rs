//! `GET` and `POST /graphql`, by the specification of GraphQL over HTTP. Takes JSON alone, one operation at a time.

use async_graphql::{Request, Response as Answer, ServerError, parser::types::OperationType};
use axum::{
    Extension,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Code, Error, id::RequestId};
use serde_json::{Map, Value, json};

use super::{
    operation::{self, Operation, malformed},
    visitor::Visitor,
};
use crate::{
    app::App,
    error::{Failure, GRAPHQL_JSON},
    extract::ApiJson,
};

const JSON: &str = "application/json";

/// Runs the operation in a body.
pub(crate) async fn post(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<Value>,
) -> Result<Response, Failure> {
    let Some(kind) = acceptable(&headers) else { return Ok(not_acceptable(&visitor.request_id)) };
    let request = from_body(body)?;
    answer(&app, visitor, kind, operation::check(request)).await
}

/// Runs the query in an address. Mutations need `POST`.
pub(crate) async fn get(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    parameters: Result<Query<Vec<(String, String)>>, QueryRejection>,
) -> Result<Response, Failure> {
    let Some(kind) = acceptable(&headers) else { return Ok(not_acceptable(&visitor.request_id)) };
    let Query(parameters) = parameters.map_err(|error| malformed(error.body_text()))?;
    let checked = operation::check(from_address(parameters)?);
    if checked.as_ref().is_ok_and(|operation| operation.kind == OperationType::Mutation) {
        let error = Error::new(Code::MethodNotAllowed, "a mutation needs POST");
        let mut response = Failure(error).into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Ok(response);
    }
    answer(&app, visitor, kind, checked).await
}

async fn answer(
    app: &App,
    visitor: Visitor,
    kind: &'static str,
    checked: Result<Operation, ServerError>,
) -> Result<Response, Failure> {
    let id = visitor.request_id.clone();
    let mut answer = match checked {
        Ok(Operation { kind: OperationType::Subscription, .. }) => {
            Answer::from_errors(vec![operation::refusal("subscriptions need a WebSocket, at /graphql/ws")])
        }
        Ok(Operation { mut request, order, .. }) => {
            let _permit = match &visitor.actor {
                Some(actor) => Some(app.operations.acquire(&actor.account).await?),
                None => None,
            };
            request.data.insert(visitor);
            let late = |_| Error::new(Code::Overloaded, "the operation took too long; ask for less at once");
            let executed = app.graphql.execute(request);
            let mut answer =
                tokio::time::timeout(app.settings.graphql_timeout, executed).await.map_err(late)?;
            order.apply(&mut answer.data);
            answer
        }
        Err(error) => Answer::from_errors(vec![error]),
    };
    operation::complete(&mut answer.errors, &id);
    Ok(response(kind, answer))
}

fn response(kind: &'static str, answer: Answer) -> Response {
    let refused = operation::is_request_error(&answer);
    let body = if refused { json!({ "errors": answer.errors }) } else { json!(answer) };
    let status = if refused && kind == GRAPHQL_JSON { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let mut response = with_kind(status, kind, &body);
    response.headers_mut().extend(answer.http_headers);
    response
}

fn with_kind(status: StatusCode, kind: &'static str, body: &Value) -> Response {
    let kind = format!("{kind}; charset=utf-8");
    (status, [(header::CONTENT_TYPE, kind)], body.to_string()).into_response()
}

fn not_acceptable(id: &RequestId) -> Response {
    let message = format!("the answer is {GRAPHQL_JSON} or {JSON}, and the header Accept names neither");
    let extensions = json!({ "code": Code::UnsupportedMediaType.as_str(), "request_id": id.as_str() });
    let body = json!({ "errors": [{ "message": message, "extensions": extensions }] });
    with_kind(StatusCode::NOT_ACCEPTABLE, GRAPHQL_JSON, &body)
}

/// The media type of the answer that the client likes best. None when it takes neither.
fn acceptable(headers: &HeaderMap) -> Option<&'static str> {
    let lines = headers.get_all(header::ACCEPT).into_iter().map(|line| line.to_str().unwrap_or_default());
    let ranges: Vec<(String, f32)> = lines.flat_map(|line| line.split(',')).filter_map(range).collect();
    if ranges.is_empty() {
        return Some(JSON);
    }
    // The most specific range decides, by RFC 9110, 12.5.1.
    let quality = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| ranges.iter().find(|(range, _)| range == name).map(|(_, quality)| *quality))
    };
    let graphql = quality(&[GRAPHQL_JSON, "application/*", "*/*"]).unwrap_or_default();
    let json = quality(&[JSON, "application/*", "*/*"]).unwrap_or_default();
    let named = ranges.iter().any(|(range, _)| range == GRAPHQL_JSON);
    match (graphql > json || named && graphql == json, graphql.max(json) > 0.0) {
        (_, false) => None,
        (true, _) => Some(GRAPHQL_JSON),
        (false, _) => Some(JSON),
    }
}

/// `application/json;q=0.9` as the range and its quality.
fn range(text: &str) -> Option<(String, f32)> {
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

fn from_address(parameters: Vec<(String, String)>) -> Result<Request, Error> {
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

    #[test]
    fn the_answers_type_is_what_the_client_likes_best() {
        let of = |accept: &str| {
            let value = HeaderValue::from_str(accept).unwrap();
            acceptable(&HeaderMap::from_iter([(header::ACCEPT, value)]))
        };
        assert_eq!(acceptable(&HeaderMap::new()), Some(JSON));
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
            assert_eq!(of(accept), expected, "{accept}");
        }
    }
}
