//! Submits Checkpoints, and cancels them.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::Hasher,
};

use chrono::Utc;
use entity::{checkpoint, sample_answer};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, SqlErr,
    sea_query::Expr,
};
use serde_json::json;

use super::{
    TrainCheckpoint,
    ended_event::enqueue_ended,
    snapshot::watermark,
    store::{Checkpoint, find},
};
use crate::{
    Code, Error, Result,
    background::job::{self, Cancellation, Jobs, Kind, NewJob, State, Submission},
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
        events::Events,
    },
    learning::judge::{self, Judge},
    money::{
        billing::Billing,
        credits::JobHold,
        idempotency::{Claim, Once, store_unpaid},
        pricing::Operation,
    },
};
use ports::id::{CheckpointId, JudgeId};
use ports::training::Trainer;

job::subject!(checkpoint, State);

/// Labelled samples without which nothing is trained.
const MIN_LABELLED: i64 = 8;
/// Keys that a refusal names, at most.
const LISTED_KEYS: usize = 20;

/// A Checkpoint to be trained.
#[derive(Clone, Debug)]
pub struct NewCheckpoint {
    pub judge: JudgeId,
    /// True to activate it when it is better than the live model.
    pub auto_activate: bool,
}

/// Submits a Checkpoint: holds its price, and writes it with its job in one transaction. What is labelled or recorded from
/// then on is not trained on. `trainer` is this deployment's, if it has one. With an `Idempotency-Key`, repeating the same request
/// submits nothing and returns the same Checkpoint as it is now.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without the Judge; `CONFLICT` when it is archived or has an open Checkpoint;
/// `VALIDATION_FAILED` with fewer than 8 labelled samples, naming how many each key has; `ENGINE_UNAVAILABLE` without a
/// trainer; `INSUFFICIENT_CREDITS`; those of an `Idempotency-Key`.
pub async fn submit(
    db: &Database,
    billing: &Billing,
    jobs: &Jobs,
    trainer: Option<&dyn Trainer>,
    actor: &Actor,
    new: NewCheckpoint,
    once: Option<Once>,
) -> Result<Checkpoint> {
    actor.require(Role::Editor)?;
    let request = (new.judge.clone(), new.auto_activate);
    let begin = |claim| begin(db, billing, jobs, trainer, actor, new, claim);
    let id = match once {
        Some(once) => {
            once.run(&actor.account, "checkpoint.submit", &request, |claim| begin(Some(claim))).await?
        }
        None => begin(None).await?,
    };
    find(db, &actor.account, &id).await
}

async fn begin(
    db: &Database,
    billing: &Billing,
    jobs: &Jobs,
    trainer: Option<&dyn Trainer>,
    actor: &Actor,
    new: NewCheckpoint,
    claim: Option<Claim>,
) -> Result<CheckpointId> {
    let judge = judge::find(db, &actor.account, &new.judge).await?;
    judge.require_decision()?;
    if judge.archived_at.is_some() {
        return Err(Error::new(Code::Conflict, "the Judge is archived; bring it back before you train it"));
    }
    if trainer.is_none() {
        let message = "Checkpoints cannot be trained here: there is no decision model in process";
        return Err(Error::new(Code::EngineUnavailable, message));
    }
    require_no_open(db, &judge.id).await?;
    require_labels(db, &judge).await?;
    let price = billing.prices.read(Operation::Checkpoint).await?;
    let id = CheckpointId::new();
    let mut new_job = NewJob::new(Kind::TrainCheckpoint, &actor.account, "");
    new_job.subject = id.to_string();
    let job = new_job.id.clone();
    let hold = JobHold {
        account: actor.account.clone(),
        job: job.clone(),
        amount: price,
        purpose: "the training of a Checkpoint",
    };
    let submission = Submission::begin(db, &billing.credits, hold).await?;
    let tx = &submission.tx;
    let until = watermark(tx, &judge.id).await?;
    let row = checkpoint::ActiveModel {
        id: Set(id.to_string()),
        account_id: Set(actor.account.to_string()),
        judge_id: Set(judge.id.to_string()),
        judge_version: Set(judge.version.number),
        state: Set(State::Queued.as_str().to_owned()),
        job_id: Set(job.to_string()),
        price: Set(price.milli()),
        last_sample: Set(until.sample),
        last_label: Set(until.label),
        seed: Set(seed(&judge.id)),
        auto_activate: Set(new.auto_activate),
        progress: Set(0.0),
        created_by: Set(actor.name().to_owned()),
        created_at: Set(Utc::now()),
        ..Default::default()
    };
    checkpoint::Entity::insert(row).exec_without_returning(tx).await.map_err(|error| {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => open_already(),
            _ => error.into(),
        }
    })?;
    let detail =
        json!({ "judge": judge.id.as_str(), "credits": price.credits(), "auto_activate": new.auto_activate });
    audit::write(tx, audit::Change::by(actor, audit::Action::CheckpointSubmit, id.as_str()).with(detail))
        .await?;
    if let Some(claim) = claim {
        store_unpaid(tx, &claim, &json!(id)).await?;
    }
    submission.commit(db, jobs, vec![new_job]).await?;
    Ok(id)
}

/// Cancels a Checkpoint: at once while it is queued; within seconds while it is trained, unless it succeeds before. Its
/// credits are released. Repeating is no error.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when it has succeeded or failed.
pub async fn cancel(
    db: &Database,
    billing: &Billing,
    jobs: &Jobs,
    events: &Events,
    actor: &Actor,
    id: &CheckpointId,
) -> Result<Checkpoint> {
    actor.require(Role::Editor)?;
    let found = find(db, &actor.account, id).await?;
    let credits = billing.credits.clone();
    let handler = TrainCheckpoint { db: db.clone(), credits, events: events.clone(), trainer: None };
    let cancellation = Cancellation {
        handler: &handler,
        job: &found.job,
        state: found.state,
        noun: "Checkpoint",
        change: audit::Change::by(actor, audit::Action::CheckpointCancel, id.as_str()),
    };
    job::cancel_paid(db, jobs, cancellation).await?;
    find(db, &actor.account, id).await
}

/// Ends an open Checkpoint that did not succeed, and queues its webhooks. Its account should be locked.
pub(super) async fn end(
    db: &Database,
    tx: &impl sea_orm::ConnectionTrait,
    id: &CheckpointId,
    state: State,
    error: Option<&str>,
) -> Result<()> {
    if job::end_subject::<checkpoint::Entity>(tx, id.as_str(), state.as_str(), error).await? {
        enqueue_ended(db, tx, id).await?;
    }
    Ok(())
}

fn open_already() -> Error {
    let message = "the Judge has a Checkpoint that is queued or running; wait for it, or cancel it";
    Error::new(Code::Conflict, message)
}

async fn require_no_open(db: &Database, judge: &JudgeId) -> Result<()> {
    let open = checkpoint::Entity::find()
        .select_only()
        .column(checkpoint::Column::Id)
        .filter(checkpoint::Column::JudgeId.eq(judge.as_str()))
        .filter(checkpoint::Column::State.is_in(State::OPEN))
        .into_tuple::<String>();
    if open.one(db.read()).await?.is_some() { Err(open_already()) } else { Ok(()) }
}

/// Checks that enough samples have a ground truth under a key that the Judge asks.
async fn require_labels(db: &Database, judge: &Judge) -> Result<()> {
    #[derive(FromQueryResult)]
    struct Counted {
        key: String,
        samples: i64,
    }
    let keys: BTreeSet<String> =
        judge::questions(&judge.version.instructions)?.into_iter().map(|question| question.key).collect();
    use sample_answer::Column;
    let labelled = || {
        sample_answer::Entity::find()
            .select_only()
            .filter(Column::JudgeId.eq(judge.id.as_str()))
            .filter(Column::Truth.is_not_null())
            .filter(Column::Kind.ne("text"))
            .filter(Column::Key.is_in(keys.iter()))
    };
    let counted = labelled()
        .column(Column::Key)
        .expr_as(Expr::cust("COUNT(*)"), "samples")
        .group_by(Column::Key)
        .into_model::<Counted>()
        .all(db.read())
        .await?;
    // A key with enough of them is answer enough, and the usual case.
    if counted.iter().any(|key| key.samples >= MIN_LABELLED) {
        return Ok(());
    }
    let samples: BTreeSet<i64> =
        labelled().column(Column::SampleSeq).into_tuple::<i64>().all(db.read()).await?.into_iter().collect();
    let count = i64::try_from(samples.len()).unwrap_or(i64::MAX);
    if count >= MIN_LABELLED {
        return Ok(());
    }
    let counts: BTreeMap<String, i64> = counted.into_iter().map(|key| (key.key, key.samples)).collect();
    let listed = keys.iter().take(LISTED_KEYS).map(|key| {
        let short: String = key.chars().take(40).collect();
        format!("{short}: {}", counts.get(key).unwrap_or(&0))
    });
    let listed = listed.collect::<Vec<_>>().join(", ");
    let message = format!(
        "needs at least {MIN_LABELLED} samples with a ground truth for a question that it asks, and has {count} \
         ({listed}); label more samples, or import labelled ones"
    );
    Err(Error::invalid("judge_id", message))
}

/// The seed of a Judge's training, so that the same data gives the same Checkpoint.
fn seed(judge: &JudgeId) -> i64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    hasher.write(judge.as_str().as_bytes());
    // Positive, as text in a report is easier to copy then.
    (hasher.finish() >> 1) as i64
}

/// FNV-1a: the standard library's hashers may change with its version.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
