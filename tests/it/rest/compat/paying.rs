//! The price of the compatibility routes, and strict model names.

use serde_json::{Value, json};

use crate::harness::{Db, Family, Server, Upstream, inv, on_both, on_sqlite};

/// A valid request for each paid path, with the prefix of its result's id.
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

async fn each_request_costs_half_a_credit_once_in_the_ledger(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    for (path, body, reference) in requests() {
        let account = server.account("0.5").await;
        let first = server.post(path).key(&account.key).idempotent("k").json(body.clone()).send().await;
        assert_eq!((first.status, first.header("idempotent-replayed")), (200, None), "{}", first.text);
        let again = server.post(path).key(&account.key).idempotent("k").json(body.clone()).send().await;
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
    let unknown = json!({ "model": "omni-moderation-latest", "input": "hello" });
    let refused = server.post("/v1/moderations").key(&account.key).json(unknown).send().await;
    refused.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
    assert_eq!(refused.body["error"]["param"], "model");
    for model in ["auto", "gavel-latest"] {
        let known = json!({ "model": model, "input": "hello" });
        server.post("/v1/moderations").key(&account.key).json(known).send().await.ok();
    }
}

on_both!(each_request_costs_half_a_credit_once_in_the_ledger);
on_sqlite!(an_operator_can_make_an_unknown_model_an_error);
