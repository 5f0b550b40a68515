//! A refused batch leaves nothing behind: no rows, no hold, no charge.

use serde_json::{Value, json};

use super::asking::*;
use crate::{
    harness::{Account, Db, Server, inv, on_both},
    holds::funds,
};

/// Asserts that no batch has left any rows or holds.
async fn nothing_is_left(db: &Db, account: &Account) {
    crate::harness::eventually("staged uploads are gone", async || {
        let mut left = 0;
        for table in ["batch", "batch_chunk", "job"] {
            left += inv::count(db, table).await;
        }
        (left == 0).then_some(())
    })
    .await;
    assert_eq!(funds(db, account).await.1, 0);
}

async fn every_faulty_line_is_reported(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1_000).await;
    let key = db.scoped_key(&account, "moderate,infer,read").await;
    let judge = "/api/v1/judges/judge_01kahd7f3ye9pvsk8h0a5m5x2e/inference";
    let items = [
        text("fine", "hello"),
        text("fine", "hello again"),
        text("blank", "  "),
        json!({ "custom_id": "elsewhere", "method": "POST", "url": "/api/v1/moderate/image", "body": {} }),
        json!({ "custom_id": "a", "method": "GET", "url": "/api/v1/moderate/text",
            "body": { "content": "x" }, "x": 1 }),
        json!({ "custom_id": "judge", "method": "POST", "url": judge, "body": { "state": "x" } }),
        json!({ "custom_id": "none", "method": "POST", "url": "/api/v1/inference", "body": { "state": "x" } }),
    ];
    let body = lines(&items) + "not JSON\n";
    let answer = server.post(BATCHES).key(&key).body("application/x-ndjson", body).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    let fields: Vec<&str> =
        answer.body["details"].as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap()).collect();
    let expected = [
        "line 2: custom_id",
        "line 3: body.content",
        "line 4: url",
        "line 5: method",
        "line 5: x",
        "line 6: url",
        "line 7: body.instructions",
        "line 8",
    ];
    assert_eq!(fields, expected, "{}", answer.text);
    let document = json!({ "items": [text("a", "fine"), text("b", "")] });
    let answer = server.post(BATCHES).key(&key).json(document).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(answer.field(), "items[1].body.content");
    let faults: Vec<Value> = (0..150).map(|n| text(&n.to_string(), "")).collect();
    let answer = submit(&server, &key, &faults).await;
    assert_eq!(
        answer.body["details"].as_array().unwrap().len(),
        101,
        "a hundred faults, and their total number"
    );
    nothing_is_left(&db, &account).await;
}

async fn batches_without_credits_or_permission_are_refused(db: Db) {
    let server =
        Server::with(&db).env("GAVEL_BULK_ITEMS", 10).env("GAVEL_BULK_BODY_BYTES", 10_000).start().await;
    let account = server.account(2).await;
    let five: Vec<Value> = (0..5).map(|n| text(&n.to_string(), "hello")).collect();
    submit(&server, &account.key, &five).await.fails(402, "INSUFFICIENT_CREDITS");
    let eleven: Vec<Value> = (0..11).map(|n| text(&n.to_string(), "hello")).collect();
    submit(&server, &account.key, &eleven).await.fails(422, "VALIDATION_FAILED");
    submit(&server, &account.key, &[]).await.fails(422, "VALIDATION_FAILED");
    submit(&server, &account.key, &[text("long", &"x".repeat(10_000))]).await.fails(413, "PAYLOAD_TOO_LARGE");
    let moderates = db.scoped_key(&account, "moderate").await;
    submit(&server, &moderates, &[question("a", "why?")]).await.fails(403, "FORBIDDEN");
    let reads = db.scoped_key(&account, "read").await;
    submit(&server, &reads, &[text("a", "hello")]).await.fails(403, "FORBIDDEN");
    let plain = server.post(BATCHES).key(&account.key).body("text/plain", lines(&five)).send().await;
    plain.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    for (body, status, code) in [
        ("{\"items\": [", 400, "MALFORMED_BODY"),
        ("{\"items\": 5}", 422, "VALIDATION_FAILED"),
        ("{\"items\": [], \"more\": 1}", 422, "VALIDATION_FAILED"),
        ("{\"items\": [], \"metadata\": {\"a\": 1}}", 422, "VALIDATION_FAILED"),
    ] {
        server.post(BATCHES).key(&account.key).json_text(body).send().await.fails(status, code);
    }
    nothing_is_left(&db, &account).await;
    assert_eq!(funds(&db, &account).await, (2_000, 0));
}

async fn open_batches_per_account_are_limited(db: Db) {
    let start = Server::with(&db).args(&["api"]).env("GAVEL_BULK_OPEN", 2);
    let server = start.start().await;
    let account = server.account(10).await;
    let other = server.account(10).await;
    let first = submitted(&server, &account.key, &[text("a", "hello")]).await;
    submitted(&server, &account.key, &[text("a", "hello")]).await;
    submit(&server, &account.key, &[text("a", "hello")]).await.fails(409, "CONFLICT");
    submitted(&server, &other.key, &[text("a", "hello")]).await;
    cancel(&server, &account.key, &first).await.ok();
    submitted(&server, &account.key, &[text("a", "hello")]).await;
    assert_eq!(funds(&db, &account).await, (10_000, 2 * PRICE));
}

on_both!(
    every_faulty_line_is_reported,
    batches_without_credits_or_permission_are_refused,
    open_batches_per_account_are_limited,
);
