//! `redact`: a verdict with the message as it is without personal data.

use serde_json::{Value, json};

use crate::{
    batches::{ended, results, submitted},
    harness::{Account, Db, Request, Server, on_both},
};

const TEXT: &str = "/api/v1/moderate/text";
/// The umlaut has two bytes: places are in characters.
const MESSAGE: &str = "für Ann: ann@example.com, card 4111 1111 1111 1111, dni 12345678Z";

fn message(redact: bool) -> Value {
    json!({ "content": MESSAGE, "mode": "native", "redact": redact })
}

/// The message under one `Idempotency-Key`.
fn once(server: &Server, account: &Account, redact: bool) -> Request {
    server.post(TEXT).key(&account.key).idempotent("one").json(message(redact))
}

fn expected() -> Value {
    json!({
        "content": "für Ann: [EMAIL], card [PAYMENT_CARD], dni [NATIONAL_ID]",
        "personal_data": [
            { "type": "email", "start": 9, "end": 24, "probability": 0.99 },
            { "type": "payment_card", "start": 31, "end": 50, "probability": 0.99 },
            { "type": "national_id", "start": 56, "end": 65, "country": "ES", "probability": 0.99 },
        ],
    })
}

async fn a_message_is_shown_without_personal_data_on_request(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let first = once(&server, &account, true).send().await.ok();
    assert_eq!(first["redacted"], expected(), "{first}");
    let again = once(&server, &account, true).send().await.ok();
    assert_eq!(again, first, "a replay shows the same");
    let other = once(&server, &account, false).send().await;
    assert_eq!(other.body["code"], "IDEMPOTENCY_MISMATCH", "{}", other.text);
    let without = server.post(TEXT).key(&account.key).json(message(false)).send().await.ok();
    assert_eq!(without.get("redacted"), None);
    assert_eq!(without["credits_deducted"], first["credits_deducted"]);
    let nothing = json!({ "content": "hello there", "redact": true, "mode": "native" });
    let nothing = server.post(TEXT).key(&account.key).json(nothing).send().await.ok();
    assert_eq!(nothing["redacted"], json!({ "content": "hello there", "personal_data": [] }));
    let wrong = json!({ "content": "hello", "redact": "yes" });
    let wrong = server.post(TEXT).key(&account.key).json(wrong).send().await;
    assert_eq!((wrong.status, wrong.field()), (422, "redact"), "{}", wrong.text);
}

async fn messages_of_batches_are_redacted_one_by_one(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let body = json!({ "messages": [message(true), message(false)] });
    let batch = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await.ok();
    assert_eq!(batch["results"][0]["redacted"], expected());
    assert_eq!(batch["results"][1].get("redacted"), None);
    let item = json!({ "custom_id": "a", "method": "POST", "url": TEXT, "body": message(true) });
    let bulk = submitted(&server, &account.key, &[item]).await;
    ended(&server, &account.key, &bulk).await;
    let lines = results(&server, &account.key, &bulk).await;
    assert_eq!(lines[0]["response"]["body"]["redacted"], expected(), "{lines:?}");
}

on_both!(a_message_is_shown_without_personal_data_on_request, messages_of_batches_are_redacted_one_by_one);
