//! Downloads images by URL, within a deadline and a size limit.
//!
//! [`crate::egress`] checks the host, and again at every redirect. Schemes other than http and https, credentials in
//! URLs and compressed bodies are refused; proxies and cookies are not used.

mod failure;
mod fetcher;
mod settings;
#[cfg(test)]
mod tests;

pub use fetcher::Fetcher;
pub use settings::FetchSettings;
