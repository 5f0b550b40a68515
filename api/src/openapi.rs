//! The interface description, OpenAPI 3.1.0, but for its paths: those come from the URL table.

mod examples;
pub(crate) mod shapes;

use utoipa::{
    IntoParams, IntoResponses, Modify, OpenApi,
    openapi::{
        SecurityRequirement,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

pub(crate) use examples::add_examples;
use shapes::Shapes;

use crate::{
    cookie::SESSION_COOKIE,
    error::{ErrorResponse, OpenAiErrorResponse, SystemOneErrorResponse},
    identity::CSRF_HEADER,
};

/// What the description says beyond paths and their shapes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Gavel",
        version = "1.0.0",
        description = "Turns content into decisions a program can act on. Every paid request is charged in credits, \
                       once, on success only.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers((url = "/", description = "This server")),
    tags(
        (name = "moderation", description = "Verdicts on messages and pictures"),
        (name = "inference", description = "Answers to typed questions"),
        (name = "datasets", description = "Export and import of Judges' datasets"),
        (name = "judges", description = "Checkpoints that train Judges, and evaluation runs"),
        (name = "batches", description = "Many requests at once, run in the background"),
        (name = "compatibility", description = "APIs compatible with other services, with errors in their formats"),
        (name = "pricing", description = "The price list"),
        (name = "health", description = "Health of the service"),
        (name = "operation", description = "Liveness, readiness and metrics"),
    ),
    components(schemas(ErrorResponse, SystemOneErrorResponse, OpenAiErrorResponse)),
    modifiers(&Security, &Shapes),
)]
struct Description;

/// Adds the three headers that may carry the API key, and the session's cookie with its header.
struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let bearer =
            HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("`svc_live_…`")).build();
        let header = |name| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name)));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("x-api-key", header("x-api-key"));
        components.add_security_scheme("api-key", header("api-key"));
        let cookie = ApiKeyValue::with_description(SESSION_COOKIE, "A signed-in person's session");
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
        let csrf = ApiKeyValue::with_description(CSRF_HEADER, "Goes with `session`, with any value");
        components.add_security_scheme("csrf", SecurityScheme::ApiKey(ApiKey::Header(csrf)));
        let no_scopes = std::iter::empty::<String>;
        let keys = ["bearer", "x-api-key", "api-key"];
        let mut any: Vec<SecurityRequirement> =
            keys.map(|scheme| SecurityRequirement::new(scheme, no_scopes())).into();
        any.push(SecurityRequirement::new("session", no_scopes()).add("csrf", no_scopes()));
        document.security = Some(any);
    }
}

/// The header that makes a paid request safe to retry.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code)]
pub(crate) struct IdempotencyHeader {
    /// A name for this request, chosen by the client. The same key and request within 24 hours are charged once and
    /// get the same answer.
    #[param(
        rename = "Idempotency-Key",
        required = false,
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]+$"
    )]
    idempotency_key: String,
}

/// Defines error responses, with bodies of one format.
macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident: $body:ty { $($(#[$response:meta])* $variant:ident)+ })+) => {$(
        $(#[$doc])*
        #[derive(IntoResponses)]
        #[allow(dead_code)]
        pub(crate) enum $name {
            $($(#[$response])* $variant($body),)+
        }
    )+};
}

pub(crate) use errors;

/// Defines the error responses of paid requests in each format.
macro_rules! paid_errors {
    ($($name:ident: $body:ty;)+) => {
        errors! {$(
            /// The errors of a paid request; none is charged.
            $name: $body {
                /// `MALFORMED_BODY`: the body is not JSON, or not the form that its content type says.
                #[response(status = 400)]
                Malformed
                /// `UNAUTHORIZED`: no key, or one that is not valid.
                #[response(status = 401)]
                Unauthorized
                /// `INSUFFICIENT_CREDITS`: the balance is lower than the cost.
                #[response(status = 402)]
                Insufficient
                /// `FORBIDDEN`: the key lacks the scope.
                #[response(status = 403)]
                Forbidden
                /// `CONFLICT`: the first request with this Idempotency-Key is still running.
                #[response(status = 409)]
                Conflict
                /// `PAYLOAD_TOO_LARGE`: the body, or the image in it, is over the path's limit.
                #[response(status = 413)]
                TooLarge
                /// `UNSUPPORTED_MEDIA_TYPE`: the path does not accept this content type.
                #[response(status = 415)]
                MediaType
                /// `VALIDATION_FAILED` or `INVALID_IMAGE`, with the fields at fault, or `IDEMPOTENCY_MISMATCH`.
                #[response(status = 422)]
                Invalid
                /// `RATE_LIMITED`: retry after `Retry-After` seconds.
                #[response(status = 429)]
                RateLimited
                /// `ENGINE_UNAVAILABLE`, `UPSTREAM_FAILED` or `INTERNAL_ERROR`.
                #[response(status = 500)]
                Internal
                /// `OVERLOADED`: retry after `Retry-After` seconds.
                #[response(status = 503)]
                Overloaded
            }
        )+}
    };
}

paid_errors! {
    PaidErrors: ErrorResponse;
    SystemOnePaidErrors: SystemOneErrorResponse;
    OpenAiPaidErrors: OpenAiErrorResponse;
}

errors! {
    /// The errors of a submission; nothing is held or charged then.
    SubmissionErrors: ErrorResponse {
        /// `MALFORMED_BODY`: the body is not JSON.
        #[response(status = 400)]
        Malformed
        /// `UNAUTHORIZED`: no key, or one that is not valid.
        #[response(status = 401)]
        Unauthorized
        /// `INSUFFICIENT_CREDITS`: there are fewer credits than it costs.
        #[response(status = 402)]
        Insufficient
        /// `FORBIDDEN`: the key lacks the scope.
        #[response(status = 403)]
        Forbidden
        /// `NOT_FOUND`: the account has no such Judge, version or Checkpoint.
        #[response(status = 404)]
        NotFound
        /// `CONFLICT`: the Judge is archived, as many are open as may be, or the first request with this Idempotency-Key is
        /// still running; the message says which.
        #[response(status = 409)]
        Conflict
        /// `PAYLOAD_TOO_LARGE`: the body is over 64 KiB.
        #[response(status = 413)]
        TooLarge
        /// `UNSUPPORTED_MEDIA_TYPE`: the content type is not JSON.
        #[response(status = 415)]
        MediaType
        /// `VALIDATION_FAILED`, with the fields at fault, or because too few samples are labelled; `IDEMPOTENCY_MISMATCH`.
        #[response(status = 422)]
        Invalid
        /// `RATE_LIMITED`: retry after `Retry-After` seconds.
        #[response(status = 429)]
        RateLimited
        /// `ENGINE_UNAVAILABLE`: there is no decision model in process; or `INTERNAL_ERROR`.
        #[response(status = 500)]
        Internal
        /// `OVERLOADED`: retry after `Retry-After` seconds.
        #[response(status = 503)]
        Overloaded
    }

    /// The errors of reading and changing what was submitted.
    ManagementErrors: ErrorResponse {
        /// `UNAUTHORIZED`: no key, or one that is not valid.
        #[response(status = 401)]
        Unauthorized
        /// `FORBIDDEN`: the key lacks the scope.
        #[response(status = 403)]
        Forbidden
        /// `NOT_FOUND`: the account has nothing with this id, or the key may not see it.
        #[response(status = 404)]
        NotFound
        /// `CONFLICT`: its state does not allow this; the message says why.
        #[response(status = 409)]
        Conflict
        /// `VALIDATION_FAILED`, with the parameters at fault.
        #[response(status = 422)]
        Invalid
        /// `RATE_LIMITED`: retry after `Retry-After` seconds.
        #[response(status = 429)]
        RateLimited
        /// `INTERNAL_ERROR`.
        #[response(status = 500)]
        Internal
        /// `OVERLOADED`: retry after `Retry-After` seconds.
        #[response(status = 503)]
        Overloaded
    }
}

errors! {
    /// The errors of a free request in OpenAI's format.
    OpenAiFreeErrors: OpenAiErrorResponse {
        /// `UNAUTHORIZED`: no key, or one that is not valid.
        #[response(status = 401)]
        Unauthorized
        /// `FORBIDDEN`: the key lacks the scope.
        #[response(status = 403)]
        Forbidden
        /// `RATE_LIMITED`: retry after `Retry-After` seconds.
        #[response(status = 429)]
        RateLimited
        /// `INTERNAL_ERROR`.
        #[response(status = 500)]
        Internal
        /// `OVERLOADED`: retry after `Retry-After` seconds.
        #[response(status = 503)]
        Overloaded
    }
}

/// The description without its paths and their shapes, which [`crate::routes`] adds.
pub(crate) fn without_paths() -> utoipa::openapi::OpenApi {
    Description::openapi()
}
