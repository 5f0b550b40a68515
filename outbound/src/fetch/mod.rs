//! Downloads images by URL, safe from server-side request forgery: only from the public internet, unless the operator
//! allows more.
//!
//! Every address is checked before anything is sent to it: literals when the URL is parsed, names when they are
//! resolved, and both again at every redirect. Refuses schemes other than http and https, credentials in URLs,
//! proxies, cookies and compressed bodies.

mod address;
mod allow;
mod failure;
mod fetcher;
mod resolver;
mod settings;
#[cfg(test)]
mod tests;

pub use fetcher::Fetcher;
pub use settings::FetchSettings;
