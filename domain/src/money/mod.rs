//! Credits: amounts, prices, balances and the ledger, idempotent requests, and the line that every paid operation runs.

pub mod amount;
pub mod billing;
pub mod credits;
pub mod idempotency;
pub mod pricing;
