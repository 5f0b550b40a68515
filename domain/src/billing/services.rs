//! The services that billing consists of.

use std::sync::Arc;

use crate::{
    credits::{Credits, SideTable},
    database::Database,
    events::Events,
    idempotency::{AnswerTable, Idempotency},
    pricing::Prices,
};

/// Credits, prices and stored answers of one process.
pub struct Billing {
    /// Balances, holds and the ledger.
    pub credits: Credits,
    /// What each operation costs.
    pub prices: Prices,
    /// Answers that are given again under the same `Idempotency-Key`.
    pub idempotency: Idempotency,
}

impl Billing {
    /// Starts the tasks of this process on a migrated database. `side_tables` own the rows that operations write with their
    /// charges. Must run inside a Tokio runtime.
    pub fn start(db: Database, events: Events, side_tables: Vec<Arc<dyn SideTable>>) -> Self {
        let answers: Arc<dyn SideTable> = Arc::new(AnswerTable);
        let side_tables = std::iter::once(answers).chain(side_tables).collect();
        Self {
            credits: Credits::start(db.clone(), events, side_tables),
            prices: Prices::new(db.clone()),
            idempotency: Idempotency::start(db),
        }
    }
}
