//! What every handler can reach.

use std::{sync::Arc, time::Duration};

use axum::extract::FromRef;
use domain::Context;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Semaphore, watch};

use crate::{
    access::AccessControl,
    extract::ImagePermits,
    graphql::{self, GavelSchema},
    probes::Probes,
    rate_limit::RateLimiter,
    settings::Settings,
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

/// The running API. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) ctx: Context,
    pub(crate) settings: Arc<Settings>,
    pub(crate) access: AccessControl,
    pub(crate) metrics: PrometheusHandle,
    pub(crate) in_flight: Arc<Semaphore>,
    pub(crate) image_permits: ImagePermits,
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
        let limits = graphql::QueryLimits {
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
            image_permits: ImagePermits::new(settings.images_in_flight),
            exports: AccountSlots::new("exports", EXPORTS.0, EXPORTS.1),
            imports: AccountSlots::new("imports", IMPORTS.0, IMPORTS.1),
            access: AccessControl::new(ctx.keys.clone(), limiter, settings.rate_limit_per_minute),
            settings: Arc::new(settings),
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

impl FromRef<App> for Arc<Settings> {
    fn from_ref(app: &App) -> Self {
        app.settings.clone()
    }
}

impl FromRef<App> for ImagePermits {
    fn from_ref(app: &App) -> Self {
        app.image_permits.clone()
    }
}
