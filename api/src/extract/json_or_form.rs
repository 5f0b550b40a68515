//! The body of an image request: JSON, or a form with a file. Its values are validated elsewhere.

use std::sync::Arc;

use axum::{
    extract::{FromRef, FromRequest, Multipart, Request, multipart::Field},
    http::{HeaderMap, StatusCode, header},
};
use bytes::{Bytes, BytesMut};
use domain::{Code, Error, Result, operations::moderation::image};
use serde::de::DeserializeOwned;

use super::{
    ApiJson,
    content_encoding::ContentEncoding,
    json::{accepts_json, content_type},
};
use crate::{error::Failure, settings::ApiSettings};

/// More than the longest valid name has, in bytes.
const MAX_NAME_BYTES: usize = 4_096;

/// A body that is JSON of type `T`, or a form.
pub(crate) enum JsonOrForm<T> {
    /// `application/json`.
    Json(T),
    /// `multipart/form-data`.
    Form(Form),
}

/// The fields of a form.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// The file named `image`.
    pub(crate) image: Option<Bytes>,
    /// The names in the fields `author` and `channel`.
    pub(crate) author: Option<String>,
    pub(crate) channel: Option<String>,
    /// Whether a field of the JSON form was sent as well.
    pub(crate) has_json_fields: bool,
}

impl<T, S> FromRequest<S> for JsonOrForm<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
    Arc<ApiSettings>: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        if accepts_json(request.headers()) {
            let ApiJson(json) = ApiJson::from_request(request, state).await?;
            return Ok(Self::Json(json));
        }
        if !accepts_form(request.headers()) {
            let message = "the content type must be application/json or multipart/form-data";
            return Err(Error::new(Code::UnsupportedMediaType, message).into());
        }
        ContentEncoding::of(request.headers(), false)?;
        let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        // Allocated at once: a growing buffer takes up to twice the memory.
        let capacity = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        let multipart = Multipart::from_request(request, state).await;
        let multipart =
            multipart.map_err(|_| Error::new(Code::MalformedBody, "the content type names no boundary"))?;
        Ok(Self::Form(read_form(multipart, capacity, <Arc<ApiSettings>>::from_ref(state).image_bytes).await?))
    }
}

/// Whether the content type is a form's with files.
pub(crate) fn accepts_form(headers: &HeaderMap) -> bool {
    content_type(headers) == "multipart/form-data"
}

async fn read_form(mut multipart: Multipart, capacity: usize, max_bytes: usize) -> Result<Form> {
    let mut form = Form::default();
    while let Some(field) = multipart.next_field().await.map_err(form_error)? {
        match field.name() {
            Some("image") if form.image.is_some() => {
                return Err(Error::image("image", "must be one file, not several"));
            }
            Some("image") => form.image = Some(read_file(field, capacity, max_bytes).await?),
            Some("image_url" | "image_base64") => form.has_json_fields = true,
            Some("author") => form.author = Some(read_name("author", field).await?),
            Some("channel") => form.channel = Some(read_name("channel", field).await?),
            // Ignored, like an unknown JSON field.
            _ => {}
        }
    }
    Ok(form)
}

/// Reads a short text.
async fn read_name(name: &str, mut field: Field<'_>) -> Result<String> {
    let mut text = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(form_error)? {
        if text.len() + chunk.len() > MAX_NAME_BYTES {
            return Err(Error::invalid(name, "is too long"));
        }
        text.extend_from_slice(&chunk);
    }
    String::from_utf8(text).map_err(|_| Error::invalid(name, "must be text in UTF-8"))
}

async fn read_file(mut field: Field<'_>, capacity: usize, max_bytes: usize) -> Result<Bytes> {
    let mut file = BytesMut::with_capacity(capacity.min(max_bytes));
    while let Some(chunk) = field.chunk().await.map_err(form_error)? {
        if file.len() + chunk.len() > max_bytes {
            return Err(image::too_large(max_bytes));
        }
        file.extend_from_slice(&chunk);
    }
    Ok(file.freeze())
}

fn form_error(error: axum::extract::multipart::MultipartError) -> Error {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Error::new(Code::PayloadTooLarge, "the body is too large for this path")
        }
        _ => Error::new(
            Code::MalformedBody,
            "the form cannot be read: it is cut off or not multipart/form-data",
        ),
    }
}
