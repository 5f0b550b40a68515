//! The HTTP server of a process, with or without a worker in the same process.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context as _;
use api::{App, ConnectionLimits, ProcessStatus, RateLimiter};
use domain::services::Services;
use tokio::{net::TcpListener, signal::unix::SignalKind, sync::oneshot};
use worker::Worker;

use crate::{
    compose::{Composed, compose, not_redis},
    config::Config,
    jobs, metrics,
};

/// Maximum connections to the listener for health and metrics.
const OPERATIONS_CONNECTIONS: usize = 64;
/// How long shutdown waits for work for disconnected clients and for charges in doubt.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);

/// A server that is bound to its address.
pub(crate) struct Server {
    pub(crate) services: Services,
    pub(crate) address: SocketAddr,
    listener: TcpListener,
    /// For health and metrics only.
    operations: Option<TcpListener>,
    app: App,
    limits: ConnectionLimits,
    drain_delay: Duration,
    worker: Option<Worker>,
}

impl Server {
    /// Starts all services, and a worker if `works`, and binds the listener. Requests are answered only by
    /// [`run`](Self::run).
    pub(crate) async fn bind(config: &Config, works: bool) -> anyhow::Result<Self> {
        let metrics = metrics::install()?;
        let Composed { services, queue } = compose(config, works).await?;
        let limiter = match config.process.redis_url() {
            Some(url) => RateLimiter::shared(url).map_err(|error| not_redis(url, &error.to_string()))?,
            None => RateLimiter::local(),
        };
        let listener = listen(config.process.listen).await?;
        let operations = operations_listener(config).await?;
        let app = App::new(services.clone(), config.api.clone(), limiter, metrics.clone());
        metrics::start_upkeep(metrics);
        let worker = queue.filter(|_| works).map(|queue| jobs::start(config, &services, queue));
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            operations,
            limits: config.api.connection_limits(),
            drain_delay: Duration::from_secs(config.process.drain_delay_s.into()),
            app,
            services,
            worker,
        })
    }

    /// Serves requests until SIGTERM or SIGINT, then finishes those in progress and settles charges in doubt.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        tracing::info!(address = %self.address, "listening");
        let mut terminate = tokio::signal::unix::signal(SignalKind::terminate())?;
        let status = self.app.status();
        let drain_delay = self.drain_delay;
        let (drain_worker, drains) = oneshot::channel::<()>();
        let end = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            // Load balancers see that this process is not ready, and stop sending requests before it refuses them.
            status.stop_being_ready();
            drop(drain_worker);
            if !drain_delay.is_zero() {
                tracing::info!(seconds = drain_delay.as_secs(), "no longer ready; still answering requests");
                tokio::select! {
                    () = tokio::time::sleep(drain_delay) => {}
                    _ = terminate.recv() => {}
                }
            }
            tracing::info!("shutting down: finishing requests in progress");
        };
        let worker = self.worker;
        let worker_drained = tokio::spawn(async move {
            let _ = drains.await;
            if let Some(worker) = worker {
                worker.drain().await;
            }
        });
        let (end_operations, ended) = oneshot::channel::<()>();
        if let Some(listener) = self.operations {
            let ended = async move { ended.await.unwrap_or_default() };
            serve_operations(listener, self.app.status(), self.limits.clone(), ended)?;
        }
        api::serve(self.listener, api::router(self.app.clone()), self.limits, end).await?;
        self.app.close_websockets().await;
        worker_drained.await?;
        // Disconnected clients are charged for what was started. Charges that are still in doubt remain in the journal.
        let settled = async {
            self.app.requests_finished().await;
            self.services.billing.credits.doubts_resolved().await;
        };
        if tokio::time::timeout(SETTLE_TIMEOUT, settled).await.is_err() {
            tracing::warn!("some requests or charges in doubt were not settled");
        }
        drop(end_operations);
        Ok(())
    }
}

/// Runs jobs and periodic tasks without the API, until SIGTERM or SIGINT. Health and metrics are served if
/// `operations_listen` is set.
pub(crate) async fn run_worker(config: &Config) -> anyhow::Result<()> {
    let metrics = metrics::install()?;
    let Composed { services, queue } = compose(config, true).await?;
    let queue = queue.context("a worker needs a queue")?;
    let status = ProcessStatus::new(services.clone(), metrics.clone());
    metrics::start_upkeep(metrics);
    let (end_operations, ended) = oneshot::channel::<()>();
    if let Some(listener) = operations_listener(config).await? {
        let ended = async move { ended.await.unwrap_or_default() };
        serve_operations(listener, status.clone(), config.api.connection_limits(), ended)?;
    }
    let mut terminate = tokio::signal::unix::signal(SignalKind::terminate())?;
    let worker = jobs::start(config, &services, queue);
    tracing::info!("working");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    status.stop_being_ready();
    tracing::info!("shutting down: finishing or handing over running jobs");
    worker.drain().await;
    if tokio::time::timeout(SETTLE_TIMEOUT, services.billing.credits.doubts_resolved()).await.is_err() {
        tracing::warn!("some charges in doubt were not settled");
    }
    drop(end_operations);
    Ok(())
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

async fn operations_listener(config: &Config) -> anyhow::Result<Option<TcpListener>> {
    Ok(match config.process.operations_listen()? {
        Some(address) => Some(listen(address).await?),
        None => None,
    })
}

fn serve_operations(
    listener: TcpListener,
    status: ProcessStatus,
    limits: ConnectionLimits,
    end: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    tracing::info!(address = %listener.local_addr()?, "listening for health and metrics");
    let limits = ConnectionLimits {
        connections: OPERATIONS_CONNECTIONS,
        per_network: OPERATIONS_CONNECTIONS,
        ..limits
    };
    tokio::spawn(api::serve(listener, api::operations_router(status), limits, end));
    Ok(())
}
