//! The composition root: the only place where the models, the database and the HTTP surface meet.

use std::{net::SocketAddr, os::unix::fs::DirBuilderExt, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use api::{App, Limits, RateLimiter, Settings};
use domain::{
    Context,
    account::{self, SignUp, SignUpMode},
    credits::{self, Amount},
    database::Database,
    idempotency,
    inference::Inference,
    moderation::image::{ImageModeration, ImagePolicy},
    ports::{DecisionBackend, ImageEngine, TextEngine},
    session,
};
use engine::{
    decision::{self, DecisionModel, DecisionOptions},
    image::{Absent, ImageOptions, Images, decode},
    text::{HybridOptions, HybridText, NativeText},
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use outbound::fetch::{FetchSettings, Fetcher};
use tokio::{net::TcpListener, signal::unix::SignalKind};

use crate::config::Config;

mod backends;

/// What helps when a model's files are missing.
const FETCH: &str = "`gavel models install` fetches models";
/// Upper bounds of the histogram buckets for times, in seconds.
const SECONDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Upper bounds of the histogram buckets for group sizes.
const SIZES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Opens the database, with every migration applied.
pub(crate) async fn open(config: &Config) -> anyhow::Result<Database> {
    let url = config.database_url();
    if url.contains(":memory:") {
        bail!("database_url must be a file: a SQLite database in memory cannot be shared by connections");
    }
    if url.starts_with("sqlite:") {
        // For its owner alone: it holds balances, and the demo's key.
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&config.data_dir)
            .with_context(|| format!("data directory {}", config.data_dir.display()))?;
    }
    migration::migrate(&url).await.context("the database could not be opened or migrated")?;
    Database::connect(&url, config.database_pool).await.context("the database did not answer")
}

/// Loads the text engine: the hybrid one, or without the words that it reads with the native one, which says so.
pub(crate) fn text_engine(config: &Config) -> anyhow::Result<Arc<dyn TextEngine>> {
    let native = NativeText::load().context("the text model could not be loaded")?;
    let options = HybridOptions {
        models_dir: config.models_dir.clone(),
        onnx_runtime: config.onnx_runtime.parse()?,
        threads: config.encoder_threads,
    };
    match HybridText::open(native.clone(), &options) {
        Ok(hybrid) => Ok(Arc::new(hybrid)),
        Err(error) => {
            tracing::warn!("messages are scored by the native model alone: {error}; {FETCH}");
            Ok(Arc::new(native))
        }
    }
}

/// Loads the image models, as `models_dir` has them.
pub(crate) fn image_engine(config: &Config) -> anyhow::Result<Images> {
    let options = ImageOptions {
        models_dir: config.models_dir.clone(),
        model: config.image_model.clone(),
        onnx_runtime: config.onnx_runtime.parse()?,
        limits: decode::Limits::of_pixels(config.image_pixels),
        parallel: config.images_at_once,
    };
    Images::open(&options).context("the image models could not be loaded")
}

/// What is said of what a picture shows.
pub(crate) fn image_policy(config: &Config) -> ImagePolicy {
    ImagePolicy {
        nudity: config.image_nudity_threshold,
        drawn_nudity: config.image_drawn_nudity_threshold,
        suggestive: config.image_suggestive_threshold,
        minor: config.image_minor_threshold,
    }
}

/// What moderating pictures takes. Without models everything else goes on working.
fn image_moderation(config: &Config) -> anyhow::Result<ImageModeration> {
    let engine: Arc<dyn ImageEngine> = match image_engine(config) {
        Ok(images) => Arc::new(images),
        Err(error) => {
            tracing::warn!("pictures cannot be moderated: {error:#}; {FETCH}");
            Arc::new(Absent { why: format!("{error:#}") })
        }
    };
    // A request has 60 s, and an Idempotency-Key is held for 30 without a sign of life.
    if !(1..=25).contains(&config.fetch_timeout_s) {
        bail!("fetch_timeout_s must be from 1 to 25, not {}", config.fetch_timeout_s);
    }
    let fetcher = Fetcher::new(FetchSettings {
        allow: config.fetch_allow.clone(),
        timeout: Duration::from_secs(config.fetch_timeout_s),
        max_bytes: config.image_bytes,
    })?;
    Ok(ImageModeration { engine, policy: image_policy(config), fetcher: Arc::new(fetcher) })
}

/// The decision model in process.
fn decision_model(config: &Config) -> anyhow::Result<Arc<dyn DecisionBackend>> {
    let options = DecisionOptions {
        models_dir: config.models_dir.clone(),
        onnx_runtime: config.onnx_runtime.parse()?,
        token_work: config.inference_tokens,
        threads: config.encoder_threads,
    };
    Ok(match DecisionModel::open(&options) {
        Ok(model) => Arc::new(model),
        Err(error) => {
            tracing::warn!("questions cannot be answered here: {error}; {FETCH}");
            Arc::new(decision::Absent { why: error.to_string() })
        }
    })
}

/// What answering questions takes. Without the model's files everything else goes on working.
pub(crate) fn inference(config: &Config) -> anyhow::Result<Inference> {
    let local = match backends::local(config)? {
        Some(server) => server,
        None => decision_model(config)?,
    };
    Ok(Inference {
        local,
        openrouter: backends::openrouter(config)?,
        escalate_below: backends::escalate_below(config)?,
    })
}

/// What there is for people who sign up.
fn sign_up(config: &Config) -> anyhow::Result<SignUp> {
    let mode = match config.sign_up.as_str() {
        "auto" => SignUpMode::Closed,
        name => {
            name.parse().map_err(|_| anyhow::anyhow!("sign_up must be one of: open, invite, closed, auto"))?
        }
    };
    match config.sign_up_credits.to_string().parse::<Amount>() {
        Ok(credits) if credits.milli() >= 0 => Ok(SignUp { mode, credits }),
        _ => bail!("sign_up_credits must be 0 or more, with at most three decimals"),
    }
}

/// A running server.
pub(crate) struct Server {
    /// The services behind it.
    pub(crate) ctx: Context,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    listener: TcpListener,
    app: App,
    limits: Limits,
}

impl Server {
    /// Puts everything together and starts to listen; nothing is answered yet.
    pub(crate) async fn bind(config: &Config) -> anyhow::Result<Self> {
        let metrics = install_metrics()?;
        let (db, text, image, inference) = tokio::try_join!(
            open(config),
            on_a_thread(config, text_engine),
            on_a_thread(config, image_moderation),
            on_a_thread(config, inference),
        )?;
        let mut ctx = Context::start(db, text, image, inference);
        ctx.escalation = backends::escalation(config)?;
        ctx.sign_up = sign_up(config)?;
        let limiter = match config.redis_url() {
            Some(url) => RateLimiter::shared(url).context("redis_url is not a Redis address")?,
            None => RateLimiter::alone(),
        };
        let settings = Settings {
            text_body_bytes: config.text_body_bytes,
            batch_body_bytes: config.batch_body_bytes,
            batch_messages: config.batch_messages,
            inference_body_bytes: config.inference_body_bytes,
            import_body_bytes: config.import_body_bytes,
            graphql_body_bytes: config.graphql_body_bytes,
            graphql_depth: config.graphql_depth,
            graphql_complexity: config.graphql_complexity,
            graphql_timeout: Duration::from_secs(config.graphql_timeout_s),
            graphql_introspection: config.graphql_introspection,
            websockets: config.websockets,
            allowed_origins: origins(&config.allowed_origins)?,
            secure_cookies: config.secure_cookies,
            strict_model_names: config.strict_model_names,
            image_body_bytes: config.image_body_bytes,
            image_bytes: config.image_bytes,
            images_in_flight: config.images_in_flight,
            requests_in_flight: config.requests_in_flight,
            rate_limit_per_minute: config.rate_limit_per_minute,
        };
        let listener = TcpListener::bind(config.listen)
            .await
            .with_context(|| format!("cannot listen on {}", config.listen))?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            limits: Limits {
                connections: config.connections,
                header_timeout: Duration::from_secs(config.header_timeout_s),
                grace: Duration::from_secs(config.shutdown_grace_s),
            },
            app: App::new(ctx.clone(), settings, limiter, metrics.clone()),
            ctx: {
                start_housekeeping(ctx.db.clone(), metrics);
                ctx
            },
        })
    }

    /// Answers requests until SIGTERM or SIGINT, then finishes those under way.
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
        api::serve(self.listener, api::router(self.app.clone()), self.limits, end).await?;
        self.app.close_websockets().await;
        Ok(())
    }
}

/// Origins as browsers write them: a scheme and a host, and no path.
fn origins(list: &str) -> anyhow::Result<Vec<String>> {
    let origins = list.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let origin = |text: &str| {
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        if host.is_none_or(|host| host.is_empty() || host.contains(['/', '?', '#', '@', ' '])) {
            bail!("allowed_origins must be origins such as https://app.example.com, not `{text}`");
        }
        Ok(text.to_ascii_lowercase())
    };
    origins.map(origin).collect()
}

/// Models load beside each other: each takes a good part of a second.
async fn on_a_thread<T: Send + 'static>(
    config: &Config,
    load: fn(&Config) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let config = config.clone();
    tokio::task::spawn_blocking(move || load(&config)).await?
}

fn install_metrics() -> anyhow::Result<PrometheusHandle> {
    use metrics_exporter_prometheus::Matcher::{Full, Suffix};
    Ok(PrometheusBuilder::new()
        .set_buckets_for_metric(Suffix("_seconds".to_owned()), &SECONDS)?
        .set_buckets_for_metric(Full("gavel_charge_group_size".to_owned()), &SIZES)?
        .install_recorder()?)
}

/// Tasks that run at an interval. Each may run on every replica at once without harm.
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
