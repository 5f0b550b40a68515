//! Downloads what a client names by URL, from the public internet alone unless an operator allows more.
//!
//! Every address is checked before anything is sent to it: literals when the URL is read, names when they are resolved,
//! and both again at every redirect. Refuses other schemes, credentials in URLs, proxies, cookies and compressed bodies.

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
