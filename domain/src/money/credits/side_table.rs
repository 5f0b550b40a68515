//! Rows that other modules write in the commit of a charge, such as the sample that a Judge records. They are opaque
//! here; their owner knows the type.

use std::{any::Any, sync::Arc};

use async_trait::async_trait;
use sea_orm::{DatabaseTransaction, DbErr};

use super::{Entry, Receipt};
use ports::id::AccountId;

/// A row written in the same commit as a charge. Its [`SideTable`] knows the type.
pub type SideRow = Arc<dyn Any + Send + Sync>;

/// A posted entry with its receipt.
#[derive(Clone, Copy)]
pub struct PostedEntry<'a> {
    /// The entry, including its side rows.
    pub entry: &'a Entry,
    pub receipt: Receipt,
}

/// The owner of one type of side rows. Called once per group of charges, so that it can write the rows of many charges
/// in one statement; it ignores rows of other types.
#[async_trait]
pub trait SideTable: Send + Sync + 'static {
    /// Writes the rows of this type.
    ///
    /// # Errors
    /// Any error rolls back the whole group, which is then retried entry by entry.
    async fn write(&self, tx: &DatabaseTransaction, posted: &[PostedEntry<'_>]) -> Result<(), DbErr>;

    /// About how many bytes a row has; 0 for a row of another type.
    fn bytes(&self, row: &SideRow) -> usize;

    /// Deletes the rows of refunded charges, by the request ids of the charges.
    async fn delete_refunded(&self, tx: &DatabaseTransaction, requests: &[&str]) -> Result<(), DbErr>;

    /// Publishes an event about a row after the commit. A row of another type is ignored.
    fn announce(&self, account: &AccountId, row: &SideRow);
}

/// The side tables of a process, in the order in which they are written.
pub type SideTables = Arc<[Arc<dyn SideTable>]>;
