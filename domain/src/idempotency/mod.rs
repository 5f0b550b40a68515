//! `Idempotency-Key`: the same request sent twice is done and charged once, and answered twice.
//!
//! The row is written first, under a lease; the answer is stored by the charge's own commit. So an answer is stored
//! exactly when the charge is, whoever dies in between.

mod answer;
mod release;
mod row;
mod store;

pub(crate) use answer::{Answer, AnswerTable};
pub use store::{ANSWER_RETENTION, Idempotency, IdempotencyKey, prune};
pub(crate) use store::{Begun, Claim, StoredAnswer};
