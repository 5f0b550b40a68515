//! Valid JSON with invalid fields: a 422 that names the field, no charge, and the next request works.

use serde_json::{Value, json};

use crate::harness::{Account, Db, Server, inv, on_both, on_sqlite};

const SINGLE: &str = "/api/v1/moderate/text";
const BATCH: &str = "/api/v1/moderate/text/batch";

/// Sends each body and asserts that it is refused for this field with a message with these words; then that nothing was
/// charged and that the next message is moderated.
async fn refuse(server: &Server, account: &Account, path: &str, table: &[(Value, &str, &str)]) {
    let before = inv::balance(&server.db, &account.id).await;
    let mut wrong = Vec::new();
    for (body, field, words) in table {
        let answer = server.post(path).key(&account.key).json(body.clone()).send().await;
        let shown: String = body.to_string().chars().take(200).collect();
        let named = &answer.body["details"][0]["field"];
        let message = answer.body["error"].as_str().unwrap_or_default();
        let right = (answer.status, &answer.body["code"]) == (422, &json!("VALIDATION_FAILED"))
            && named == field
            && message.starts_with(field)
            && message.contains(words);
        if !right {
            wrong.push(format!(
                "{shown}\n  should be 422: {field} … {words}\n  but was {}: {}",
                answer.status, answer.text
            ));
            continue;
        }
        answer.error();
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.len(), wrong.join("\n"));
    let next = server.moderate(&account.key, "and the next request works").send().await;
    assert_eq!(next.remaining(), before - 500, "{}", next.text);
}

/// A message with this value of one field.
fn with(field: &str, value: Value) -> Value {
    let mut body = json!({ "content": "hello" });
    body[field] = value;
    body
}

async fn every_error_in_a_body_is_listed(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let long = "a".repeat(20_000);
    for (body, all) in [
        (
            json!({ "messages": [{ "content": 5 }, { "mode": "fast" }, { "content": "fine" }, 7], "mode": [] }),
            &["messages[0].content", "messages[1].content", "messages[1].mode", "messages[3]", "mode"][..],
        ),
        (
            json!({ "messages": [{ "content": " " }, { "content": "fine" }, { "content": long, "author": "\0" }] }),
            &["messages[0].content", "messages[2].author", "messages[2].content"],
        ),
    ] {
        let answer = server.post(BATCH).key(&account.key).json(body).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        let details = answer.body["details"].as_array().unwrap();
        let mut fields: Vec<&str> = details.iter().map(|detail| detail["field"].as_str().unwrap()).collect();
        fields.sort_unstable();
        assert_eq!(fields, all, "{}", answer.text);
    }
}

async fn a_malformed_message_is_refused_with_the_field(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut table =
        vec![(json!({}), "content", "is required"), (json!({ "Content": "x" }), "content", "is required")];
    for body in [json!([]), json!(["hello"]), json!("hello"), json!(5), json!(true), Value::Null] {
        table.push((body, "body", "must be an object"));
    }
    table.push((with("content", Value::Null), "content", "must be a string"));
    for wrong in [json!(5), json!(1.5), json!(true), json!([]), json!(["hello"]), json!({})] {
        for field in ["content", "author", "channel"] {
            table.push((with(field, wrong.clone()), field, "must be a string"));
        }
    }
    for wrong in [
        json!("30"),
        json!(-1),
        json!(-1.0),
        json!(1.5),
        json!(-0.5),
        json!(1e30),
        json!(true),
        json!([]),
        json!({}),
    ] {
        for field in ["account_age_days", "mentions_count"] {
            table.push((with(field, wrong.clone()), field, "must be an integer of 0 or more"));
        }
    }
    for wrong in [json!("true"), json!(1), json!(0), json!([]), json!({})] {
        for field in ["has_attachments", "explain"] {
            table.push((with(field, wrong.clone()), field, "must be true or false"));
        }
    }
    for wrong in [
        json!(""),
        json!("Hybrid"),
        json!("fast"),
        json!(" native"),
        json!(5),
        json!(true),
        json!([]),
        json!({}),
        json!({ "hybrid": null }),
    ] {
        table.push((with("mode", wrong), "mode", "hybrid, native"));
    }
    refuse(&server, &account, SINGLE, &table).await;
}

async fn empty_messages_are_refused(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let blank = ["", " ", "\n", "\t\r\n  ", "\u{a0}\u{2003}\u{3000}"];
    let table: Vec<_> =
        blank.map(|blank| (with("content", json!(blank)), "content", "must not be empty")).into();
    refuse(&server, &account, SINGLE, &table).await;
}

async fn messages_are_limited_to_ten_thousand_characters(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    // Characters count, not bytes.
    for one in ["a", "é", "字", "😀"] {
        server.moderate(&account.key, &one.repeat(10_000)).send().await.ok();
        let table = [(
            with("content", json!(one.repeat(10_001))),
            "content",
            "at most 10000 characters long, not 10001",
        )];
        refuse(&server, &account, SINGLE, &table).await;
    }
}

async fn nul_characters_are_refused_in_stored_fields(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let table = ["content", "author", "channel"].map(|field| (with(field, json!("a\0b")), field, "NUL"));
    refuse(&server, &account, SINGLE, &table).await;
    let body = json!({ "messages": [{ "content": "hello" }, { "content": "\0" }] });
    refuse(&server, &account, BATCH, &[(body, "messages[1].content", "NUL")]).await;
}

/// A batch whose fourth message is `item`.
fn fourth(item: Value) -> Value {
    let hello = json!({ "content": "hello" });
    json!({ "messages": [hello, hello, hello, item, hello] })
}

/// A valid batch of `size` messages.
fn batch(size: usize) -> Value {
    json!({ "messages": vec![json!({ "content": "hello" }); size] })
}

async fn a_malformed_batch_is_refused_with_the_item(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut table = vec![
        (json!({}), "messages", "is required"),
        (json!({ "content": "hello" }), "messages", "is required"),
        (json!([]), "body", "must be an object"),
        (json!([[{ "content": "hello" }]]), "body", "must be an object"),
    ];
    for wrong in [Value::Null, json!("hello"), json!(5), json!({}), json!({ "content": "hello" })] {
        table.push((json!({ "messages": wrong }), "messages", "must be an array"));
    }
    for wrong in [Value::Null, json!("hello"), json!(5), json!(["hello"])] {
        table.push((
            json!({ "messages": [{ "content": "hello" }, wrong] }),
            "messages[1]",
            "must be an object",
        ));
    }
    let hello = json!({ "content": "hello" });

    table.extend([
        (fourth(json!({})), "messages[3].content", "is required"),
        (fourth(json!({ "author": "x" })), "messages[3].content", "is required"),
        (fourth(json!({ "content": null })), "messages[3].content", "must be a string"),
        (fourth(json!({ "content": "  " })), "messages[3].content", "must not be empty"),
        (fourth(json!({ "content": "x".repeat(10_001) })), "messages[3].content", "at most 10000"),
        (fourth(json!({ "content": "x", "mode": "fast" })), "messages[3].mode", "hybrid, native"),
        (
            fourth(json!({ "content": "x", "account_age_days": -3 })),
            "messages[3].account_age_days",
            "0 or more",
        ),
        (json!({ "messages": [hello], "mode": "fast" }), "mode", "hybrid, native"),
        (json!({ "messages": [hello], "explain": "yes" }), "explain", "must be true or false"),
    ]);
    refuse(&server, &account, BATCH, &table).await;
}

async fn a_batch_holds_one_to_fifty_messages(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let table = [0, 51, 500].map(|size| (batch(size), "messages", "must have 1 to 50 items"));
    refuse(&server, &account, BATCH, &table).await;
    for size in [1, 50] {
        let answer = server.post(BATCH).key(&account.key).json(batch(size)).send().await.ok();
        assert_eq!(
            (&answer["batch_size"], answer["results"].as_array().unwrap().len()),
            (&json!(size), size)
        );
    }
}

async fn the_limit_on_messages_per_batch_is_a_setting(db: Db) {
    let server = Server::with(&db).env("GAVEL_BATCH_MESSAGES", 2).start().await;
    let account = server.account(100).await;
    refuse(&server, &account, BATCH, &[(batch(3), "messages", "must have 1 to 2 items, not 3")]).await;
    server.post(BATCH).key(&account.key).json(batch(2)).send().await.ok();
}

async fn the_largest_numbers_and_unknown_fields_do_no_harm(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for body in [
        json!({ "content": "hello", "account_age_days": u64::MAX, "mentions_count": u64::MAX }),
        json!({ "content": "hello", "account_age_days": 0, "mentions_count": 0, "has_attachments": true }),
        json!({ "content": "hello", "author": "", "channel": "" }),
        json!({ "content": "hello", "author": "a".repeat(256), "channel": "#".repeat(256) }),
        json!({ "content": "hello", "colour": "red", "Mode": 5, "nested": { "content": [null, { "a": 1 }] } }),
    ] {
        let answer = server.post(SINGLE).key(&account.key).json(body).send().await.ok();
        assert!(answer["threat_score"].as_f64().is_some_and(f64::is_finite), "{answer}");
    }
}

on_both!(
    nul_characters_are_refused_in_stored_fields,
    a_malformed_batch_is_refused_with_the_item,
    the_largest_numbers_and_unknown_fields_do_no_harm,
);
on_sqlite!(
    every_error_in_a_body_is_listed,
    a_malformed_message_is_refused_with_the_field,
    empty_messages_are_refused,
    messages_are_limited_to_ten_thousand_characters,
    a_batch_holds_one_to_fifty_messages,
    the_limit_on_messages_per_batch_is_a_setting,
);
