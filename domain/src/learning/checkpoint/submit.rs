//! Submits Checkpoints.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::Hasher,
};

use chrono::Utc;
use entity::{checkpoint, sample_answer};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter,
    QuerySelect, SqlErr, sea_query::Expr,
};
use serde::Serialize;
use serde_json::json;

use super::{checkpoints::Checkpoints, snapshot::watermark, store::Checkpoint};
use crate::{
    Code, Error, Result,
    background::job::{self, JobKind, JobState, NewJob, PaidJobs, PaidWork},
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
    },
    learning::judge::Judge,
    money::{amount::Amount, idempotency::Once, pricing::Operation},
};
use ports::id::{AccountId, CheckpointId, JobId, JudgeId};

job::subject_table!(checkpoint, State);

/// Minimum labelled samples to train on.
const MIN_LABELLED: i64 = 8;
/// Maximum keys named in a refusal.
const LISTED_KEYS: usize = 20;

/// A Checkpoint to train.
#[derive(Clone, Debug)]
pub struct NewCheckpoint {
    pub judge: JudgeId,
    /// True to activate it when it is better than the live model, or improves the answers of a server.
    pub auto_activate: bool,
}

impl Checkpoints {
    /// Submits a Checkpoint: holds its price, and writes it with its job in one transaction. Later labels and samples
    /// are not trained on. With an `Idempotency-Key`, repeating the same request submits nothing and returns the same
    /// Checkpoint as it is now.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without the Judge; `CONFLICT` when it is archived or has an open
    /// Checkpoint; `VALIDATION_FAILED` with fewer than 8 labelled samples, naming how many each key has;
    /// `ENGINE_UNAVAILABLE` without a trainer; `INSUFFICIENT_CREDITS`; those of an `Idempotency-Key`.
    pub async fn submit(&self, actor: &Actor, new: NewCheckpoint, once: Option<Once>) -> Result<Checkpoint> {
        actor.require(Role::Editor)?;
        let id = self.paid.submit(&Training { checkpoints: self, actor, new }, once).await?;
        self.find(&actor.account, &id).await
    }
}

/// A training to submit.
struct Training<'a> {
    checkpoints: &'a Checkpoints,
    actor: &'a Actor,
    new: NewCheckpoint,
}

/// What is trained, and for how much.
struct TrainingPlan {
    judge: Judge,
    price: Amount,
}

impl PaidWork for Training<'_> {
    type Plan = TrainingPlan;
    type Submitted = CheckpointId;

    const ROUTE: &'static str = "checkpoint.submit";
    const PURPOSE: &'static str = "the training of a Checkpoint";

    fn account(&self) -> &AccountId {
        &self.actor.account
    }

    fn fingerprint(&self) -> impl Serialize + Send + Sync {
        (&self.new.judge, self.new.auto_activate)
    }

    async fn plan(&self) -> Result<(TrainingPlan, Amount)> {
        let PaidJobs { db, billing, .. } = &self.checkpoints.paid;
        let judge = self.checkpoints.judges.find(self.account(), &self.new.judge).await?;
        if judge.archived_at.is_some() {
            return Err(Error::new(
                Code::Conflict,
                "the Judge is archived; bring it back before you train it",
            ));
        }
        if self.checkpoints.trainer.is_none() {
            let message = "Checkpoints cannot be trained here: there is no decision model in process";
            return Err(Error::new(Code::EngineUnavailable, message));
        }
        require_no_open(db, &judge.id).await?;
        require_labels(db, &judge).await?;
        let price = billing.prices.read(Operation::Checkpoint).await?;
        Ok((TrainingPlan { judge, price }, price))
    }

    async fn write(
        &self,
        tx: &DatabaseTransaction,
        plan: TrainingPlan,
        job: JobId,
    ) -> Result<(CheckpointId, Vec<NewJob>)> {
        let TrainingPlan { judge, price } = plan;
        let auto_activate = self.new.auto_activate;
        let id = CheckpointId::new();
        let until = watermark(tx, &judge.id).await?;
        let row = checkpoint::ActiveModel {
            id: Set(id.to_string()),
            account_id: Set(self.account().to_string()),
            judge_id: Set(judge.id.to_string()),
            judge_version: Set(judge.version.number),
            state: Set(JobState::Queued.as_str().to_owned()),
            job_id: Set(job.to_string()),
            price: Set(price.milli()),
            last_sample: Set(until.sample),
            last_label: Set(until.label),
            seed: Set(seed(&judge.id)),
            auto_activate: Set(auto_activate),
            progress: Set(0.0),
            created_by: Set(self.actor.name().to_owned()),
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
            json!({ "judge": judge.id.as_str(), "credits": price.credits(), "auto_activate": auto_activate });
        let change = audit::Change::by(self.actor, audit::Action::CheckpointSubmit, id.as_str());
        audit::write(tx, change.with(detail)).await?;
        let new_job =
            NewJob { id: job, ..NewJob::new(JobKind::TrainCheckpoint, self.account(), id.as_str()) };
        Ok((id, vec![new_job]))
    }
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
        .filter(checkpoint::Column::State.is_in(JobState::OPEN))
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
        judge.version.questions()?.into_iter().map(|question| question.key).collect();
    use sample_answer::Column;
    let labelled = sample_answer::Entity::find()
        .select_only()
        .filter(Column::JudgeId.eq(judge.id.as_str()))
        .filter(Column::Truth.is_not_null())
        .filter(Column::Kind.ne("text"))
        .filter(Column::Key.is_in(keys.iter()));
    let counted = labelled
        .clone()
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
        labelled.column(Column::SampleSeq).into_tuple::<i64>().all(db.read()).await?.into_iter().collect();
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
