//! Image moderation, as a client sees it.

mod fetch;
mod forms;
mod refusals;
mod ssrf;
mod tls;
