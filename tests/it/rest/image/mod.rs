//! Image moderation, as a client sees it.

mod fetch;
mod ssrf;
mod tls;
