//! The types that queries and mutations answer with, one file a noun.

mod account;
mod filter;
mod judge;
mod node;

pub(crate) use account::Account;
pub(crate) use filter::{SampleFilterInput, SampleSource};
pub(crate) use judge::{Judge, JudgeConnection};
pub(crate) use node::Node;
