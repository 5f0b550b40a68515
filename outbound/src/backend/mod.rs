//! Models on other servers, which answer typed questions over HTTP: decision models in the System One format (the
//! operator's own servers, and OpenRouter's Decisions API) or in that of OpenAI's decisions, and any LLM behind chat
//! completions.
//!
//! All use `client`, which adds a deadline, retries, a circuit breaker and a limit on the response size. Redirects and
//! proxies are not followed; keys and content are never logged. The domain validates the answers.

mod breaker;
mod client;
mod exchange;
mod listing;
mod named;
mod openai_chat;
mod openai_decisions;
mod openrouter;
mod settings;
mod system_one;
mod wire;

pub use client::BackendLimits;
pub use named::NamedSettings;
pub use openai_chat::OpenAiChat;
pub use openai_decisions::OpenAiDecisions;
pub use openrouter::OpenRouter;
pub use settings::BackendSettings;
pub use system_one::SystemOne;
