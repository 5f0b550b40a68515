//! Accounts and the people in them.

use super::SignUp;
use crate::{
    foundation::database::Database,
    people::{mail::Mails, proof_of_work::ProofsOfWork},
};

/// The accounts of this installation, and their people. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    pub(super) db: Database,
    /// Who may sign up.
    pub(super) policy: SignUp,
    /// What who signs up has to compute first.
    pub(super) proofs: ProofsOfWork,
    /// Sends invitations.
    pub(super) mails: Mails,
}

impl Accounts {
    /// Accounts that nobody may sign up for: what the command line needs.
    pub fn new(db: Database) -> Self {
        Self { db, policy: SignUp::default(), proofs: ProofsOfWork::default(), mails: Mails::default() }
    }

    /// Accounts that people may sign up for as `policy` says, with a proof of work if `proofs` needs any.
    pub fn with_sign_up(db: Database, policy: SignUp, proofs: ProofsOfWork, mails: Mails) -> Self {
        Self { db, policy, proofs, mails }
    }
}
