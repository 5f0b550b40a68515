//! Billing: runs paid operations for any payer. Balances, holds and the ledger are in [`crate::money::credits`].

mod run;
mod run_to_completion;
mod services;
mod set_aside;

pub use run::{Billable, Cost, Done, FinishFlag, Paid, Payment};
pub use services::Billing;
