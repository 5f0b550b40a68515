//! The sessions of all people.

use crate::foundation::database::Database;

/// Finds, lists and ends sessions. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    pub(super) db: Database,
}

impl Sessions {
    pub fn new(db: Database) -> Self {
        Self { db }
    }
}
