//! Servers that answer typed questions over HTTP, in the System One wire language: one's own, which stands in for the
//! model in process, and OpenRouter's Decisions API.
//!
//! `client` is what both share: a deadline, retries, a circuit breaker, a bound on what is read. Follows no redirect,
//! heeds no proxy, logs neither keys nor content, and holds no answer against its question: that is the domain's.

mod breaker;
mod client;
mod exchange;
mod openrouter;
mod settings;
mod system_one;
mod wire;

pub use client::BackendSettings;
pub use openrouter::OpenRouter;
pub use settings::Settings;
pub use system_one::SystemOne;
