//! The price of an inference. Its aliases are one route for the ledger and for an `Idempotency-Key`.

use serde_json::json;

use super::asking::{INFERENCE, PATHS, alike, body, start, with};
use crate::harness::{Db, Server, eventually, inv, on_both, on_sqlite};

async fn aliases_answer_alike_and_are_charged_as_one_route(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(10).await;
    let first = alike(&server.post(INFERENCE).key(&account.key).json(body()).send().await);
    for (index, path) in PATHS.into_iter().enumerate() {
        let answer = server.post(path).header("x-api-key", &account.key).json(body()).send().await;
        assert_eq!(alike(&answer), first, "{path}");
        assert_eq!(answer.remaining(), 9_000 - 500 * index as i64);
        let charges = inv::charges(&db, &account.id).await;
        let row = charges.last().unwrap();
        assert_eq!((charges.len(), row.delta), (index + 2, -500));
        assert_eq!(row.endpoint.as_deref(), Some(INFERENCE));
        assert_eq!(row.reference.as_deref(), answer.body["id"].as_str());
        assert!(row.reference.as_deref().unwrap().starts_with("inf_"));
        assert_eq!(row.request_id, answer.request_id());
        assert_eq!(row.api_key_id.as_deref(), Some(account.key_id.as_str()));
    }
}

async fn a_repeated_request_is_answered_again_on_any_alias(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let first = server.post(INFERENCE).key(&account.key).idempotent("k").json(body()).send().await;
    assert_eq!((first.remaining(), first.header("idempotent-replayed")), (9_500, None));
    for path in PATHS {
        let again = server.post(path).key(&account.key).idempotent("k").json(body()).send().await;
        assert_eq!((again.status, &again.text), (200, &first.text));
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    for other in
        [with("state", json!("other")), with("mode", json!("hybrid")), with("parameters", json!({ "a": 1 }))]
    {
        let other = server.post(PATHS[1]).key(&account.key).idempotent("k").json(other).send().await;
        other.fails(422, "IDEMPOTENCY_MISMATCH");
    }
    assert_eq!((upstream.asked().len(), inv::charges(&db, &account.id).await.len()), (1, 1));
}

async fn insufficient_credits_are_reported_before_the_model_is_asked(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account("0.5").await;
    server.post(INFERENCE).key(&account.key).json(body()).send().await.ok();
    for path in PATHS {
        let answer = server.post(path).key(&account.key).json(body()).send().await;
        answer.fails(402, "INSUFFICIENT_CREDITS");
    }
    assert_eq!((upstream.asked().len(), inv::balance(&db, &account.id).await), (1, 0));
}

async fn a_new_price_is_charged_without_a_restart(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    server.cli(&["price", "set", "inference", "1.25"]).await;
    eventually("the new price is charged", async || {
        let answer = server.post(INFERENCE).key(&account.key).json(body()).send().await.ok();
        (answer["credits_deducted"] == 1.25).then_some(())
    })
    .await;
}

async fn only_keys_with_the_infer_scope_ask(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    for (scopes, status) in [("read", 403), ("moderate", 403), ("manage,read", 403), ("infer", 200)] {
        let key = db.scoped_key(&account, scopes).await;
        for path in PATHS {
            let answer = server.post(path).key(&key).json(body()).send().await;
            assert_eq!(answer.status, status, "{scopes} on {path}: {}", answer.text);
            if status == 403 {
                assert!(answer.fails(403, "FORBIDDEN").contains("`infer`"), "{}", answer.text);
            }
        }
    }
    assert_eq!(upstream.asked().len(), PATHS.len());
}

async fn nothing_is_charged_without_an_answer(db: Db) {
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", "http://127.0.0.1:9").start().await;
    let account = server.account(10).await;
    for path in PATHS {
        let answer = server.post(path).key(&account.key).json(body()).send().await;
        answer.fails(500, "UPSTREAM_FAILED");
    }
    assert_eq!(server.get("/readyz").send().await.ok()["decision_engine"], false);
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

on_both!(
    aliases_answer_alike_and_are_charged_as_one_route,
    a_repeated_request_is_answered_again_on_any_alias,
    insufficient_credits_are_reported_before_the_model_is_asked,
);
on_sqlite!(
    a_new_price_is_charged_without_a_restart,
    only_keys_with_the_infer_scope_ask,
    nothing_is_charged_without_an_answer,
);
