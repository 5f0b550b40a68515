//! The composition root: the only place that wires the models, the database and the HTTP API together.

use std::{net::SocketAddr, os::unix::fs::DirBuilderExt, path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, Error, bail};
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
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use outbound::fetch::Fetcher;
use tokio::{net::TcpListener, signal::unix::SignalKind, sync::oneshot};

use crate::config::Config;

/// A hint for missing model files.
const INSTALL_HINT: &str = "`gavel models install` fetches models";
/// Connections to the listener for health and metrics.
const OPERATIONS_CONNECTIONS: usize = 64;
/// The longest that work for clients that have gone, and charges in doubt, are waited for at the end.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);
const INVALID_SETTINGS: &str = "the settings are not valid";
/// Upper bounds of the histogram buckets of durations, in seconds.
const DURATION_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Upper bounds of the histogram buckets of group sizes.
const GROUP_SIZE_BUCKETS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Opens the database and applies all migrations.
pub(crate) async fn open(config: &Config) -> anyhow::Result<Database> {
    let process = &config.process;
    let url = process.database_url();
    if url.contains(":memory:") {
        bail!("database_url must be a file: a SQLite database in memory cannot be shared by connections");
    }
    if url.starts_with("sqlite:") {
        // Readable by its owner only: the directory holds balances and the demo's key.
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&process.data_dir)
            .with_context(|| format!("data directory {}", process.data_dir.display()))?;
    }
    migration::migrate(&url).await.context("the database could not be opened or migrated")?;
    Database::connect(&url, process.database_pool).await.context("the database did not answer")
}

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
}

impl Server {
    /// Starts all services and binds the listener; answers no request yet.
    pub(crate) async fn bind(config: &Config) -> anyhow::Result<Self> {
        let metrics = install_metrics()?;
        let (db, text, image, inference) = tokio::try_join!(
            open(config),
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
            Some(url) => RateLimiter::shared(url).context("redis_url is not a Redis address")?,
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
        let end = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
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

fn install_metrics() -> anyhow::Result<PrometheusHandle> {
    use metrics_exporter_prometheus::Matcher::{Full, Suffix};
    Ok(PrometheusBuilder::new()
        .set_buckets_for_metric(Suffix("_seconds".to_owned()), &DURATION_BUCKETS)?
        .set_buckets_for_metric(Full("gavel_charge_group_size".to_owned()), &GROUP_SIZE_BUCKETS)?
        .install_recorder()?)
}

/// Starts the periodic tasks. Each may run on every replica at the same time.
fn start_housekeeping(db: Database, metrics: PrometheusHandle) {
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
            metrics.run_upkeep();
        }
    });
}
