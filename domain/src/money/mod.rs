//! Credits: amounts, prices, balances and the ledger, idempotent requests, and the steps of every paid operation.

pub mod amount;
pub mod billing;
pub mod credits;
pub mod idempotency;
pub mod pricing;
