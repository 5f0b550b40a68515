//! Rows that other modules write in the commit of a charge, such as the sample that a Judge records. They are opaque
//! here; the table that owns them knows their type.

use std::sync::Arc;

use async_trait::async_trait;
use sea_orm::{DatabaseTransaction, DbErr};

use super::entry::{LedgerEntry, Receipt, SideRow};
use ports::id::AccountId;

/// A side row, with the posted entry that it came with.
pub struct PostedRow<'a, R> {
    pub row: &'a R,
    pub entry: &'a LedgerEntry,
    pub receipt: Receipt,
}

/// The owner of one type of side rows.
#[async_trait]
pub trait SideTable: Send + Sync + 'static {
    /// A row, as it accompanies a charge.
    type Row: Send + Sync + 'static;

    /// Writes the rows of a group of charges, at least one, so that they can share a statement.
    ///
    /// # Errors
    /// Any error rolls back the whole group, which is then retried entry by entry.
    async fn write(&self, tx: &DatabaseTransaction, rows: &[PostedRow<'_, Self::Row>]) -> Result<(), DbErr>;

    /// About how many bytes a row has.
    fn bytes(&self, row: &Self::Row) -> usize;

    /// Deletes the rows of refunded charges, by the request ids of the charges. By default there is nothing to delete,
    /// because such charges are never refunded, as those of jobs.
    async fn delete_refunded(&self, _tx: &DatabaseTransaction, _requests: &[&str]) -> Result<(), DbErr> {
        Ok(())
    }

    /// Publishes an event about a row after the commit; by default none.
    fn announce(&self, _account: &AccountId, _row: &Self::Row) {}
}

/// A posted entry with its receipt.
#[derive(Clone, Copy)]
pub(super) struct PostedEntry<'a> {
    pub(super) entry: &'a LedgerEntry,
    pub(super) receipt: Receipt,
}

/// A [`SideTable`] without its type: it picks its own rows from those of all types.
#[async_trait]
trait AnySideTable: Send + Sync {
    async fn write_posted(&self, tx: &DatabaseTransaction, posted: &[PostedEntry<'_>]) -> Result<(), DbErr>;

    async fn delete_refunded_rows(&self, tx: &DatabaseTransaction, requests: &[&str]) -> Result<(), DbErr>;

    /// 0 for a row of another type.
    fn bytes_of(&self, row: &SideRow) -> usize;

    /// Ignores a row of another type.
    fn announce_row(&self, account: &AccountId, row: &SideRow);
}

#[async_trait]
impl<T: SideTable> AnySideTable for T {
    async fn write_posted(&self, tx: &DatabaseTransaction, posted: &[PostedEntry<'_>]) -> Result<(), DbErr> {
        let mut rows = Vec::new();
        for PostedEntry { entry, receipt } in posted {
            let own = entry.side_rows.iter().filter_map(|row| row.downcast_ref());
            rows.extend(own.map(|row| PostedRow { row, entry, receipt: *receipt }));
        }
        if rows.is_empty() { Ok(()) } else { self.write(tx, &rows).await }
    }

    async fn delete_refunded_rows(&self, tx: &DatabaseTransaction, requests: &[&str]) -> Result<(), DbErr> {
        self.delete_refunded(tx, requests).await
    }

    fn bytes_of(&self, row: &SideRow) -> usize {
        row.downcast_ref().map_or(0, |row| self.bytes(row))
    }

    fn announce_row(&self, account: &AccountId, row: &SideRow) {
        if let Some(row) = row.downcast_ref() {
            self.announce(account, row);
        }
    }
}

/// The side tables of a process, in the order in which they are written. Cheap to clone.
#[derive(Clone, Default)]
pub struct SideTables(Vec<Arc<dyn AnySideTable>>);

impl SideTables {
    /// Adds a table at the end.
    #[must_use]
    pub fn with(mut self, table: impl SideTable) -> Self {
        self.0.push(Arc::new(table));
        self
    }

    /// Adds other tables at the end.
    #[must_use]
    pub(crate) fn followed_by(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Writes the side rows of posted entries, and deletes those of refunded charges, whose client never received the
    /// answer; `refunded` has the request ids of these.
    pub(super) async fn write(
        &self,
        tx: &DatabaseTransaction,
        posted: &[PostedEntry<'_>],
        refunded: &[&str],
    ) -> Result<(), DbErr> {
        let any = posted.iter().any(|posted| !posted.entry.side_rows.is_empty());
        for table in &self.0 {
            if any {
                table.write_posted(tx, posted).await?;
            }
            if !refunded.is_empty() {
                table.delete_refunded_rows(tx, refunded).await?;
            }
        }
        Ok(())
    }

    /// About how many bytes side rows have.
    pub(super) fn bytes(&self, rows: &[SideRow]) -> usize {
        rows.iter().flat_map(|row| self.0.iter().map(move |table| table.bytes_of(row))).sum()
    }

    /// Publishes the events about side rows after their commit.
    pub(super) fn announce(&self, account: &AccountId, rows: &[SideRow]) {
        for (row, table) in rows.iter().flat_map(|row| self.0.iter().map(move |table| (row, table))) {
            table.announce_row(account, row);
        }
    }
}
