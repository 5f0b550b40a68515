//! `Idempotency-Key`: a request sent twice is done and charged once, and answered twice.
//!
//! The row is written first, under a lease; the answer is stored in the commit of the charge. An answer is therefore
//! stored exactly when its charge is, even if a process dies in between.

mod answer;
mod claim;
mod key;
mod once;
mod release;
mod row;
mod single_flight;
mod store;
mod unpaid;

pub(crate) use answer::{Answer, AnswerTable};
pub(crate) use claim::{Begun, Claim, StoredAnswer};
pub use key::IdempotencyKey;
pub use once::{Once, ReplayFlag};
pub(crate) use single_flight::Flight;
pub use store::{ANSWER_RETENTION, Idempotency};
pub(crate) use unpaid::store_unpaid;
