//! Admission of people who sign in within an operation: what follows counts for them, as if they had sent the operation.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{Result, foundation::actor::Actor, people::account::Accounts};
use ports::id::AccountId;

use crate::{
    access::AccessControl,
    slots::{AccountSlots, SlotPermit},
};

/// The limits of accounts and people, with the permits that an operation has of them. In the data of every query and mutation.
#[derive(Clone)]
pub(crate) struct Admission {
    pub(super) accounts: Accounts,
    pub(super) access: AccessControl,
    pub(super) operation_slots: AccountSlots,
    pub(super) permits: Permits,
}

/// The permits that an operation has, by account.
pub(super) type Permits = Arc<Mutex<HashMap<AccountId, SlotPermit>>>;

impl Admission {
    /// Counts the operation for an actor who has signed in, and takes one of their account's permits for it.
    ///
    /// # Errors
    /// `RATE_LIMITED` over their rate; `OVERLOADED` when their account has too many operations under way for long.
    pub(crate) async fn admit(&self, actor: &Actor) -> Result<()> {
        let limit = self.accounts.rate_limit(&actor.account).await?;
        self.access.count(actor.name(), limit).await?;
        let has_one =
            self.permits.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&actor.account);
        if !has_one {
            let permit = self.operation_slots.acquire(&actor.account).await?;
            self.permits.lock().unwrap_or_else(PoisonError::into_inner).insert(actor.account.clone(), permit);
        }
        Ok(())
    }
}
