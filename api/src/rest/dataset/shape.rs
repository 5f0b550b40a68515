//! What an import answers, and how both ways can fail.

use domain::dataset::import::Imported;
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
    /// Lines whose content was there already, and that gave it a ground truth it did not have.
    #[schema(example = 15)]
    pub labelled: usize,
    /// Lines whose content was there already, and that brought nothing new.
    #[schema(example = 5)]
    pub duplicates: usize,
    /// Whether nothing was written, because only a rehearsal was asked for.
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
    /// How an export can fail before it begins.
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
        /// `RATE_LIMITED`: come back after `Retry-After` seconds.
        #[response(status = 429)]
        RateLimited
        /// `INTERNAL_ERROR`.
        #[response(status = 500)]
        Internal
        /// `OVERLOADED`: too many exports at once; come back after `Retry-After` seconds.
        #[response(status = 503)]
        Overloaded
    }

    /// How an import can fail; nothing is imported then.
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
        /// `CONFLICT`: the Judge is archived, or changed while the file was read.
        #[response(status = 409)]
        Conflict
        /// `PAYLOAD_TOO_LARGE`: the file is over the path's limit.
        #[response(status = 413)]
        TooLarge
        /// `UNSUPPORTED_MEDIA_TYPE`: neither `format` nor the content type names a form that the path takes.
        #[response(status = 415)]
        MediaType
        /// `VALIDATION_FAILED`, with the parameters or the lines at fault, such as `line 17: ground_truth.team`: the first
        /// hundred.
        #[response(status = 422)]
        Invalid
        /// `RATE_LIMITED`: come back after `Retry-After` seconds.
        #[response(status = 429)]
        RateLimited
        /// `INTERNAL_ERROR`.
        #[response(status = 500)]
        Internal
        /// `OVERLOADED`: too many imports at once; come back after `Retry-After` seconds.
        #[response(status = 503)]
        Overloaded
    }
}
