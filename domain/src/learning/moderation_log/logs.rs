//! The moderation logs of all accounts, cached for a few seconds.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::questions::{answers, questions};
use crate::{
    Result,
    foundation::{actor::Actor, database::Database, shared_reads::SharedReads},
    learning::{
        judge::{self, Judge},
        sample::{NewSample, Source, storage},
    },
    money::credits::SideRow,
    operations::moderation::{RecordedVerdict, TextMessage, VerdictLog, VerdictLogs},
};
use ports::id::{AccountId, JudgeId, SampleId};

/// How long a process goes on as before when another one turns a log on or off.
const CACHE_TTL: Duration = Duration::from_secs(3);
/// Accounts in the cache, at most.
const CACHE_CAPACITY: usize = 10_000;

/// The moderation logs of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct ModerationLogs {
    db: Database,
    cache: Arc<Mutex<HashMap<AccountId, Entry>>>,
    reads: Arc<SharedReads<AccountId, Option<Arc<dyn VerdictLog>>>>,
}

struct Entry {
    read_at: Instant,
    /// None while nothing is recorded.
    log: Option<Arc<dyn VerdictLog>>,
}

/// The log of an account that records.
struct Log {
    account: AccountId,
    judge: JudgeId,
    version: i32,
}

impl ModerationLogs {
    /// The logs in a database.
    pub fn new(db: Database) -> Self {
        Self { db, cache: Arc::default(), reads: Arc::default() }
    }

    /// The moderation log of an account as a Judge; none if it never had one.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn find(&self, account: &AccountId) -> Result<Option<Judge>> {
        judge::moderation_log(&self.db, account).await
    }

    /// Turns the recording of the account's moderated messages on or off; other processes follow within [`CACHE_TTL`]. What is
    /// recorded stays, for `retention_days` after its moderation.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` for a retention out of range.
    pub async fn set(&self, actor: &Actor, enabled: bool, retention_days: i32) -> Result<Judge> {
        let set = judge::set_moderation_log(&self.db, actor, questions(), enabled, retention_days).await;
        self.cache().remove(&actor.account);
        set
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<AccountId, Entry>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the log of an account into the cache.
    async fn load(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>> {
        let read_at = Instant::now();
        let log = self.read(account).await?;
        let mut cache = self.cache();
        if cache.len() >= CACHE_CAPACITY {
            cache.retain(|_, entry| entry.read_at.elapsed() < CACHE_TTL);
        }
        if cache.len() < CACHE_CAPACITY {
            cache.insert(account.clone(), Entry { read_at, log: log.clone() });
        }
        Ok(log)
    }

    async fn read(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>> {
        let Some(log) = self.find(account).await?.filter(|log| log.store_content) else { return Ok(None) };
        // An account whose quota is used up gets its verdicts, which it pays for, and they are not recorded.
        if !storage::has_room(&self.db, account).await? {
            return Ok(None);
        }
        let questions = questions();
        let log = match log.version.instructions == questions {
            true => log,
            false => judge::upgrade_moderation_log(&self.db, &log, questions).await?,
        };
        Ok(Some(Arc::new(Log { account: account.clone(), judge: log.id, version: log.version.number })))
    }
}

#[async_trait]
impl VerdictLogs for ModerationLogs {
    async fn of(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>> {
        if let Some(entry) = self.cache().get(account).filter(|entry| entry.read_at.elapsed() < CACHE_TTL) {
            return Ok(entry.log.clone());
        }
        self.reads.get(account, self.load(account)).await
    }
}

impl VerdictLog for Log {
    fn record(&self, recorded: RecordedVerdict<'_>) -> SideRow {
        Arc::new(NewSample {
            id: SampleId::of(recorded.id),
            account: self.account.clone(),
            judge: self.judge.clone(),
            version: self.version,
            source: Source::Inference,
            state: state(recorded.message),
            instructions: None,
            model: Some(recorded.verdict.model.clone()),
            backend: Some("local".to_owned()),
            latency_ms: Some(recorded.latency_ms),
            credits: Some(recorded.credits),
            checkpoint: None,
            answers: answers(recorded.verdict),
        })
    }
}

/// What is kept of a message: its text, and its author and channel if the request named them.
fn state(message: &TextMessage) -> Value {
    let mut state = json!({ "content": message.content });
    if let Some(author) = message.named_author() {
        state["author"] = author.into();
    }
    if let Some(channel) = message.named_channel() {
        state["channel"] = channel.into();
    }
    state
}
