//! Checkpoints that are cancelled, cut off, refused or erased: each ends once, and is charged once or not at all.

use std::sync::atomic::Ordering;

use domain::{
    Code,
    background::job::{FairShare, JobRunner, JobState, Lane, RunningJobs},
    learning::checkpoint::Checkpoint,
    people::account::Accounts,
};
use tokio::sync::watch;

use super::scripted::Studio;
use crate::harness::{Db, eventually, on_both};

pub(super) async fn cancel(studio: &Studio, of: &Checkpoint) -> domain::Result<Checkpoint> {
    studio.checkpoints.cancel(&studio.actor, &of.id).await
}

async fn a_cancelled_checkpoint_costs_nothing(db: Db) {
    let studio = Studio::new(&db, 5_000).await;
    studio.label(30).await;
    let queued = studio.submit(false).await.unwrap();
    assert_eq!(cancel(&studio, &queued).await.unwrap().state, JobState::Cancelled);
    assert_eq!(studio.funds().await, (5_000_000, 0));
    studio.script.waits.store(true, Ordering::SeqCst);
    let worker = studio.worker();
    let running = studio.submit(false).await.unwrap();
    studio.begun(1).await;
    assert_eq!(cancel(&studio, &running).await.unwrap().state, JobState::Running);
    studio.is(&running, JobState::Cancelled).await;
    assert_eq!(studio.funds().await, (5_000_000, 0));
    assert_eq!(
        cancel(&studio, &running).await.unwrap().state,
        JobState::Cancelled,
        "cancelling twice is no error"
    );
    assert_eq!(studio.stored(&db).await, (0, 0));
    studio.script.waits.store(false, Ordering::SeqCst);
    // The Judge can still be trained, and a finished Checkpoint cannot be cancelled.
    let done = studio.submit(false).await.unwrap();
    studio.is(&done, JobState::Succeeded).await;
    assert_eq!(cancel(&studio, &done).await.unwrap_err().code, Code::Conflict);
    assert_eq!(
        studio.checkpoints.activate(&studio.actor, &running.id).await.unwrap_err().code,
        Code::Conflict
    );
    worker.drain().await;
}

async fn a_refused_training_fails_and_costs_nothing(db: Db) {
    let studio = Studio::new(&db, 5_000).await;
    studio.label(30).await;
    studio.script.refuses.store(true, Ordering::SeqCst);
    let worker = studio.worker();
    let submitted = studio.submit(true).await.unwrap();
    let failed = studio.is(&submitted, JobState::Failed).await;
    assert_eq!(failed.error.as_deref(), Some("`team` has one class; label others too"));
    assert_eq!((studio.funds().await, studio.stored(&db).await), ((5_000_000, 0), (0, 0)));
    worker.drain().await;
}

/// A worker that shuts down hands over its training; one that is killed leaves it until its lease ends.
async fn an_interrupted_training_is_repeated_and_charged_once(db: Db) {
    let studio = Studio::new(&db, 5_000).await;
    studio.label(30).await;
    studio.script.waits.store(true, Ordering::SeqCst);
    let submitted = studio.submit(false).await.unwrap();
    let worker = studio.worker();
    studio.begun(1).await;
    worker.drain().await;
    assert_eq!(studio.is(&submitted, JobState::Running).await.artefact, None);
    for death in 2..7 {
        let (_stop, stopping) = watch::channel(false);
        let dying = JobRunner {
            db: studio.db.clone(),
            handlers: studio.handlers(),
            running: RunningJobs::default(),
            stopping,
        };
        let id = submitted.job.clone();
        let worker = tokio::spawn(async move { dying.run(&FairShare::new(Lane::Training), &id).await });
        studio.begun(death).await;
        worker.abort();
        let _ = worker.await;
        studio.execute("UPDATE job SET lease_until = 1, delivered_at = 0").await;
    }
    studio.script.waits.store(false, Ordering::SeqCst);
    let worker = studio.worker();
    studio.is(&submitted, JobState::Succeeded).await;
    assert_eq!((studio.funds().await, studio.stored(&db).await), ((0, 0), (1, 1)));
    worker.drain().await;
    assert!(studio.script.begun.load(Ordering::SeqCst) >= 7);
}

async fn an_account_can_be_erased_during_a_training(db: Db) {
    let studio = Studio::new(&db, 5_000).await;
    studio.label(30).await;
    let worker = studio.worker();
    let first = studio.submit(true).await.unwrap();
    studio.is(&first, JobState::Succeeded).await;
    db.cli(&["credits", "grant", "--account", studio.account.as_str(), "--amount", "5000"]).await;
    studio.script.waits.store(true, Ordering::SeqCst);
    studio.submit(true).await.unwrap();
    studio.begun(2).await;
    let name = Accounts::new(studio.db.clone()).find(&studio.account).await.unwrap().name;
    Accounts::new(studio.db.clone()).erase(&studio.actor, &name).await.unwrap();
    studio.script.waits.store(false, Ordering::SeqCst);
    eventually("nothing is left", async || {
        let mut left = 0;
        for table in ["artefact", "checkpoint", "checkpoint_event", "sample", "judge", "hold"] {
            left += crate::harness::inv::count(&db, table).await;
        }
        (left == 0).then_some(())
    })
    .await;
    worker.drain().await;
    let (_, charges) = studio.stored(&db).await;
    assert_eq!(charges, 1, "only the first Checkpoint");
}

on_both!(
    a_cancelled_checkpoint_costs_nothing,
    a_refused_training_fails_and_costs_nothing,
    an_interrupted_training_is_repeated_and_charged_once,
    an_account_can_be_erased_during_a_training,
);
