//! Rows that other modules write in the commit of a charge, such as the sample that a Judge records. What they are is
//! their owner's business: here they are opaque.

use std::{any::Any, sync::Arc};

use async_trait::async_trait;
use sea_orm::{DatabaseTransaction, DbErr};

use super::{Entry, Receipt};
use crate::id::AccountId;

/// A row that goes into the same commit as a charge. Its [`SideTable`] knows the type.
pub type SideRow = Arc<dyn Any + Send + Sync>;

/// An entry that was posted, and its receipt.
#[derive(Clone, Copy)]
pub struct PostedEntry<'a> {
    /// The entry, with its side rows.
    pub entry: &'a Entry,
    /// What the ledger answered.
    pub receipt: Receipt,
}

/// The owner of one kind of side rows. It is asked once for each group of charges, so that it can write the rows of many
/// charges in one statement; rows of another kind are for another table.
#[async_trait]
pub trait SideTable: Send + Sync + 'static {
    /// Writes the rows of this kind.
    ///
    /// # Errors
    /// Any error undoes the whole group, which is then tried entry by entry.
    async fn write(&self, tx: &DatabaseTransaction, posted: &[PostedEntry<'_>]) -> Result<(), DbErr>;

    /// Deletes the rows that were written with charges that are now refunded, by the request ids of the charges.
    async fn delete_refunded(&self, tx: &DatabaseTransaction, requests: &[&str]) -> Result<(), DbErr>;

    /// Tells subscribers of a row, after the commit. A row of another kind is ignored.
    fn announce(&self, account: &AccountId, row: &SideRow);
}

/// The tables that a process writes side rows to, in the order in which they are written.
pub type SideTables = Arc<[Arc<dyn SideTable>]>;
