//! Checkpoints under faults: a full disk, a cancellation during the evaluation, and one that races a charge.

use std::{sync::atomic::Ordering, time::Duration};

use domain::{background::job::JobState, learning::checkpoint::Artefacts};
use ports::decision::HeadStore;
use sea_orm::ConnectionTrait;

use super::{ending::cancel, scripted::Studio};
use crate::harness::{Db, eventually, on_both, on_postgres};

/// Bytes of an artefact.
const LARGE: usize = 1 << 20;

/// Refuses artefacts with the error of a full disk.
async fn fill_disk(db: &Db, studio: &Studio) {
    let refuse = if db.is_sqlite() {
        "CREATE TRIGGER full_disk BEFORE INSERT ON artefact BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    } else {
        studio
            .execute(
                "CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION \
                 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$",
            )
            .await;
        "CREATE TRIGGER full_disk BEFORE INSERT ON artefact FOR EACH ROW EXECUTE FUNCTION full_disk()"
    };
    studio.execute(refuse).await;
}

async fn free_disk(db: &Db, studio: &Studio) {
    let free = if db.is_sqlite() { "DROP TRIGGER full_disk" } else { "DROP TRIGGER full_disk ON artefact" };
    studio.execute(free).await;
}

async fn a_full_disk_delays_a_checkpoint_or_fails_it_completely(db: Db) {
    let studio = Studio::new(&db, 10_000).await;
    studio.label(30).await;
    studio.script.padding.store(LARGE, Ordering::SeqCst);
    fill_disk(&db, &studio).await;
    let worker = studio.worker();
    let submitted = studio.submit(true).await.unwrap();
    studio.begun(1).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    studio.is(&submitted, JobState::Running).await;
    assert_eq!((studio.funds().await, studio.stored(&db).await), ((10_000_000, 5_000_000), (0, 0)));
    free_disk(&db, &studio).await;
    let stored = studio.is(&submitted, JobState::Succeeded).await;
    assert_eq!((studio.funds().await, studio.stored(&db).await), ((5_000_000, 0), (1, 1)));
    let bytes = Artefacts { db: studio.db.clone() }.read(&stored.artefact.unwrap()).await.unwrap();
    assert!(bytes.len() > LARGE, "incomplete: {} bytes", bytes.len());
    // The disk stays full until the last attempt: the hold is released. Different padding makes a new artefact.
    studio.script.padding.store(2 * LARGE, Ordering::SeqCst);
    fill_disk(&db, &studio).await;
    let submitted = studio.submit(true).await.unwrap();
    studio.execute("UPDATE job SET max_attempts = 1 WHERE state IN ('queued', 'running')").await;
    let failed = studio.is(&submitted, JobState::Failed).await;
    assert!(failed.artefact.is_none() && failed.error.is_some(), "{failed:?}");
    assert_eq!((studio.funds().await, studio.stored(&db).await), ((5_000_000, 0), (1, 1)));
    free_disk(&db, &studio).await;
    worker.drain().await;
}

async fn a_checkpoint_is_cancelled_while_it_is_evaluated(db: Db) {
    let studio = Studio::new(&db, 5_000).await;
    studio.label(400).await;
    studio.script.answer_ms.store(300, Ordering::SeqCst);
    let worker = studio.worker();
    let submitted = studio.submit(true).await.unwrap();
    eventually("it is evaluated", async || {
        let now = studio.checkpoints.find(&studio.account, &submitted.id).await.unwrap();
        assert_eq!(now.artefact, None, "evaluated too fast for this test");
        (now.progress > 0.85).then_some(())
    })
    .await;
    cancel(&studio, &submitted).await.unwrap();
    let ended = studio.is(&submitted, JobState::Cancelled).await;
    assert!(ended.progress < 1.0 && ended.finished_at.is_some(), "{ended:?}");
    assert_eq!((studio.funds().await, studio.stored(&db).await), ((5_000_000, 0), (0, 0)));
    worker.drain().await;
}

/// A charge locks the account, then the job; so does a cancellation.
async fn a_cancellation_and_a_charge_do_not_deadlock(db: Db) {
    let studio = Studio::new(&db, 5_000).await;
    studio.label(30).await;
    let submitted = studio.submit(true).await.unwrap();
    let charge = studio.db.begin().await.unwrap();
    let account = format!("SELECT 1 FROM account WHERE id = '{}' FOR UPDATE", studio.account);
    charge.execute_unprepared(&account).await.unwrap();
    let theirs = studio.clone();
    let id = submitted.clone();
    let cancelling = tokio::spawn(async move { cancel(&theirs, &id).await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let job = format!("UPDATE job SET attempts = attempts WHERE id = '{}'", submitted.job);
    charge.execute_unprepared(&job).await.unwrap();
    charge.commit().await.unwrap();
    assert_eq!(cancelling.await.unwrap().unwrap().state, JobState::Cancelled);
    assert_eq!(studio.funds().await, (5_000_000, 0));
}

on_both!(
    a_full_disk_delays_a_checkpoint_or_fails_it_completely,
    a_checkpoint_is_cancelled_while_it_is_evaluated
);
on_postgres!(a_cancellation_and_a_charge_do_not_deadlock);
