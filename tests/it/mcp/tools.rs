//! What tools answer, and what they cost: the same as the routes of the REST API.

use serde_json::{Value, json};

use super::agent::Agent;
use crate::{
    graphql::mutation,
    harness::{Account, Db, Server, Upstream, inv, on_both, on_sqlite, picture},
};

async fn start(db: &Db) -> (Server, Upstream, Account) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(db, &upstream).start().await;
    let account = server.account(100).await;
    (server, upstream, account)
}

/// What was charged: the routes and the milli-credits.
async fn charged(db: &Db, account: &Account) -> Vec<(String, i64)> {
    let charges = inv::charges(db, &account.id).await.into_iter();
    charges.map(|charge| (charge.endpoint.unwrap(), charge.delta)).collect()
}

/// Without what differs from request to request.
fn steady(mut body: Value) -> Value {
    for name in ["id", "request_id", "latency_ms", "remaining_credits", "routing"] {
        body.as_object_mut().unwrap().shift_remove(name);
    }
    body
}

async fn paid_tools_answer_as_their_routes_and_are_charged_as_these(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let manager = db.scoped_key(&account, "manage").await;
    let input = json!({ "name": "Late", "instructions": { "late": "Is it late?" }, "storeContent": true });
    let judge = server.create_judge(&manager, input).await;
    let agent = Agent::connect(&server, &account.key).await;
    let asked = json!({ "state": "where is my parcel?", "instructions": { "late": "Is it late?" } });
    let of_judge = json!({ "state": "where is my parcel?", "judge_id": judge });
    let text = json!({ "content": "free nitro: dlscord-gift.com/nitro", "explain": true });
    for (tool, path, arguments, price) in [
        ("moderate_text", "/api/v1/moderate/text", text, -500),
        ("decide", "/api/v1/inference", asked, -500),
        ("ask_judge", "/api/v1/inference", of_judge, -500),
    ] {
        let before = charged(&db, &account).await.len();
        let by_agent = agent.answer(tool, arguments.clone()).await;
        let by_rest = server.post(path).key(&account.key).json(arguments).send().await.ok();
        assert_eq!(steady(by_agent), steady(by_rest), "{tool}");
        let charges = charged(&db, &account).await;
        let new: Vec<(&str, i64)> =
            charges[before..].iter().map(|(path, delta)| (path.as_str(), *delta)).collect();
        assert_eq!(new, [(path, price); 2], "{tool}");
    }
}

async fn a_named_call_is_charged_once(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let agent = Agent::connect(&server, &account.key).await;
    let arguments = json!({ "content": "good morning", "idempotency_key": "call-1" });
    let first = agent.answer("moderate_text", arguments.clone()).await;
    assert_eq!(agent.answer("moderate_text", arguments).await, first);
    assert_eq!(charged(&db, &account).await.len(), 1);
    let other = json!({ "content": "good evening", "idempotency_key": "call-1" });
    agent.refusal("moderate_text", other, "IDEMPOTENCY_MISMATCH").await;
    // The same name and body over REST are the same request.
    let retry = server.moderate(&account.key, "good morning").idempotent("call-1").send().await;
    assert_eq!(retry.header("idempotent-replayed"), Some("true"));
    assert_eq!(retry.ok(), first);
    assert_eq!(charged(&db, &account).await.len(), 1);
}

async fn a_picture_is_moderated(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let agent = Agent::connect(&server, &account.key).await;
    let base64 = picture::base64(&picture::fixture("rgb.jpg"));
    let by_agent = agent.answer("moderate_image", json!({ "image_base64": base64 })).await;
    let by_rest = server.upload_base64(&account.key, &base64).send().await.ok();
    assert_eq!(by_agent["data"]["classifications"], by_rest["data"]["classifications"]);
    let path = picture::IMAGE.to_owned();
    assert_eq!(charged(&db, &account).await, [(path.clone(), -1_000), (path, -1_000)]);
    let both = json!({ "image_base64": base64, "image_url": "https://example.org/a.jpg" });
    agent.refusal("moderate_image", both, "INVALID_IMAGE").await;
    agent.refusal("moderate_image", json!({}), "INVALID_IMAGE").await;
    assert_eq!(charged(&db, &account).await.len(), 2);
}

async fn feedback_corrects_a_verdict_for_nothing(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let manager = db.scoped_key(&account, "manage").await;
    let query = mutation("setModerationLog", "userErrors { message }");
    server.ask(&manager, &query, json!({ "input": { "enabled": true } })).await;
    let agent = Agent::connect(&server, &account.key).await;
    let verdict = agent.answer("moderate_text", json!({ "content": "good morning" })).await;
    let said = json!({ "id": verdict["id"], "action": "warn", "note": "an inside joke" });
    let recorded = agent.answer("submit_feedback", said).await;
    assert_eq!(recorded["ground_truth"]["action"], "warn");
    assert_eq!(recorded["agrees"], false);
    assert_eq!(charged(&db, &account).await.len(), 1, "feedback is free");
    agent.refusal("submit_feedback", json!({ "id": "mod_unknown", "action": "warn" }), "NOT_FOUND").await;
}

async fn tools_describe_the_arguments_that_they_take(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let tools = Agent::connect(&server, &account.key).await.tools().await;
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["moderate_text", "moderate_image", "decide", "ask_judge", "submit_feedback"]);
    for tool in &tools {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        let properties = schema["properties"].as_object().unwrap();
        for (name, property) in properties {
            assert!(property.is_object(), "{}: {name} is described", tool["name"]);
        }
        for required in schema["required"].as_array().unwrap() {
            assert!(properties.contains_key(required.as_str().unwrap()), "{}: {required}", tool["name"]);
        }
        // Every definition that is referred to is there.
        let text = schema.to_string();
        for reference in text.split("\"$ref\":\"").skip(1) {
            let name = reference.split('"').next().unwrap().strip_prefix("#/$defs/").unwrap();
            assert!(schema["$defs"][name].is_object(), "{}: {name}", tool["name"]);
        }
        assert!(tool["description"].as_str().unwrap().len() > 40);
    }
}

on_both!(paid_tools_answer_as_their_routes_and_are_charged_as_these, a_named_call_is_charged_once);
on_sqlite!(
    a_picture_is_moderated,
    feedback_corrects_a_verdict_for_nothing,
    tools_describe_the_arguments_that_they_take,
);
