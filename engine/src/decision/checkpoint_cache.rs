//! The Checkpoints in memory. They are read from their store when first needed; the least recently used are dropped
//! when all together take too many bytes.

use std::{future::Future, sync::Arc};

use lru::LruCache;
use parking_lot::Mutex;
use ports::{
    EngineError,
    decision::{CheckpointRef, HeadStore},
};
use tokio::sync::OnceCell;

use super::checkpoint::Checkpoint;
use crate::{error::named, model_files::sha256};

/// Checkpoints by the SHA-256 of their artefacts.
pub(super) struct CheckpointCache {
    store: Arc<dyn HeadStore>,
    /// The most bytes that the artefacts of the Checkpoints in memory may have together. The last one used always
    /// stays.
    bytes: usize,
    entries: Mutex<LruCache<String, CachedCheckpoint>>,
}

/// A Checkpoint that all who wait for it read only once.
type CheckpointCell = Arc<OnceCell<Option<Arc<Checkpoint>>>>;

#[derive(Clone, Default)]
struct CachedCheckpoint {
    cell: CheckpointCell,
    /// The size of the artefact; 0 until it has been read.
    bytes: usize,
}

impl CheckpointCache {
    pub(super) fn new(store: Arc<dyn HeadStore>, bytes: usize) -> Self {
        Self { store, bytes, entries: Mutex::new(LruCache::unbounded()) }
    }

    /// The Checkpoint of a reference. `parse` makes it from the artefact, once its hash is verified. `None` when the
    /// artefact is another model's.
    ///
    /// # Errors
    /// An artefact that is missing or damaged, or that `parse` rejects. The next request tries again.
    pub(super) async fn get<Parsed>(
        &self,
        wanted: &CheckpointRef,
        parse: impl FnOnce(Vec<u8>) -> Parsed,
    ) -> Result<Option<Arc<Checkpoint>>, EngineError>
    where
        Parsed: Future<Output = Result<Option<Checkpoint>, EngineError>>,
    {
        let cell = self.cell(&wanted.sha256);
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
        let checkpoint = cell.get_or_try_init(|| read).await.cloned();
        checkpoint.map_err(|error| {
            self.drop_unread(&wanted.sha256);
            named(&wanted.id, error)
        })
    }

    fn cell(&self, sha256: &str) -> CheckpointCell {
        let mut entries = self.entries.lock();
        Arc::clone(&entries.get_or_insert_mut(sha256.to_owned(), CachedCheckpoint::default).cell)
    }

    /// Records the size of a Checkpoint, and drops the least recently used ones while all together are too large.
    fn keep(&self, sha256: &str, cell: &CheckpointCell, bytes: usize) {
        let mut entries = self.entries.lock();
        entries.put(sha256.to_owned(), CachedCheckpoint { cell: Arc::clone(cell), bytes });
        while entries.len() > 1 && entries.iter().map(|(_, entry)| entry.bytes).sum::<usize>() > self.bytes {
            entries.pop_lru();
        }
    }

    fn drop_unread(&self, sha256: &str) {
        let mut entries = self.entries.lock();
        if entries.peek(sha256).is_some_and(|entry| !entry.cell.initialized()) {
            entries.pop(sha256);
        }
    }
}
