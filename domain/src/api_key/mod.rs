//! API keys: their form, who may come in with them, and their life. The secret itself is shown once and never kept.

mod key_ring;
mod scope;
mod secret;
mod store;

pub use key_ring::{KeyRing, VerifiedKey};
pub use scope::Scope;
pub use secret::Secret;
pub use store::{Listed, NewKey, count, create, create_by, find, list, page, revoke, revoke_by};
