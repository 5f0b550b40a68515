//! `backend: auto`: when a question is escalated to OpenRouter, and what happens when that fails.

use serde_json::{Value, json};

use super::asking::{ask, local, openrouter};
use crate::harness::{Db, Fault, Upstream, inv, on_sqlite};

fn reason(told: &Value) -> &str {
    told["routing"]["reason"].as_str().expect("a reason")
}

async fn uncertain_answers_are_escalated_and_kept_if_that_fails(db: Db) {
    let near = Upstream::start().await;
    let far = Upstream::start().await;
    let start =
        openrouter(local(&db, &near), &far).env("GAVEL_ESCALATE_BELOW", 1).env("GAVEL_BACKEND_RETRIES", 0);
    let server = start.start().await;
    let account = server.account(10).await;
    let told = ask(&server, &account, json!({ "backend": "auto" })).send().await.ok();
    assert_eq!((&told["backend"], near.asked().len(), far.asked().len()), (&json!("openrouter"), 1, 1));
    assert!(reason(&told).starts_with("escalated: "), "{}", reason(&told));
    // A certain answer is not escalated.
    let sure = json!({ "instructions": { "damaged": { "type": "score", "criteria": ["no", "yes"] } } });
    near.next([Some(Fault::Altered(|body| {
        body["answers"]["damaged"]["probabilities"] = json!({ "0": 0.0, "1": 1.0 });
    }))]);
    let told = ask(&server, &account, sure).send().await.ok();
    assert_eq!((&told["backend"], far.asked().len()), (&json!("local"), 1), "{}", reason(&told));
    for fault in
        [Fault::Status(500), Fault::Body("garbage"), Fault::Altered(|body| body["answers"] = json!({}))]
    {
        far.breaks(fault);
        let told = ask(&server, &account, json!({})).send().await.ok();
        assert_eq!(told["backend"], "local");
        assert!(reason(&told).contains("the escalation failed"), "{}", reason(&told));
    }
    ask(&server, &account, json!({ "backend": "local" })).send().await.ok();
    assert_eq!(far.asked().len(), 4, "`local` is never escalated");
    near.breaks(Fault::Status(500));
    ask(&server, &account, json!({})).send().await.fails(500, "UPSTREAM_FAILED");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 6);
}

async fn nothing_is_sent_while_escalation_is_off(db: Db) {
    let near = Upstream::start().await;
    let far = Upstream::start().await;
    let server = openrouter(local(&db, &near), &far).start().await;
    let account = server.account(10).await;
    let told = ask(&server, &account, json!({})).send().await.ok();
    assert_eq!((&told["backend"], far.asked().len(), far.probed().len()), (&json!("local"), 0, 0));
}

async fn openrouter_without_a_key_is_refused_naming_the_setting(db: Db) {
    let near = Upstream::start().await;
    let server = local(&db, &near).start().await;
    let account = server.account(10).await;
    let answer = ask(&server, &account, json!({ "backend": "openrouter" })).send().await;
    assert!(answer.fails(422, "VALIDATION_FAILED").contains("openrouter_api_key"), "{}", answer.text);
    assert!(near.asked().is_empty());
}

on_sqlite!(
    uncertain_answers_are_escalated_and_kept_if_that_fails,
    nothing_is_sent_while_escalation_is_off,
    openrouter_without_a_key_is_refused_naming_the_setting,
);
