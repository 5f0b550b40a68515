//! Where requests to hosts that clients name may go: only to the public internet, unless the operator allows more. Safe from
//! server-side request forgery.
//!
//! Every address is checked before anything is sent to it: literals when the URL is parsed, names when they are resolved. No
//! proxy is used, no redirect followed, and no connection shared.

mod address;
mod allow;
mod client;
mod refusal;
mod resolver;

#[cfg(test)]
pub(crate) use address::is_public;
pub(crate) use allow::AllowList;
pub(crate) use client::{Fault, client, fault};
pub(crate) use refusal::{MAX_URL_BYTES, Refusal};
pub(crate) use resolver::{Resolver, SystemResolver};
