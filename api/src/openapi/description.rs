//! What the interface description says beyond paths and their shapes.

use utoipa::{
    IntoParams, Modify, OpenApi,
    openapi::{
        SecurityRequirement,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use super::shapes::Shapes;
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
        // Of the API, which changes less often than the binary.
        version = "1.0.0",
        description = concat!(
            "Turns content into decisions a program can act on. Every paid request is charged in credits, once, on \
             success only. Described by Gavel ",
            env!("CARGO_PKG_VERSION"),
            ".",
        ),
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

/// Only OAuth has scopes in the sense of OpenAPI.
const NO_SCOPES: [&str; 0] = [];

/// Adds the three headers that may carry the API key, and the session's cookie with its header.
struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let bearer =
            HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("`svc_live_…`")).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("x-api-key", header(ApiKeyValue::new("x-api-key")));
        components.add_security_scheme("api-key", header(ApiKeyValue::new("api-key")));
        let cookie = ApiKeyValue::with_description(SESSION_COOKIE, "A signed-in person's session");
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
        let csrf = ApiKeyValue::with_description(CSRF_HEADER, "Goes with `session`, with any value");
        components.add_security_scheme("csrf", header(csrf));
        let session = SecurityRequirement::new("session", NO_SCOPES).add("csrf", NO_SCOPES);
        let keys = ["bearer", "x-api-key", "api-key"];
        let keys = keys.map(|scheme| SecurityRequirement::new(scheme, NO_SCOPES));
        document.security = Some(keys.into_iter().chain([session]).collect());
    }
}

fn header(key: ApiKeyValue) -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(key))
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

/// The description without its paths and their shapes, which the URL table adds.
pub(crate) fn without_paths() -> utoipa::openapi::OpenApi {
    Description::openapi()
}
