//! What every handler can reach.

use std::{sync::Arc, time::Duration};

use domain::Context;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Semaphore, watch};

use crate::{
    graphql::{self, GavelSchema},
    rate_limit::RateLimiter,
    rest::health::Probes,
    slots::AccountSlots,
};

/// How long clients of WebSockets may take to hear that the process ends.
const GOODBYE: Duration = Duration::from_secs(2);
/// GraphQL operations at once, each of which may hold many rows: in all, and of one account.
const OPERATIONS: (usize, usize) = (128, 8);
/// WebSockets of one account at once.
const SOCKETS: usize = 64;
/// Exports at once, each of which holds some megabytes: in all, and of one account.
const EXPORTS: (usize, usize) = (8, 2);
/// Imports at once, each of which holds what is to be written: in all, and of one account.
const IMPORTS: (usize, usize) = (2, 1);

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

/// The running API. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) ctx: Context,
    pub(crate) settings: Arc<Settings>,
    pub(crate) limiter: Arc<RateLimiter>,
    pub(crate) metrics: PrometheusHandle,
    pub(crate) in_flight: Arc<Semaphore>,
    pub(crate) pictures: Arc<Semaphore>,
    pub(crate) exports: AccountSlots,
    pub(crate) imports: AccountSlots,
    pub(crate) probes: Arc<Probes>,
    pub(crate) graphql: GavelSchema,
    pub(crate) operations: AccountSlots,
    pub(crate) sockets: Arc<Semaphore>,
    pub(crate) sockets_of_accounts: AccountSlots,
    pub(crate) ending: Arc<watch::Sender<bool>>,
}

impl App {
    /// Puts the pieces together.
    pub fn new(ctx: Context, settings: Settings, limiter: RateLimiter, metrics: PrometheusHandle) -> Self {
        let limits = graphql::Limits {
            depth: settings.graphql_depth,
            complexity: settings.graphql_complexity,
            introspection: settings.graphql_introspection,
        };
        Self {
            graphql: graphql::build(ctx.clone(), limits),
            probes: Arc::new(Probes::new(ctx.clone())),
            in_flight: Arc::new(Semaphore::new(settings.requests_in_flight)),
            ending: Arc::new(watch::Sender::new(false)),
            sockets_of_accounts: AccountSlots::new("WebSockets", settings.websockets, SOCKETS),
            operations: AccountSlots::new("GraphQL operations", OPERATIONS.0, OPERATIONS.1),
            sockets: Arc::new(Semaphore::new(settings.websockets)),
            pictures: Arc::new(Semaphore::new(settings.images_in_flight)),
            exports: AccountSlots::new("exports", EXPORTS.0, EXPORTS.1),
            imports: AccountSlots::new("imports", IMPORTS.0, IMPORTS.1),
            settings: Arc::new(settings),
            limiter: Arc::new(limiter),
            metrics,
            ctx,
        }
    }

    /// Closes all WebSockets, with a word to their clients, as far as they take it soon.
    pub async fn close_websockets(&self) {
        self.ending.send_replace(true);
        let all = u32::try_from(self.settings.websockets).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(GOODBYE, self.sockets.acquire_many(all)).await;
    }
}
