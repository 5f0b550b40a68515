//! The query parameters of exports and imports.

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    Code, Error, Result,
    learning::dataset::{
        AnswerFilter, SampleQuery, StateText,
        export::ExportFormat,
        import::{ImportFormat, ImportOptions},
    },
    money::idempotency::Idempotency,
};
use utoipa::IntoParams;

use crate::{
    error::Failure,
    extract::{
        PathId, QueryParameters, RequestOnce, boolean, for_each_parameter, one_of_names,
        refuse_content_encoding,
    },
};

/// The end of the year 9999, in seconds since 1970. SQLite compares times as text and cannot order later ones, which
/// an offset can lead to.
const MAX_TIMESTAMP: i64 = 253_402_300_799;

/// The parameters of an export, as the description lists them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
pub(crate) struct ExportParameters {
    /// The format of the file: `jsonl` (the default), `csv` or `parquet`.
    #[param(required = false, pattern = "^(jsonl|csv|parquet)$")]
    format: String,
    /// Only samples recorded or imported at this time or later (RFC 3339).
    #[param(required = false)]
    since: DateTime<Utc>,
    /// Only samples recorded or imported before this time (RFC 3339).
    #[param(required = false)]
    until: DateTime<Utc>,
    /// Only samples of this version of the Judge.
    #[param(required = false)]
    version: i32,
    /// Only samples with this source: `inference` or `import`.
    #[param(required = false, pattern = "^(inference|import)$")]
    source: String,
    /// Only samples with a ground truth for at least one key, or only those without any.
    #[param(required = false)]
    labelled: bool,
    /// Only samples whose state, as JSON, contains this text, in upper or lower case: up to 200 characters.
    #[param(required = false)]
    text: String,
    /// The question that `value`, `ground_truth` and `agrees` are about; alone, samples that it was asked about.
    #[param(required = false)]
    key: String,
    /// Only samples with this answer to the question.
    #[param(required = false)]
    value: String,
    /// Only samples with this ground truth of the question.
    #[param(required = false)]
    ground_truth: String,
    /// Only samples whose answer is the ground truth, or only those with another. Samples without both do not match.
    #[param(required = false)]
    agrees: bool,
}

/// The parameters of an import, as the description lists them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
pub(crate) struct ImportParameters {
    /// The format of the file: `jsonl` or `csv`. By default the content type decides.
    #[param(required = false, pattern = "^(jsonl|csv)$")]
    format: String,
    /// Whether to validate the file and count what would be imported, and write nothing.
    #[param(required = false)]
    dry_run: bool,
}

/// The parameters of an export.
#[derive(Debug)]
pub(crate) struct ExportQuery {
    pub(super) format: ExportFormat,
    pub(super) samples: SampleQuery,
}

/// An import but for its file.
pub(crate) struct ImportRequest(pub(super) ImportOptions);

impl<S: Send + Sync> FromRequestParts<S> for ExportQuery {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let QueryParameters(query) = QueryParameters::from_request_parts(parts, state).await?;
        Ok(parse_export(query)?)
    }
}

impl<S> FromRequestParts<S> for ImportRequest
where
    S: Send + Sync,
    Idempotency: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let query = QueryParameters::from_request_parts(parts, state).await;
        let QueryParameters(query) = query.map_err(IntoResponse::into_response)?;
        let ImportQuery { format, dry_run } =
            parse_import(query, &parts.headers).map_err(|error| Failure::from(error).into_response())?;
        let PathId(dataset) = PathId::from_request_parts(parts, state).await?;
        let once = RequestOnce::from_request_parts(parts, state).await;
        let RequestOnce(once) = once.map_err(IntoResponse::into_response)?;
        Ok(Self(ImportOptions { dataset, format, dry_run, once }))
    }
}

/// What the query and the content type say of an import.
struct ImportQuery {
    format: ImportFormat,
    dry_run: bool,
}

fn parse_export(parameters: Vec<(String, String)>) -> Result<ExportQuery> {
    const NAMES: &str =
        "format, since, until, version, source, labelled, text, key, value, ground_truth, agrees";
    let mut format = ExportFormat::Jsonl;
    let mut samples = SampleQuery::default();
    let mut key = None;
    let mut answer = AnswerFilter::default();
    for_each_parameter(parameters, NAMES, |name, value| {
        let filter = &mut samples.filter;
        match name {
            "format" => format = one_of_names(name, value)?,
            "since" => filter.since = Some(time(name, value)?),
            "until" => filter.until = Some(time(name, value)?),
            "version" => filter.version = Some(version(value)?),
            "source" => filter.source = Some(one_of_names(name, value)?),
            "labelled" => filter.labelled = Some(boolean(name, value)?),
            "text" => samples.text = Some(StateText::parse(value)?),
            "key" => key = Some(value.to_owned()),
            "value" => answer.value = Some(value.to_owned()),
            "ground_truth" => answer.truth = Some(value.to_owned()),
            "agrees" => answer.agrees = Some(boolean(name, value)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    samples.answer = match key {
        Some(key) => Some(AnswerFilter { key, ..answer }),
        None if answer != AnswerFilter::default() => {
            return Err(Error::invalid("key", "is required with value, ground_truth and agrees"));
        }
        None => None,
    };
    Ok(ExportQuery { format, samples })
}

fn parse_import(parameters: Vec<(String, String)>, headers: &HeaderMap) -> Result<ImportQuery> {
    let mut format = None;
    let mut dry_run = false;
    for_each_parameter(parameters, "format, dry_run", |name, value| {
        match name {
            "format" => format = Some(one_of_names(name, value)?),
            "dry_run" => dry_run = boolean(name, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    refuse_content_encoding(headers)?;
    let format = format.map_or_else(|| format_of_content_type(headers), Ok)?;
    Ok(ImportQuery { format, dry_run })
}

fn format_of_content_type(headers: &HeaderMap) -> Result<ImportFormat> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" | "application/x-jsonlines" => {
            Ok(ImportFormat::Jsonl)
        }
        "text/csv" => Ok(ImportFormat::Csv),
        _ => {
            let message = "the content type must be application/x-ndjson, application/jsonl or text/csv, or the \
                           parameter format say: jsonl, csv";
            Err(Error::new(Code::UnsupportedMediaType, message))
        }
    }
}

fn time(name: &str, value: &str) -> Result<DateTime<Utc>> {
    let read = DateTime::parse_from_rfc3339(value);
    let read = read
        .map_err(|_| Error::invalid(name, "must be a time of RFC 3339, such as 2026-11-21T08:30:00Z"))?
        .to_utc();
    Ok(DateTime::from_timestamp(MAX_TIMESTAMP, 0).map_or(read, |last| read.min(last)))
}

fn version(value: &str) -> Result<i32> {
    let version = value.parse().ok().filter(|version: &i32| *version > 0);
    version.ok_or_else(|| Error::invalid("version", "must be the number of a version: 1, 2, 3, …"))
}
