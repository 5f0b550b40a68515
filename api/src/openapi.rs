//! The interface description: OpenAPI 3.1.0, made from the code that serves it.

use utoipa::{
    Modify, OpenApi,
    openapi::{
        SecurityRequirement,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::rest::{health, operation, pricing, text};

/// Every path, and what the description says beyond paths and shapes.
#[derive(OpenApi)]
#[openapi(
    paths(
        text::moderate_text,
        text::moderate_text_batch,
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
        (name = "moderation", description = "Verdicts on messages"),
        (name = "pricing", description = "What things cost"),
        (name = "health", description = "How the service is"),
        (name = "operation", description = "For operators' tools"),
    ),
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
