//! Billing: what a paid operation runs through, whoever pays for it. Credits themselves are in [`crate::credits`].

mod run;
mod services;
mod set_aside;

pub use run::{Billable, Cost, Done, FinishFlag, Paid, Payment};
pub use services::Billing;
