//! Remote decision models, which answer typed questions over HTTP in the System One format: the operator's own server,
//! which replaces the in-process model, and OpenRouter's Decisions API.
//!
//! Both use `client`, which adds a deadline, retries, a circuit breaker and a limit on the response size. Redirects and
//! proxies are not followed; keys and content are never logged. The domain validates the answers.

mod breaker;
mod client;
mod exchange;
mod openrouter;
mod settings;
mod system_one;
mod wire;

pub use client::BackendLimits;
pub use openrouter::OpenRouter;
pub use settings::BackendSettings;
pub use system_one::SystemOne;
