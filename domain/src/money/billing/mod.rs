//! Billing: runs paid operations for any payer. Balances, holds and the ledger are in [`crate::money::credits`].

mod payment;
mod run;
mod run_to_completion;
mod services;
mod set_aside;

pub use payment::{Cost, FinishFlag, Payment};
pub use run::{Billable, Done, Paid};
pub use services::Billing;
