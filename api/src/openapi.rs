//! The interface description: OpenAPI 3.1.0, made from the code that serves it.

use utoipa::{
    IntoParams, IntoResponses, Modify, OpenApi,
    openapi::{
        SecurityRequirement,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::{
    error::ErrorResponse,
    rest::{health, image, operation, pricing, text},
};

/// Every path, and what the description says beyond paths and shapes.
#[derive(OpenApi)]
#[openapi(
    paths(
        text::moderate_text,
        text::moderate_text_batch,
        image::moderate_image,
        pricing::get_pricing,
        health::get_health,
        operation::live,
        operation::ready,
        operation::metrics,
    ),
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
        (name = "pricing", description = "What things cost"),
        (name = "health", description = "How the service is"),
        (name = "operation", description = "For operators' tools"),
    ),
    components(schemas(ErrorResponse)),
    modifiers(&ThreeHeaders),
)]
struct Description;

/// One key, in any of three headers.
struct ThreeHeaders;

impl Modify for ThreeHeaders {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let bearer =
            HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("`svc_live_…`")).build();
        let header = |name| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name)));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("x-api-key", header("x-api-key"));
        components.add_security_scheme("api-key", header("api-key"));
        let schemes = ["bearer", "x-api-key", "api-key"];
        let any = schemes.map(|scheme| SecurityRequirement::new(scheme, std::iter::empty::<String>()));
        document.security = Some(any.into());
    }
}

/// The header that makes a paid request safe to send again.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code)]
pub(crate) struct IdempotencyHeader {
    /// Any name for this request, made by the client. The same key and request within 24 hours is charged once and
    /// answered again.
    #[param(
        rename = "Idempotency-Key",
        required = false,
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]+$"
    )]
    idempotency_key: String,
}

/// How a paid request can fail; nothing is charged then.
#[derive(IntoResponses)]
#[allow(dead_code)]
pub(crate) enum PaidErrors {
    /// `MALFORMED_BODY`: the body is not JSON, or not the form it says it is.
    #[response(status = 400)]
    Malformed(ErrorResponse),
    /// `UNAUTHORIZED`: no key, or one that is not valid.
    #[response(status = 401)]
    Unauthorized(ErrorResponse),
    /// `INSUFFICIENT_CREDITS`: the balance is lower than the cost.
    #[response(status = 402)]
    Insufficient(ErrorResponse),
    /// `FORBIDDEN`: the key lacks the scope.
    #[response(status = 403)]
    Forbidden(ErrorResponse),
    /// `CONFLICT`: the first request under this Idempotency-Key still runs.
    #[response(status = 409)]
    Conflict(ErrorResponse),
    /// `PAYLOAD_TOO_LARGE`: the body, or the image in it, is over the path's limit.
    #[response(status = 413)]
    TooLarge(ErrorResponse),
    /// `UNSUPPORTED_MEDIA_TYPE`: the content type is not one that the path takes.
    #[response(status = 415)]
    MediaType(ErrorResponse),
    /// `VALIDATION_FAILED` or `INVALID_IMAGE`, with the fields at fault, or `IDEMPOTENCY_MISMATCH`.
    #[response(status = 422)]
    Invalid(ErrorResponse),
    /// `RATE_LIMITED`: come back after `Retry-After` seconds.
    #[response(status = 429)]
    RateLimited(ErrorResponse),
    /// `ENGINE_UNAVAILABLE` or `INTERNAL_ERROR`.
    #[response(status = 500)]
    Internal(ErrorResponse),
    /// `OVERLOADED`: come back after `Retry-After` seconds.
    #[response(status = 503)]
    Overloaded(ErrorResponse),
}

/// The description, to be served.
pub(crate) fn description() -> utoipa::openapi::OpenApi {
    Description::openapi()
}

/// The description as pretty JSON with a newline at its end, to be checked in.
///
/// # Errors
/// None that can happen: it is plain data.
pub fn document() -> serde_json::Result<String> {
    Ok(description().to_pretty_json()? + "\n")
}
