//! What the end of an evaluation's job means: its state, its hold, and the webhooks that report the end.

use async_trait::async_trait;
use entity::evaluation;
use sea_orm::DatabaseTransaction;
use serde_json::{Value, json};

use super::{evaluations::Evaluations, store::Evaluation};
use crate::{
    Result,
    background::{
        job::{self, Ending, Job, JobSubject},
        webhook::{self, EventType},
    },
    money::amount::Amount,
};

#[async_trait]
impl JobSubject for Evaluations {
    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()> {
        self.paid.release(tx, job).await?;
        let state = ending.state().as_str();
        if !job::end_subject::<evaluation::Entity>(tx, &job.subject, state, ending.error()).await? {
            return Ok(());
        }
        let evaluation: Evaluation = job::read_record(tx, &job.subject).await?;
        let event = event_type(ending);
        webhook::enqueue(&self.paid.db, tx, &evaluation.account, event, event_data(&evaluation)).await
    }

    fn announce(&self, job: &Job) {
        self.paid.publish_progress(job);
    }
}

fn event_type(ending: &Ending) -> EventType {
    match ending {
        Ending::Succeeded => EventType::EvaluationSucceeded,
        Ending::Failed(_) => EventType::EvaluationFailed,
        Ending::Cancelled => EventType::EvaluationCancelled,
    }
}

/// What a webhook reports of an evaluation.
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
