//! `Idempotency-Key`: the same request sent twice is done and charged once, and answered twice.
//!
//! The row is written first, under a lease; the answer is stored by the charge's own commit. So an answer is stored
//! exactly when the charge is, whoever dies in between.

mod answer;
mod release;
mod row;
mod store;

pub(crate) use answer::{Answer, AnswerTable};
pub(crate) use store::{Begun, Claim, Stored};
pub use store::{Idempotency, IdempotencyKey, KEPT, prune};
