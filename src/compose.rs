//! The composition root: the only place that wires the models, the database and the HTTP API together.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, Error, anyhow};
use api::{App, ConnectionLimits, RateLimiter, Services};
use domain::{
    account,
    credits::{self, DoubtJournal},
    database::Database,
    idempotency,
    inference::{DecisionBackend, Inference},
    moderation::{
        Escalation, TextEngine, TextModeration,
        image::{ImageEngine, ImageModeration},
    },
    session,
};
use engine::{
    decision::{self, DecisionModel},
    image::{Images, Unavailable},
    text::{HybridText, NativeText},
};
use metrics_exporter_prometheus::PrometheusHandle;
use outbound::fetch::Fetcher;
use tokio::{net::TcpListener, signal::unix::SignalKind, sync::oneshot};

use crate::{
    config::Config,
    database::{self, without_password},
    metrics,
};

/// A hint for missing model files.
const INSTALL_HINT: &str = "`gavel models install` fetches models";
/// Connections to the listener for health and metrics.
const OPERATIONS_CONNECTIONS: usize = 64;
/// The longest that work for clients that have gone, and charges in doubt, are waited for at the end.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);
const INVALID_SETTINGS: &str = "the settings are not valid";

/// Loads the text engine: the hybrid one or, with a warning, the native one when the hybrid's model files are missing.
pub(crate) fn text_engine(config: &Config) -> anyhow::Result<Arc<dyn TextEngine>> {
    let native = NativeText::load().context("the text model could not be loaded")?;
    match HybridText::open(native.clone(), &config.engine.hybrid_text()) {
        Ok(hybrid) => Ok(Arc::new(hybrid)),
        Err(error) => {
            tracing::warn!("messages are scored by the native model alone: {error}; {INSTALL_HINT}");
            Ok(Arc::new(native))
        }
    }
}

/// Loads the image models from `models_dir`.
pub(crate) fn image_engine(config: &Config) -> anyhow::Result<Images> {
    Images::open(&config.engine.images()).context("the image models could not be loaded")
}

/// The image moderation service. Without its models it reports that it is unavailable.
fn image_moderation(config: &Config) -> anyhow::Result<ImageModeration> {
    let engine: Arc<dyn ImageEngine> = match image_engine(config) {
        Ok(images) => Arc::new(images),
        Err(error) => {
            tracing::warn!("pictures cannot be moderated: {error:#}; {INSTALL_HINT}");
            Arc::new(Unavailable { why: format!("{error:#}") })
        }
    };
    config.fetch.check().map_err(Error::msg)?;
    let fetcher = Arc::new(Fetcher::new(config.fetch.clone())?);
    Ok(ImageModeration { engine, policy: config.domain.image_policy(), fetcher })
}

/// The decision model in process. Without its files it reports that it is unavailable.
fn decision_model(config: &Config) -> anyhow::Result<Arc<dyn DecisionBackend>> {
    Ok(match DecisionModel::open(&config.engine.decisions()) {
        Ok(model) => Arc::new(model),
        Err(error) => {
            tracing::warn!("questions cannot be answered here: {error}; {INSTALL_HINT}");
            Arc::new(decision::Unavailable { why: error.to_string() })
        }
    })
}

/// The inference service with its local and OpenRouter backends.
pub(crate) fn inference(config: &Config) -> anyhow::Result<Inference> {
    let escalate_below = config.domain.escalate_below().map_err(Error::msg)?;
    let escalates = escalate_below.is_some();
    let local = match config.backends.local(escalates).context(INVALID_SETTINGS)? {
        Some(server) => server,
        None => decision_model(config)?,
    };
    let openrouter = config.backends.openrouter(escalates).context(INVALID_SETTINGS)?;
    Ok(Inference { local, openrouter, escalate_below })
}

/// The backend for messages whose action is uncertain, if escalation is enabled.
fn escalation(config: &Config) -> anyhow::Result<Option<Escalation>> {
    let Some(below) = config.domain.text_escalate_below().map_err(Error::msg)? else { return Ok(None) };
    let escalates = config.domain.escalate_below().map_err(Error::msg)?.is_some();
    let backend = config.backends.diffusion(escalates).context(INVALID_SETTINGS)?;
    Ok(Some(Escalation { backend, below }))
}

/// A server that is bound to its address.
pub(crate) struct Server {
    pub(crate) services: Services,
    pub(crate) address: SocketAddr,
    listener: TcpListener,
    /// For health and metrics alone.
    operations: Option<TcpListener>,
    app: App,
    limits: ConnectionLimits,
    drain_delay: Duration,
}

impl Server {
    /// Starts all services and binds the listener; answers no request yet.
    pub(crate) async fn bind(config: &Config) -> anyhow::Result<Self> {
        database::check(config).await?;
        let metrics = metrics::install()?;
        let (db, text, image, inference) = tokio::try_join!(
            database::open(config),
            load_blocking(config, text_engine),
            load_blocking(config, image_moderation),
            load_blocking(config, inference),
        )?;
        let text = TextModeration { engine: text, escalation: escalation(config)? };
        let journal = doubt_journal(&config.process.data_dir);
        let mut services = Services::start(db, text, image, inference, journal);
        services.sign_up = config.domain.sign_up().map_err(Error::msg)?;
        config.api.check().map_err(Error::msg)?;
        let limiter = match config.process.redis_url() {
            Some(url) => RateLimiter::shared(url).map_err(|error| {
                anyhow!(without_password(url, &format!("redis_url is not a Redis address: {error:#}")))
            })?,
            None => RateLimiter::local(),
        };
        let listener = listen(config.process.listen).await?;
        let operations = match config.process.operations_listen()? {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            operations,
            limits: config.api.connection_limits(),
            drain_delay: Duration::from_secs(config.process.drain_delay_s.into()),
            app: App::new(services.clone(), config.api.clone(), limiter, metrics.clone()),
            services: {
                start_housekeeping(services.db.clone(), metrics);
                services
            },
        })
    }

    /// Serves requests until SIGTERM or SIGINT, then finishes those in progress and settles what is in doubt.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        tracing::info!(address = %self.address, "listening");
        let mut terminate = tokio::signal::unix::signal(SignalKind::terminate())?;
        let (app, drain_delay) = (self.app.clone(), self.drain_delay);
        let end = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            // Load balancers see that this process is not ready and send no more requests, before it refuses them.
            app.stop_being_ready();
            if !drain_delay.is_zero() {
                tracing::info!(seconds = drain_delay.as_secs(), "not ready any more; still answering");
                tokio::select! {
                    () = tokio::time::sleep(drain_delay) => {}
                    _ = terminate.recv() => {}
                }
            }
            tracing::info!("ending: no new connections, requests under way are finished");
        };
        let (end_operations, ended) = oneshot::channel::<()>();
        if let Some(listener) = self.operations {
            tracing::info!(address = %listener.local_addr()?, "listening for health and metrics");
            let limits = ConnectionLimits { connections: OPERATIONS_CONNECTIONS, ..self.limits };
            let ended = async move { ended.await.unwrap_or_default() };
            tokio::spawn(api::serve(listener, api::operations_router(self.app.clone()), limits, ended));
        }
        api::serve(self.listener, api::router(self.app.clone()), self.limits, end).await?;
        self.app.close_websockets().await;
        // Clients that have gone are charged for what was begun; what is still in doubt then is in the journal.
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

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// The journal of charges in doubt in the data directory, taken over from processes that have died. A directory that cannot be
/// written costs only what a crash during an outage of the database leaves charged.
fn doubt_journal(data_dir: &Path) -> Option<DoubtJournal> {
    DoubtJournal::open(data_dir)
        .inspect_err(|error| {
            tracing::warn!(%error, "charges in doubt are in memory alone: data_dir cannot be written");
        })
        .ok()
}

/// Loads a model on a blocking thread. The models load in parallel: each takes most of a second.
async fn load_blocking<T: Send + 'static>(
    config: &Config,
    load: fn(&Config) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let config = config.clone();
    tokio::task::spawn_blocking(move || load(&config)).await?
}

/// Starts the periodic tasks. Each may run on every replica at the same time.
fn start_housekeeping(db: Database, exporter: PrometheusHandle) {
    let holds = db.clone();
    tokio::spawn(async move {
        let mut every = tokio::time::interval(Duration::from_secs(5));
        loop {
            every.tick().await;
            match credits::expire_holds(&holds).await {
                Ok(0) => {}
                Ok(expired) => tracing::info!(expired, "holds whose time was up are given back"),
                Err(error) => tracing::warn!(%error, "expired holds could not be given back"),
            }
        }
    });
    tokio::spawn(async move {
        let mut every = tokio::time::interval(Duration::from_secs(600));
        loop {
            every.tick().await;
            match idempotency::prune(&db).await {
                Ok(0) => {}
                Ok(pruned) => tracing::info!(pruned, "stored answers older than 24 hours are gone"),
                Err(error) => tracing::warn!(%error, "stored answers could not be pruned"),
            }
            let over = tokio::try_join!(
                session::prune(&db),
                account::prune_invites(&db),
                account::sweep_erased(&db)
            );
            if let Err(error) = over {
                tracing::warn!(%error, "sessions and invitations whose time is up could not be pruned");
            }
        }
    });
    tokio::spawn(async move {
        let mut every = tokio::time::interval(Duration::from_secs(5));
        loop {
            every.tick().await;
            metrics::read_process();
            exporter.run_upkeep();
        }
    });
}
