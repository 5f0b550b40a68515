//! Webhook endpoints receive each end of a Checkpoint or evaluation once, recorded in the transaction that ends it.

use std::sync::atomic::Ordering;

use domain::{
    background::job::JobState,
    learning::{
        dataset::SampleFilter,
        evaluation::{EvaluatedModel, Evaluation, EvaluationOrder, EvaluationScope, NewEvaluation},
    },
    money::amount::Amount,
};
use serde_json::{Value, json};

use super::scripted::Studio;
use crate::harness::{Db, eventually, inv, on_both};

#[derive(sea_orm::FromQueryResult)]
struct DeliveryRow {
    event_type: String,
    payload: String,
}

async fn start(studio: &Studio) -> Evaluation {
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

async fn each_end_is_announced_once(db: Db) {
    let studio = Studio::new(&db, 20_000).await;
    studio.label(30).await;
    let now = "'2026-11-22 12:00:00+00:00'";
    studio
        .execute(&format!(
            "INSERT INTO webhook_endpoint (id, account_id, url, description, event_types, secret, enabled, created_by, \
             created_at, updated_at) VALUES ('webhook_1', '{}', 'https://example.com/', '', '', 'whsec_AA==', TRUE, \
             'user_1', {now}, {now})",
            studio.account
        ))
        .await;
    let cancelled = studio.submit(false).await.unwrap();
    for _ in 0..2 {
        studio.checkpoints.cancel(&studio.actor, &cancelled.id).await.unwrap();
    }
    let not_run = start(&studio).await;
    studio.evaluations.cancel(&studio.actor, &not_run.id).await.unwrap();
    let worker = studio.worker();
    studio.script.refuses.store(true, Ordering::SeqCst);
    let failed = studio.submit(false).await.unwrap();
    studio.is(&failed, JobState::Failed).await;
    studio.script.refuses.store(false, Ordering::SeqCst);
    let done = studio.submit(true).await.unwrap();
    studio.is(&done, JobState::Succeeded).await;
    let run = start(&studio).await;
    eventually("it succeeds", async || {
        let now = studio.evaluations.find(&studio.account, &run.id).await.unwrap();
        (now.state == JobState::Succeeded).then_some(())
    })
    .await;
    worker.drain().await;

    let told: Vec<DeliveryRow> =
        inv::rows(&db, "SELECT event_type, payload FROM webhook_delivery ORDER BY id").await;
    let told: Vec<(String, Value)> = told
        .into_iter()
        .map(|one| (one.event_type, serde_json::from_str(&one.payload).expect("JSON")))
        .collect();
    let expected = [
        ("checkpoint.cancelled", cancelled.id.to_string(), 0.0),
        ("evaluation.cancelled", not_run.id.to_string(), 0.0),
        ("checkpoint.failed", failed.id.to_string(), 0.0),
        ("checkpoint.succeeded", done.id.to_string(), 5_000.0),
        ("evaluation.succeeded", run.id.to_string(), 30.0 * run.price.credits()),
    ];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for ((kind, body), (wanted, id, charged)) in told.iter().zip(expected) {
        assert_eq!((kind.as_str(), &body["type"]), (wanted, &json!(wanted)));
        assert_eq!((&body["data"]["id"], &body["data"]["judge_id"]), (&json!(id), &json!(studio.judge)));
        assert_eq!(body["data"]["status"], wanted.split_once('.').unwrap().1);
        assert_eq!(body["data"]["credits_charged"], charged, "{body}");
        assert!(body["data"]["finished_at"].is_string(), "{body}");
    }
    assert_eq!(told[2].1["data"]["error"], "`team` has one class; label others too");
}

on_both!(each_end_is_announced_once);
