//! A run's turn in its lane. A long run gives its place to a job of another account that waits, keeps what it has done,
//! and goes on when it has a place again.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::{
    sync::{Mutex as AsyncMutex, oneshot, watch},
    time::Instant,
};

use super::{
    JobKind,
    fair_share::{AbsentRun, FairShare, Place, Seat, accounts_due},
    interruption::Interruption,
};
use crate::{Result, foundation::database::Database};
use ports::id::AccountId;

/// How long a run has its place before it gives way.
const SLICE: Duration = Duration::from_secs(10);
/// How long a job of another account waits before a run gives way to it. Another worker may have a place for it.
const WAIT: Duration = Duration::from_secs(2);
/// How often such jobs are looked for.
const CHECK: Duration = Duration::from_secs(2);

/// The turn of a run.
pub(super) struct Turn {
    db: Database,
    share: FairShare,
    /// None while the run is absent.
    seat: AsyncMutex<Option<Seat>>,
    times: Mutex<Times>,
}

#[derive(Clone, Copy)]
struct Times {
    /// When the run got its place.
    since: Instant,
    /// When it last looked whether others wait.
    looked: Instant,
    /// How long it has had a place before.
    used: Duration,
    absent: bool,
}

impl Turn {
    pub(super) fn new(db: Database, share: FairShare, seat: Seat) -> Self {
        let now = Instant::now();
        let times = Times { since: now, looked: now, used: Duration::ZERO, absent: false };
        Self { db, share, seat: AsyncMutex::new(Some(seat)), times: Mutex::new(times) }
    }

    /// Gives the place to a job of another account, if one waits; returns when the run has a place again, or is
    /// interrupted. Cheap when nobody waits.
    pub(super) async fn give_way(&self, kind: JobKind, interruption: &watch::Receiver<Option<Interruption>>) {
        if !self.is_time_to_look() {
            return;
        }
        // One task or thread of the run waits for the place, the others for that one.
        let mut seat = self.seat.lock().await;
        if self.times.lock().since.elapsed() < SLICE {
            return;
        }
        let Some(Seat { place: Some(Place { account, .. }), .. }) = &*seat else { return };
        let account = account.clone();
        if !self.is_wanted(&account).await {
            return;
        }
        let (back, place) = oneshot::channel();
        let absent = AbsentRun { account, kind, since: Instant::now(), back };
        if !self.share.leave(absent) {
            return;
        }
        tracing::debug!(kind = kind.as_str(), "a run gave its place to another account");
        self.set_absent(true);
        drop(seat.take());
        let mut interruption = interruption.clone();
        tokio::select! {
            back = place => *seat = back.ok(),
            _ = interruption.wait_for(Option::is_some) => {}
        }
        self.set_absent(false);
    }

    /// Leaves the place for good.
    pub(super) async fn end(&self, result: Result<()>) {
        match self.seat.lock().await.take() {
            Some(Seat { place, left }) => {
                drop(place);
                let _ = left.send(result);
            }
            // It was interrupted while it was absent.
            None => {
                if let Err(error) = result {
                    tracing::warn!(cause = error.with_cause(), "could not end an interrupted run");
                }
            }
        }
    }

    /// Returns once the run has had a place for so long.
    pub(super) async fn used_up(&self, limit: Duration) {
        loop {
            let Times { since, used, absent, .. } = *self.times.lock();
            let used = if absent { used } else { used + since.elapsed() };
            if used >= limit {
                return;
            }
            tokio::time::sleep(limit - used).await;
        }
    }

    fn is_time_to_look(&self) -> bool {
        let mut times = self.times.lock();
        // The others of an absent run wait, too.
        let look = times.since.elapsed() >= SLICE && times.looked.elapsed() >= CHECK;
        if look {
            times.looked = Instant::now();
        }
        look || times.absent
    }

    async fn is_wanted(&self, account: &AccountId) -> bool {
        let due = self.db.in_time(accounts_due(&self.db, self.share.lane(), WAIT)).await;
        self.share.is_wanted(account, &due.unwrap_or_default())
    }

    fn set_absent(&self, absent: bool) {
        let times = &mut *self.times.lock();
        let now = Instant::now();
        if absent {
            times.used += now - times.since;
        } else {
            times.since = now;
        }
        times.absent = absent;
    }
}
