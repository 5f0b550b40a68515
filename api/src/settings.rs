//! What an operator can set about the HTTP surface.

use std::time::Duration;

/// What an operator can set about the HTTP surface.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes a single text moderation body may have.
    pub text_body_bytes: usize,
    /// Bytes a batch body may have.
    pub batch_body_bytes: usize,
    /// Messages a batch may have.
    pub batch_messages: usize,
    /// Bytes the body of an image request may have.
    pub image_body_bytes: usize,
    /// Bytes a picture may have.
    pub image_bytes: usize,
    /// Bytes the body of an inference may have, before and after it is unpacked.
    pub inference_body_bytes: usize,
    /// Bytes a file of samples may have.
    pub import_body_bytes: usize,
    /// Bytes the body of a GraphQL request may have.
    pub graphql_body_bytes: usize,
    /// Fields within fields that a GraphQL operation may ask for.
    pub graphql_depth: usize,
    /// Fields that a GraphQL operation may ask for, those of a list's rows as often as rows were asked for.
    pub graphql_complexity: usize,
    /// How long a GraphQL operation may take.
    pub graphql_timeout: Duration,
    /// Whether the GraphQL schema can be asked for.
    pub graphql_introspection: bool,
    /// WebSockets open at once; more are answered 503.
    pub websockets: usize,
    /// Origins other than our own whose pages may open WebSockets, such as `https://app.example.com`.
    pub allowed_origins: Vec<String>,
    /// Whether the session's cookie is for https alone, also where a request does not say that it came by it.
    pub secure_cookies: bool,
    /// Whether an unknown model name is an error on the compatibility routes too, in place of meaning the default.
    pub strict_model_names: bool,
    /// Image requests that may hold a picture in memory at once; more wait.
    pub images_in_flight: usize,
    /// Requests worked on at once; more are answered 503.
    pub requests_in_flight: usize,
    /// Requests a minute for a key with no limit of its own or its account's; 0 is no limit.
    pub rate_limit_per_minute: u32,
}
