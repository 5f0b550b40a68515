//! Credits: balances, holds and the ledger. No other module writes them.
//!
//! A charge is made after success, once, by one committer per process that writes many requests' charges in one
//! commit. A request id moves money at most once; on any database error the id is looked up before anyone is
//! answered. Work is admitted only when it could be paid for: by a reservation in this process when it is cheap and our
//! own, by a hold in the database while somebody else works for money.

mod admission;
mod committer;
mod entry;
mod erasure;
mod history;
mod hold;
mod job_hold;
mod post;
mod resolver;
mod side_table;
mod tally;

pub use admission::Reservation;
pub use committer::Credits;
pub use entry::{Entry, Kind, Payer, Receipt};
pub(crate) use erasure::erase;
pub use history::{Bucket, Movement, MovementFilter, Span, Usage, count_movements, movements, usage};
pub use hold::{Hold, expire_holds};
pub use job_hold::{JobHold, PendingJobHold};
pub(crate) use post::post;
pub use side_table::{PostedEntry, SideRow, SideTable, SideTables};
