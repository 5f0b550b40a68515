//! Progress and events of a running training: gathered without waiting, written at most once a second, and published.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use entity::{checkpoint, checkpoint_event};
use parking_lot::Mutex;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter,
    sea_query::Expr,
};
use serde_json::{Map, Value};

use crate::{
    Result,
    background::job::JobState,
    foundation::{
        database::Database,
        events::{Event, Events},
    },
};
use ports::id::{AccountId, CheckpointId};
use ports::training::{Level, TrainingControl};

/// How often progress and events are written.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum events of one run; further ones are dropped.
const MAX_EVENTS: usize = 500;
/// Maximum characters of an event's message.
const MAX_MESSAGE_CHARS: usize = 500;
/// The share of the work that is training; the rest is evaluation.
pub(super) const TRAINING_SHARE: f64 = 0.85;

/// The progress and the events of a run. Cheap to clone.
#[derive(Clone)]
pub(super) struct Progress(Arc<ProgressState>);

struct ProgressState {
    db: Database,
    events: Events,
    account: AccountId,
    id: CheckpointId,
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    done: f64,
    /// The share as last written.
    written: f64,
    events: Vec<NewEvent>,
    /// Events of this run so far.
    count: usize,
}

#[derive(Clone)]
struct NewEvent {
    level: Level,
    message: String,
    numbers: Map<String, Value>,
    at: DateTime<Utc>,
}

impl Progress {
    pub(super) fn new(db: &Database, events: &Events, account: &AccountId, id: &CheckpointId) -> Self {
        let db = db.clone();
        let events = events.clone();
        let account = account.clone();
        let id = id.clone();
        Self(Arc::new(ProgressState { db, events, account, id, said: Mutex::default() }))
    }

    /// Sets the share that is done, which never decreases.
    pub(super) fn set(&self, done: f64) {
        let mut said = self.0.said.lock();
        said.done = said.done.max(done.clamp(0.0, 1.0));
    }

    pub(super) fn say(&self, level: Level, message: &str, numbers: Value) {
        let numbers = match numbers {
            Value::Object(numbers) => numbers,
            _ => Map::new(),
        };
        let mut said = self.0.said.lock();
        said.count += 1;
        if said.count <= MAX_EVENTS {
            let message = message.chars().take(MAX_MESSAGE_CHARS).collect();
            said.events.push(NewEvent { level, message, numbers, at: Utc::now() });
        }
    }

    /// Writes what is new once a second, until it is dropped. Retries what could not be written.
    pub(super) async fn keep_writing(&self) -> Infallible {
        loop {
            tokio::time::sleep(INTERVAL).await;
            if let Err(error) = self.write().await {
                tracing::debug!(checkpoint = %self.0.id, cause = error.with_cause(), "progress was not written");
            }
        }
    }

    /// Writes what is new.
    pub(super) async fn write(&self) -> Result<()> {
        let (done, new) = {
            let said = self.0.said.lock();
            if said.done == said.written && said.events.is_empty() {
                return Ok(());
            }
            // They stay until they are written, because this future may be dropped.
            (said.done, said.events.clone())
        };
        self.0.db.in_time(self.write_rows(done, &new)).await?;
        {
            let mut said = self.0.said.lock();
            said.written = done;
            said.events.drain(..new.len());
        }
        let account = self.0.account.clone();
        let subject = self.0.id.to_string();
        self.0.events.publish(Event::Progress { account, subject });
        Ok(())
    }

    async fn write_rows(&self, done: f64, new: &[NewEvent]) -> Result<()> {
        let ProgressState { db, id, .. } = &*self.0;
        let tx = db.begin().await?;
        let running = checkpoint::Entity::update_many()
            .col_expr(checkpoint::Column::Progress, Expr::value(done))
            .filter(checkpoint::Column::Id.eq(id.as_str()))
            .filter(checkpoint::Column::State.eq(JobState::Running.as_str()))
            .exec(&tx)
            .await?;
        // Otherwise it has ended or was erased.
        if running.rows_affected > 0 && !new.is_empty() {
            let rows = new.iter().map(|event| checkpoint_event::ActiveModel {
                seq: NotSet,
                checkpoint_id: Set(id.to_string()),
                level: Set(if event.level == Level::Warning { "warning" } else { "info" }.to_owned()),
                message: Set(event.message.clone()),
                numbers: Set(Value::Object(event.numbers.clone()).to_string()),
                created_at: Set(event.at),
            });
            checkpoint_event::Entity::insert_many(rows).exec_without_returning(&tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

/// The training's view of its run: stops it when the run is interrupted, and when nobody waits for it.
pub(super) struct Control {
    pub(super) progress: Progress,
    pub(super) interrupted: Box<dyn Fn() -> bool + Send + Sync>,
    pub(super) abandoned: Arc<AtomicBool>,
}

impl TrainingControl for Control {
    fn cancelled(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed) || (self.interrupted)()
    }

    fn progress(&self, done: f64) {
        self.progress.set(done.clamp(0.0, 1.0) * TRAINING_SHARE);
    }

    fn event(&self, level: Level, message: &str, numbers: Map<String, Value>) {
        self.progress.say(level, message, Value::Object(numbers));
    }
}

/// Tells a blocking thread that its waiter is gone.
pub(super) struct AbandonOnDrop(pub(super) Arc<AtomicBool>);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
