//! Cascades: only the questions that a backend is unsure of go on, and each answer is paid for once.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    asking::INFERENCE,
    naming::{judge, two},
};
use crate::{
    harness::{Account, Db, Fault, Request, Server, Upstream, inv, on_both, on_sqlite},
    holds::nothing_held,
};

/// Asks two questions; the local model is sure of `sure` and not of `unsure`.
pub(super) fn ask_two(server: &Server, account: &Account, parameters: &Value) -> Request {
    let body = json!({
        "state": "The parcel arrived with a broken screen.",
        "instructions": {
            "sure": { "type": "noul", "instructions": "Is it broken?" },
            "unsure": { "type": "noul", "instructions": "Is the sender to blame?" },
        },
        "parameters": parameters,
    });
    server.post(INFERENCE).key(&account.key).json(body)
}

pub(super) fn half_sure(body: &mut Value) {
    body["answers"]["sure"]["noul"] = json!(0.95);
    body["answers"]["unsure"]["noul"] = json!(0.55);
}

fn unsure(body: &mut Value) {
    body["answers"]["unsure"]["noul"] = json!(0.6);
}

pub(super) fn outcomes(told: &Value) -> Vec<String> {
    let steps = told["routing"]["steps"].as_array().expect("steps");
    steps
        .iter()
        .map(|step| {
            format!(
                "{} {} {}",
                step["backend"].as_str().unwrap(),
                step["outcome"].as_str().unwrap(),
                step["credits"]
            )
        })
        .collect()
}

/// The keys that a System One server was asked.
fn keys(asked: &Value) -> Vec<&str> {
    asked["questions"].as_object().expect("questions").keys().map(String::as_str).collect()
}

fn three() -> Value {
    let last = json!({ "backend": "near" });
    json!({ "cascade": [{ "backend": "local", "below": 0.7 }, { "backend": "far", "below": 0.7 }, last] })
}

async fn only_unsure_questions_go_on_and_each_step_is_paid_for_once(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    own.breaks(Fault::Altered(half_sure));
    far.breaks(Fault::Altered(unsure));
    let server = two(&db, &own, &near, &far).start().await;
    let account = server.account(10).await;
    let told = ask_two(&server, &account, &three()).idempotent("cascade-1").send().await.ok();
    assert_eq!(outcomes(&told), ["local answered 0.5", "far answered 0.5", "near answered 2.0"]);
    assert_eq!(keys(&own.asked()[0].body), ["sure", "unsure"]);
    assert_eq!(keys(&far.asked()[0].body), ["unsure"]);
    assert_eq!(near.asked().len(), 2, "one question in two orders");
    assert_eq!((&told["answers"]["sure"]["noul"], &told["credits_deducted"]), (&json!(0.95), &json!(3.0)));
    let steps = &told["routing"]["steps"];
    assert_eq!((&steps[0]["certainty"], &steps[1]["questions"]), (&json!(0.55), &json!(["unsure"])));
    assert!(
        steps[0]["reason"].as_str().unwrap().starts_with("unsure of 1 of 2 (0.55 of 0.7 needed)"),
        "{told}"
    );
    let again = ask_two(&server, &account, &three()).idempotent("cascade-1").send().await.ok();
    assert_eq!(again["routing"], told["routing"]);
    // A surer second step ends it.
    far.breaks(Fault::Altered(|body| body["answers"]["unsure"]["noul"] = json!(0.99)));
    let told = ask_two(&server, &account, &three()).send().await.ok();
    assert_eq!((outcomes(&told).len(), &told["credits_deducted"]), (2, &json!(1.0)));
    let charges: Vec<i64> = inv::charges(&db, &account.id).await.iter().map(|charge| charge.delta).collect();
    assert_eq!(charges, [-3_000, -1_000]);
    nothing_held(&db, &account).await;
}

async fn the_dearest_path_must_be_affordable(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).start().await;
    let poor = server.account("2.9").await;
    ask_two(&server, &poor, &three()).send().await.fails(402, "INSUFFICIENT_CREDITS");
    assert!(own.asked().is_empty());
    own.breaks(Fault::Altered(|body| {
        body["answers"]["sure"]["noul"] = json!(0.95);
        body["answers"]["unsure"]["noul"] = json!(0.05);
    }));
    let enough = server.account(3).await;
    assert_eq!(ask_two(&server, &enough, &three()).send().await.ok()["credits_deducted"], 0.5);
}

async fn a_step_that_fails_costs_nothing_and_leaves_the_answers_before_it(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).env("GAVEL_BACKENDS__FAR__TIMEOUT_S", 1).start().await;
    let account = server.account(100).await;
    let last = json!({ "cascade": [{ "backend": "local", "below": 0.7 }, { "backend": "far" }] });
    own.breaks(Fault::Altered(half_sure));
    for fault in [Fault::Status(500), Fault::Silent, Fault::Body("<html>"), Fault::Status(402)] {
        far.breaks(fault.clone());
        let told = ask_two(&server, &account, &last).send().await.ok();
        assert_eq!(outcomes(&told), ["local answered 0.5", "far failed 0.0"], "{fault:?}");
        assert_eq!(
            (&told["answers"]["unsure"]["noul"], &told["credits_deducted"]),
            (&json!(0.55), &json!(0.5))
        );
    }
    // A first step that fails is left out, and one that everything depends on is an error.
    own.breaks(Fault::Status(503));
    far.heals();
    far.breaks(Fault::Late(Duration::from_millis(10)));
    let told = ask_two(&server, &account, &last).send().await.ok();
    assert_eq!(outcomes(&told), ["local failed 0.0", "far answered 0.5"]);
    far.breaks(Fault::Status(404));
    ask_two(&server, &account, &last).send().await.fails(500, "UPSTREAM_FAILED");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 5);
    nothing_held(&db, &account).await;
}

async fn content_that_must_stay_at_home_is_not_sent_abroad(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    own.breaks(Fault::Altered(half_sure));
    let cascade = "[{backend=\"local\",below=0.7},{backend=\"far\",below=0.99},{backend=\"near\"}]";
    let server = two(&db, &own, &near, &far).env("GAVEL_CASCADE", cascade).start().await;
    let account = server.account(10).await;
    let told = ask_two(&server, &account, &json!({ "data_boundary": "local" })).send().await.ok();
    assert_eq!(outcomes(&told), ["local answered 0.5", "far skipped 0.0", "near answered 2.0"]);
    assert!(far.asked().is_empty());
    let home = two(&db, &own, &near, &far).env("GAVEL_DATA_BOUNDARY", "local").start().await;
    let refused =
        ask_two(&home, &account, &json!({ "cascade": [{ "backend": "far" }], "data_boundary": "any" }))
            .send()
            .await;
    assert!(refused.fails(422, "VALIDATION_FAILED").contains("data_boundary is local"), "{}", refused.text);
    assert!(far.asked().is_empty());
    // The deployment's cascade is what `auto` means.
    let told = ask_two(&server, &account, &json!({})).send().await.ok();
    assert_eq!((outcomes(&told).len(), far.asked().len()), (3, 1));
    let body = json!({ "state": "x", "instructions": { "q": ["a", "b"] }, "backend": "local" });
    let told = server.post(INFERENCE).key(&account.key).json(body).send().await.ok();
    assert!(told["routing"]["steps"].is_null(), "`local` asks no other");
}

async fn a_batch_pays_for_the_steps_that_answered(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).start().await;
    let account = server.account(10).await;
    let judge = judge(
        &server,
        &account,
        json!({ "cascade": [{ "backend": "local", "below": 0 }, { "backend": "near" }] }),
    )
    .await;
    let path = format!("/api/v1/judges/{judge}/inference");
    let items = [
        json!({ "custom_id": "a", "url": path, "body": { "state": "Where is my parcel?" } }),
        json!({ "custom_id": "b", "url": INFERENCE, "body": {
            "state": "x", "instructions": { "q": ["a", "b"] }, "model": "near" } }),
    ];
    let lines: Vec<String> = items.iter().map(ToString::to_string).collect();
    let batch = server.post("/api/v1/batches").key(&account.key).body("application/jsonl", lines.join("\n"));
    let batch = batch.send().await;
    let id = batch.body["id"].as_str().unwrap_or_else(|| panic!("{}", batch.text)).to_owned();
    let done = crate::harness::eventually("the batch ends", async || {
        let now = server.get(&format!("/api/v1/batches/{id}")).key(&account.key).send().await.ok();
        (now["status"] == "completed").then_some(now)
    });
    let done = done.await;
    assert_eq!(done["credits_charged"].as_f64().or(done["credits_deducted"].as_f64()), Some(2.5), "{done}");
    assert_eq!(inv::balance(&db, &account.id).await, 7_500);
    nothing_held(&db, &account).await;
}

on_both!(
    only_unsure_questions_go_on_and_each_step_is_paid_for_once,
    a_batch_pays_for_the_steps_that_answered
);

on_sqlite!(
    the_dearest_path_must_be_affordable,
    a_step_that_fails_costs_nothing_and_leaves_the_answers_before_it,
    content_that_must_stay_at_home_is_not_sent_abroad,
);
