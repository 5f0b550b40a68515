//! The moderation logs of all accounts, cached for a few seconds.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use chrono::{TimeDelta, Utc};
use entity::judge;
use parking_lot::Mutex;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::{Value, json};

use super::questions::{answers, picture_answers, questions};
use crate::{
    Result,
    foundation::{actor::Actor, database::Database, shared_reads::SharedReads},
    learning::{
        dataset::Datasets,
        owner::{DatasetOwner, ModerationLog, OwnerKind, of_kind, with_versions},
        sample::{ModerationRecord, NewSample, Source, storage},
    },
    money::credits::SideRow,
    operations::moderation::{
        RecordedPicture, RecordedVerdict, TextMessage, VerdictLog, VerdictLogs, image::PictureSeverity,
        policies::Policies,
    },
};
use ports::id::{AccountId, DatasetId, ModerationId, SampleId};

/// How long a process may miss that another one has turned a log on or off.
const CACHE_TTL: Duration = Duration::from_secs(3);
/// Maximum accounts in the cache.
const CACHE_CAPACITY: usize = 10_000;

/// The moderation logs of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct ModerationLogs {
    pub(super) db: Database,
    /// Corrected by feedback.
    pub(super) policies: Policies,
    cache: Arc<Mutex<HashMap<AccountId, CachedLog>>>,
    reads: Arc<SharedReads<AccountId, Option<Arc<dyn VerdictLog>>>>,
}

struct CachedLog {
    read_at: Instant,
    /// `None` while nothing is recorded.
    log: Option<Arc<dyn VerdictLog>>,
}

/// The log of an account that records.
struct ActiveLog {
    account: AccountId,
    dataset: DatasetId,
    version: i32,
}

impl ModerationLogs {
    /// The logs in a database, whose corrections `policies` learn.
    pub fn new(db: Database, policies: Policies) -> Self {
        Self { db, policies, cache: Arc::default(), reads: Arc::default() }
    }

    /// Reads the moderation log of an account; `None` if it was never turned on.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn find(&self, account: &AccountId) -> Result<Option<ModerationLog>> {
        let row = of_kind(account, OwnerKind::Moderation).one(self.db.read());
        let row = self.db.in_time(row).await?;
        Ok(match with_versions(&self.db, row.into_iter().collect()).await?.pop() {
            Some(DatasetOwner::ModerationLog(log)) => Some(log),
            Some(DatasetOwner::Judge(_)) | None => None,
        })
    }

    /// Turns the recording of the account's moderated messages on or off; other processes follow within [`CACHE_TTL`].
    /// What is recorded stays, for `retention_days` after its moderation.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` for a retention out of range.
    pub async fn set(&self, actor: &Actor, enabled: bool, retention_days: i32) -> Result<ModerationLog> {
        let set = self.write(actor, enabled, retention_days).await;
        self.cache.lock().remove(&actor.account);
        set
    }

    /// The datasets that have the samples of the logs.
    pub(super) fn datasets(&self) -> Datasets {
        Datasets::new(self.db.clone())
    }

    /// The log of an account in the cache.
    fn cached(&self, account: &AccountId) -> Option<Option<Arc<dyn VerdictLog>>> {
        let cache = self.cache.lock();
        let cached = cache.get(account).filter(|cached| cached.read_at.elapsed() < CACHE_TTL)?;
        Some(cached.log.clone())
    }

    /// Reads the log of an account into the cache.
    async fn load(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>> {
        let read_at = Instant::now();
        let log = self.read(account).await?;
        let mut cache = self.cache.lock();
        if cache.len() >= CACHE_CAPACITY {
            cache.retain(|_, cached| cached.read_at.elapsed() < CACHE_TTL);
        }
        if cache.len() < CACHE_CAPACITY {
            cache.insert(account.clone(), CachedLog { read_at, log: log.clone() });
        }
        Ok(log)
    }

    async fn read(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>> {
        let Some(log) = self.find(account).await?.filter(|log| log.enabled) else { return Ok(None) };
        // An account without room in its quota gets its verdicts, which it pays for, but they are not recorded.
        if !storage::has_room(&self.db, account).await? {
            return Ok(None);
        }
        let questions = questions();
        let log = match log.version.instructions == questions {
            true => log,
            false => self.upgrade(log, questions).await?,
        };
        Ok(Some(Arc::new(ActiveLog {
            account: account.clone(),
            dataset: log.id,
            version: log.version.number,
        })))
    }
}

#[async_trait]
impl VerdictLogs for ModerationLogs {
    async fn of(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>> {
        if let Some(cached) = self.cached(account) {
            return Ok(cached);
        }
        self.reads.get(account, self.load(account)).await
    }
}

impl VerdictLog for ActiveLog {
    fn record(&self, recorded: RecordedVerdict<'_>) -> SideRow {
        Arc::new(NewSample {
            model: Some(recorded.verdict.model.clone()),
            latency_ms: Some(recorded.latency_ms),
            credits: Some(recorded.credits),
            answers: answers(recorded.verdict),
            moderation: Some(moderation(&recorded)),
            ..self.sample(recorded.id, state(recorded.message))
        })
    }

    fn record_picture(&self, recorded: RecordedPicture<'_>) -> SideRow {
        let severity = PictureSeverity::of(recorded.verdict);
        Arc::new(NewSample {
            model: Some(recorded.verdict.model.clone()),
            latency_ms: Some(recorded.latency_ms),
            credits: Some(recorded.credits),
            answers: picture_answers(&severity),
            moderation: Some(ModerationRecord {
                action: severity.action,
                threat_score: severity.threat_score,
                author: recorded.sender.author().map(str::to_owned),
                channel: recorded.sender.channel().map(str::to_owned),
                language: None,
                policy: None,
                shadow: None,
                signals: Vec::new(),
                rules: Vec::new(),
            }),
            ..self.sample(recorded.id, picture_state(&recorded))
        })
    }
}

impl ActiveLog {
    /// A sample without an answer.
    fn sample(&self, id: &ModerationId, state: Value) -> NewSample {
        NewSample {
            id: SampleId::of(id),
            account: self.account.clone(),
            dataset: self.dataset.clone(),
            version: self.version,
            source: Source::Inference,
            state,
            instructions: None,
            model: None,
            backend: Some("local".to_owned()),
            latency_ms: None,
            credits: None,
            checkpoint: None,
            answers: Vec::new(),
            moderation: None,
        }
    }
}

fn moderation(recorded: &RecordedVerdict<'_>) -> ModerationRecord {
    let RecordedVerdict { message, verdict, .. } = recorded;
    let explanation = verdict.explanation.clone();
    let explanation = explanation.map(|explanation| explanation.in_characters(&message.content));
    let language = explanation.as_ref().map(|it| it.language.clone());
    let (signals, rules) = explanation.map(|it| (it.signals, it.rules)).unwrap_or_default();
    ModerationRecord {
        action: verdict.action,
        threat_score: verdict.threat_score,
        author: message.named_author().map(str::to_owned),
        channel: message.named_channel().map(str::to_owned),
        language,
        policy: verdict.policy.clone(),
        shadow: recorded.shadow,
        signals,
        rules,
    }
}

/// What is kept of a message: its text, and its author and channel if the request named them.
fn state(message: &TextMessage) -> Value {
    with_sender(json!({ "content": message.content }), message.named_author(), message.named_channel())
}

/// What is kept of a picture: the verdict in words, its hash, its size and what was detected. None of its bytes.
fn picture_state(recorded: &RecordedPicture<'_>) -> Value {
    let RecordedPicture { file, sender, verdict, .. } = recorded;
    let labels: Vec<&String> = verdict.nudity.labels.iter().chain(&verdict.drawn_nudity.labels).collect();
    let picture = json!({
        "sha256": file.sha256, "bytes": file.bytes, "source": file.origin.as_str(), "labels": labels,
    });
    let state = json!({ "content": verdict.summary, "picture": picture });
    with_sender(state, sender.author(), sender.channel())
}

fn with_sender(mut state: Value, author: Option<&str>, channel: Option<&str>) -> Value {
    for (field, name) in [("author", author), ("channel", channel)] {
        if let Some(name) = name {
            state[field] = name.into();
        }
    }
    state
}

/// Deletes the samples of moderation logs that are older than their retention; returns their number. A log whose
/// samples cannot be deleted stops no other one.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn prune(db: &Database) -> Result<u64> {
    let logs = judge::Entity::find()
        .select_only()
        .columns([judge::Column::AccountId, judge::Column::Id, judge::Column::RetentionDays])
        .filter(judge::Column::RetentionDays.is_not_null())
        .into_tuple::<(String, String, i32)>();
    let datasets = Datasets::new(db.clone());
    let mut pruned = 0;
    for (account, log, days) in logs.all(db.read()).await? {
        let before = Utc::now() - TimeDelta::days(days.into());
        let account = AccountId::from(account);
        match datasets.remove_older(&account, &DatasetId::from(log), before).await {
            Ok(removed) => pruned += removed,
            Err(error) => {
                let cause = error.with_cause();
                tracing::error!(%account, cause, "could not delete the old messages of a moderation log");
            }
        }
    }
    Ok(pruned)
}
