//! The service of statistics.

use crate::foundation::database::Database;

/// Statistics of the datasets of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct Statistics {
    pub(super) db: Database,
}

impl Statistics {
    pub fn new(db: Database) -> Self {
        Self { db }
    }
}
