//! Remote decision models, which answer typed questions over HTTP in the System One format: a server of the operator's
//! own, which replaces the model in process, and OpenRouter's Decisions API.
//!
//! Both share `client`: a deadline, retries, a circuit breaker and a limit on the response. Redirects and proxies are
//! not followed, keys and content are not logged. Answers are validated by the domain.

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
