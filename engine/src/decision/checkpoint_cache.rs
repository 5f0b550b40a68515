//! The Checkpoints in memory: read from their store when they are first needed, and the least recently used dropped when
//! they take too many bytes.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lru::LruCache;
use ports::{
    EngineError,
    decision::{CheckpointRef, HeadStore},
};
use tokio::sync::OnceCell;

use super::checkpoint::Checkpoint;
use crate::model_files::sha256;

/// Checkpoints by the SHA-256 of their artefacts.
pub(super) struct CheckpointCache {
    store: Arc<dyn HeadStore>,
    /// The most bytes that the artefacts of the Checkpoints in memory may have together; the last one used stays in
    /// any case.
    bytes: usize,
    entries: Mutex<LruCache<String, Entry>>,
}

/// A Checkpoint that is read at most once at a time, whoever waits for it.
type Cell = Arc<OnceCell<Option<Arc<Checkpoint>>>>;

#[derive(Clone, Default)]
struct Entry {
    cell: Cell,
    /// Of the artefact; 0 until it has been read.
    bytes: usize,
}

impl CheckpointCache {
    pub(super) fn new(store: Arc<dyn HeadStore>, bytes: usize) -> Self {
        Self { store, bytes, entries: Mutex::new(LruCache::unbounded()) }
    }

    /// The Checkpoint of a reference; `parse` makes it from the artefact, whose hash is right. None when the artefact is
    /// another model's.
    ///
    /// # Errors
    /// An artefact that is missing or damaged, or that `parse` refuses. The next request tries again.
    pub(super) async fn get<Parsed>(
        &self,
        wanted: &CheckpointRef,
        parse: impl FnOnce(Vec<u8>) -> Parsed,
    ) -> Result<Option<Arc<Checkpoint>>, EngineError>
    where
        Parsed: Future<Output = Result<Option<Checkpoint>, EngineError>>,
    {
        let cell = Arc::clone(&self.lock().get_or_insert_mut(wanted.sha256.clone(), Entry::default).cell);
        let read = async {
            let bytes = self.store.read(&wanted.sha256).await?;
            let found = sha256(&bytes);
            let size = bytes.len();
            if found != wanted.sha256 {
                return Err(EngineError(format!("the artefact has the hash {found}, not {}", wanted.sha256)));
            }
            let checkpoint = parse(bytes).await?.map(Arc::new);
            self.keep(&wanted.sha256, &cell, size);
            Ok(checkpoint)
        };
        let got = cell.get_or_try_init(|| read).await.cloned();
        got.map_err(|EngineError(why)| {
            let mut entries = self.lock();
            if entries.peek(&wanted.sha256).is_some_and(|entry| !entry.cell.initialized()) {
                entries.pop(&wanted.sha256);
            }
            EngineError(format!("{}: {why}", wanted.id))
        })
    }

    /// Counts an entry's bytes, and drops what was not used for the longest time while there are too many.
    fn keep(&self, sha256: &str, cell: &Cell, bytes: usize) {
        let mut entries = self.lock();
        entries.put(sha256.to_owned(), Entry { cell: Arc::clone(cell), bytes });
        while entries.len() > 1 && entries.iter().map(|(_, entry)| entry.bytes).sum::<usize>() > self.bytes {
            entries.pop_lru();
        }
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
