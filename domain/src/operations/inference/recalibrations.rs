//! The recalibrations of Checkpoints in memory. They are read from the database when first needed; the least recently
//! used are dropped when all together take too many bytes.

use std::sync::Arc;

use entity::checkpoint;
use lru::LruCache;
use parking_lot::Mutex;
use sea_orm::{EntityTrait, QuerySelect};

use super::recalibration::Recalibration;
use crate::{Error, Result, foundation::database::Database};
use ports::decision::{CheckpointRef, Question};
use ports::id::CheckpointId;

/// Maximum bytes in memory.
const MAX_BYTES: usize = 16 << 20;
/// The approximate size of an entry without its JSON.
const ENTRY_BYTES: usize = 256;

/// The recalibrations of all Checkpoints. Cheap to clone.
#[derive(Clone)]
pub struct Recalibrations {
    db: Database,
    cache: Arc<Mutex<Cache>>,
}

struct Cache {
    by_checkpoint: LruCache<CheckpointId, Cached>,
    /// Of all Checkpoints.
    bytes: usize,
}

struct Cached {
    recalibrations: Arc<[Recalibration]>,
    bytes: usize,
}

impl Recalibrations {
    pub fn new(db: Database) -> Self {
        let cache = Cache { by_checkpoint: LruCache::unbounded(), bytes: 0 };
        Self { db, cache: Arc::new(Mutex::new(cache)) }
    }

    /// The recalibrations of a Checkpoint that has succeeded. A database that does not answer leaves answers as they
    /// are.
    pub(super) async fn of(&self, checkpoint: &CheckpointRef) -> Arc<[Recalibration]> {
        let id = &checkpoint.id;
        if let Some(cached) = self.cache.lock().by_checkpoint.get(id) {
            return cached.recalibrations.clone();
        }
        match read(&self.db, id).await {
            Ok(Stored { recalibrations, bytes }) => {
                let recalibrations: Arc<[Recalibration]> = recalibrations.into();
                self.cache.lock().put(id.clone(), Cached { recalibrations: recalibrations.clone(), bytes });
                recalibrations
            }
            Err(error) => {
                tracing::warn!(checkpoint = %id, %error, "could not read the recalibrations of a Checkpoint");
                Arc::from([])
            }
        }
    }
}

/// The recalibrations of a Checkpoint as stored.
pub(crate) struct Stored {
    pub(crate) recalibrations: Vec<Recalibration>,
    /// Its approximate size in the cache.
    bytes: usize,
}

/// Reads the recalibrations of a Checkpoint from the database; none without it, or until it has succeeded.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub(crate) async fn read(db: &Database, id: &CheckpointId) -> Result<Stored> {
    let json = checkpoint::Entity::find_by_id(id.as_str())
        .select_only()
        .column(checkpoint::Column::Recalibrations)
        .into_tuple::<Option<String>>();
    let Some(json) = db.in_time(json.one(db.read())).await?.flatten() else {
        return Ok(Stored { recalibrations: Vec::new(), bytes: ENTRY_BYTES });
    };
    let recalibrations = serde_json::from_str(&json).map_err(Error::internal)?;
    Ok(Stored { recalibrations, bytes: ENTRY_BYTES + json.len() })
}

impl Cache {
    fn put(&mut self, id: CheckpointId, cached: Cached) {
        self.bytes += cached.bytes;
        if let Some(before) = self.by_checkpoint.put(id, cached) {
            self.bytes -= before.bytes;
        }
        while self.bytes > MAX_BYTES {
            let Some((_, dropped)) = self.by_checkpoint.pop_lru() else { return };
            self.bytes -= dropped.bytes;
        }
    }
}

/// The recalibration of a question's answers by a server's model.
pub(super) fn of_question<'a>(
    all: &'a [Recalibration],
    server_model: &str,
    question: &Question,
) -> Option<&'a Recalibration> {
    let mut of_key = all.iter().filter(|one| one.key == question.key && one.server_model == server_model);
    of_key.find(|one| is_same(one, question))
}

/// Whether a Checkpoint answers a question at least as well as the models of a server that it was compared with.
pub(super) fn suffices(all: &[Recalibration], server: &str, question: &Question) -> bool {
    let mut compared = all.iter().filter(|one| {
        let of_server = one.server_model.split_once('/').is_some_and(|(name, _)| name == server);
        of_server && one.key == question.key && is_same(one, question)
    });
    let first = compared.next().is_some_and(|one| one.checkpoint_suffices);
    first && compared.all(|one| one.checkpoint_suffices)
}

fn is_same(recalibration: &Recalibration, question: &Question) -> bool {
    Recalibration::question_hash(question).is_ok_and(|hash| hash == recalibration.question)
}
