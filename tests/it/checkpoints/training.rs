//! Training from submission to activation: snapshots, hold-out, comparison and refusals.

use std::sync::atomic::Ordering;

use domain::{
    Code,
    background::job::JobState,
    foundation::{
        actor::{Actor, Role},
        page::{Page, Take},
    },
    learning::{
        checkpoint::{Artefacts, Checkpoints, NewCheckpoint},
        dataset::{Datasets, Selection},
    },
};
use ports::decision::HeadStore;

use super::scripted::Studio;
use crate::harness::{Db, on_both};

const FIRST: Page<i64> = Page { after: None, before: None, take: Take::First(100) };

async fn a_checkpoint_is_trained_compared_charged_once_and_activated(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.label(150).await;
    let submitted = studio.submit(true).await.unwrap();
    assert_eq!((submitted.state, submitted.price.milli()), (JobState::Queued, 5_000_000));
    assert_eq!(studio.funds().await, (20_000_000, 5_000_000));
    let worker = studio.worker();
    let done = studio.is(&submitted, JobState::Succeeded).await;
    assert_eq!((done.progress, done.error.as_deref()), (1.0, None));
    assert_eq!(studio.funds().await, (15_000_000, 0));
    assert_eq!(studio.stored(&db).await, (1, 1));
    let sha256 = done.artefact.clone().unwrap();
    let bytes = Artefacts { db: studio.db.clone() }.read(&sha256).await.unwrap();
    assert_eq!((bytes.as_slice(), sha256.len()), (&b"the first word"[..], 64));
    let details = studio.checkpoints.details(&studio.account, std::slice::from_ref(&done.id)).await.unwrap();
    let metrics = details[&done.id].metrics.clone().unwrap();
    assert!((20..45).contains(&metrics.hold_out_samples), "{}", metrics.hold_out_samples);
    assert_eq!(metrics.training_samples + metrics.hold_out_samples, 150);
    assert_eq!(studio.script.seen.lock().unwrap()[0].len() as u64, metrics.training_samples);
    let key = &metrics.keys[0];
    assert_eq!(key.checkpoint.accuracy, Some(1.0));
    assert!(key.live.accuracy.unwrap() < 0.6, "{:?}", key.live);
    assert!(key.difference.as_ref().unwrap().interval.low > 0.0);
    assert!(metrics.verdict.better && metrics.activated, "{:?}", metrics.verdict);
    let active = studio.judges().find(&studio.account, &studio.judge).await.unwrap().checkpoint.unwrap();
    assert_eq!((active.id, active.sha256), (done.id.clone(), sha256));
    let events = studio.checkpoints.events(&done.id, FIRST).await.unwrap().items;
    let said: Vec<&str> = events.iter().map(|event| event.message.as_str()).collect();
    assert!(said.contains(&"read") && said.contains(&"activated"), "{said:?}");
    // A second Checkpoint has the same artefact, so it is not better than the first.
    let again = studio.submit(true).await.unwrap();
    let again = studio.is(&again, JobState::Succeeded).await;
    let details = studio.checkpoints.details(&studio.account, std::slice::from_ref(&again.id)).await.unwrap();
    let metrics = details[&again.id].metrics.clone().unwrap();
    assert_eq!(metrics.live.as_ref(), Some(&done.id));
    assert!(!metrics.verdict.better && !metrics.activated);
    assert_eq!(studio.stored(&db).await, (1, 2));
    // By hand: activate the second, the first again, then the base model.
    for id in [&again.id, &done.id] {
        studio.checkpoints.activate(&studio.actor, id).await.unwrap();
        let judge = studio.judges().find(&studio.account, &studio.judge).await.unwrap();
        assert_eq!(judge.checkpoint.map(|active| active.id).as_ref(), Some(id));
    }
    let judge = studio.checkpoints.deactivate(&studio.actor, &studio.judge).await.unwrap();
    assert_eq!(judge.checkpoint(), None);
    worker.drain().await;
}

/// Labels that two people gave the other way round make a Checkpoint better by the same labels. It waits for somebody
/// who has looked at them.
async fn a_checkpoint_of_swapped_labels_does_not_activate_itself(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.script.second_word.store(true, Ordering::SeqCst);
    for number in 0..120 {
        let [label, right] =
            [["billing", "shipping"], ["shipping", "billing"], ["other", "other"]][number % 3];
        studio.sample(&format!("{label} {right} {number}"), label).await;
    }
    let worker = studio.worker();
    let submitted = studio.submit(true).await.unwrap();
    let done = studio.is(&submitted, JobState::Succeeded).await;
    let details = studio.checkpoints.details(&studio.account, std::slice::from_ref(&done.id)).await.unwrap();
    let metrics = details[&done.id].metrics.clone().unwrap();
    assert!(metrics.verdict.better && !metrics.activated, "{:?}", metrics.verdict);
    let doubt = metrics.doubt.unwrap();
    assert!(doubt.starts_with("the labels `billing` and `shipping` of `team` look swapped"), "{doubt}");
    assert_eq!(studio.judges().find(&studio.account, &studio.judge).await.unwrap().checkpoint, None);
    let events = studio.checkpoints.events(&done.id, FIRST).await.unwrap().items;
    let said: Vec<&str> = events.iter().map(|event| event.message.as_str()).collect();
    assert!(
        said.iter().any(|said| said.starts_with("not activated automatically, because the labels")),
        "{said:?}"
    );
    assert!(said.iter().any(|said| said.contains("samples differently from the live model")), "{said:?}");
    // Who has looked at them may activate it.
    studio.checkpoints.activate(&studio.actor, &done.id).await.unwrap();
    let judge = studio.judges().find(&studio.account, &studio.judge).await.unwrap();
    assert_eq!(judge.checkpoint.map(|active| active.id), Some(done.id));
    worker.drain().await;
}

async fn labels_set_after_the_submission_are_not_used(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.label(60).await;
    let changed = studio.sample("changed later", "billing").await;
    let cleared = studio.sample("cleared later", "shipping").await;
    let twin = studio.sample("billing twin", "other").await;
    studio.sample("billing twin", "billing").await;
    studio.submit(false).await.unwrap();
    // Labels and samples changed after the submission.
    for (seq, value) in [(changed, Some("other")), (cleared, None), (twin, Some("shipping"))] {
        let ids = vec![dataset_id(&studio, seq).await];
        let selection = Selection::Ids { dataset: None, ids };
        Datasets::new(studio.db.clone())
            .reclassify(&studio.actor, &selection, "team", value, None)
            .await
            .unwrap();
    }
    studio.sample("later sample", "billing").await;
    let worker = studio.worker();
    studio.begun(1).await;
    let seen = studio.script.seen.lock().unwrap()[0].clone();
    // Each sample is either trained on with its earlier label, or held out.
    for (state, label) in [
        ("changed later", "billing"),
        ("cleared later", "shipping"),
        // Of two samples with the same state, the newest one's label.
        ("billing twin", "billing"),
    ] {
        let labels = labels_of(&seen, state);
        assert!(labels == [label] || labels.is_empty(), "{state}: {labels:?}");
    }
    assert!(labels_of(&seen, "later sample").is_empty());
    worker.drain().await;
}

/// The labels with which a state was trained on.
fn labels_of<'a>(seen: &'a [(String, String)], state: &str) -> Vec<&'a str> {
    seen.iter().filter(|(seen, _)| seen == state).map(|(_, label)| label.as_str()).collect()
}

async fn dataset_id(studio: &Studio, seq: i64) -> ports::id::SampleId {
    use sea_orm::{ConnectionTrait, Statement};
    let sql = format!("SELECT id FROM sample WHERE seq = {seq}");
    let statement = Statement::from_string(studio.db.read().get_database_backend(), sql);
    let row = studio.db.read().query_one_raw(statement).await.unwrap().unwrap();
    ports::id::SampleId::from(row.try_get::<String>("", "id").unwrap())
}

async fn impossible_trainings_are_refused_and_hold_no_credits(db: Db) {
    let studio = Studio::new(&db, 6_000).await;
    studio.label(7).await;
    let refused = studio.submit(false).await.unwrap_err();
    assert_eq!(refused.code, Code::ValidationFailed);
    assert!(refused.message.contains("has 7 (team: 7)"), "{}", refused.message);
    studio.label(12).await;
    let analyst = Actor { role: Role::Analyst, ..studio.actor.clone() };
    let new = NewCheckpoint { judge: studio.judge.clone(), auto_activate: false };
    let refused = studio.checkpoints.submit(&analyst, new.clone(), None).await;
    assert_eq!(refused.unwrap_err().code, Code::Forbidden);
    let without_trainer = Checkpoints { trainer: None, ..studio.checkpoints.clone() };
    let refused = without_trainer.submit(&studio.actor, new, None).await;
    assert_eq!(refused.unwrap_err().code, Code::EngineUnavailable);
    studio.judges().archive(&studio.actor, &studio.judge, true).await.unwrap();
    assert_eq!(studio.submit(false).await.unwrap_err().code, Code::Conflict);
    studio.judges().archive(&studio.actor, &studio.judge, false).await.unwrap();
    assert_eq!(studio.funds().await, (6_000_000, 0));
    // Of two submissions at once, one is accepted.
    let (one, other) = tokio::join!(studio.submit(false), studio.submit(false));
    let refused: Vec<Code> =
        [&one, &other].iter().filter_map(|one| one.as_ref().err()).map(|e| e.code).collect();
    assert!(refused == [Code::Conflict] || refused == [Code::InsufficientCredits], "{refused:?}");
    assert_eq!(studio.funds().await, (6_000_000, 5_000_000));
    let taken = one.or(other).unwrap();
    studio.checkpoints.cancel(&studio.actor, &taken.id).await.unwrap();
    assert_eq!(studio.funds().await, (6_000_000, 0));
    // The account cannot pay the price.
    studio.execute("UPDATE price SET amount = 7000000 WHERE operation = 'checkpoint'").await;
    assert_eq!(studio.submit(false).await.unwrap_err().code, Code::InsufficientCredits);
    assert_eq!(studio.funds().await, (6_000_000, 0));
}

on_both!(
    a_checkpoint_is_trained_compared_charged_once_and_activated,
    a_checkpoint_of_swapped_labels_does_not_activate_itself,
    labels_set_after_the_submission_are_not_used,
    impossible_trainings_are_refused_and_hold_no_credits,
);
