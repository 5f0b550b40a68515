//! Events for subscribers: hints that are sent after a commit and can be lost, never the source of truth. On PostgreSQL
//! they reach all replicas by LISTEN/NOTIFY; on SQLite there is a single process.

use std::time::Duration;

use sea_orm::{
    ConnectionTrait, Statement,
    sqlx::postgres::{PgListener, PgPool, PgPoolOptions},
};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, mpsc};

use crate::foundation::database::Database;
use ports::id::{AccountId, DatasetId, SampleId};

const CHANNEL: &str = "gavel";
/// How long events are collected before they are sent as a batch.
const BATCH_WINDOW: Duration = Duration::from_millis(50);
/// Events that may wait to be sent; further ones are lost.
const OUTBOX_CAPACITY: usize = 4_096;
/// Events that a subscriber may lag behind before it misses some.
const SUBSCRIBER_CAPACITY: usize = 1_024;
/// Maximum bytes of one notification: PostgreSQL allows just under 8,000.
const PAYLOAD_BYTES: usize = 7_900;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An account's balance changed.
    Balance { account: AccountId },
    /// A sample was recorded.
    Sample {
        account: AccountId,
        #[serde(rename = "judge")]
        dataset: DatasetId,
        sample: SampleId,
    },
    /// A batch, Checkpoint or evaluation run, named by its id, progressed or ended.
    Progress { account: AccountId, subject: String },
    /// A moderation policy of an account was created, changed, archived or restored.
    ModerationPolicy { account: AccountId },
}

/// Publishes events and subscribes to them. Cheap to clone.
#[derive(Clone)]
pub struct Events {
    outbox: mpsc::Sender<Event>,
    subscribers: broadcast::Sender<Event>,
}

impl Events {
    /// Starts the background tasks. Must run inside a Tokio runtime.
    pub fn start(db: Database) -> Self {
        let (outbox, waiting) = mpsc::channel(OUTBOX_CAPACITY);
        let (subscribers, _) = broadcast::channel(SUBSCRIBER_CAPACITY);
        if let Some(pool) = db.postgres() {
            tokio::spawn(listen(pool, subscribers.clone()));
        }
        tokio::spawn(send(db, waiting, subscribers.clone()));
        Self { outbox, subscribers }
    }

    /// Queues an event for all subscribers. Never waits; an event is lost if the queue is full.
    pub fn publish(&self, event: Event) {
        if self.outbox.try_send(event).is_err() {
            metrics::counter!("gavel_events_lost_total").increment(1);
        }
    }

    /// Subscribes to events from now on.
    pub fn watch(&self) -> broadcast::Receiver<Event> {
        self.subscribers.subscribe()
    }
}

/// Sends events in batches until the last `Events` is dropped.
async fn send(db: Database, mut waiting: mpsc::Receiver<Event>, subscribers: broadcast::Sender<Event>) {
    let mut batch = Vec::new();
    while waiting.recv_many(&mut batch, OUTBOX_CAPACITY).await > 0 {
        tokio::time::sleep(BATCH_WINDOW).await;
        while let Ok(event) = waiting.try_recv() {
            batch.push(event);
        }
        let mut events: Vec<Event> = Vec::with_capacity(batch.len());
        for event in batch.drain(..) {
            // Repeated events that do not name a row are sent once.
            let again = !matches!(event, Event::Sample { .. }) && events.contains(&event);
            if !again {
                events.push(event);
            }
        }
        if db.postgres().is_none() {
            events.into_iter().for_each(|event| drop(subscribers.send(event)));
            continue;
        }
        for payload in payloads(&events) {
            let values = [CHANNEL.into(), payload.into()];
            let backend = db.write().get_database_backend();
            let notify = Statement::from_sql_and_values(backend, "SELECT pg_notify($1, $2)", values);
            if let Err(error) = db.in_time(db.write().query_one_raw(notify)).await {
                tracing::debug!(%error, "could not send events");
            }
        }
    }
}

/// Encodes events as JSON arrays, each small enough for a notification.
fn payloads(events: &[Event]) -> Vec<String> {
    let mut payloads: Vec<String> = Vec::new();
    for event in events {
        let Ok(json) = serde_json::to_string(event) else { continue };
        match payloads.last_mut() {
            Some(last) if last.len() + json.len() + 2 < PAYLOAD_BYTES => {
                last.push(',');
                last.push_str(&json);
            }
            _ => payloads.push(format!("[{json}")),
        }
    }
    payloads.iter_mut().for_each(|payload| payload.push(']'));
    payloads
}

/// Receives the events of all replicas over a dedicated connection, and reconnects if it breaks.
async fn listen(pool: PgPool, subscribers: broadcast::Sender<Event>) {
    let own = PgPoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
    let own = own.connect_lazy_with(pool.connect_options().as_ref().clone());
    while !pool.is_closed() {
        if let Err(error) = receive(&own, &subscribers).await {
            tracing::debug!(%error, "lost the connection for events; reconnecting");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn receive(pool: &PgPool, subscribers: &broadcast::Sender<Event>) -> Result<(), sea_orm::sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    loop {
        let notification = listener.recv().await?;
        let events: Vec<Event> = serde_json::from_str(notification.payload()).unwrap_or_default();
        events.into_iter().for_each(|event| drop(subscribers.send(event)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_events_are_split_into_payloads_that_postgres_accepts() {
        let events: Vec<Event> = (0..300)
            .map(|i| Event::Sample {
                account: AccountId::from(format!("acc_{i}")),
                dataset: DatasetId::new(),
                sample: SampleId::new(),
            })
            .collect();
        let sent = payloads(&events);
        assert!(sent.len() > 1 && sent.iter().all(|payload| payload.len() < 8_000));
        let read = sent.iter().flat_map(|payload| serde_json::from_str::<Vec<Event>>(payload).unwrap());
        assert_eq!(read.collect::<Vec<_>>(), events);
    }
}
