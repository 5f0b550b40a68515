//! What the compatibility routes cost, and strict names.

use serde_json::{Value, json};

use crate::harness::{Db, Family, Server, Upstream, inv, on_both, on_sqlite};

/// A good request for each path that has a price, and what its result is called.
fn requests() -> [(&'static str, Value, &'static str); 3] {
    let noul = json!({ "q": { "type": "noul", "instructions": "is it late?" } });
    let predicate = json!([{ "type": "predicate", "instructions": "It is late." }]);
    [
        (
            "/v1/systemone",
            json!({ "model": "jev-latest", "state": "where is it?", "questions": noul }),
            "inf_",
        ),
        (
            "/v1/decisions",
            json!({ "model": "gpt-6-luna", "input": "where is it?", "questions": predicate }),
            "inf_",
        ),
        ("/v1/moderations", json!({ "model": "omni-moderation-latest", "input": "where is it?" }), "mod_"),
    ]
}

async fn each_costs_half_a_credit_once_and_stands_in_the_ledger(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    for (path, body, reference) in requests() {
        let account = server.account("0.5").await;
        let send = || server.post(path).key(&account.key).idempotent("k").json(body.clone()).send();
        let first = send().await;
        assert_eq!((first.status, first.header("idempotent-replayed")), (200, None), "{}", first.text);
        let again = send().await;
        assert_eq!((again.status, &again.text), (200, &first.text));
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        let charges = inv::charges(&db, &account.id).await;
        assert_eq!((charges.len(), charges[0].delta), (1, -500));
        assert_eq!(charges[0].endpoint.as_deref(), Some(path));
        assert!(charges[0].reference.as_deref().unwrap().starts_with(reference));
        assert_eq!(charges[0].request_id, first.request_id());
        let poor = server.post(path).key(&account.key).json(body.clone()).send().await;
        poor.fails_in(Family::of(path), 402, "INSUFFICIENT_CREDITS");
        let mut other = body;
        other[if path == "/v1/systemone" { "state" } else { "input" }] = json!("another one");
        let other = server.post(path).key(&account.key).idempotent("k").json(other).send().await;
        other.fails_in(Family::of(path), 422, "IDEMPOTENCY_MISMATCH");
    }
}

async fn an_operator_can_make_an_unknown_model_an_error(db: Db) {
    let server = Server::with(&db).env("GAVEL_STRICT_MODEL_NAMES", true).start().await;
    let account = server.account(10).await;
    let body = |model: &str| json!({ "model": model, "input": "hello" });
    let send = |model: &str| server.post("/v1/moderations").key(&account.key).json(body(model)).send();
    let refused = send("omni-moderation-latest").await;
    refused.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
    assert_eq!(refused.body["error"]["param"], "model");
    for model in ["auto", "gavel-latest"] {
        send(model).await.ok();
    }
}

on_both!(each_costs_half_a_credit_once_and_stands_in_the_ledger);
on_sqlite!(an_operator_can_make_an_unknown_model_an_error);
