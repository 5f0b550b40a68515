//! Evaluations: estimated first, charged in parts, compared; their answers are not recorded as samples.

use std::sync::atomic::Ordering;

use domain::{
    Code,
    background::job::{FairShare, JobRunner, JobState, Lane},
    foundation::page::{Page, Take},
    learning::{
        agreement::{Agreement, KeyMetrics},
        dataset::{SampleFilter, stats::Statistics},
        evaluation::{EvaluatedModel, Evaluation, EvaluationOrder, NewEvaluation},
    },
    money::amount::Amount,
};
use ports::id::DatasetId;
use tokio::sync::watch;

use super::scripted::Studio;
use crate::harness::{Db, eventually, inv, on_both};

fn new(studio: &Studio, model: EvaluatedModel) -> NewEvaluation {
    NewEvaluation { judge: studio.judge.clone(), version: None, model, filter: SampleFilter::default() }
}

async fn start(studio: &Studio, model: EvaluatedModel, milli: i64) -> domain::Result<Evaluation> {
    let order = EvaluationOrder { evaluation: new(studio, model), max_credits: Amount::from_milli(milli) };
    studio.evaluations.start(&studio.actor, order, None).await
}

async fn is(studio: &Studio, of: &Evaluation, state: JobState) -> Evaluation {
    eventually(&format!("{} is {state:?}", of.id), async || {
        let now = studio.evaluations.find(&studio.account, &of.id).await.unwrap();
        (now.state == state).then_some(now)
    })
    .await
}

async fn cancel(studio: &Studio, of: &Evaluation) -> Evaluation {
    studio.evaluations.cancel(&studio.actor, &of.id).await.unwrap()
}

/// The metrics of an evaluation by key.
async fn metrics(studio: &Studio, of: &Evaluation) -> Vec<KeyMetrics> {
    let id = std::slice::from_ref(&of.id);
    studio.evaluations.metrics(&studio.account, id).await.unwrap().remove(&of.id).unwrap()
}

/// The agreement of the recorded answers with the ground truths.
async fn agreement(studio: &Studio, version: Option<i32>) -> Agreement {
    let filter = SampleFilter { version, ..SampleFilter::default() };
    let dataset = DatasetId::from(&studio.judge);
    let statistics = Statistics::new(studio.db.clone());
    let found =
        statistics.agreements(&studio.account, std::slice::from_ref(&dataset), &filter).await.unwrap();
    let labelled = found.get(&dataset).and_then(|keys| keys.get("team")).cloned().unwrap_or_default();
    labelled.agreement()
}

async fn imported_labels_are_evaluated_and_two_models_compared(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    assert_eq!(
        start(&studio, EvaluatedModel::AsNow, i64::MAX).await.unwrap_err().code,
        Code::ValidationFailed
    );
    studio.label(120).await;
    assert_eq!(agreement(&studio, None).await.count, 0, "without answers");
    let wanted = new(&studio, EvaluatedModel::AsNow);
    let price = studio.evaluations.estimate(&studio.account, &wanted).await.unwrap();
    assert_eq!((price.samples, price.total.milli()), (120, 120 * price.price.milli()));
    let total = price.total.milli();
    let refused = start(&studio, EvaluatedModel::AsNow, total - 1).await.unwrap_err();
    assert_eq!(refused.code, Code::ValidationFailed, "{}", refused.message);
    assert_eq!(studio.funds().await, (20_000_000, 0));
    let zero_shot = start(&studio, EvaluatedModel::AsNow, total).await.unwrap();
    assert_eq!(studio.funds().await, (20_000_000, total));
    let worker = studio.worker();
    let zero_shot = is(&studio, &zero_shot, JobState::Succeeded).await;
    assert_eq!((zero_shot.done, studio.funds().await), (120, (20_000_000 - total, 0)));

    let found = metrics(&studio, &zero_shot).await;
    assert_eq!((found.len(), found[0].count), (1, 120));
    assert!((found[0].accuracy.unwrap() - 1.0 / 3.0).abs() < 1e-9, "{:?}", found[0]);
    let of_stats = agreement(&studio, None).await;
    assert_eq!((of_stats.count, of_stats.evaluated, of_stats.accuracy), (120, 120, found[0].accuracy));
    assert_eq!((of_stats.macro_f1, of_stats.kappa), (found[0].macro_f1, found[0].kappa));
    let trained = studio.submit(false).await.unwrap();
    let trained = studio.is(&trained, JobState::Succeeded).await;
    let with = start(&studio, EvaluatedModel::Checkpoint(trained.id.clone()), total).await.unwrap();
    let with = is(&studio, &with, JobState::Succeeded).await;
    assert_eq!(metrics(&studio, &with).await[0].accuracy, Some(1.0));
    let page = Page { after: None, before: None, take: Take::First(10) };
    let compared = studio.evaluations.compare(&studio.account, &zero_shot.id, &with.id, page).await.unwrap();
    assert!(compared.verdict.better && compared.difference.unwrap().wins == 80);
    assert_eq!((compared.changed, compared.changes.items.len(), compared.changes.has_next), (80, 10, true));
    let first = &compared.changes.items[0];
    assert_eq!((first.old.as_deref(), first.new.as_deref()), (Some("other"), Some(first.truth.as_str())));
    // The statistics use the latest evaluation of the requested version.
    assert_eq!(agreement(&studio, Some(1)).await.accuracy, Some(1.0));
    assert_eq!(agreement(&studio, Some(2)).await.count, 0);
    // A ground truth corrected later counts as it is now.
    let sql = "UPDATE sample_answer SET truth = 'other' WHERE truth = 'billing'";
    studio.execute(sql).await;
    let corrected = agreement(&studio, None).await;
    assert_eq!((corrected.count, corrected.agreeing), (120, 80));
    // Nothing was recorded: the imported samples still have no answers.
    assert_eq!(inv::count(&db, "sample_answer WHERE value IS NULL").await, 120);
    worker.drain().await;
}

async fn an_interrupted_evaluation_continues_and_is_charged_once(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.label(150).await;
    studio.script.answer_ms.store(50, Ordering::SeqCst);
    let started = start(&studio, EvaluatedModel::ZeroShot, i64::MAX).await.unwrap();
    let each = started.price.milli();
    for _ in 0..2 {
        let before = studio.evaluations.find(&studio.account, &started.id).await.unwrap().done;
        let id = started.job.clone();
        let (_stop, stopping) = watch::channel(false);
        let dying = JobRunner { db: studio.db.clone(), handlers: studio.handlers(), stopping };
        let worker = tokio::spawn(async move { dying.run(&FairShare::new(Lane::Training), &id).await });
        eventually("a chunk is charged", async || {
            let now = studio.evaluations.find(&studio.account, &started.id).await.unwrap();
            (now.done > before).then_some(())
        })
        .await;
        worker.abort();
        let _ = worker.await;
        studio.execute("UPDATE job SET lease_until = 1, delivered_at = 0").await;
    }
    studio.script.answer_ms.store(0, Ordering::SeqCst);
    let worker = studio.worker();
    let done = is(&studio, &started, JobState::Succeeded).await;
    assert_eq!((done.done, studio.funds().await), (150, (20_000_000 - 150 * each, 0)));
    assert_eq!(inv::charges(&db, studio.account.as_str()).await.len(), 3);
    worker.drain().await;
}

async fn a_cancelled_evaluation_is_charged_for_its_answers_only(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.label(150).await;

    let queued = start(&studio, EvaluatedModel::ZeroShot, i64::MAX).await.unwrap();
    assert_eq!(cancel(&studio, &queued).await.state, JobState::Cancelled);
    assert_eq!(studio.funds().await, (20_000_000, 0));
    studio.script.answer_ms.store(50, Ordering::SeqCst);
    let worker = studio.worker();
    let running = start(&studio, EvaluatedModel::ZeroShot, i64::MAX).await.unwrap();
    eventually("a chunk is charged", async || {
        let now = studio.evaluations.find(&studio.account, &running.id).await.unwrap();
        (now.done > 0).then_some(())
    })
    .await;
    cancel(&studio, &running).await;
    let ended = eventually("it ends", async || {
        let now = studio.evaluations.find(&studio.account, &running.id).await.unwrap();
        (!matches!(now.state, JobState::Queued | JobState::Running)).then_some(now)
    })
    .await;
    let charged = i64::try_from(ended.done).unwrap() * ended.price.milli();
    assert_eq!(studio.funds().await, (20_000_000 - charged, 0));
    worker.drain().await;
    let missing = studio.checkpoints.find(&studio.account, &ports::id::CheckpointId::new()).await;
    assert_eq!(missing.unwrap_err().code, Code::NotFound);
}

on_both!(
    imported_labels_are_evaluated_and_two_models_compared,
    an_interrupted_evaluation_continues_and_is_charged_once,
    a_cancelled_evaluation_is_charged_for_its_answers_only,
);
