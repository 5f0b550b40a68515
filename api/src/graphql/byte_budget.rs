//! The byte budgets of GraphQL: how much of what it read an operation may hold in memory, all operations of an account or of a network
//! of guests together, and those of everybody. Bytes are reserved before large rows are read and as each field's value is made;
//! they are given back when the response has been sent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::Value;
use domain::{Code, Error, Result};

use super::context::Caller;
use crate::slots::{SlotPermit, Slots};

/// What budgets are counted in: semaphores have few permits.
const KIB: usize = 1_024;
/// The least that an operation reserves at once, in KiB.
const STEP: usize = 64;
/// How many times its account's budget all budgets together are.
const ACCOUNTS: usize = 4;

/// The budgets of all operations. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ByteBudgets {
    /// Bytes of one operation.
    operation: usize,
    /// Bytes of all operations of an account.
    account: usize,
    permits: Slots<Caller>,
}

/// The budget of one operation. Dropping its last clone gives back what it reserved.
#[derive(Clone)]
pub(crate) struct ByteBudget(Arc<Budget>);

struct Budget {
    budgets: ByteBudgets,
    caller: Caller,
    reserved: Mutex<Reserved>,
}

#[derive(Default)]
struct Reserved {
    used: usize,
    kib: usize,
    /// Whether there was no room for long; what the operation asks for after that does not wait again.
    refused: bool,
    permits: Vec<SlotPermit>,
}

impl ByteBudgets {
    /// `operation`: bytes of one operation. `account`: those of all operations of an account.
    pub(crate) fn new(operation: usize, account: usize) -> Self {
        let account = account.max(operation).max(STEP * KIB);
        let kib = account.div_ceil(KIB) + STEP;
        Self { operation, account, permits: Slots::new("bytes of GraphQL operations", ACCOUNTS * kib, kib) }
    }

    /// The budget of an operation of `caller`.
    pub(crate) fn begin(&self, caller: Caller) -> ByteBudget {
        ByteBudget(Arc::new(Budget { budgets: self.clone(), caller, reserved: Mutex::default() }))
    }

    /// Reserves bytes outside of an operation, if they are free now.
    pub(crate) fn try_reserve(&self, caller: &Caller, bytes: usize) -> Option<SlotPermit> {
        self.permits.try_acquire_many(caller, u32::try_from(bytes.div_ceil(KIB)).ok()?)
    }
}

impl ByteBudget {
    /// Reserves bytes.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when the operation would hold more than one may; `OVERLOADED` when its account's or all operations
    /// together hold too much for long.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<()> {
        let most = self.0.budgets.operation;
        let kib = {
            let mut reserved = self.reserved();
            if reserved.refused {
                return Err(self.overloaded());
            }
            reserved.used = reserved.used.saturating_add(bytes);
            if reserved.used > most {
                let message = format!(
                    "an operation may read and return {most} bytes at most (graphql_operation_bytes); ask for fewer rows or fields at once"
                );
                return Err(Error::new(Code::ValidationFailed, message));
            }
            let missing = reserved.used.div_ceil(KIB).saturating_sub(reserved.kib);
            if missing == 0 {
                return Ok(());
            }
            let kib = missing.max(STEP);
            reserved.kib += kib;
            kib
        };
        let permits = u32::try_from(kib).unwrap_or(u32::MAX);
        let acquired = self.0.budgets.permits.acquire_many(&self.0.caller, permits).await;
        let mut reserved = self.reserved();
        match acquired {
            Ok(permit) => {
                reserved.permits.push(permit);
                Ok(())
            }
            Err(_) => {
                reserved.refused = true;
                Err(self.overloaded())
            }
        }
    }

    fn overloaded(&self) -> Error {
        let most = self.0.budgets.account;
        let message = format!(
            "the operations of an account may hold {most} bytes at once (graphql_account_bytes), and there is no room for more; try again shortly"
        );
        Error::new(Code::Overloaded, message)
    }

    fn reserved(&self) -> MutexGuard<'_, Reserved> {
        self.0.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Roughly the bytes that a value takes in memory.
pub(super) fn size(value: &Value) -> usize {
    let below = match value {
        Value::String(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::List(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + 16 + size(value)).sum(),
        Value::Null | Value::Number(_) | Value::Boolean(_) | Value::Enum(_) => 0,
    };
    size_of::<Value>() + below
}

#[cfg(test)]
mod tests {
    use domain::id::AccountId;

    use super::*;

    #[tokio::test]
    async fn an_operation_and_an_account_have_their_most() {
        let budgets = ByteBudgets::new(1_000 * KIB, 1_500 * KIB);
        let caller = Caller::Account(AccountId::new());
        let one = budgets.begin(caller.clone());
        one.reserve(600 * KIB).await.unwrap();
        one.reserve(400 * KIB).await.unwrap();
        let refused = one.reserve(1).await.unwrap_err();
        assert_eq!(refused.code, Code::ValidationFailed);
        assert!(refused.message.contains("1024000 bytes"), "{}", refused.message);
        let other = budgets.begin(caller.clone());
        other.reserve(400 * KIB).await.unwrap();
        assert!(budgets.try_reserve(&caller, 300 * KIB).is_none());
        budgets.begin(Caller::Account(AccountId::new())).reserve(900 * KIB).await.unwrap();
        drop(one);
        other.reserve(600 * KIB).await.unwrap();
    }
}
