//! Evaluations: estimated first, charged in parts, compared; their answers are not recorded as samples.

use std::sync::atomic::Ordering;

use domain::{
    Code,
    background::job::{FairShare, JobRunner, JobState, Lane, RunningJobs},
    foundation::page::{Page, Take},
    learning::{
        agreement::Agreement,
        dataset::{SampleFilter, stats::Statistics},
        evaluation::{
            EvaluatedModel, Evaluation, EvaluationMetrics, EvaluationOrder, EvaluationScope, NewEvaluation,
        },
    },
    money::amount::Amount,
};
use ports::id::DatasetId;
use tokio::sync::watch;

use super::scripted::Studio;
use crate::harness::{Db, eventually, inv, on_both};

fn new(studio: &Studio, model: EvaluatedModel) -> NewEvaluation {
    NewEvaluation {
        judge: studio.judge.clone(),
        version: None,
        model,
        filter: SampleFilter::default(),
        scope: EvaluationScope::default(),
    }
}

async fn start(studio: &Studio, model: EvaluatedModel, milli: i64) -> domain::Result<Evaluation> {
    start_in(studio, model, EvaluationScope::default(), milli).await
}

async fn start_in(
    studio: &Studio,
    model: EvaluatedModel,
    scope: EvaluationScope,
    milli: i64,
) -> domain::Result<Evaluation> {
    let evaluation = NewEvaluation { scope, ..new(studio, model) };
    let order = EvaluationOrder { evaluation, max_credits: Amount::from_milli(milli) };
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
async fn metrics(studio: &Studio, of: &Evaluation) -> EvaluationMetrics {
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
    let price = studio.evaluations.estimate(&studio.actor, &wanted).await.unwrap();
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

    let EvaluationMetrics { unseen: found, trained } = metrics(&studio, &zero_shot).await;
    assert_eq!((found.len(), found[0].count, trained.len()), (1, 120, 0));
    assert!((found[0].accuracy.unwrap() - 1.0 / 3.0).abs() < 1e-9, "{:?}", found[0]);
    let of_stats = agreement(&studio, None).await;
    assert_eq!((of_stats.count, of_stats.evaluated, of_stats.accuracy), (120, 120, found[0].accuracy));
    assert_eq!((of_stats.macro_f1, of_stats.kappa), (found[0].macro_f1, found[0].kappa));
    let trained = studio.submit(false).await.unwrap();
    let trained = studio.is(&trained, JobState::Succeeded).await;
    let model = EvaluatedModel::Checkpoint(trained.id.clone());
    let with = start_in(&studio, model, EvaluationScope::All, total).await.unwrap();
    let with = is(&studio, &with, JobState::Succeeded).await;
    let EvaluationMetrics { unseen, trained } = metrics(&studio, &with).await;
    assert_eq!((unseen[0].accuracy, trained[0].accuracy), (Some(1.0), Some(1.0)));
    let held_out = unseen[0].count;
    assert_eq!((with.samples, trained[0].count), (120, 120 - held_out));
    assert!((12..40).contains(&held_out), "{held_out}");
    // What it was trained on decides nothing.
    let page = Page { after: None, before: None, take: Take::First(10) };
    let compared = studio.evaluations.compare(&studio.account, &zero_shot.id, &with.id, page).await.unwrap();
    let difference = compared.difference.unwrap();
    assert!(compared.verdict.better && !compared.verdict.worse, "{:?}", compared.verdict);
    assert_eq!((difference.samples, difference.wins, difference.losses), (held_out, compared.changed, 0));
    assert_eq!((compared.changes.items.len(), compared.changes.has_next), (10, compared.changed > 10));
    let page = Page { after: None, before: None, take: Take::First(10) };
    let turned = studio.evaluations.compare(&studio.account, &with.id, &zero_shot.id, page).await.unwrap();
    assert!(turned.verdict.worse && !turned.verdict.better, "{:?}", turned.verdict);
    let first = &compared.changes.items[0];
    assert_eq!((first.old.as_deref(), first.new.as_deref()), (Some("other"), Some(first.truth.as_str())));
    // The statistics use the latest evaluation of the requested version.
    assert_eq!(agreement(&studio, Some(1)).await.accuracy, Some(1.0));
    assert_eq!(agreement(&studio, Some(2)).await.count, 0);
    // A ground truth corrected later counts as it is now.
    let sql = "UPDATE sample_answer SET truth = 'other' WHERE truth = 'billing'";
    studio.execute(sql).await;
    let corrected = agreement(&studio, None).await;
    let of_run = format!("evaluation_answer WHERE evaluation_id = '{}' AND NOT trained", with.id);
    let billing = inv::count(&db, &format!("{of_run} AND truth = 'billing'")).await;
    assert_eq!(corrected.count, held_out);
    assert_eq!(corrected.agreeing, held_out - u64::try_from(billing).unwrap());
    // Nothing was recorded: the imported samples still have no answers.
    assert_eq!(inv::count(&db, "sample_answer WHERE value IS NULL").await, 120);
    worker.drain().await;
}

/// An evaluation of a Checkpoint reads what it was not trained on, unless another scope is asked for.
async fn samples_of_the_training_do_not_flatter_a_checkpoint(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.label(60).await;
    let worker = studio.worker();
    for scope in [EvaluationScope::HeldOut, EvaluationScope::New] {
        let refused = start_in(&studio, EvaluatedModel::ZeroShot, scope, i64::MAX).await.unwrap_err();
        assert_eq!(refused.code, Code::ValidationFailed, "{}", refused.message);
    }
    let trained = studio.submit(false).await.unwrap();
    let trained = studio.is(&trained, JobState::Succeeded).await;
    let on = studio.script.seen.lock().unwrap()[0].len() as u64;
    let samples = async |scope| {
        let wanted = NewEvaluation { scope, ..new(&studio, EvaluatedModel::Checkpoint(trained.id.clone())) };
        studio.evaluations.estimate(&studio.actor, &wanted).await.map(|estimate| estimate.samples)
    };
    assert_eq!(samples(EvaluationScope::Unseen).await.unwrap(), 60 - on);
    assert_eq!(samples(EvaluationScope::HeldOut).await.unwrap(), 60 - on);
    assert_eq!(samples(EvaluationScope::All).await.unwrap(), 60);
    let none = samples(EvaluationScope::New).await.unwrap_err();
    assert!(none.message.contains("none of the 60 labelled samples"), "{}", none.message);
    // New ones, and the same contents once more: what was trained on stays so.
    studio.label(90).await;
    let copies = 60;
    assert_eq!(samples(EvaluationScope::All).await.unwrap(), 150);
    assert_eq!(samples(EvaluationScope::HeldOut).await.unwrap(), 60 - on);
    assert_eq!(samples(EvaluationScope::New).await.unwrap(), 90 - copies + (60 - on));
    assert_eq!(samples(EvaluationScope::Unseen).await.unwrap(), 90 - copies + 2 * (60 - on));
    let run = start(&studio, EvaluatedModel::Checkpoint(trained.id.clone()), i64::MAX).await.unwrap();
    let run = is(&studio, &run, JobState::Succeeded).await;
    assert_eq!((run.scope, run.done), (EvaluationScope::Unseen, 90 - copies + 2 * (60 - on)));
    assert_eq!(metrics(&studio, &run).await.trained, []);
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
        let dying = JobRunner {
            db: studio.db.clone(),
            handlers: studio.handlers(),
            running: RunningJobs::default(),
            stopping,
        };
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

async fn an_account_has_few_evaluations_however_many_are_started_at_once(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.label(20).await;
    let starts = (0..8).map(|_| start(&studio, EvaluatedModel::ZeroShot, i64::MAX));
    let started = futures_util::future::join_all(starts).await;
    let refused: Vec<_> = started.iter().filter_map(|started| started.as_ref().err()).collect();
    assert_eq!(refused.len(), 4);
    assert!(refused.iter().all(|error| error.code == Code::Conflict), "{refused:?}");
}

on_both!(
    an_account_has_few_evaluations_however_many_are_started_at_once,
    imported_labels_are_evaluated_and_two_models_compared,
    samples_of_the_training_do_not_flatter_a_checkpoint,
    an_interrupted_evaluation_continues_and_is_charged_once,
    a_cancelled_evaluation_is_charged_for_its_answers_only,
);
