//! Places holds: one task per process. While one commit is in progress, the next group collects.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use entity::hold;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, Statement, Value,
};
use tokio::{
    sync::{mpsc, oneshot},
    task::AbortHandle,
};

use super::{
    Hold,
    admission::Admission,
    entry::insufficient,
    post::{lock, write_funds},
    retry::{COMMIT_RETRY, COMMIT_TIMEOUT},
    tally::Funds,
};
use crate::{Code, Error, Result, foundation::database::Database, money::amount::Amount};

/// Holds that may wait in the queue; further senders wait.
const QUEUE_CAPACITY: usize = 16_384;
/// Maximum holds in one commit.
const GROUP_HOLDS: usize = 256;

/// A hold in the queue, and the channel that hands it over once it is placed.
pub(super) struct QueuedHold {
    pub(super) hold: Hold,
    pub(super) purpose: &'static str,
    pub(super) ttl: Duration,
    pub(super) since: Instant,
    pub(super) reply: oneshot::Sender<Result<Hold>>,
}

/// What became of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    Placed,
    /// Fewer credits are available, in milli-credits.
    Insufficient(i64),
    /// The account does not exist or was erased.
    NoAccount,
}

/// The holds of a group after a commit, and the funds of their accounts.
struct Placed {
    placements: Vec<Placement>,
    funds: HashMap<String, Funds>,
}

/// Starts the task of this process that places holds.
pub(super) fn start(db: Database, admission: Arc<Admission>) -> (mpsc::Sender<QueuedHold>, AbortHandle) {
    let (queue, mut waiting) = mpsc::channel(QUEUE_CAPACITY);
    let task = tokio::spawn(async move {
        let mut group = Vec::new();
        while waiting.recv_many(&mut group, GROUP_HOLDS).await > 0 {
            settle(&db, &admission, std::mem::take(&mut group)).await;
        }
    });
    (queue, task.abort_handle())
}

/// Places a group, with retries, and replies. If the database answers but refuses the group, its holds are placed one
/// by one, so that one bad row fails no other hold.
async fn settle(db: &Database, admission: &Admission, group: Vec<QueuedHold>) {
    loop {
        let fault = match db.in_time(place(db, &group)).await {
            Ok(placed) => {
                for queued in &group {
                    let account = &queued.hold.key.account;
                    if let Some(Funds { balance, held, seq }) = placed.funds.get(account.as_str()) {
                        admission.update(account, Amount::from_milli(balance - held), *seq);
                    }
                }
                for (queued, placement) in group.into_iter().zip(placed.placements) {
                    queued.reply(placement);
                }
                return;
            }
            // The holds may have been committed; the next attempt replaces them.
            Err(fault) => fault,
        };
        tracing::warn!(holds = group.len(), error = %fault, "a group of holds failed");
        if group.iter().all(|queued| queued.since.elapsed() > COMMIT_TIMEOUT) {
            let error = Error::from(fault);
            for QueuedHold { hold, reply, .. } in group {
                drop(hold);
                let _ = reply.send(Err(error.copy()));
            }
            return;
        }
        if group.len() > 1 && db.in_time(db.ping()).await.is_ok() {
            for queued in group {
                Box::pin(settle(db, admission, vec![queued])).await;
            }
            return;
        }
        tokio::time::sleep(COMMIT_RETRY).await;
    }
}

impl QueuedHold {
    /// Hands over the hold, or says why there is none. A hold that nobody waits for any more is released.
    fn reply(self, placement: Placement) {
        let Self { hold, reply, .. } = self;
        let amount = hold.amount;
        let result = match placement {
            Placement::Placed => Ok(hold),
            Placement::Insufficient(available) => {
                hold.ended();
                Err(insufficient(amount, Amount::from_milli(available)))
            }
            Placement::NoAccount => {
                let error = Error::new(Code::NotFound, format!("there is no account {}", hold.key.account));
                hold.ended();
                Err(error)
            }
        };
        let _ = reply.send(result);
    }
}

/// Places the holds that their accounts can afford, in one commit. A hold replaces an earlier one for the same request.
async fn place(db: &Database, group: &[QueuedHold]) -> Result<Placed, DbErr> {
    let tx = db.begin().await?;
    let mut funds = lock(&tx, group.iter().map(|queued| queued.hold.key.account.as_str())).await?;
    let requests = group.iter().map(|queued| queued.hold.request_id.as_str());
    let earlier = hold::Entity::find().filter(hold::Column::RequestId.is_in(requests)).all(&tx).await?;
    let mut held = earlier.iter().map(|hold| (hold.request_id.clone(), hold.amount)).collect();
    let holds: Vec<&Hold> = group.iter().map(|queued| &queued.hold).collect();
    let placements = tally_holds(&mut funds, &mut held, &holds);
    // The last one of each request.
    let placed = group.iter().zip(&placements).filter(|(_, placement)| **placement == Placement::Placed);
    let rows: HashMap<&str, &QueuedHold> =
        placed.map(|(queued, _)| (queued.hold.request_id.as_str(), queued)).collect();
    let replaced: Vec<&str> = earlier
        .iter()
        .filter(|hold| rows.contains_key(hold.request_id.as_str()))
        .map(|hold| hold.id.as_str())
        .collect();
    if !replaced.is_empty() {
        hold::Entity::delete_many().filter(hold::Column::Id.is_in(replaced)).exec(&tx).await?;
    }
    if !rows.is_empty() {
        insert(db, &tx, rows.values().copied()).await?;
        write_funds(&tx, rows.values().map(|queued| queued.hold.key.account.as_str()), &funds).await?;
    }
    tx.commit().await?;
    Ok(Placed { placements, funds })
}

/// Decides in order which holds can be afforded, and adds those to `funds` and to `held`, the amounts in milli-credits
/// that are held by request.
fn tally_holds(
    funds: &mut HashMap<String, Funds>,
    held: &mut HashMap<String, i64>,
    holds: &[&Hold],
) -> Vec<Placement> {
    let mut placements = Vec::with_capacity(holds.len());
    for hold in holds {
        let Some(funds) = funds.get_mut(hold.key.account.as_str()) else {
            placements.push(Placement::NoAccount);
            continue;
        };
        let earlier = held.get(hold.request_id.as_str()).copied().unwrap_or(0);
        let available = funds.balance - funds.held + earlier;
        let amount = hold.amount.milli();
        if available < amount {
            placements.push(Placement::Insufficient(available));
            continue;
        }
        funds.held += amount - earlier;
        held.insert(hold.request_id.to_string(), amount);
        placements.push(Placement::Placed);
    }
    placements
}

async fn insert(
    db: &Database,
    tx: &DatabaseTransaction,
    rows: impl Iterator<Item = &QueuedHold>,
) -> Result<(), DbErr> {
    let now = chrono::Utc::now();
    let mut values: Vec<Value> = Vec::new();
    let mut tuples = Vec::new();
    for QueuedHold { hold, purpose, ttl, .. } in rows {
        let n = values.len();
        tuples.push(format!(
            "(${}, ${}, ${}, ${}, ${}, {} + ${}, ${})",
            n + 1,
            n + 2,
            n + 3,
            n + 4,
            n + 5,
            db.now_ms(),
            n + 6,
            n + 7
        ));
        values.extend([
            hold.key.id.as_str().into(),
            hold.key.account.as_str().into(),
            hold.request_id.as_str().into(),
            hold.amount.milli().into(),
            (*purpose).into(),
            i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX / 2).into(),
            now.into(),
        ]);
    }
    let sql = format!(
        "INSERT INTO hold (id, account_id, request_id, amount, purpose, expires_at, created_at) VALUES {}",
        tuples.join(", ")
    );
    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::money::credits::release::HoldKey;
    use ports::id::{AccountId, HoldId, RequestId};

    fn hold(account: u8, request: u8, amount: i64) -> Hold {
        let account = AccountId::from(format!("acc_{account}"));
        let key = HoldKey { id: HoldId::new(), account, expires: Instant::now() };
        let request_id = RequestId::from(format!("req_{request}"));
        Hold::new(key, Amount::from_milli(amount), request_id, mpsc::unbounded_channel().0)
    }

    proptest! {
        #[test]
        fn what_is_held_is_the_last_hold_of_each_request_and_can_be_afforded(
            balances in proptest::collection::vec(0..3_000i64, 2),
            asked in proptest::collection::vec((0..9u8, 0..900i64), 1..40),
        ) {
            let accounts = balances.iter().enumerate();
            let mut funds: HashMap<String, Funds> = accounts
                .map(|(i, balance)| (format!("acc_{i}"), Funds { balance: *balance, held: 0, seq: 0 }))
                .collect();
            // A request is of one account; the third has been erased.
            let holds: Vec<Hold> =
                asked.iter().map(|(request, amount)| hold(request % 3, *request, *amount)).collect();
            let mut held = HashMap::new();
            let placements = tally_holds(&mut funds, &mut held, &holds.iter().collect::<Vec<_>>());

            let mut expected: HashMap<&str, (i64, &str)> = HashMap::new();
            for (hold, placement) in holds.iter().zip(placements) {
                let account = hold.key.account.as_str();
                let others = |(request, (amount, of)): (&&str, &(i64, &str))| {
                    (*of == account && *request != hold.request_id.as_str()).then_some(*amount)
                };
                let available = funds.get(account).map(|funds| {
                    funds.balance - expected.iter().filter_map(others).sum::<i64>()
                });
                let amount = hold.amount.milli();
                prop_assert_eq!(placement, match available {
                    None => Placement::NoAccount,
                    Some(available) if available < amount => Placement::Insufficient(available),
                    Some(_) => Placement::Placed,
                });
                if placement == Placement::Placed {
                    expected.insert(hold.request_id.as_str(), (amount, account));
                }
            }
            for (id, funds) in &funds {
                let sum: i64 = expected.values().filter(|(_, of)| of == id).map(|(amount, _)| amount).sum();
                prop_assert_eq!(funds.held, sum);
                prop_assert!(funds.held <= funds.balance);
            }
            prop_assert_eq!(held.len(), expected.len());
        }
    }
}
