//! `context`: a message is judged with the ones before it.

use serde_json::{Value, json};

use crate::harness::{Account, Db, Server, inv, on_both, on_sqlite};

const TEXT: &str = "/api/v1/moderate/text";
const CRISIS: &str = "I can't go on, I want to kill myself tonight";
const REPLY: &str = "do it, nobody would miss you, you worthless idiot";

async fn moderate(server: &Server, account: &Account, body: Value) -> Value {
    server.post(TEXT).key(&account.key).json(body).send().await.ok()
}

/// A message with the ones before it: authors and contents.
fn reply(content: &str, context: &[(&str, &str)]) -> Value {
    let context: Vec<Value> =
        context.iter().map(|(author, content)| json!({ "author": author, "content": content })).collect();
    json!({ "content": content, "author": "bob", "context": context, "explain": true })
}

async fn a_reply_is_judged_with_what_it_answers(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for mode in ["native", "hybrid"] {
        let asked = "then do it already, who would even notice you pathetic loser";
        let mut alone = reply(asked, &[]);
        alone["mode"] = json!(mode);
        let mut answer = reply(asked, &[("ann", "hi all"), ("ann", CRISIS)]);
        answer["mode"] = json!(mode);
        let alone = moderate(&server, &account, alone).await;
        let answer = moderate(&server, &account, answer).await;
        let self_harm = answer["explanation"]["categories"]["self_harm"].as_f64();
        assert!(self_harm > Some(0.8), "{mode}: {answer}");
        assert!(answer["threat_score"].as_f64() > alone["threat_score"].as_f64(), "{mode}: {alone} {answer}");
        assert_eq!(answer["explanation"]["turns"], json!([1]));
        assert!(alone["explanation"].get("turns").is_none());
        let names: Vec<&str> = answer["explanation"]["signals"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|signal| signal["name"].as_str())
            .collect();
        assert!(names.contains(&"urges_somebody_in_a_crisis"), "{names:?}");
    }
}

async fn a_person_in_a_crisis_is_offered_support_and_not_punished(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let crisis = moderate(&server, &account, reply(CRISIS, &[])).await;
    assert_eq!(
        (&crisis["action"], &crisis["explanation"]["support"]),
        (&json!("none"), &json!(true)),
        "{crisis}"
    );
    assert!(crisis["requires_mod_review"].as_f64().unwrap() > 0.5);
    for content in [REPLY, "good morning everyone"] {
        let other = moderate(&server, &account, reply(content, &[("ann", CRISIS)])).await;
        assert!(other["explanation"].get("support").is_none(), "{content}: {other}");
    }
}

/// A message of a context with its time.
fn said(content: &str, at: &str) -> Value {
    json!({ "author": "ann", "content": content, "at": at })
}

async fn harmless_context_changes_nothing(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let context = [("ann", "who is up for a round?"), ("bob", "me, in five minutes"), ("ann", "great")];
    for content in ["gg, that was close", "free nitro, claim it at dlscord-gift.com/nitro"] {
        let alone = moderate(&server, &account, reply(content, &[])).await;
        let answer = moderate(&server, &account, reply(content, &context)).await;
        for field in ["action", "threat_score", "requires_mod_review", "explanation"] {
            assert_eq!(answer[field], alone[field], "{field} of {content}");
        }
        assert_eq!(answer["credits_deducted"], alone["credits_deducted"]);
    }
}

async fn contexts_at_fault_are_named_and_cost_nothing(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let early = "2026-01-01T10:00:00Z";
    for (context, field) in [
        (json!(vec![json!({ "content": "x" }); 21]), "context"),
        (json!([{ "content": "x".repeat(8_193) }]), "context"),
        (json!([{ "content": " " }]), "context[0].content"),
        (json!([{ "content": "x", "author": "a".repeat(257) }]), "context[0].author"),
        (json!([said("x", "2026-01-01T10:00:01Z"), said("y", early)]), "context[1].at"),
        (json!([said("x", "2100-01-01T00:00:00Z")]), "context[0].at"),
        (json!([said("x", "yesterday")]), "context[0].at"),
        (json!([{ "author": "ann" }]), "context[0].content"),
        (json!(["x"]), "context[0]"),
        (json!("x"), "context"),
    ] {
        let body = json!({ "content": "hello", "context": context });
        let answer = server.post(TEXT).key(&account.key).json(body).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), field, "{}", answer.text);
    }
    let body =
        json!({ "messages": [{ "content": "a" }, { "content": "b", "context": [{ "content": "" }] }] });
    let answer = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(answer.field(), "messages[1].context[0].content");
    assert_eq!(inv::balance(&db, &account.id).await, 10_000);
    for context in [json!([]), Value::Null, json!([said("x", early), said("y", early)])] {
        moderate(&server, &account, json!({ "content": "hello", "context": context })).await;
    }
}

on_both!(a_reply_is_judged_with_what_it_answers);
on_sqlite!(
    a_person_in_a_crisis_is_offered_support_and_not_punished,
    harmless_context_changes_nothing,
    contexts_at_fault_are_named_and_cost_nothing,
);
