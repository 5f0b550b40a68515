//! Which job runs when the queue delivers one: the accounts share the slots of a lane.
//!
//! A delivery is a permit to run one job of the lane, not an order to run the job that it names. Otherwise ten thousand
//! chunks of one account would delay the single chunk that another account submits after them. Among the accounts with
//! due jobs, the next is the one that runs the fewest in this process; on a tie, the one that was served least
//! recently. It runs the delivered job if that is its own, and its oldest job otherwise. An account that is alone has
//! all slots. There are as many deliveries as jobs and each runs one, so all jobs run; the outbox replaces lost
//! deliveries.
//!
//! A run that has yielded to another account ([`super::turn`]) waits for a turn of its account in this process, like a
//! job that is due, and the delivery with that turn hands its slot to it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use sea_orm::{ConnectionTrait, Statement};
use tokio::{sync::oneshot, time::Instant};

use super::{JobKind, Lane};
use crate::{Result, foundation::database::Database};
use ports::id::AccountId;

/// After this time a yielded run is next, before all others that wait.
const LONGEST_YIELD: Duration = Duration::from_secs(60);

/// SQL for the account of a queued job, as in the index `job_turns`. No other index has this expression, so PostgreSQL
/// uses that one even before it has statistics on the table, as after a large submission.
pub(super) const WAITING: &str = "(CASE WHEN state = 'queued' THEN account_id END)";

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
    /// Those that left first come first.
    yielded: Vec<YieldedRun>,
    /// Whether no job may start any more.
    closed: bool,
}

#[derive(Clone, Copy, Default)]
struct Share {
    running: usize,
    last_turn: u64,
}

/// A slot in the lane, which an account uses until it is dropped.
pub(super) struct LanePermit {
    of: FairShare,
    pub(super) account: AccountId,
}

/// A slot in a lane, with the delivery that waits until the run leaves it.
pub(super) struct RunSlot {
    /// None for a job of the deployment, which takes no turn.
    pub(super) permit: Option<LanePermit>,
    /// Takes the run's result when the run has ended; dropped when it yields.
    pub(super) left: oneshot::Sender<Result<()>>,
}

/// A run that yielded and waits for a slot.
pub(super) struct YieldedRun {
    pub(super) account: AccountId,
    pub(super) kind: JobKind,
    pub(super) since: Instant,
    pub(super) back: oneshot::Sender<RunSlot>,
}

impl FairShare {
    pub fn new(lane: Lane) -> Self {
        Self { lane, turns: Arc::default() }
    }

    /// From now on no job starts, and no run yields to one.
    pub fn close(&self) {
        self.turns.lock().closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.turns.lock().closed
    }

    pub(super) fn lane(&self) -> Lane {
        self.lane
    }

    /// A slot for the account whose turn it is: one of those with jobs that are due, or with a yielded run.
    pub(super) fn next(&self, mut due: Vec<AccountId>) -> Option<LanePermit> {
        let mut turns = self.turns.lock();
        due.extend(turns.yielded.iter().map(|run| run.account.clone()));
        due.sort_unstable();
        turns.accounts.retain(|account, share| share.running > 0 || due.binary_search(account).is_ok());
        let longest = turns.yielded.first().filter(|run| run.since.elapsed() > LONGEST_YIELD);
        let longest = longest.map(|run| run.account.clone());
        let next = longest.or_else(|| {
            due.into_iter().min_by_key(|account| {
                let share = turns.share(account);
                (share.running, share.last_turn)
            })
        });
        drop(turns);
        next.map(|account| self.enter(account))
    }

    pub(super) fn enter(&self, account: AccountId) -> LanePermit {
        let mut turns = self.turns.lock();
        turns.count += 1;
        let last_turn = turns.count;
        let share = turns.accounts.entry(account.clone()).or_default();
        *share = Share { running: share.running + 1, last_turn };
        LanePermit { of: self.clone(), account }
    }

    /// Whether a run of `account` should yield to another account, which runs fewer jobs: one of `due`, or one with
    /// a yielded run.
    pub(super) fn is_wanted(&self, account: &AccountId, due: &[AccountId]) -> bool {
        let turns = self.turns.lock();
        let running = turns.share(account).running;
        let yielded = turns.yielded.iter().map(|run| &run.account);
        let mut others = due.iter().chain(yielded).filter(|other| *other != account);
        !turns.closed && others.any(|other| turns.share(other).running < running)
    }

    /// Registers a run that yields. Returns false if too many of its kind have yielded.
    pub(super) fn register_yield(&self, run: YieldedRun) -> bool {
        let mut turns = self.turns.lock();
        let of_kind = turns.yielded.iter().filter(|yielded| yielded.kind == run.kind).count();
        let may_yield = of_kind < run.kind.most_yielded();
        if may_yield {
            turns.count += 1;
            let last_turn = turns.count;
            turns.accounts.entry(run.account.clone()).or_default().last_turn = last_turn;
            turns.yielded.push(run);
        }
        may_yield
    }

    /// Whether a run has yielded that has not been interrupted.
    pub(super) fn has_yielded(&self) -> bool {
        let mut turns = self.turns.lock();
        turns.yielded.retain(|run| !run.back.is_closed());
        !turns.yielded.is_empty()
    }

    /// Takes the first yielded run of an account.
    pub(super) fn take_yielded(&self, account: &AccountId) -> Option<YieldedRun> {
        let mut turns = self.turns.lock();
        let at = turns.yielded.iter().position(|run| run.account == *account)?;
        Some(turns.yielded.remove(at))
    }
}

impl Turns {
    fn share(&self, account: &AccountId) -> Share {
        self.accounts.get(account).copied().unwrap_or_default()
    }
}

impl Drop for LanePermit {
    fn drop(&mut self) {
        if let Some(share) = self.of.turns.lock().accounts.get_mut(&self.account) {
            share.running -= 1;
        }
    }
}

/// The accounts with jobs that have been due for some time. Reads one index entry for each account with queued jobs,
/// not all of their jobs.
pub(super) async fn accounts_due(db: &Database, lane: Lane, wait: Duration) -> Result<Vec<AccountId>> {
    let backend = db.read().get_database_backend();
    let of_lane = of_lane(lane);
    let before = format!("{} - {}", db.now_ms(), wait.as_millis());
    let sql = format!(
        "WITH RECURSIVE waiting (account_id) AS (\
            SELECT (SELECT {WAITING} FROM job WHERE {WAITING} > '' AND {of_lane} ORDER BY {WAITING} LIMIT 1) \
            UNION ALL \
            SELECT (SELECT {WAITING} FROM job WHERE {WAITING} > waiting.account_id AND {of_lane} \
                ORDER BY {WAITING} LIMIT 1) \
            FROM waiting WHERE waiting.account_id IS NOT NULL) \
         SELECT account_id FROM waiting WHERE account_id IS NOT NULL \
         AND (SELECT due_at FROM job WHERE {WAITING} = waiting.account_id AND {of_lane} \
             ORDER BY due_at, id LIMIT 1) <= {before}"
    );
    let rows = db.read().query_all_raw(Statement::from_string(backend, sql)).await?;
    rows.iter().map(|row| Ok(AccountId::from(row.try_get::<String>("", "account_id")?))).collect()
}

/// The condition of a job of a lane.
pub(super) fn of_lane(lane: Lane) -> String {
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

    /// A yielded run of the account `a`.
    fn yielded(back: oneshot::Sender<RunSlot>, since: Instant) -> YieldedRun {
        YieldedRun { account: accounts(&["a"]).remove(0), kind: JobKind::Evaluate, since, back }
    }

    #[test]
    fn an_absent_run_waits_for_its_turn_and_no_longer_than_a_minute() {
        let share = FairShare::new(Lane::Training);
        let a = accounts(&["a"]).remove(0);
        let permit = share.next(accounts(&["a"])).unwrap();
        assert!(!share.is_wanted(&a, &accounts(&["a"])), "nobody else waits");
        assert!(share.is_wanted(&a, &accounts(&["a", "b"])));
        let (back, _returns) = oneshot::channel();
        assert!(share.register_yield(yielded(back, Instant::now())));
        drop(permit);
        let other = share.next(accounts(&["b"])).unwrap();
        assert_eq!(other.account.as_str(), "b");
        assert!(share.is_wanted(&other.account, &[]), "the yielded run waits");
        drop(other);
        assert!(share.take_yielded(&share.next(Vec::new()).unwrap().account).is_some());
        let (back, returns) = oneshot::channel();
        let long_ago = Instant::now().checked_sub(2 * LONGEST_YIELD).unwrap();
        assert!(share.register_yield(yielded(back, long_ago)));
        assert_eq!(share.next(accounts(&["c"])).unwrap().account.as_str(), "a");
        drop(returns);
        assert!(!share.has_yielded(), "an interrupted run does not come back");
        share.close();
        assert!(!share.is_wanted(&a, &accounts(&["b"])));
    }

    #[test]
    fn who_runs_the_fewest_is_next() {
        let share = FairShare::new(Lane::Bulk);
        let held: Vec<LanePermit> = (0..3).map(|_| share.next(accounts(&["a"])).unwrap()).collect();
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
