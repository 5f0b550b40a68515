//! The byte budgets of GraphQL: how many bytes an operation may hold in memory, all operations of an account or of a
//! network of guests together, and those of everybody. Bytes are reserved before large rows are read and as each
//! field's value is made; they are released when the response has been sent.

use std::{collections::HashSet, sync::Arc};

use async_graphql::Value;
use domain::{Code, Error, Result};
use parking_lot::{Mutex, MutexGuard};

use crate::{
    caller::Caller,
    slots::{SlotPermit, TimedSlots},
};

/// What budgets are counted in: semaphores have few permits.
const KIB: usize = 1_024;
/// The least that an operation reserves at once, in KiB.
const STEP: usize = 64;
/// Accounts whose whole budgets fit into that of everybody.
const ACCOUNTS: usize = 4;

/// The budgets of all operations. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ByteBudgets {
    /// Bytes of one operation.
    operation: usize,
    /// Bytes of all operations of an account.
    account: usize,
    permits: TimedSlots<Caller>,
    waiting: Waiting,
}

/// The callers with an operation that holds some bytes and waits for more. There is at most one for each caller, since
/// two would wait for each other.
type Waiting = Arc<Mutex<HashSet<Caller>>>;

/// The budget of one operation. Dropping its last clone releases what it reserved.
#[derive(Clone)]
pub(crate) struct ByteBudget(Arc<Budget>);

struct Budget {
    budgets: ByteBudgets,
    caller: Caller,
    reserved: Mutex<Reserved>,
    /// Locked while the operation waits for room.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Reserved {
    used: usize,
    kib: usize,
    /// Whether a wait for room timed out; the operation does not wait again then.
    refused: bool,
    permits: Vec<SlotPermit>,
}

impl ByteBudgets {
    /// `operation`: bytes of one operation. `account`: those of all operations of an account.
    pub(crate) fn new(operation: usize, account: usize) -> Self {
        let account = account.max(operation).max(STEP * KIB);
        let kib = account.div_ceil(KIB) + STEP;
        let permits = TimedSlots::new("bytes of GraphQL operations", ACCOUNTS * kib, kib);
        Self { operation, account, permits, waiting: Waiting::default() }
    }

    /// The budget of an operation of `caller`.
    pub(crate) fn begin(&self, caller: Caller) -> ByteBudget {
        ByteBudget(Arc::new(Budget {
            budgets: self.clone(),
            caller,
            reserved: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }))
    }

    /// Reserves bytes outside of an operation, if they are free now.
    pub(crate) fn try_reserve(&self, caller: &Caller, bytes: usize) -> Option<SlotPermit> {
        self.permits.try_acquire_many(caller, u32::try_from(bytes.div_ceil(KIB)).ok()?)
    }
}

impl ByteBudget {
    /// Reserves bytes. When there is no room, an operation that already holds some waits for more if it is the only one
    /// of its caller to do so; any other is refused, so that what it holds is free soon.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when the operation would hold more than allowed; `OVERLOADED` when the operations of its
    /// account, or all together, hold too much for long.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<()> {
        let most = self.0.budgets.operation;
        let (kib, holds) = {
            let mut reserved = self.reserved();
            if reserved.refused {
                return Err(self.overloaded());
            }
            reserved.used = reserved.used.saturating_add(bytes);
            if reserved.used > most {
                let message = format!(
                    "an operation may read and return at most {most} bytes (graphql_operation_bytes); ask for fewer \
                     rows or fields at once"
                );
                return Err(Error::new(Code::ValidationFailed, message));
            }
            let missing = reserved.used.div_ceil(KIB).saturating_sub(reserved.kib);
            if missing == 0 {
                return Ok(());
            }
            let kib = missing.max(STEP);
            let holds = reserved.kib > 0;
            reserved.kib += kib;
            (kib, holds)
        };
        let permits = u32::try_from(kib).unwrap_or(u32::MAX);
        let permit = match self.0.budgets.permits.try_acquire_many(&self.0.caller, permits) {
            Some(permit) => Some(permit),
            None => self.wait(permits, holds).await,
        };
        let mut reserved = self.reserved();
        reserved.refused |= permit.is_none();
        reserved.permits.push(permit.ok_or_else(|| self.overloaded())?);
        Ok(())
    }

    /// Waits for permits; `None` if it may not, or if there is no room for long.
    async fn wait(&self, permits: u32, holds: bool) -> Option<SlotPermit> {
        let Budget { budgets, caller, turn, .. } = &*self.0;
        let _turn = turn.lock().await;
        if self.reserved().refused {
            return None;
        }
        let _only = if holds { Some(OnlyOne::of(&budgets.waiting, caller)?) } else { None };
        budgets.permits.acquire_many(caller, permits).await.ok()
    }

    fn overloaded(&self) -> Error {
        let most = self.0.budgets.account;
        let message = format!(
            "the operations of an account may hold at most {most} bytes at once (graphql_account_bytes), and there is \
             no room for more; try again shortly"
        );
        Error::new(Code::Overloaded, message)
    }

    fn reserved(&self) -> MutexGuard<'_, Reserved> {
        self.0.reserved.lock()
    }
}

/// The only operation of a caller that waits while it holds bytes.
struct OnlyOne<'a> {
    waiting: &'a Waiting,
    caller: &'a Caller,
}

impl<'a> OnlyOne<'a> {
    fn of(waiting: &'a Waiting, caller: &'a Caller) -> Option<Self> {
        let new = waiting.lock().insert(caller.clone());
        new.then_some(Self { waiting, caller })
    }
}

impl Drop for OnlyOne<'_> {
    fn drop(&mut self) {
        self.waiting.lock().remove(self.caller);
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
    use ports::id::AccountId;

    use super::*;
    use crate::slots::ACQUIRE_TIMEOUT;

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

    #[tokio::test]
    async fn operations_that_need_more_than_there_is_do_not_wait_for_each_other() {
        let budgets = ByteBudgets::new(1_000 * KIB, 1_000 * KIB);
        let caller = Caller::Account(AccountId::new());
        // Eight of them, four fifths of the account's budget each, little by little and side by side.
        let operations = (0..8).map(|_| {
            let budget = budgets.begin(caller.clone());
            async move {
                for _ in 0..10 {
                    let (one, other) = tokio::join!(budget.reserve(40 * KIB), budget.reserve(40 * KIB));
                    one.and(other)?;
                    tokio::task::yield_now().await;
                }
                Ok::<_, Error>(())
            }
        });
        let done: Vec<_> = operations.map(tokio::spawn).collect();
        let ended = async {
            let mut ended = Vec::new();
            for operation in done {
                ended.push(operation.await.unwrap());
            }
            ended
        };
        // Before one that waits gives up.
        let ended = tokio::time::timeout(ACQUIRE_TIMEOUT / 2, ended).await.unwrap();
        assert!(ended.iter().any(Result::is_ok), "{ended:?}");
        assert!(
            ended.iter().flat_map(|ended| ended.as_ref().err()).all(|error| error.code == Code::Overloaded)
        );
        assert!(budgets.waiting.lock().is_empty());
        budgets.begin(caller).reserve(1_000 * KIB).await.unwrap();
    }
}
