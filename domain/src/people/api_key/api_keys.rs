//! The API keys of all accounts.

use crate::foundation::database::Database;

/// Creates, lists and revokes API keys. Cheap to clone.
#[derive(Clone)]
pub struct ApiKeys {
    pub(super) db: Database,
}

impl ApiKeys {
    pub fn new(db: Database) -> Self {
        Self { db }
    }
}
