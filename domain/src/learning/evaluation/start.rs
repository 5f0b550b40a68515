//! Starts an evaluation, if it costs no more than agreed.

use chrono::Utc;
use entity::evaluation;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, PaginatorTrait,
    QueryFilter,
};
use serde::Serialize;
use serde_json::json;

use super::{
    evaluations::Evaluations,
    plan::{Estimate, EvaluationPlan, NewEvaluation, stored_filter},
    store::Evaluation,
};
use crate::{
    Code, Error, Result,
    background::job::{self, JobKind, JobState, NewJob, PaidWork},
    foundation::{
        actor::{Actor, Role},
        audit,
        plural::counted,
    },
    money::{amount::Amount, idempotency::Once},
};
use ports::id::{AccountId, EvaluationId, JobId};

job::subject_table!(evaluation, State);

/// Maximum evaluations of an account that are queued or running.
const MAX_OPEN: u64 = 4;

/// An evaluation to start, and what it may cost.
#[derive(Clone, Debug)]
pub struct EvaluationOrder {
    pub evaluation: NewEvaluation,
    pub max_credits: Amount,
}

impl Evaluations {
    /// Starts an evaluation, and holds its price, if that is no more than agreed. With an `Idempotency-Key`, repeating
    /// the same request starts nothing and returns the same evaluation as it is now.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst, and for a backend that is not allowed; `NOT_FOUND` without the Judge, the version or
    /// the Checkpoint; `VALIDATION_FAILED` without labelled samples, with too many, for a backend that there is not, or
    /// when it costs more than agreed; `CONFLICT` when the Checkpoint has not succeeded or too many evaluations are
    /// open, and those of an `Idempotency-Key`; `ENGINE_UNAVAILABLE` without a decision model in process, unless a
    /// backend answers; `INSUFFICIENT_CREDITS`.
    pub async fn start(
        &self,
        actor: &Actor,
        order: EvaluationOrder,
        once: Option<Once>,
    ) -> Result<Evaluation> {
        actor.require(Role::Editor)?;
        let id = self.paid.submit(&Start { evaluations: self, actor, order }, once).await?;
        self.find(&actor.account, &id).await
    }
}

/// The start of an evaluation.
struct Start<'a> {
    evaluations: &'a Evaluations,
    actor: &'a Actor,
    order: EvaluationOrder,
}

impl PaidWork for Start<'_> {
    type Plan = EvaluationPlan;
    type Submitted = EvaluationId;

    const ROUTE: &'static str = "evaluation.start";
    const PURPOSE: &'static str = "an evaluation";

    fn account(&self) -> &AccountId {
        &self.actor.account
    }

    fn fingerprint(&self) -> impl Serialize + Send + Sync {
        let EvaluationOrder { evaluation: new, max_credits } = &self.order;
        (
            &new.judge,
            new.version,
            &new.model,
            stored_filter(&new.filter),
            new.scope.as_str(),
            max_credits.milli(),
        )
    }

    async fn plan(&self) -> Result<(EvaluationPlan, Amount)> {
        let EvaluationOrder { evaluation, max_credits } = &self.order;
        let plan = self.evaluations.plan(self.actor, evaluation).await?;
        if plan.backend.is_none() && self.evaluations.checkpoints.trainer.is_none() {
            let message = "nothing can be evaluated here: there is no decision model in process";
            return Err(Error::new(Code::EngineUnavailable, message));
        }
        let Estimate { samples, total, .. } = plan.estimate;
        if total > *max_credits {
            let samples = counted(samples, "sample");
            let message =
                format!("must be at least {total}: the evaluation of {samples} costs {total} credits");
            return Err(Error::invalid("max_credits", message));
        }
        require_few_open(self.evaluations.paid.db.read(), self.account()).await?;
        Ok((plan, total))
    }

    async fn write(
        &self,
        tx: &DatabaseTransaction,
        plan: EvaluationPlan,
        job: JobId,
    ) -> Result<(EvaluationId, Vec<NewJob>)> {
        // Checked again, now that the hold has locked the account.
        require_few_open(tx, self.account()).await?;
        let EvaluationPlan { version, checkpoint, backend, until, estimate } = plan;
        let Estimate { samples, price, total } = estimate;
        let new = &self.order.evaluation;
        let id = EvaluationId::new();
        let row = evaluation::ActiveModel {
            id: Set(id.to_string()),
            account_id: Set(self.account().to_string()),
            judge_id: Set(new.judge.to_string()),
            judge_version: Set(version),
            checkpoint_id: Set(checkpoint.as_ref().map(ToString::to_string)),
            backend: Set(backend),
            state: Set(JobState::Queued.as_str().to_owned()),
            job_id: Set(job.to_string()),
            price: Set(price.milli()),
            samples: Set(i64::try_from(samples).unwrap_or(i64::MAX)),
            done: Set(0),
            last_done: Set(0),
            last_sample: Set(until.sample),
            last_label: Set(until.label),
            filter: Set(stored_filter(&new.filter)),
            scope: Set(new.scope.as_str().to_owned()),
            created_by: Set(self.actor.name().to_owned()),
            created_at: Set(Utc::now()),
            ..Default::default()
        };
        evaluation::Entity::insert(row).exec_without_returning(tx).await?;
        let detail = json!({ "judge": new.judge.as_str(), "samples": samples, "credits": total.credits() });
        let change = audit::Change::by(self.actor, audit::Action::EvaluationStart, id.as_str());
        audit::write(tx, change.with(detail)).await?;
        let new_job = NewJob { id: job, ..NewJob::new(JobKind::Evaluate, self.account(), id.as_str()) };
        Ok((id, vec![new_job]))
    }
}

async fn require_few_open(on: &impl ConnectionTrait, account: &AccountId) -> Result<()> {
    let open = job::of_account::<evaluation::Entity>(account)
        .filter(evaluation::Column::State.is_in(JobState::OPEN));
    if open.count(on).await? < MAX_OPEN {
        return Ok(());
    }
    let message =
        format!("{MAX_OPEN} evaluations of the account are queued or running; wait for one, or cancel it");
    Err(Error::new(Code::Conflict, message))
}
