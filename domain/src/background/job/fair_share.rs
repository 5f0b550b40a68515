//! Which job runs when the queue delivers one: the accounts share the places of a lane.
//!
//! A delivery is a permit to run one job of the lane, not an order to run the job that it names. Otherwise ten thousand
//! chunks of one account would delay the single chunk that another account submits after them. Among the accounts with
//! due jobs, the next is the one that runs the fewest in this process; if several do, the one whose last turn is the
//! longest ago. It runs the delivered job if that is its own, and its oldest job otherwise. An account that is alone
//! has all places. There are as many deliveries as jobs and each runs one, so all jobs run; the outbox replaces lost
//! deliveries.
//!
//! A delivered job runs out of turn if it was cancelled, if its worker died, or if it belongs to the deployment.

use std::{collections::HashMap, sync::Arc};

use entity::job;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::{
    JobRunner, JobState, Lane,
    run::{claim, look},
};
use crate::{Result, foundation::database::Database};
use ports::id::{AccountId, JobId, RunId};

/// How often to look for a job when other workers claim the one that was found.
const ROUNDS: usize = 3;

/// SQL for the account of a queued job, as in the index `job_turns`. No other index has this expression, so PostgreSQL
/// uses that one even before it has statistics on the table, as after a large submission.
const WAITING: &str = "(CASE WHEN state = 'queued' THEN account_id END)";

/// How the accounts share a lane of this process. Cheap to clone.
#[derive(Clone)]
pub struct FairShare {
    lane: Lane,
    turns: Arc<Mutex<Turns>>,
}

#[derive(Default)]
struct Turns {
    count: u64,
    accounts: HashMap<AccountId, Share>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    running: usize,
    last_turn: u64,
}

/// A place in the lane, which an account uses until it is dropped.
struct Place {
    of: FairShare,
    account: AccountId,
}

impl FairShare {
    pub fn new(lane: Lane) -> Self {
        Self { lane, turns: Arc::default() }
    }

    /// A place for the account whose turn it is.
    fn next(&self, mut due: Vec<AccountId>) -> Option<Place> {
        due.sort_unstable();
        let mut turns = self.turns.lock();
        turns.accounts.retain(|account, share| share.running > 0 || due.binary_search(account).is_ok());
        let next = due.into_iter().min_by_key(|account| {
            let share = turns.accounts.get(account).copied().unwrap_or_default();
            (share.running, share.last_turn)
        });
        drop(turns);
        next.map(|account| self.enter(account))
    }

    fn enter(&self, account: AccountId) -> Place {
        let mut turns = self.turns.lock();
        turns.count += 1;
        let last_turn = turns.count;
        let share = turns.accounts.entry(account.clone()).or_default();
        *share = Share { running: share.running + 1, last_turn };
        Place { of: self.clone(), account }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(share) = self.of.turns.lock().accounts.get_mut(&self.account) {
            share.running -= 1;
        }
    }
}

impl JobRunner {
    /// Runs a job of the lane in which the queue has delivered `id`: see the module. Does nothing when none is due.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer; the outbox delivers again.
    pub async fn run(&self, share: &FairShare, id: &JobId) -> Result<()> {
        let token = RunId::new().to_string();
        let claimed = self.db.in_time(claim_next(&self.db, share, id, &token)).await?;
        let Some((row, _place)) = claimed else { return Ok(()) };
        self.run_claimed(row, token).await
    }
}

async fn claim_next(
    db: &Database,
    share: &FairShare,
    id: &JobId,
    token: &str,
) -> Result<Option<(job::Model, Option<Place>)>> {
    let delivered = look(db, id).await?;
    let account = delivered.as_ref().and_then(|row| row.account_id.clone()).map(AccountId::from);
    let itself = || claim(db, token, "$3", vec![id.as_str().into()]);
    if delivered.as_ref().is_some_and(takes_no_turn) {
        let place = account.map(|account| share.enter(account));
        return Ok(itself().await?.map(|row| (row, place)));
    }
    for round in 0..ROUNDS {
        let Some(place) = share.next(accounts_due(db, share.lane).await?) else { break };
        let claimed = if round == 0 && account.as_ref() == Some(&place.account) {
            itself().await?
        } else {
            claim_oldest(db, share.lane, &place.account, token).await?
        };
        if let Some(row) = claimed {
            return Ok(Some((row, Some(place))));
        }
    }
    Ok(None)
}

/// Whether a delivered job runs out of turn.
fn takes_no_turn(row: &job::Model) -> bool {
    row.account_id.is_none() || row.cancel_requested || row.state != JobState::Queued.as_str()
}

/// The accounts with due jobs. Reads one index entry for each account with queued jobs, not all of their jobs.
async fn accounts_due(db: &Database, lane: Lane) -> Result<Vec<AccountId>> {
    let backend = db.read().get_database_backend();
    let of_lane = of_lane(lane);
    let now = db.now_ms();
    let sql = format!(
        "WITH RECURSIVE waiting (account_id) AS (\
            SELECT (SELECT {WAITING} FROM job WHERE {WAITING} > '' AND {of_lane} ORDER BY {WAITING} LIMIT 1) \
            UNION ALL \
            SELECT (SELECT {WAITING} FROM job WHERE {WAITING} > waiting.account_id AND {of_lane} \
                ORDER BY {WAITING} LIMIT 1) \
            FROM waiting WHERE waiting.account_id IS NOT NULL) \
         SELECT account_id FROM waiting WHERE account_id IS NOT NULL \
         AND (SELECT due_at FROM job WHERE {WAITING} = waiting.account_id AND {of_lane} \
             ORDER BY due_at, id LIMIT 1) <= {now}"
    );
    let rows = db.read().query_all_raw(Statement::from_string(backend, sql)).await?;
    rows.iter().map(|row| Ok(AccountId::from(row.try_get::<String>("", "account_id")?))).collect()
}

async fn claim_oldest(
    db: &Database,
    lane: Lane,
    account: &AccountId,
    token: &str,
) -> Result<Option<job::Model>> {
    let skip = match db.write().get_database_backend() {
        DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let oldest = format!(
        "(SELECT id FROM job WHERE {WAITING} = $3 AND {} AND due_at <= {} ORDER BY due_at, id LIMIT 1 {skip})",
        of_lane(lane),
        db.now_ms()
    );
    claim(db, token, &oldest, vec![account.as_str().into()]).await
}

/// The condition of a job of a lane.
fn of_lane(lane: Lane) -> String {
    let kinds: Vec<_> = lane.kinds().map(|kind| format!("'{}'", kind.as_str())).collect();
    // An expression, so that no index on the kind is used: those do not have the order.
    format!("kind || '' IN ({})", kinds.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(names: &[&str]) -> Vec<AccountId> {
        names.iter().map(|name| AccountId::from((*name).to_owned())).collect()
    }

    #[test]
    fn accounts_take_turns() {
        let share = FairShare::new(Lane::Bulk);
        let mut order = String::new();
        for due in [&["a"][..], &["a", "b"], &["a", "b", "c"], &["a", "b", "c"], &["a", "b", "c"], &["a"]] {
            order += share.next(accounts(due)).unwrap().account.as_str();
        }
        assert_eq!(order, "abcaba");
        assert!(share.next(Vec::new()).is_none());
    }

    #[test]
    fn who_runs_the_fewest_is_next() {
        let share = FairShare::new(Lane::Bulk);
        let held: Vec<Place> = (0..3).map(|_| share.next(accounts(&["a"])).unwrap()).collect();
        let one = share.next(accounts(&["a", "b"])).unwrap();
        let two = share.next(accounts(&["a", "b"])).unwrap();
        assert_eq!((one.account.as_str(), two.account.as_str()), ("b", "b"), "until it has as many");
        drop(held);
        let three = share.next(accounts(&["a", "b"])).unwrap();
        assert_eq!(three.account.as_str(), "a", "its places are free again");
        drop((one, two, three));
        assert!(share.next(accounts(&["c"])).is_some());
        assert_eq!(share.turns.lock().accounts.len(), 1, "who has nothing to run is forgotten");
    }
}
