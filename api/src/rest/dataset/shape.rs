//! The response of an import, and the errors of exports and imports.

use domain::learning::dataset::import::Imported;
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use crate::{error::ErrorResponse, openapi::errors};

/// What was imported. Each line is counted once: `lines` is the sum of the others.
#[derive(Debug, Serialize, ToSchema)]
pub struct DatasetImportResponse {
    /// Lines with a sample.
    #[schema(example = 120)]
    pub lines: usize,
    /// Lines that became a sample.
    #[schema(example = 100)]
    pub imported: usize,
    /// Lines whose content was already there and got its first ground truth.
    #[schema(example = 15)]
    pub labelled: usize,
    /// Lines whose content was already there, and that added nothing.
    #[schema(example = 5)]
    pub duplicates: usize,
    /// Whether this was a dry run, which writes nothing.
    #[schema(example = false)]
    pub dry_run: bool,
}

impl DatasetImportResponse {
    pub(super) fn new(imported: Imported, dry_run: bool) -> Self {
        let Imported { lines, imported, labelled, duplicates } = imported;
        Self { lines, imported, labelled, duplicates, dry_run }
    }
}

errors! {
    /// The errors of an export, before it begins.
    ExportErrors: ErrorResponse {
        /// `UNAUTHORIZED`: no key, or one that is not valid.
        #[response(status = 401)]
        Unauthorized
        /// `FORBIDDEN`: the key lacks the scope.
        #[response(status = 403)]
        Forbidden
        /// `NOT_FOUND`: there is no such Judge in the account.
        #[response(status = 404)]
        NotFound
        /// `VALIDATION_FAILED`, with the parameters at fault.
        #[response(status = 422)]
        Invalid
        /// `RATE_LIMITED`: retry after `Retry-After` seconds.
        #[response(status = 429)]
        RateLimited
        /// `INTERNAL_ERROR`.
        #[response(status = 500)]
        Internal
        /// `OVERLOADED`: too many exports at once; retry after `Retry-After` seconds.
        #[response(status = 503)]
        Overloaded
    }

    /// The errors of an import; nothing is imported then.
    ImportErrors: ErrorResponse {
        /// `MALFORMED_BODY`: the body did not arrive whole.
        #[response(status = 400)]
        Malformed
        /// `UNAUTHORIZED`: no key, or one that is not valid.
        #[response(status = 401)]
        Unauthorized
        /// `FORBIDDEN`: the key lacks the scope.
        #[response(status = 403)]
        Forbidden
        /// `NOT_FOUND`: there is no such Judge in the account.
        #[response(status = 404)]
        NotFound
        /// `CONFLICT`: the Judge is archived, or changed while the file was read; the samples would exceed the account's
        /// quota; or the first request with this Idempotency-Key is still running.
        #[response(status = 409)]
        Conflict
        /// `PAYLOAD_TOO_LARGE`: the file is over the path's limit.
        #[response(status = 413)]
        TooLarge
        /// `UNSUPPORTED_MEDIA_TYPE`: neither `format` nor the content type names a format that the path accepts.
        #[response(status = 415)]
        MediaType
        /// `VALIDATION_FAILED`, with the parameters or the lines at fault, such as `line 17: ground_truth.team`: the first
        /// hundred.
        #[response(status = 422)]
        Invalid
        /// `RATE_LIMITED`: retry after `Retry-After` seconds.
        #[response(status = 429)]
        RateLimited
        /// `INTERNAL_ERROR`.
        #[response(status = 500)]
        Internal
        /// `OVERLOADED`: too many imports at once; retry after `Retry-After` seconds.
        #[response(status = 503)]
        Overloaded
    }
}
