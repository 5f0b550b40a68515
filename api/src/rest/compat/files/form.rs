//! The form that uploads a file. It is stored while it arrives; its fields may come in any order.

use std::error::Error as _;

use axum::{
    body::Body,
    extract::{
        FromRequest, Multipart, Request,
        multipart::{Field, MultipartError},
    },
    http::StatusCode,
};
use chrono::TimeDelta;
use domain::{
    Code, Error, Result,
    batch::{FileUpload, StoredFile},
};
use futures_util::stream;

use crate::{arrival::Pace, slots::AccountSlots};

/// The only purpose.
const PURPOSE: &str = "batch";
/// Bytes of a field that is not the file.
const MAX_FIELD_BYTES: usize = 1_024;
/// Characters of a file's name that are kept.
const MAX_NAME_CHARS: usize = 255;
/// Seconds that OpenAI lets a file be kept.
const KEPT_SECONDS: (i64, i64) = (3_600, 2_592_000);

/// The fields of the form but for the bytes of the file.
#[derive(Debug, Default)]
struct FormFields {
    purpose: Option<String>,
    filename: Option<String>,
    kept: Option<TimeDelta>,
}

/// Receives the form of a request into `upload`. While it arrives, the request holds one of `slots`. `limit`: the bytes
/// that its route takes, which errors name.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field; `MALFORMED_BODY`; `PAYLOAD_TOO_LARGE`; those of the upload.
pub(super) async fn receive(
    request: Request,
    mut upload: FileUpload,
    slots: AccountSlots,
    limit: usize,
) -> Result<StoredFile> {
    let form = Multipart::from_request(paced(request, slots), &()).await;
    let mut form = form.map_err(|_| Error::new(Code::MalformedBody, "the content type names no boundary"))?;
    let mut fields = FormFields::default();
    while let Some(mut field) = form.next_field().await.map_err(|error| form_error(&error, limit))? {
        match field.name().unwrap_or_default() {
            "file" if fields.filename.is_some() => return Err(Error::invalid("file", "must be given once")),
            "file" => {
                fields.filename = Some(file_name(field.file_name()));
                while let Some(chunk) = field.chunk().await.map_err(|error| form_error(&error, limit))? {
                    upload.write(&chunk).await?;
                }
            }
            "purpose" => fields.purpose = Some(purpose(text("purpose", field, limit).await?)?),
            "expires_after[anchor]" => anchor(&text("expires_after[anchor]", field, limit).await?)?,
            "expires_after[seconds]" => {
                fields.kept = Some(kept(&text("expires_after[seconds]", field, limit).await?)?);
            }
            // Ignored, like an unknown JSON field.
            _ => {}
        }
    }
    if fields.purpose.is_none() {
        return Err(Error::invalid("purpose", format!("is required: {PURPOSE}")));
    }
    let filename = fields.filename.ok_or_else(|| Error::invalid("file", "is required"))?;
    upload.finish(filename, fields.kept).await
}

/// The request with a body that must arrive as fast as those of other uploads.
fn paced(request: Request, slots: AccountSlots) -> Request {
    let (parts, body) = request.into_parts();
    let arriving = (body.into_data_stream(), Pace::holding_one_of(slots));
    let chunks = stream::try_unfold(arriving, |(mut body, mut pace)| async move {
        let chunk = pace.next(&mut body).await?;
        Ok::<_, Error>(chunk.map(|chunk| (chunk, (body, pace))))
    });
    Request::from_parts(parts, Body::from_stream(chunks))
}

async fn text(name: &str, mut field: Field<'_>, limit: usize) -> Result<String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|error| form_error(&error, limit))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_FIELD_BYTES {
            return Err(Error::invalid(name, format!("must have at most {MAX_FIELD_BYTES} bytes")));
        }
    }
    String::from_utf8(bytes).map_err(|_| Error::invalid(name, "must be text in UTF-8"))
}

fn purpose(purpose: String) -> Result<String> {
    if purpose == PURPOSE {
        Ok(purpose)
    } else {
        Err(Error::invalid("purpose", format!("must be one of: {PURPOSE}")))
    }
}

fn anchor(anchor: &str) -> Result<()> {
    match anchor {
        "created_at" => Ok(()),
        _ => Err(Error::invalid("expires_after[anchor]", "must be one of: created_at")),
    }
}

fn kept(seconds: &str) -> Result<TimeDelta> {
    let (least, most) = KEPT_SECONDS;
    let seconds = seconds.parse().ok().filter(|seconds| (least..=most).contains(seconds));
    seconds.map(TimeDelta::seconds).ok_or_else(|| {
        Error::invalid("expires_after[seconds]", format!("must be an integer from {least} to {most}"))
    })
}

/// A file's name as it is kept: without a path and control characters.
fn file_name(name: Option<&str>) -> String {
    let name = name.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
    if name.is_empty() { "file.jsonl".to_owned() } else { name }
}

/// The error of a form: that of its slow arrival, or of the form itself.
fn form_error(error: &MultipartError, limit: usize) -> Error {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Error::new(
            Code::PayloadTooLarge,
            format!("the form is too large: it may have at most {limit} bytes"),
        );
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(own) = error.downcast_ref::<Error>() {
            return Error::new(own.code, own.message.clone());
        }
        cause = error.source();
    }
    Error::new(Code::MalformedBody, "the form cannot be read: it is cut off or not multipart/form-data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_has_no_path() {
        for (sent, kept) in [
            (Some("batch.jsonl"), "batch.jsonl"),
            (Some("/tmp/a/batch.jsonl"), "batch.jsonl"),
            (Some("C:\\a\\batch.jsonl"), "batch.jsonl"),
            (Some("a\r\nb"), "ab"),
            (Some("/"), "file.jsonl"),
            (None, "file.jsonl"),
        ] {
            assert_eq!(file_name(sent), kept, "{sent:?}");
        }
        assert_eq!(file_name(Some(&"ä".repeat(300))).chars().count(), MAX_NAME_CHARS);
    }

    #[test]
    fn files_are_kept_for_an_hour_to_thirty_days() {
        for (seconds, good) in [
            ("3600", true),
            ("2592000", true),
            ("3599", false),
            ("2592001", false),
            ("-1", false),
            ("1h", false),
        ] {
            assert_eq!(kept(seconds).is_ok(), good, "{seconds}");
        }
    }
}
