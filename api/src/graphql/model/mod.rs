//! The types that queries and mutations answer with, one file a noun.

mod account;
mod api_key;
mod filter;
mod judge;
mod label;
mod lists;
mod node;
mod sample;
mod user;
mod viewer;

pub(crate) use account::Account;
pub(crate) use api_key::{ApiKey, ApiKeyConnection, Scope};
pub(crate) use filter::{SampleFilterInput, SampleSource};
pub(crate) use judge::{Judge, JudgeConnection};
pub(crate) use lists::AnswerFilterInput;
pub(crate) use node::Node;
pub(crate) use sample::{Sample, SampleConnection};
pub(crate) use user::{Role, User, UserConnection};
pub(crate) use viewer::Viewer;
