//! How the body of a request arrives: how slowly it may, and how much memory it may take until it is whole.

mod bodies;
mod pace;
mod solvency;

pub(crate) use bodies::{ArrivingBodies, WholeBody};
pub(crate) use pace::Pace;
pub(crate) use solvency::is_paid_before_body;
