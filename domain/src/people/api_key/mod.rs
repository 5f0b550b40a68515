//! API keys: format, scopes, authentication and management. A secret is shown once; only its hash is stored.

mod api_keys;
mod backends;
mod key_ring;
mod scope;
mod secret;
mod store;

pub use api_keys::ApiKeys;
pub use key_ring::{KeyRateLimit, KeyRing, VerifiedKey};
pub use scope::Scope;
pub use secret::KeySecret;
pub use store::{ApiKey, NewKey};
