//! A run's turn in its lane. A long run yields its slot to a job of another account that waits, keeps what it has done,
//! and goes on when it has a slot again.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::{
    sync::{Mutex as AsyncMutex, oneshot, watch},
    time::Instant,
};

use super::{
    JobKind,
    fair_share::{FairShare, LanePermit, RunSlot, YieldedRun, accounts_due},
    interruption::Interruption,
};
use crate::{Result, foundation::database::Database};
use ports::id::AccountId;

/// How long a run has its slot before it yields.
const SLICE: Duration = Duration::from_secs(10);
/// How long a job of another account waits before a run yields to it. Another worker may have a slot for it.
const WAIT: Duration = Duration::from_secs(2);
/// How often such jobs are looked for.
const CHECK: Duration = Duration::from_secs(2);

/// The turn of a run.
pub(super) struct RunTurn {
    db: Database,
    share: FairShare,
    /// None while the run has yielded.
    slot: AsyncMutex<Option<RunSlot>>,
    times: Mutex<Times>,
}

#[derive(Clone, Copy)]
struct Times {
    /// When the run got its slot.
    since: Instant,
    /// When it last looked whether others wait.
    looked: Instant,
    /// How long it has had a slot before.
    used: Duration,
    yielded: bool,
}

impl RunTurn {
    pub(super) fn new(db: Database, share: FairShare, slot: RunSlot) -> Self {
        let now = Instant::now();
        let times = Times { since: now, looked: now, used: Duration::ZERO, yielded: false };
        Self { db, share, slot: AsyncMutex::new(Some(slot)), times: Mutex::new(times) }
    }

    /// Yields the slot to a job of another account, if one waits; returns when the run has a slot again, or is
    /// interrupted. Cheap when nobody waits.
    pub(super) async fn yield_slot(
        &self,
        kind: JobKind,
        interruption: &watch::Receiver<Option<Interruption>>,
    ) {
        if !self.is_time_to_look() {
            return;
        }
        // One task or thread of the run waits for the slot, the others for that one.
        let mut slot = self.slot.lock().await;
        if self.times.lock().since.elapsed() < SLICE {
            return;
        }
        let Some(RunSlot { permit: Some(LanePermit { account, .. }), .. }) = &*slot else { return };
        let account = account.clone();
        if !self.is_wanted(&account).await {
            return;
        }
        let (back, returned) = oneshot::channel();
        let yielded = YieldedRun { account, kind, since: Instant::now(), back };
        if !self.share.register_yield(yielded) {
            return;
        }
        tracing::debug!(kind = kind.as_str(), "a run yielded its slot to another account");
        self.set_yielded(true);
        drop(slot.take());
        let mut interruption = interruption.clone();
        tokio::select! {
            back = returned => *slot = back.ok(),
            _ = interruption.wait_for(Option::is_some) => {}
        }
        self.set_yielded(false);
    }

    /// Leaves the slot for good.
    pub(super) async fn end(&self, result: Result<()>) {
        match self.slot.lock().await.take() {
            Some(RunSlot { permit, left }) => {
                drop(permit);
                let _ = left.send(result);
            }
            // It was interrupted while it had yielded.
            None => {
                if let Err(error) = result {
                    tracing::warn!(cause = error.with_cause(), "could not end an interrupted run");
                }
            }
        }
    }

    /// Returns once the run has held a slot for `limit` in total.
    pub(super) async fn used_up(&self, limit: Duration) {
        loop {
            let Times { since, used, yielded, .. } = *self.times.lock();
            let used = if yielded { used } else { used + since.elapsed() };
            if used >= limit {
                return;
            }
            tokio::time::sleep(limit - used).await;
        }
    }

    fn is_time_to_look(&self) -> bool {
        let mut times = self.times.lock();
        // The others of a yielded run wait, too.
        let look = times.since.elapsed() >= SLICE && times.looked.elapsed() >= CHECK;
        if look {
            times.looked = Instant::now();
        }
        look || times.yielded
    }

    async fn is_wanted(&self, account: &AccountId) -> bool {
        let due = self.db.in_time(accounts_due(&self.db, self.share.lane(), WAIT)).await;
        self.share.is_wanted(account, &due.unwrap_or_default())
    }

    fn set_yielded(&self, yielded: bool) {
        let times = &mut *self.times.lock();
        let now = Instant::now();
        if yielded {
            times.used += now - times.since;
        } else {
            times.since = now;
        }
        times.yielded = yielded;
    }
}
