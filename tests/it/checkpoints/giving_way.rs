//! Long evaluations and trainings give their place to another account, and lose nothing by it.

use std::{sync::atomic::Ordering, time::Duration};

use domain::{
    background::job::JobState,
    learning::{
        dataset::SampleFilter,
        evaluation::{EvaluatedModel, Evaluation, EvaluationOrder, EvaluationScope, NewEvaluation},
    },
    money::amount::Amount,
};

use super::scripted::Studio;
use crate::harness::{Db, eventually, eventually_within, inv, on_both};

/// Within this time the other account's run has started and ended.
const SOON: Duration = Duration::from_secs(60);

async fn evaluate(studio: &Studio) -> Evaluation {
    let evaluation = NewEvaluation {
        judge: studio.judge.clone(),
        version: None,
        model: EvaluatedModel::ZeroShot,
        filter: SampleFilter::default(),
        scope: EvaluationScope::default(),
    };
    let order = EvaluationOrder { evaluation, max_credits: Amount::from_milli(i64::MAX) };
    studio.evaluations.start(&studio.actor, order, None).await.unwrap()
}

async fn evaluated(studio: &Studio, of: &Evaluation) -> Evaluation {
    eventually_within(SOON, "the evaluation succeeds", async || {
        let now = studio.evaluations.find(&studio.account, &of.id).await.unwrap();
        (now.state == JobState::Succeeded).then_some(now)
    })
    .await
}

/// How often a job was started.
async fn attempts(studio: &Studio, subject: &str) -> i64 {
    studio.number(&format!("SELECT CAST(attempts AS BIGINT) AS n FROM job WHERE subject = '{subject}'")).await
}

async fn a_long_evaluation_gives_way_and_continues(db: Db) {
    let long = Studio::new(&db, 20_000).await;
    let other = Studio::new(&db, 20_000).await;
    long.label(120).await;
    other.label(3).await;
    // It takes 90 s by itself: four samples at a time.
    long.script.answer_ms.store(3_000, Ordering::SeqCst);
    let worker = long.worker();
    let first = evaluate(&long).await;
    eventually("the long one runs", async || {
        let now = long.evaluations.find(&long.account, &first.id).await.unwrap();
        (now.state == JobState::Running).then_some(())
    })
    .await;
    let second = evaluate(&other).await;
    evaluated(&other, &second).await;
    let now = long.evaluations.find(&long.account, &first.id).await.unwrap();
    assert_eq!(now.state, JobState::Running, "{} of 120 are done", now.done);
    long.script.answer_ms.store(0, Ordering::SeqCst);
    let done = evaluated(&long, &first).await;
    assert_eq!((done.done, attempts(&long, first.id.as_str()).await), (120, 1), "it went on where it was");
    assert_eq!(long.funds().await, (20_000_000 - 120 * first.price.milli(), 0));
    assert_eq!(inv::charges(&db, long.account.as_str()).await.len(), 3);
    worker.drain().await;
}

async fn of_long_samples_one_is_under_way_at_a_time(db: Db) {
    for (words, expected) in [(10, 4), (4_000, 1)] {
        let studio = Studio::new(&db, 100).await;
        for number in 0..6 {
            studio.sample(&format!("billing {number}{}", " late".repeat(words)), "billing").await;
        }
        studio.script.answer_ms.store(200, Ordering::SeqCst);
        let worker = studio.worker();
        evaluated(&studio, &evaluate(&studio).await).await;
        let most = studio.script.most_under_way.load(Ordering::SeqCst);
        assert_eq!(most, expected, "of {words} words");
        worker.drain().await;
    }
}

async fn a_long_training_gives_way_and_continues(db: Db) {
    let long = Studio::new(&db, 20_000).await;
    let other = Studio::new(&db, 20_000).await;
    long.label(60).await;
    other.label(3).await;
    long.script.waits.store(true, Ordering::SeqCst);
    let worker = long.worker();
    let checkpoint = long.submit(false).await.unwrap();
    long.begun(1).await;
    evaluated(&other, &evaluate(&other).await).await;
    assert_eq!(long.checkpoints.find(&long.account, &checkpoint.id).await.unwrap().state, JobState::Running);
    long.script.waits.store(false, Ordering::SeqCst);
    long.is(&checkpoint, JobState::Succeeded).await;
    assert_eq!(long.script.begun.load(Ordering::SeqCst), 1, "it did not start over");
    assert_eq!((attempts(&long, checkpoint.id.as_str()).await, long.stored(&db).await), (1, (1, 1)));
    worker.drain().await;
}

async fn a_run_that_gave_way_can_be_cancelled_and_handed_over(db: Db) {
    let long = Studio::new(&db, 20_000).await;
    let other = Studio::new(&db, 20_000).await;
    long.label(60).await;
    other.label(60).await;
    long.script.waits.store(true, Ordering::SeqCst);
    let worker = long.worker();
    let checkpoint = long.submit(false).await.unwrap();
    long.begun(1).await;
    // The other one is long, too; it runs until it gives the place back.
    long.script.answer_ms.store(3_000, Ordering::SeqCst);
    let second = evaluate(&other).await;
    eventually_within(SOON, "the other one runs", async || {
        let now = other.evaluations.find(&other.account, &second.id).await.unwrap();
        (now.state == JobState::Running).then_some(())
    })
    .await;
    long.checkpoints.cancel(&long.actor, &checkpoint.id).await.unwrap();
    long.is(&checkpoint, JobState::Cancelled).await;
    assert_eq!(long.funds().await, (20_000_000, 0));
    // A third run waits while the place is the evaluation's; then the worker stops.
    let again = long.submit(false).await.unwrap();
    long.begun(2).await;
    worker.drain().await;
    let queued = format!("job WHERE state = 'queued' AND subject IN ('{}', '{}')", again.id, second.id);
    assert_eq!(inv::count(&db, &queued).await, 2, "another worker continues with both");
    long.script.waits.store(false, Ordering::SeqCst);
    long.script.answer_ms.store(0, Ordering::SeqCst);
    let worker = long.worker();
    long.is(&again, JobState::Succeeded).await;
    assert_eq!(evaluated(&other, &second).await.done, 60);
    assert_eq!(other.funds().await, (20_000_000 - 60 * second.price.milli(), 0));
    worker.drain().await;
}

on_both!(
    a_long_evaluation_gives_way_and_continues,
    of_long_samples_one_is_under_way_at_a_time,
    a_long_training_gives_way_and_continues,
    a_run_that_gave_way_can_be_cancelled_and_handed_over
);
