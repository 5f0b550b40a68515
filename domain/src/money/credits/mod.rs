//! Credits: balances, holds and the ledger. Only this module writes them.
//!
//! A charge is made once, after success, by the process's group committer, which writes the charges of many requests in
//! one commit. A request id moves money at most once; after a database error the id is looked up before any client is
//! answered. Work is admitted only if the account can pay for it: cheap in-process work by a reservation in this
//! process, work of an external server by a hold in the database. Holds, too, are placed many in one commit.

mod admission;
mod committer;
mod doubt;
mod entry;
mod erasure;
mod group;
mod history;
mod hold;
mod job_hold;
mod place;
mod post;
mod release;
mod request_hold;
mod resolver;
mod retry;
mod side_table;
mod tally;

pub use admission::Reservation;
pub use committer::Credits;
pub use doubt::DoubtJournal;
pub use entry::{EntryKind, LedgerEntry, Payer, Receipt, SideRow};
pub(crate) use erasure::erase;
pub use history::{Bucket, LedgerReader, Movement, MovementFilter, Span, Usage, UsageGroups};
pub use hold::Hold;
pub use job_hold::{JobHold, PendingJobHold};
pub(crate) use post::{lock_account, post};
pub use side_table::{PostedRow, SideTable, SideTables};
