//! The state that handlers share.

use std::{ops::Deref, sync::Arc};

use axum::extract::FromRef;
use domain::{money::idempotency::Idempotency, services::Services};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Semaphore;

use crate::{
    access::AccessControl, extract::ImagePermits, graphql::GraphqlState, process_status::ProcessStatus,
    rate_limit::RateLimiter, settings::ApiSettings, slots::AccountSlots,
};

/// Exports that run at once, each of which holds some megabytes.
const EXPORTS: usize = 8;
const EXPORTS_PER_ACCOUNT: usize = 2;
/// Imports that run at once, each of which holds all its rows until they are written.
const IMPORTS: usize = 2;
const IMPORTS_PER_ACCOUNT: usize = 1;
/// Bulk batches that are uploaded at once, each of which holds some megabytes.
const BATCH_UPLOADS: usize = 4;
const BATCH_UPLOADS_PER_ACCOUNT: usize = 1;

/// The state of the API. axum clones it several times for each request, so it is one reference count.
#[derive(Clone)]
pub struct App(Arc<AppState>);

/// What [`App`] points to.
pub struct AppState {
    pub(crate) services: Services,
    pub(crate) settings: Arc<ApiSettings>,
    pub(crate) access: AccessControl,
    pub(crate) request_permits: Arc<Semaphore>,
    pub(crate) image_permits: ImagePermits,
    pub(crate) export_slots: AccountSlots,
    pub(crate) import_slots: AccountSlots,
    pub(crate) batch_slots: AccountSlots,
    pub(crate) status: ProcessStatus,
    pub(crate) graphql: GraphqlState,
}

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl App {
    pub fn new(
        services: Services,
        settings: ApiSettings,
        limiter: RateLimiter,
        metrics: PrometheusHandle,
    ) -> Self {
        let settings = Arc::new(settings);
        let access = AccessControl::new(&services, limiter, &settings);
        let status = ProcessStatus::new(services.clone(), metrics);
        Self(Arc::new(AppState {
            graphql: GraphqlState::new(services.clone(), status.probes(), access.clone(), settings.clone()),
            status,
            request_permits: Arc::new(Semaphore::new(settings.requests_in_flight)),
            image_permits: ImagePermits::new(settings.images_in_flight),
            export_slots: AccountSlots::new("exports", EXPORTS, EXPORTS_PER_ACCOUNT),
            import_slots: AccountSlots::new("imports", IMPORTS, IMPORTS_PER_ACCOUNT),
            batch_slots: AccountSlots::new("uploads of batches", BATCH_UPLOADS, BATCH_UPLOADS_PER_ACCOUNT),
            access,
            settings,
            services,
        }))
    }

    /// Waits until no work is in progress, not even for clients that are gone.
    pub async fn requests_finished(&self) {
        let all = u32::try_from(self.settings.requests_in_flight).unwrap_or(u32::MAX);
        let _ = self.request_permits.acquire_many(all).await;
    }

    /// The health and the metrics of the process.
    pub fn status(&self) -> ProcessStatus {
        self.status.clone()
    }

    /// Closes all WebSockets, each with a close frame if its client accepts one in time.
    pub async fn close_websockets(&self) {
        self.graphql.close_websockets().await;
    }
}

impl FromRef<App> for Arc<ApiSettings> {
    fn from_ref(app: &App) -> Self {
        app.settings.clone()
    }
}

impl FromRef<App> for ProcessStatus {
    fn from_ref(app: &App) -> Self {
        app.status()
    }
}

impl FromRef<App> for ImagePermits {
    fn from_ref(app: &App) -> Self {
        app.image_permits.clone()
    }
}

impl FromRef<App> for Idempotency {
    fn from_ref(app: &App) -> Self {
        app.services.billing.idempotency.clone()
    }
}

impl FromRef<App> for GraphqlState {
    fn from_ref(app: &App) -> Self {
        app.graphql.clone()
    }
}
