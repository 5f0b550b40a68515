//! Runs a job for each delivery of the queue: that of the account whose turn it is. A delivered job runs out of turn if
//! it was cancelled, if its worker died, or if it belongs to the deployment.

use std::{sync::Arc, time::Duration};

use entity::job;
use sea_orm::DbBackend;
use tokio::{sync::oneshot, task::JoinSet};

use super::{
    JobRunner, JobState, Lane,
    fair_share::{FairShare, LanePermit, RunSlot, WAITING, YieldedRun, accounts_due, of_lane},
    run::{claim, look},
    turn::RunTurn,
};
use crate::{Result, foundation::database::Database};
use ports::id::{AccountId, JobId, RunId};

/// How often to look for a job when other workers claim the one that was found.
const ROUNDS: usize = 3;

/// What a free slot runs next.
enum Next {
    /// A job that was claimed under a token.
    Claimed(Box<job::Model>, String),
    Yielded(YieldedRun),
}

impl JobRunner {
    /// Runs a job of the lane in which the queue has delivered `id`: see the module. Does nothing when none is due.
    /// While runs have yielded, it goes on with them and with the jobs that they yielded to.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer; the outbox delivers again.
    pub async fn run(&self, share: &FairShare, id: &JobId) -> Result<()> {
        let next = self.db.in_time(claim_delivered(&self.db, share, id)).await?;
        let Some((next, permit)) = next else { return Ok(()) };
        let result = self.go_on(share, next, permit).await;
        while share.has_yielded() {
            let next = self.db.in_time(claim_next(&self.db, share, None)).await;
            // A yielded run goes on even if the database does not answer.
            let Some((next, permit)) = next.unwrap_or_else(|_| next_yielded(share)) else { continue };
            if let Err(error) = self.go_on(share, next, permit).await {
                tracing::warn!(cause = error.with_cause(), "could not run a job; it will be delivered again");
            }
        }
        result
    }

    /// Returns when the run has ended or yielded.
    async fn go_on(&self, share: &FairShare, next: Next, permit: Option<LanePermit>) -> Result<()> {
        let (left, leaving) = oneshot::channel();
        let slot = RunSlot { permit, left };
        // Aborts the run if this is dropped before.
        let mut task = JoinSet::new();
        match next {
            Next::Claimed(row, token) => {
                let runner = self.clone();
                let turn = Arc::new(RunTurn::new(self.db.clone(), share.clone(), slot));
                task.spawn(async move {
                    let result = runner.run_claimed(*row, token, turn.clone()).await;
                    turn.end(result).await;
                });
            }
            // It may have been interrupted meanwhile.
            Next::Yielded(run) => drop(run.back.send(slot)),
        }
        let result = leaving.await;
        task.detach_all();
        result.unwrap_or(Ok(()))
    }
}

/// Claims the job `id`, which the queue has delivered, or whatever else is next.
async fn claim_delivered(
    db: &Database,
    share: &FairShare,
    id: &JobId,
) -> Result<Option<(Next, Option<LanePermit>)>> {
    let delivered = look(db, id).await?;
    if !delivered.as_ref().is_some_and(takes_no_turn) {
        return claim_next(db, share, delivered).await;
    }
    let account = delivered.and_then(|row| row.account_id).map(AccountId::from);
    let permit = account.map(|account| share.enter(account));
    Ok(claim_itself(db, id).await?.map(|next| (next, permit)))
}

/// Claims a job of the account whose turn it is, or takes a yielded run of it; none when nothing is due.
async fn claim_next(
    db: &Database,
    share: &FairShare,
    mut delivered: Option<job::Model>,
) -> Result<Option<(Next, Option<LanePermit>)>> {
    for _ in 0..ROUNDS {
        let closed = share.is_closed();
        let due = if closed { Vec::new() } else { accounts_due(db, share.lane(), Duration::ZERO).await? };
        let Some(permit) = share.next(due) else { break };
        if let Some(run) = share.take_yielded(&permit.account) {
            return Ok(Some((Next::Yielded(run), Some(permit))));
        }
        let claimed = match delivered.take() {
            Some(row) if row.account_id.as_deref() == Some(permit.account.as_str()) => {
                claim_itself(db, &row.id.into()).await?
            }
            _ => claim_oldest(db, share.lane(), &permit.account).await?,
        };
        if let Some(next) = claimed {
            return Ok(Some((next, Some(permit))));
        }
    }
    Ok(None)
}

async fn claim_itself(db: &Database, id: &JobId) -> Result<Option<Next>> {
    claim_where(db, "$3", id.as_str()).await
}

/// Claims the job whose id is the value of an SQL expression with the parameter `$3`.
async fn claim_where(db: &Database, which: &str, value: &str) -> Result<Option<Next>> {
    let token = RunId::new().to_string();
    let claimed = claim(db, &token, which, vec![value.into()]).await?;
    Ok(claimed.map(|row| Next::Claimed(Box::new(row), token)))
}

/// Whether a delivered job runs out of turn.
fn takes_no_turn(row: &job::Model) -> bool {
    row.account_id.is_none() || row.cancel_requested || row.state != JobState::Queued.as_str()
}

/// The yielded run whose turn it is.
fn next_yielded(share: &FairShare) -> Option<(Next, Option<LanePermit>)> {
    let permit = share.next(Vec::new())?;
    let run = share.take_yielded(&permit.account)?;
    Some((Next::Yielded(run), Some(permit)))
}

async fn claim_oldest(db: &Database, lane: Lane, account: &AccountId) -> Result<Option<Next>> {
    let skip = match db.write().get_database_backend() {
        DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let oldest = format!(
        "(SELECT id FROM job WHERE {WAITING} = $3 AND {} AND due_at <= {} ORDER BY due_at, id LIMIT 1 {skip})",
        of_lane(lane),
        db.now_ms()
    );
    claim_where(db, &oldest, account.as_str()).await
}
