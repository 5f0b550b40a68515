//! The services that billing consists of.

use crate::{
    Result,
    foundation::{database::Database, events::Events},
    money::{
        amount::Amount,
        credits::{Credits, DoubtJournal, SideTables},
        idempotency::{AnswerTable, Idempotency},
        pricing::{Operation, Prices},
    },
};
use ports::id::AccountId;

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

    /// Requires that an account can pay for the cheapest of `operations`, and reserves nothing.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when the balance, read from the database, is lower.
    pub async fn require_cheapest(&self, account: &AccountId, operations: &[Operation]) -> Result<()> {
        let mut cheapest: Option<Amount> = None;
        for operation in operations {
            let price = self.prices.of(*operation).await?;
            cheapest = Some(cheapest.map_or(price, |cheapest| cheapest.min(price)));
        }
        match cheapest {
            Some(price) => self.credits.require_balance(account, price).await,
            None => Ok(()),
        }
    }
}
