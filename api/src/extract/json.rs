//! A JSON body, read strictly: invalid JSON is 400; JSON of the wrong shape is 422 and names the fields.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header},
};
use domain::{Code, Error, Result};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

use super::{
    content_encoding::{AcceptsCompressed, ContentEncoding},
    parse::parse,
};
use crate::error::Failure;

/// A request body of type `T`.
pub(crate) struct ApiJson<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        if !accepts_json(request.headers()) {
            let message = "the content type must be application/json";
            return Err(Error::new(Code::UnsupportedMediaType, message).into());
        }
        let accepts = request.extensions().get::<AcceptsCompressed>().copied();
        let encoding = ContentEncoding::of(request.headers(), accepts.is_some())?;
        let bytes = Bytes::from_request(request, state).await.map_err(body_error)?;
        let bytes = match accepts {
            Some(AcceptsCompressed { max_bytes }) => encoding.decode(bytes, max_bytes)?,
            None => bytes,
        };
        Ok(Self(parse(&bytes)?))
    }
}

/// The content type without its parameters, in lower case; empty when there is none.
pub(crate) fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether the content type is JSON's.
pub(crate) fn accepts_json(headers: &HeaderMap) -> bool {
    let content_type = content_type(headers);
    content_type == "application/json"
        || (content_type.starts_with("application/") && content_type.ends_with("+json"))
}

/// Deserialises one of `names` and nothing else. A derived enum accepts `{"name": null}` too, and its error for a
/// wrong type does not list the names.
pub(crate) fn one_of<'de, T: Copy, D: Deserializer<'de>>(
    value: D,
    names: &[(&str, T)],
) -> Result<T, D::Error> {
    let value = Value::deserialize(value)?;
    let found = names.iter().find(|(name, _)| value.as_str() == Some(name));
    found.map(|(_, meant)| *meant).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        serde::de::Error::custom(format!("must be one of: {}", names.join(", ")))
    })
}

fn body_error(rejection: BytesRejection) -> Error {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Error::new(Code::PayloadTooLarge, "the body is too large for this path")
        }
        _ => Error::new(Code::MalformedBody, "the body did not arrive whole"),
    }
}
