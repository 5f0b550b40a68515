//! Accounts and the people in them.

use super::SignUp;
use crate::foundation::database::Database;

/// The accounts of this installation, and their people. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    pub(super) db: Database,
    /// Who may sign up.
    pub(super) policy: SignUp,
}

impl Accounts {
    /// Accounts that nobody may sign up for: what the command line needs.
    pub fn new(db: Database) -> Self {
        Self { db, policy: SignUp::default() }
    }

    /// Accounts that people may sign up for as `policy` says.
    pub fn with_sign_up(db: Database, policy: SignUp) -> Self {
        Self { db, policy }
    }
}
