//! Statistics of a Judge's dataset. Each part is computed only when it is selected, for all Judges of an operation
//! together.

mod judge;
mod key;
mod measures;

pub(crate) use judge::JudgeStats;
