//! Moderation policies of accounts: named rules, with a version for each change, and the compiled rules that decide.

mod active;
mod correct;
mod dry_run;
mod edit;
mod key_default;
mod read;
mod rows;
mod shadow;
mod validate;

pub use active::{ActivePolicy, Policies};
pub(crate) use correct::CorrectedMessage;
pub use correct::CorrectedRules;
pub use dry_run::{DryRun, DryVerdict};
pub use edit::{NewPolicy, PolicyChange};
pub use read::{Policy, PolicyFilter, PolicyVersion};
pub use shadow::ShadowEnd;
pub(crate) use validate::is_selector;
