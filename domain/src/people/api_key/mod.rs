//! API keys: format, scopes, authentication and management. A secret is shown once; only its hash is stored.

mod key_ring;
mod scope;
mod secret;
mod store;

pub use key_ring::{KeyRing, VerifiedKey};
pub use scope::Scope;
pub use secret::Secret;
pub use store::{ApiKey, NewKey, count, create, create_by, find, find_many, list, page, revoke, revoke_by};
