//! Prevents server-side request forgery: requests to hosts that our clients choose go only to the public internet,
//! unless the operator allows more.
//!
//! Every address is checked before anything is sent to it: literal addresses when the URL is parsed, names when they
//! are resolved. Proxies are not used, redirects are not followed, and connections are not shared.

mod address;
mod allow;
mod fault;
mod hosts;
mod refusal;
mod resolver;

#[cfg(test)]
pub(crate) use address::is_public;
pub(crate) use allow::AllowList;
pub(crate) use fault::{Fault, fault};
pub(crate) use hosts::Hosts;
pub(crate) use refusal::{MAX_URL_BYTES, Refusal};
pub(crate) use resolver::{Resolver, SystemResolver};
