//! The services that billing consists of.

use std::sync::Arc;

use crate::{
    foundation::{database::Database, events::Events},
    money::{
        credits::{Credits, DoubtJournal, SideTable},
        idempotency::{AnswerTable, Idempotency},
        pricing::Prices,
    },
};

/// The credits, prices and stored answers of one process.
pub struct Billing {
    pub credits: Credits,
    pub prices: Prices,
    pub idempotency: Idempotency,
}

impl Billing {
    /// Starts the background tasks on a migrated database. `side_tables` own the rows that operations write with their
    /// charges; `journal` keeps charges in doubt. Must run inside a Tokio runtime.
    pub fn start(
        db: Database,
        events: Events,
        side_tables: Vec<Arc<dyn SideTable>>,
        journal: Option<DoubtJournal>,
    ) -> Self {
        let answers: Arc<dyn SideTable> = Arc::new(AnswerTable);
        let side_tables = std::iter::once(answers).chain(side_tables).collect();
        Self {
            credits: Credits::start(db.clone(), events, side_tables, journal),
            prices: Prices::new(db.clone()),
            idempotency: Idempotency::start(db),
        }
    }
}
