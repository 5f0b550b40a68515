//! Which job runs when the queue delivers one: the accounts share the places of a lane.
//!
//! A delivery is a permit to run one job of the lane, not an order to run the one that it names: else the ten thousand chunks of
//! one account would delay the one chunk that another submits after them. Of the accounts with jobs that are due, that one is
//! next which runs the fewest in this process, and of equals the one whose turn was the longest ago; of its jobs the delivered
//! one, or the oldest. An account alone has all places. Since there are as many deliveries as jobs, and each runs one, all are
//! run as soon as a place is free; the outbox makes good what gets lost.
//!
//! A delivered job that was cancelled, whose worker died, or that is the deployment's own is run itself.

use std::{collections::HashMap, sync::Arc};

use entity::job;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tokio::sync::watch;

use super::{
    Handlers, JobState, Lane,
    run::{claim, look, run_claimed},
};
use crate::{Result, foundation::database::Database};
use ports::id::{AccountId, JobId, RunId};

/// How often a job is looked for when other workers take what was found.
const ROUNDS: usize = 3;

/// SQL for the account of a queued job, as the index `job_turns` has it. No other index has it, so that PostgreSQL takes this one
/// though it knows nothing of the table yet, as after a large submission.
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

/// A place of the lane, in use by an account until it is dropped.
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
        let share = |account: &AccountId| turns.accounts.get(account).copied().unwrap_or_default();
        let next = due.into_iter().min_by_key(|account| {
            let Share { running, last_turn } = share(account);
            (running, last_turn)
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

/// Runs a job of the lane in which the queue has delivered one: see the module. Does nothing when none is due. `stopping`
/// turns true when the process is about to end.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer; the outbox delivers again.
pub async fn run(
    db: &Database,
    handlers: &Handlers,
    share: &FairShare,
    id: &JobId,
    stopping: watch::Receiver<bool>,
) -> Result<()> {
    let token = RunId::new().to_string();
    let Some((row, _place)) = db.in_time(claim_next(db, share, id, &token)).await? else { return Ok(()) };
    run_claimed(db, handlers, row, token, stopping).await
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
    let urgent = |row: &job::Model| {
        row.account_id.is_none() || row.cancel_requested || row.state != JobState::Queued.as_str()
    };
    if delivered.as_ref().is_some_and(urgent) {
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

/// The accounts with jobs that are due. Reads one entry of the index for each account with queued jobs, not all its jobs.
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
    // An expression, which no index has: those with the kind have not the order.
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
        let both = || share.next(accounts(&["a", "b"])).unwrap();
        let one = both();
        let two = both();
        assert_eq!((one.account.as_str(), two.account.as_str()), ("b", "b"), "until it has as many");
        drop(held);
        assert_eq!(both().account.as_str(), "a", "its places are free again");
        drop((one, two));
        assert!(share.next(accounts(&["c"])).is_some());
        assert_eq!(share.turns.lock().accounts.len(), 1, "who has nothing to run is forgotten");
    }
}
