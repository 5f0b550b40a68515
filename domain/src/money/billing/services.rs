//! The services that billing consists of.

use crate::{
    foundation::{database::Database, events::Events},
    money::{
        credits::{Credits, DoubtJournal, SideTables},
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
        side_tables: SideTables,
        journal: Option<DoubtJournal>,
    ) -> Self {
        let side_tables = SideTables::default().with(AnswerTable).followed_by(side_tables);
        Self {
            credits: Credits::start(db.clone(), events, side_tables, journal),
            prices: Prices::new(db.clone()),
            idempotency: Idempotency::start(db),
        }
    }
}
