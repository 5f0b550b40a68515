//! What clients in many languages send: null for each optional member that is not set, and integers as `30.0`.

use serde_json::{Value, json};

use super::inference::asking::{INFERENCE, start};
use crate::{
    batches::asking::{BATCHES, lines},
    harness::{Account, Answer, Db, Server, on_sqlite, picture},
};

const SINGLE: &str = "/api/v1/moderate/text";
const BATCH: &str = "/api/v1/moderate/text/batch";

/// Sends a body twice with one key, without and with members that are null; the second is a replay of the first only if
/// both are the same request.
async fn are_the_same(server: &Server, account: &Account, path: &str, without: Value, with: Value) {
    let first = send(server, account, path, &without).await;
    assert_eq!(first.status, 200, "{without}: {}", first.text);
    let second = send(server, account, path, &with).await;
    assert_eq!(second.text, first.text, "{with}");
    assert_eq!(second.header("idempotent-replayed"), Some("true"), "{with}");
}

async fn send(server: &Server, account: &Account, path: &str, body: &Value) -> Answer {
    server.post(path).key(&account.key).idempotent(path).json_text(body.to_string()).send().await
}

async fn null_is_as_if_a_member_were_absent(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let text = json!({ "content": "hello", "author": null, "channel": null, "account_age_days": null,
        "mentions_count": null, "has_attachments": null, "mode": null, "policy": null, "explain": null });
    let questions = json!([{ "role": "user", "content": "hello", "type": null }]);
    let predicate = json!([{ "type": "predicate", "instructions": "is it late?" }]);
    let team = json!({ "type": "choice", "criteria": { "billing": null, "other": null } });
    let mut nothing_asked = team.clone();
    nothing_asked["instructions"] = Value::Null;
    for (path, without, with) in [
        (SINGLE, json!({ "content": "hello" }), text.clone()),
        (
            BATCH,
            json!({ "messages": [{ "content": "hello" }] }),
            json!({ "messages": [text], "mode": null, "policy": null, "explain": null }),
        ),
        (
            INFERENCE,
            json!({ "content": "hello", "instructions": ["is it late?"] }),
            json!({ "state": null, "content": "hello", "instructions": ["is it late?"], "backend": null,
                "model": null, "mode": null, "parameters": null, "judge_id": null, "response_format": null }),
        ),
        (
            "/v1/moderations",
            json!({ "input": "hello" }),
            json!({ "input": "hello", "model": null, "policy": null }),
        ),
        (
            "/v1/systemone",
            json!({ "state": "hello", "questions": { "team": team } }),
            json!({ "state": "hello", "questions": { "team": nothing_asked }, "model": null, "assets": null }),
        ),
        (
            "/v1/decisions",
            json!({ "input": "hello", "model": "m", "questions": predicate }),
            json!({ "input": questions, "model": "m", "questions": predicate }),
        ),
    ] {
        are_the_same(&server, &account, path, without, with).await;
    }
}

async fn null_parameters_and_questions_are_absent(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let body = json!({
        "state": "hello",
        "instructions": { "team": { "type": "choice", "instructions": null, "criteria": { "a": null, "b": null } } },
        "parameters": { "temperature": null, "abstain_below": null, "steps": 3.0, "note": null },
    });
    let answer = server.post(INFERENCE).key(&account.key).json_text(body.to_string()).send().await.ok();
    assert_eq!(answer["inference_parameters"], json!({ "temperature": 1.0, "steps": 3, "note": null }));
}

async fn a_null_picture_is_absent(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let picture = picture::base64(&picture::fixture("rgb.jpg"));
    let body = json!({ "image_url": null, "image_base64": picture });
    server.post(picture::IMAGE).key(&account.key).json(body).send().await.ok();
}

async fn an_integer_may_be_written_as_a_float(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let integers = r#"{"content":"hello","account_age_days":3,"mentions_count":20}"#;
    let floats = r#"{"content":"hello","account_age_days":3.0,"mentions_count":2e1}"#;
    let first = server.post(SINGLE).key(&account.key).idempotent("k").json_text(integers).send().await;
    let second = server.post(SINGLE).key(&account.key).idempotent("k").json_text(floats).send().await;
    assert_eq!((second.status, &second.text), (200, &first.text));
    let query = r#"{"query":"query($n: Int) { account { judges(first: $n) { totalCount } } }","variables":{"n":20.0}}"#;
    let key = db.scoped_key(&account, "read").await;
    assert_eq!(
        server.post("/graphql").key(&key).json_text(query).send().await.data()["account"]["judges"],
        json!({ "totalCount": 0 })
    );
    let half = query.replace("20.0", "20.5");
    assert!(server.post("/graphql").key(&key).json_text(half).send().await.body["errors"].is_array());
}

async fn nulls_and_floats_in_a_batchs_lines_are_read(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "moderate,infer,read").await;
    let items = [
        json!({ "custom_id": "a", "method": null, "url": SINGLE,
            "body": { "content": "hello", "author": null, "account_age_days": 30.0, "explain": null } }),
        json!({ "custom_id": "b", "method": "POST", "url": INFERENCE,
            "body": { "state": "hello", "instructions": ["is it late?"], "parameters": null, "mode": null } }),
    ];
    let answer = server.post(BATCHES).key(&key).body("application/x-ndjson", lines(&items)).send().await;
    assert_eq!(answer.status, 202, "{}", answer.text);
}

on_sqlite!(
    null_is_as_if_a_member_were_absent,
    null_parameters_and_questions_are_absent,
    a_null_picture_is_absent,
    an_integer_may_be_written_as_a_float,
    nulls_and_floats_in_a_batchs_lines_are_read,
);
