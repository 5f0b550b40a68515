//! The composition root: the only place that wires the models, the database and the HTTP API together.

use std::{path::Path, sync::Arc};

use anyhow::{Context as _, Error, anyhow};
use api::RestItems;
use domain::{
    background::job::JobQueue,
    batch::BatchSetup,
    foundation::{database::Database, deployment_secret::DeploymentSecret},
    learning::checkpoint::Artefacts,
    money::credits::DoubtJournal,
    operations::{
        inference::{Calibrations, Inference, NamedModel, Recalibrations},
        moderation::{
            Escalation,
            channel::{ChannelMemory, Channels, LocalChannelMemory},
            image::ImageModeration,
        },
    },
    people::{mail::Mails, proof_of_work::ProofsOfWork},
    services::{ServiceParts, Services, TextParts},
};
use engine::{
    decision::{self, DecisionModel},
    fine_tune::FineTuner,
    image::{ImageModels, UnavailableImages},
    lazy::{LazyDecisions, LazyImages, LazyText, LoadModels},
    text::{HybridText, NativeText},
};
use outbound::{channel_memory::RedisChannelMemory, fetch::Fetcher, webhook::Sender};
use ports::{
    EngineError,
    decision::{DecisionBackend, HeadStore},
    image::ImageEngine,
    text::TextEngine,
    training::Trainer,
};
use worker::Queue;

use crate::{
    config::Config,
    database::{self, without_password},
    model_catalog::Models,
};

/// A hint for missing model files.
const INSTALL_HINT: &str = "`gavel models install` fetches models";
const INVALID_SETTINGS: &str = "the settings are not valid";

/// Loads the text engine: the hybrid one or, with a warning, the native one when the hybrid's model files are missing.
pub(crate) fn text_engine(config: &Config) -> anyhow::Result<Arc<dyn TextEngine>> {
    let native = NativeText::load().context("the text model could not be loaded")?;
    Ok(hybrid_engine(config, native.clone()).unwrap_or_else(|error| {
        tracing::warn!(%error, hint = INSTALL_HINT, "messages are scored by the native model alone");
        Arc::new(native)
    }))
}

fn hybrid_engine(config: &Config, native: NativeText) -> Result<Arc<dyn TextEngine>, EngineError> {
    let options = config.engine.hybrid_text();
    Ok(match config.engine.load_models {
        LoadModels::AtStart => Arc::new(HybridText::open(native, &options)?),
        LoadModels::OnFirstUse => Arc::new(LazyText::new(native, options)?),
    })
}

/// Loads the image models from `models_dir`.
pub(crate) fn image_engine(config: &Config) -> anyhow::Result<ImageModels> {
    ImageModels::open(&config.engine.images()).context("the image models could not be loaded")
}

fn served_image_engine(config: &Config) -> anyhow::Result<Arc<dyn ImageEngine>> {
    Ok(match config.engine.load_models {
        LoadModels::AtStart => Arc::new(image_engine(config)?),
        LoadModels::OnFirstUse => Arc::new(LazyImages::new(config.engine.images())?),
    })
}

/// The image moderation service. Without its models it reports that it is unavailable.
fn image_moderation(config: &Config) -> anyhow::Result<ImageModeration> {
    let engine = served_image_engine(config).unwrap_or_else(|error| {
        tracing::warn!(error = format!("{error:#}"), hint = INSTALL_HINT, "pictures cannot be moderated");
        Arc::new(UnavailableImages { why: format!("{error:#}") })
    });
    let fetcher = Arc::new(Fetcher::new(config.fetch.clone())?);
    Ok(ImageModeration { engine, policy: config.domain.image_policy(), fetcher, logs: None })
}

/// What answers in process, and what trains Checkpoints for it.
type Decisions<Answers> = (Answers, Option<Arc<dyn Trainer>>);

/// The decision model in process. Without its files it reports that it is unavailable. `heads` has the artefacts of
/// Checkpoints.
fn decision_model(
    config: &Config,
    heads: Option<Arc<dyn HeadStore>>,
) -> anyhow::Result<Decisions<Arc<dyn DecisionBackend>>> {
    let opened = match config.engine.load_models {
        LoadModels::AtStart => open_decisions(config, heads),
        LoadModels::OnFirstUse => open_decisions_lazily(config, heads),
    };
    Ok(opened.unwrap_or_else(|error| {
        tracing::warn!(%error, hint = INSTALL_HINT, "questions cannot be answered here");
        (Arc::new(decision::UnavailableDecisions { why: error.to_string() }), None)
    }))
}

fn open_decisions_lazily(
    config: &Config,
    heads: Option<Arc<dyn HeadStore>>,
) -> Result<Decisions<Arc<dyn DecisionBackend>>, EngineError> {
    let trains = heads.is_some();
    let cache_bytes = config.engine.checkpoint_cache_bytes;
    let model = LazyDecisions::new(config.engine.decisions(), heads, cache_bytes)?;
    let trainer = trains.then(|| Arc::new(model.trainer(config.engine.training_threads)) as Arc<dyn Trainer>);
    Ok((Arc::new(model), trainer))
}

fn open_decisions(
    config: &Config,
    heads: Option<Arc<dyn HeadStore>>,
) -> Result<Decisions<Arc<dyn DecisionBackend>>, EngineError> {
    let model = DecisionModel::open(&config.engine.decisions())?;
    let Some(heads) = heads else { return Ok((Arc::new(model), None)) };
    let model = Arc::new(model.with_checkpoints(heads, config.engine.checkpoint_cache_bytes));
    let trainer = FineTuner::new(model.clone(), config.engine.training_threads)?;
    Ok((model, Some(Arc::new(trainer))))
}

/// The inference service without a database.
pub(crate) fn inference(config: &Config) -> anyhow::Result<Inference> {
    Ok(decisions(config, None)?.0)
}

/// The backends that the operator has named, without the model in process.
pub(crate) fn named_backends(config: &Config) -> anyhow::Result<Inference> {
    let local = decision::UnavailableDecisions { why: "it is not loaded for this command".to_owned() };
    let named = config.backends.named().context(INVALID_SETTINGS)?;
    let data_boundary = config.domain.data_boundary();
    Ok(Inference { named: named.into(), data_boundary, ..Inference::new(Arc::new(local)) })
}

/// The same with Checkpoints, and the trainer of Checkpoints if there is a model in process.
fn decisions(config: &Config, heads: Option<Arc<dyn HeadStore>>) -> anyhow::Result<Decisions<Inference>> {
    let escalate_below = config.domain.escalate_below();
    let escalates = escalate_below.is_some();
    let (local, trainer) = match config.backends.local(escalates).context(INVALID_SETTINGS)? {
        Some(server) => (server, None),
        None => decision_model(config, heads)?,
    };
    let openrouter = config.backends.openrouter(escalates).context(INVALID_SETTINGS)?;
    let inference = Inference {
        openrouter,
        escalate_below,
        named: config.backends.named().context(INVALID_SETTINGS)?.into(),
        cascade: config.domain.cascade().context(INVALID_SETTINGS)?,
        data_boundary: config.domain.data_boundary(),
        ..Inference::new(local)
    };
    inference.check_cascade().map_err(|error| anyhow!(error.message)).context(INVALID_SETTINGS)?;
    Ok((inference, trainer))
}

/// The backend for messages whose action is uncertain, if escalation is enabled.
///
/// # Errors
/// Names the invalid setting.
pub(crate) fn escalation(config: &Config, inference: &Inference) -> anyhow::Result<Option<Escalation>> {
    let Some(below) = config.domain.text_escalate_below() else { return Ok(None) };
    let timeout = config.backends.text_escalation_timeout();
    let own = config.backends.diffusion_url();
    let named = match (config.domain.text_escalation_backend(), own) {
        (Some(_), Some(_)) => {
            return Err(anyhow!(
                "text_escalation_backend and diffusion_url must not both be set: each names who is asked"
            ));
        }
        (Some(name), None) => inference.model_of_setting("text_escalation_backend", name),
        (None, _) => {
            let escalates = config.domain.escalate_below().is_some();
            let backend = config.backends.diffusion(escalates).context("text_escalate_below")?;
            inference.own_model_of_setting("text_escalate_below", backend, own.is_none())
        }
    };
    let model = named.map_err(|error| anyhow!(error.message))?;
    Ok(Some(Escalation { model, below, timeout }))
}

/// The backend that is asked about rules in plain language, if the setting names one.
///
/// # Errors
/// Names the invalid setting.
fn plain_rules_backend(config: &Config, inference: &Inference) -> anyhow::Result<Option<NamedModel>> {
    let Some(name) = config.domain.plain_rules_backend() else { return Ok(None) };
    let named = inference.model_of_setting("plain_rules_backend", name);
    Ok(Some(named.map_err(|error| anyhow!(error.message))?))
}

/// The memory of channels, if it is enabled: in Redis when there is one.
async fn channels(config: &Config, db: &Database) -> anyhow::Result<Option<Channels>> {
    if !config.domain.channel_memory() {
        return Ok(None);
    }
    let memory: Arc<dyn ChannelMemory> = match config.process.redis_url() {
        Some(url) => {
            Arc::new(RedisChannelMemory::new(url).map_err(|error| not_redis(url, &error.to_string()))?)
        }
        None => Arc::new(LocalChannelMemory::default()),
    };
    let secret = DeploymentSecret::ChannelMemory.read(db).await;
    let secret = secret.map_err(|error| anyhow!("the secret of channels: {error}"))?;
    Ok(Some(Channels { memory, secret }))
}

/// The proofs of work that strangers need, if the setting asks for any.
async fn proofs_of_work(config: &Config, db: &Database) -> anyhow::Result<ProofsOfWork> {
    let bits = config.domain.proof_of_work_bits();
    if bits == 0 {
        return Ok(ProofsOfWork::default());
    }
    let secret = DeploymentSecret::ProofOfWork.read(db).await;
    let secret = secret.map_err(|error| anyhow!("the secret of proofs of work: {error}"))?;
    Ok(ProofsOfWork::new(bits, secret))
}

/// Sends e-mail, if a server is configured.
fn mails(config: &Config) -> anyhow::Result<Mails> {
    let mailer = config.smtp.mailer().map_err(Error::msg).context(INVALID_SETTINGS)?;
    Ok(mailer.map_or_else(Mails::default, |(mailer, settings)| Mails::new(Arc::new(mailer), settings)))
}

/// The services of a process, and the queue through which its jobs go to workers.
pub(crate) struct Composed {
    pub(crate) services: Services,
    /// `None` without a queue: workers then find jobs in the table, within a second.
    pub(crate) queue: Option<Queue>,
}

/// Loads the models, opens the database and starts all services. `works` is true in a process that runs jobs itself.
///
/// # Errors
/// When a setting is not valid, or the database or a needed model cannot be opened.
pub(crate) async fn compose(config: &Config, works: bool) -> anyhow::Result<Composed> {
    database::check(config).await?;
    let db = database::open(config).await?;
    if let Err(error) = db.probe_write().await {
        tracing::error!(%error, "nothing can be stored; requests that need no write are answered");
    }
    let heads: Arc<dyn HeadStore> = Arc::new(Artefacts { db: db.clone() });
    let (text, image, (inference, trainer)) = tokio::try_join!(
        load_blocking(config, text_engine),
        load_blocking(config, image_moderation),
        load_blocking(config, move |config| decisions(config, Some(heads))),
    )?;
    let inference = Inference {
        calibrations: Some(Calibrations::new(db.clone())),
        recalibrations: Some(Recalibrations::new(db.clone())),
        ..inference
    };
    let queue = queue(config, works).await?;
    config.api.check()?;
    let items = RestItems { settings: config.api.clone(), fetcher: image.fetcher.clone() };
    let services = Services::start(ServiceParts {
        text: TextParts {
            engine: text,
            escalation: escalation(config, &inference).context(INVALID_SETTINGS)?,
            channels: channels(config, &db).await?,
            plain_rules_backend: plain_rules_backend(config, &inference).context(INVALID_SETTINGS)?,
            plain_rules_price: config.domain.plain_rules_price()?,
        },
        image,
        inference,
        trainer,
        batches: BatchSetup { limits: config.domain.batch_limits(), wire: Arc::new(items) },
        webhooks: Arc::new(Sender::new(&config.webhooks)?),
        sign_up: config.domain.sign_up()?,
        proofs: proofs_of_work(config, &db).await?,
        mails: mails(config)?,
        models: Some(Arc::new(Models { dir: config.engine.models_dir.clone() })),
        queue: queue.clone().map(|queue| Arc::new(queue) as Arc<dyn JobQueue>),
        journal: doubt_journal(&config.process.data_dir),
        db,
    });
    Ok(Composed { services, queue })
}

/// The queue: Redis when there is one, otherwise an SQLite file of the process that runs the jobs too, or its memory
/// when the file cannot be used, as on a full disk.
async fn queue(config: &Config, works: bool) -> anyhow::Result<Option<Queue>> {
    config.worker.check().map_err(Error::msg).context(INVALID_SETTINGS)?;
    let name = config.worker.queue_name();
    if let Some(url) = config.process.redis_url() {
        let queue = Queue::redis(url, name).map_err(|error| not_redis(url, &error.to_string()))?;
        return Ok(Some(queue));
    }
    if !works {
        return Ok(None);
    }
    match queue_file(config, name).await {
        Ok(queue) => Ok(Some(queue)),
        Err(error) => {
            tracing::error!(
                error = format!("{error:#}"),
                "jobs are delivered from memory until the next start"
            );
            Ok(Some(Queue::in_memory(name).await?))
        }
    }
}

async fn queue_file(config: &Config, name: &str) -> anyhow::Result<Queue> {
    let file = config.process.data_dir.join("queue.sqlite");
    database::create_private(&config.process.data_dir, &file)?;
    Queue::sqlite(&file, name).await.with_context(|| format!("{} cannot be used", file.display()))
}

/// The error for a `redis_url` that is no address; shows no password.
pub(crate) fn not_redis(url: &str, cause: &str) -> Error {
    anyhow!(without_password(url, &format!("redis_url is not a Redis address: {cause}")))
}

/// The journal of charges in doubt in the data directory, taken over from processes that have died. A directory that
/// cannot be written costs only what a crash during an outage of the database leaves charged.
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
    load: impl FnOnce(&Config) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let config = config.clone();
    tokio::task::spawn_blocking(move || load(&config)).await?
}
