//! Deletes the rows of an upload that ends early.

use std::sync::atomic::{AtomicBool, Ordering};

use sea_orm::{DeleteMany, EntityTrait};

use crate::foundation::database::Database;

/// Deletes what is staged when it is dropped, unless it is kept. If the process dies, the staged rows are deleted
/// later.
pub(super) struct DiscardOnDrop<E: EntityTrait> {
    db: Database,
    staged: DeleteMany<E>,
    kept: AtomicBool,
}

impl<E: EntityTrait> DiscardOnDrop<E> {
    pub(super) fn new(db: Database, staged: DeleteMany<E>) -> Self {
        Self { db, staged, kept: AtomicBool::new(false) }
    }

    /// Keeps the rows, which are visible now.
    pub(super) fn keep(&self) {
        self.kept.store(true, Ordering::Relaxed);
    }
}

impl<E: EntityTrait> Drop for DiscardOnDrop<E> {
    fn drop(&mut self) {
        if *self.kept.get_mut() {
            return;
        }
        let db = self.db.clone();
        let staged = self.staged.clone();
        tokio::spawn(async move {
            if let Err(error) = db.in_time(staged.exec(db.write())).await {
                tracing::debug!(%error, "could not discard an upload; it is deleted later");
            }
        });
    }
}
