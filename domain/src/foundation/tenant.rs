//! Whom work is done for.

use super::allowed_backends::AllowedBackends;
use ports::{Flow, id::AccountId};

/// An account that work is done for, and the backends that may be asked for it.
#[derive(Clone, Debug)]
pub struct Tenant {
    pub account: AccountId,
    /// What the account and its API key allow.
    pub backends: AllowedBackends,
}

impl From<&Tenant> for Flow {
    fn from(tenant: &Tenant) -> Self {
        Flow::from(&tenant.account)
    }
}
