//! Downloads images by URL, within a deadline and a size.
//!
//! Hosts are checked by [`crate::egress`], again at every redirect. Refuses schemes other than http and https, credentials in
//! URLs, proxies, cookies and compressed bodies.

mod failure;
mod fetcher;
mod settings;
#[cfg(test)]
mod tests;

pub use fetcher::Fetcher;
pub use settings::FetchSettings;
