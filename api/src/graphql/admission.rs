//! Admission of people who sign in within an operation: the rest of it counts towards their limits, as if they had sent
//! it.

use std::{collections::HashMap, sync::Arc};

use domain::{Result, foundation::actor::Actor, people::account::Accounts};
use parking_lot::Mutex;
use ports::id::AccountId;

use crate::{
    access::AccessControl,
    slots::{AccountSlots, SlotPermit},
};

/// The limits of accounts and people, with the permits that an operation holds. In the data of every query and
/// mutation.
#[derive(Clone)]
pub(crate) struct Admission {
    pub(super) accounts: Accounts,
    pub(super) access: AccessControl,
    pub(super) operation_slots: AccountSlots,
    pub(super) permits: Permits,
}

/// The permits that an operation holds, by account.
pub(super) type Permits = Arc<Mutex<HashMap<AccountId, SlotPermit>>>;

impl Admission {
    /// Counts the operation for an actor who has signed in, and takes one of their account's permits for it.
    ///
    /// # Errors
    /// `RATE_LIMITED` over their rate; `OVERLOADED` when their account has too many operations under way for long.
    pub(crate) async fn admit(&self, actor: &Actor) -> Result<()> {
        let limit = self.accounts.limits(&actor.account).await?.rate_limit_per_minute;
        self.access.count_person(actor, limit).await?;
        let has_one = self.permits.lock().contains_key(&actor.account);
        if !has_one {
            let permit = self.operation_slots.acquire(&actor.account).await?;
            self.permits.lock().insert(actor.account.clone(), permit);
        }
        Ok(())
    }
}
