//! What every handler can reach.

use std::sync::Arc;

use domain::Context;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Semaphore;

use crate::{rate_limit::RateLimiter, rest::health::Probes};

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
    pub(crate) probes: Arc<Probes>,
}

impl App {
    /// Puts the pieces together.
    pub fn new(ctx: Context, settings: Settings, limiter: RateLimiter, metrics: PrometheusHandle) -> Self {
        Self {
            probes: Arc::new(Probes::new(ctx.clone())),
            in_flight: Arc::new(Semaphore::new(settings.requests_in_flight)),
            pictures: Arc::new(Semaphore::new(settings.images_in_flight)),
            settings: Arc::new(settings),
            limiter: Arc::new(limiter),
            metrics,
            ctx,
        }
    }
}
