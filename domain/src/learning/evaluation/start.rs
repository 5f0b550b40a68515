//! Says what an evaluation costs, starts it for no more than was agreed to, and cancels it.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::evaluation;
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    RunEvaluation,
    store::{Evaluation, find, read},
};
use crate::{
    Code, Error, Result,
    background::{
        job::{self, Cancellation, Jobs, Kind, NewJob, State, Submission},
        webhook::{self, EventType},
    },
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
        events::Events,
    },
    learning::{
        agreement::is_value_of,
        checkpoint::{self, Content, Watermark, contents, watermark},
        dataset::SampleFilter,
        judge,
        sample::Source,
    },
    money::{
        amount::Amount,
        billing::Billing,
        credits::JobHold,
        idempotency::{Claim, Once, store_unpaid},
        pricing::Operation,
    },
};
use ports::id::{AccountId, CheckpointId, EvaluationId, JudgeId};
use ports::{decision::Question, training::Trainer};

job::subject!(evaluation, State);

/// Samples of an evaluation, at most.
const MAX_SAMPLES: usize = 10_000;
/// Ground truths of an evaluation, at most.
const MAX_LABELS: usize = 50_000;
/// Evaluations of an account that are queued or running, at most.
const MAX_OPEN: u64 = 4;

/// What answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Model {
    /// As the Judge answers now: its active Checkpoint, or the model as it is.
    AsNow,
    /// The model as it is.
    ZeroShot,
    Checkpoint(CheckpointId),
}

/// An evaluation to be started.
#[derive(Clone, Debug)]
pub struct NewEvaluation {
    pub judge: JudgeId,
    /// The version whose questions are asked; `None` for the newest.
    pub version: Option<i32>,
    pub model: Model,
    /// Which of the labelled samples.
    pub filter: SampleFilter,
}

/// What an evaluation costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Labelled samples, each of which is one inference.
    pub samples: u64,
    /// The price of each.
    pub price: Amount,
    /// The price of all.
    pub total: Amount,
}

/// A filter as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredFilter {
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    version: Option<i32>,
    import: Option<bool>,
}

/// What is evaluated, and on what.
struct Plan {
    version: i32,
    checkpoint: Option<CheckpointId>,
    until: Watermark,
    estimate: Estimate,
}

/// The samples and the price of an evaluation, which is not started.
///
/// # Errors
/// As [`start`], but for those of money.
pub async fn estimate(
    db: &Database,
    billing: &Billing,
    account: &AccountId,
    new: &NewEvaluation,
) -> Result<Estimate> {
    Ok(plan(db, billing, account, new).await?.estimate)
}

/// Starts an evaluation, and holds its price, if that is no more than `at_most`. With an `Idempotency-Key`, repeating the same
/// request starts nothing and returns the same evaluation as it is now.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without the Judge, the version or the Checkpoint; `VALIDATION_FAILED` without
/// labelled samples, with too many, or when it costs more than `at_most`; `CONFLICT` when the Checkpoint has not succeeded or
/// too many evaluations are open, and those of an `Idempotency-Key`; `ENGINE_UNAVAILABLE` without a decision model in process; `INSUFFICIENT_CREDITS`.
pub async fn start(
    db: &Database,
    billing: &Billing,
    jobs: &Jobs,
    trainer: Option<&dyn Trainer>,
    actor: &Actor,
    (new, at_most): (NewEvaluation, Amount),
    once: Option<Once>,
) -> Result<Evaluation> {
    actor.require(Role::Editor)?;
    let request = (new.judge.clone(), new.version, new.model.clone(), stored(&new.filter), at_most.milli());
    let begin = |claim| begin(db, billing, jobs, trainer, actor, (new, at_most), claim);
    let id = match once {
        Some(once) => {
            once.run(&actor.account, "evaluation.start", &request, |claim| begin(Some(claim))).await?
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
    (new, at_most): (NewEvaluation, Amount),
    claim: Option<Claim>,
) -> Result<EvaluationId> {
    let Plan { version, checkpoint, until, estimate } = plan(db, billing, &actor.account, &new).await?;
    if trainer.is_none() {
        let message = "nothing can be evaluated here: there is no decision model in process";
        return Err(Error::new(Code::EngineUnavailable, message));
    }
    let Estimate { samples, price, total } = estimate;
    if total > at_most {
        let message = format!("is {at_most}, and the evaluation of {samples} samples costs {total} credits");
        return Err(Error::invalid("max_credits", message));
    }
    require_few_open(db, &actor.account).await?;
    let id = EvaluationId::new();
    let mut new_job = NewJob::new(Kind::Evaluate, &actor.account, "");
    new_job.subject = id.to_string();
    let account = actor.account.clone();
    let job = new_job.id.clone();
    let hold = JobHold { account, job: job.clone(), amount: total, purpose: "an evaluation" };
    let submission = Submission::begin(db, &billing.credits, hold).await?;
    let tx = &submission.tx;
    let row = evaluation::ActiveModel {
        id: Set(id.to_string()),
        account_id: Set(actor.account.to_string()),
        judge_id: Set(new.judge.to_string()),
        judge_version: Set(version),
        checkpoint_id: Set(checkpoint.as_ref().map(ToString::to_string)),
        state: Set(State::Queued.as_str().to_owned()),
        job_id: Set(job.to_string()),
        price: Set(price.milli()),
        samples: Set(i64::try_from(samples).unwrap_or(i64::MAX)),
        done: Set(0),
        last_done: Set(0),
        last_sample: Set(until.sample),
        last_label: Set(until.label),
        filter: Set(stored(&new.filter)),
        created_by: Set(actor.name().to_owned()),
        created_at: Set(Utc::now()),
        ..Default::default()
    };
    evaluation::Entity::insert(row).exec_without_returning(tx).await?;
    let detail = json!({ "judge": new.judge.as_str(), "samples": samples, "credits": total.credits() });
    audit::write(tx, audit::Change::by(actor, audit::Action::EvaluationStart, id.as_str()).with(detail))
        .await?;
    if let Some(claim) = claim {
        store_unpaid(tx, &claim, &json!(id)).await?;
    }
    submission.commit(db, jobs, vec![new_job]).await?;
    Ok(id)
}

/// Cancels an evaluation: at once while it is queued, within seconds while it runs. What was answered stays charged; the rest
/// is released. Repeating is no error.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when it has ended otherwise.
pub async fn cancel(
    db: &Database,
    billing: &Billing,
    jobs: &Jobs,
    events: &Events,
    actor: &Actor,
    id: &EvaluationId,
) -> Result<Evaluation> {
    actor.require(Role::Editor)?;
    let found = find(db, &actor.account, id).await?;
    let credits = billing.credits.clone();
    let handler = RunEvaluation { db: db.clone(), credits, events: events.clone(), trainer: None };
    let cancellation = Cancellation {
        handler: &handler,
        job: &found.job,
        state: found.state,
        noun: "evaluation",
        change: audit::Change::by(actor, audit::Action::EvaluationCancel, id.as_str()),
    };
    job::cancel_paid(db, jobs, cancellation).await?;
    find(db, &actor.account, id).await
}

/// Ends an open evaluation, and queues its webhooks. Its account should be locked.
pub(super) async fn end(
    db: &Database,
    tx: &impl ConnectionTrait,
    id: &EvaluationId,
    state: State,
    error: Option<&str>,
) -> Result<()> {
    if !job::end_subject::<evaluation::Entity>(tx, id.as_str(), state.as_str(), error).await? {
        return Ok(());
    }
    let Some(event) = event_type(state) else { return Ok(()) };
    let evaluation = read(tx, id).await?;
    webhook::enqueue(db, tx, &evaluation.account, event, event_data(&evaluation)).await
}

/// The event that tells of an end; none for the open states.
fn event_type(state: State) -> Option<EventType> {
    match state {
        State::Queued | State::Running => None,
        State::Succeeded => Some(EventType::EvaluationSucceeded),
        State::Failed => Some(EventType::EvaluationFailed),
        State::Cancelled => Some(EventType::EvaluationCancelled),
    }
}

/// What a webhook says of an evaluation.
fn event_data(evaluation: &Evaluation) -> Value {
    let done = i64::try_from(evaluation.done).unwrap_or(i64::MAX);
    let charged = Amount::from_milli(evaluation.price.milli().saturating_mul(done));
    json!({
        "id": evaluation.id,
        "status": evaluation.state.as_str(),
        "judge_id": evaluation.judge,
        "judge_version": evaluation.version,
        "checkpoint_id": evaluation.checkpoint,
        "samples": evaluation.samples,
        "done": evaluation.done,
        "credits_charged": charged.credits(),
        "error": evaluation.error,
        "created_at": evaluation.created_at,
        "started_at": evaluation.started_at,
        "finished_at": evaluation.finished_at,
    })
}

/// The samples of an evaluation, oldest first, with their labels that are values of the questions.
pub(super) async fn samples(
    db: &Database,
    of: (&AccountId, &JudgeId),
    until: Watermark,
    filter: &SampleFilter,
    questions: &[Question],
) -> Result<(Vec<Content>, bool)> {
    let found = contents(db, of, until, filter, MAX_SAMPLES).await?;
    let questions: HashMap<&str, &Question> =
        questions.iter().map(|question| (question.key.as_str(), question)).collect();
    let mut samples = found.samples;
    for sample in &mut samples {
        sample.labels.retain(|key, truth| {
            questions.get(key.as_str()).is_some_and(|question| is_value_of(question, truth))
        });
    }
    samples.retain(|sample| !sample.labels.is_empty());
    samples.sort_unstable_by_key(|sample| sample.seq);
    Ok((samples, found.more))
}

async fn plan(db: &Database, billing: &Billing, account: &AccountId, new: &NewEvaluation) -> Result<Plan> {
    let judge = judge::find(db, account, &new.judge).await?;
    judge.require_decision()?;
    let checkpoint = match &new.model {
        Model::AsNow => judge.checkpoint.map(|active| active.id),
        Model::ZeroShot => None,
        Model::Checkpoint(id) => Some(usable(db, account, &new.judge, id).await?),
    };
    let version = match new.version {
        Some(number) => judge::version(db, &new.judge, number).await?,
        None => judge.version,
    };
    let until = watermark(db.read(), &new.judge).await?;
    let questions = judge::questions(&version.instructions)?;
    let (samples, more) = samples(db, (account, &new.judge), until, &new.filter, &questions).await?;
    let labels: usize = samples.iter().map(|sample| sample.labels.len()).sum();
    if more || labels > MAX_LABELS {
        let message = format!(
            "must select at most {MAX_SAMPLES} labelled samples and {MAX_LABELS} ground truths; narrow it, \
             for example by time"
        );
        return Err(Error::invalid("filter", message));
    }
    if samples.is_empty() {
        let message = "must select samples with a ground truth for a question of this version; label some, or import them";
        return Err(Error::invalid("filter", message));
    }
    let price = billing.prices.read(Operation::Inference).await?;
    let count = i64::try_from(samples.len()).unwrap_or(i64::MAX);
    let total = Amount::from_milli(price.milli().saturating_mul(count));
    let estimate = Estimate { samples: samples.len() as u64, price, total };
    Ok(Plan { version: version.number, checkpoint, until, estimate })
}

/// A Checkpoint of this Judge that has succeeded.
async fn usable(
    db: &Database,
    account: &AccountId,
    judge: &JudgeId,
    id: &CheckpointId,
) -> Result<CheckpointId> {
    let found = checkpoint::find(db, account, id).await?;
    if found.judge != *judge {
        return Err(Error::not_found("Checkpoint"));
    }
    if found.state != State::Succeeded {
        let message = format!("the Checkpoint is {}, and cannot answer", found.state.as_str());
        return Err(Error::new(Code::Conflict, message));
    }
    Ok(found.id)
}

async fn require_few_open(db: &Database, account: &AccountId) -> Result<()> {
    let open = super::store::of(account).filter(evaluation::Column::State.is_in(State::OPEN));
    if open.count(db.read()).await? < MAX_OPEN {
        return Ok(());
    }
    let message =
        format!("{MAX_OPEN} evaluations of the account are queued or running; wait for one, or cancel it");
    Err(Error::new(Code::Conflict, message))
}

fn stored(filter: &SampleFilter) -> String {
    let SampleFilter { since, until, version, source, labelled: _ } = filter.clone();
    let import = source.map(|source| source == Source::Import);
    serde_json::to_string(&StoredFilter { since, until, version, import }).unwrap_or_default()
}

pub(super) fn parse_filter(stored: &str) -> Result<SampleFilter> {
    let StoredFilter { since, until, version, import } =
        serde_json::from_str(stored).map_err(Error::internal)?;
    let source = import.map(|import| if import { Source::Import } else { Source::Inference });
    Ok(SampleFilter { since, until, version, source, labelled: None })
}
