//! The owners of datasets: Judges and moderation logs. Both are rows of the table `judge`, with versions of what they
//! ask.

mod dataset_owner;
mod judge;
mod moderation_log;
mod rows;
mod version;

pub use dataset_owner::DatasetOwner;
pub use judge::Judge;
pub use moderation_log::ModerationLog;
pub(crate) use rows::{
    NewOwner, OwnerKind, find_owner, find_owners, insert, lock, lock_judge, of_kind, with_versions,
    write_audit,
};
pub use version::{JudgeVersion, questions};
pub(crate) use version::{NewVersion, find_version, read_version, write_version};
