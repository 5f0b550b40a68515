//! Who may call tools, and what is refused, in which order and for free.

use rmcp::service::ServiceError;
use serde_json::{Value, json};

use super::agent::Agent;
use crate::harness::{Account, Answer, Db, Request, Server, eventually, inv, on_both, on_sqlite};

const PATH: &str = "/mcp";

/// A request to `/mcp` as clients send it, but for the key and the body.
fn post(server: &Server) -> Request {
    server.post(PATH).header("accept", "application/json, text/event-stream")
}

/// A call of a tool as a message.
fn call(tool: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments },
    })
}

async fn moderate(server: &Server, key: &str) -> Answer {
    post(server).key(key).json(call("moderate_text", json!({ "content": "good morning" }))).send().await
}

async fn start(db: &Db) -> (Server, Account) {
    let server = Server::start(db).await;
    let account = server.account(10).await;
    (server, account)
}

async fn a_request_needs_a_valid_key(db: Db) {
    let (server, account) = start(&db).await;
    let body = call("moderate_text", json!({ "content": "good morning" }));
    let without = post(&server).json(body.clone()).send().await;
    without.fails(401, "UNAUTHORIZED");
    assert_eq!(without.header("www-authenticate"), Some("Bearer"));
    moderate(&server, "svc_live_wrong").await.fails(401, "UNAUTHORIZED");
    for header in ["x-api-key", "api-key"] {
        let answer = post(&server).header(header, &account.key).json(body.clone()).send().await.ok();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

async fn a_key_of_another_scope_is_told_which_one_a_tool_needs(db: Db) {
    let (server, account) = start(&db).await;
    let deciding = Agent::connect(&server, &db.scoped_key(&account, "infer").await).await;
    let moderating = Agent::connect(&server, &db.scoped_key(&account, "moderate").await).await;
    let asked = json!({ "state": "x", "instructions": { "late": "Is it late?" } });
    for (agent, tool, arguments, scope) in [
        (&deciding, "moderate_text", json!({ "content": "good morning" }), "moderate"),
        (&deciding, "moderate_image", json!({ "image_base64": "AAAA" }), "moderate"),
        (&deciding, "submit_feedback", json!({ "id": "mod_1", "action": "warn" }), "moderate"),
        (&moderating, "decide", asked, "infer"),
        (&moderating, "ask_judge", json!({ "state": "x", "judge_id": "judge_1" }), "infer"),
    ] {
        let refused = agent.refusal(tool, arguments, "FORBIDDEN").await;
        let message = refused["error"].as_str().unwrap();
        assert!(message.contains(&format!("`{scope}`")), "{tool}: {message}");
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn an_account_without_credits_is_not_answered(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account("0.2").await;
    let agent = Agent::connect(&server, &account.key).await;
    agent.refusal("moderate_text", json!({ "content": "good morning" }), "INSUFFICIENT_CREDITS").await;
    assert!(inv::charges(&db, &account.id).await.is_empty());
    assert_eq!(inv::balance(&db, &account.id).await, 200);
}

async fn wrong_arguments_are_named_and_free(db: Db) {
    let (server, account) = start(&db).await;
    let agent = Agent::connect(&server, &account.key).await;
    let long = "x".repeat(256);
    for (tool, arguments, field) in [
        ("moderate_text", json!({}), "content"),
        ("moderate_text", json!({ "content": 5 }), "content"),
        ("moderate_text", json!({ "content": "x".repeat(10_001) }), "content"),
        ("moderate_text", json!({ "content": "hello", "mode": "fast" }), "mode"),
        ("moderate_text", json!({ "content": "hello", "idempotency_key": 5 }), "idempotency_key"),
        ("moderate_text", json!({ "content": "hello", "idempotency_key": "a\nb" }), "idempotency_key"),
        ("moderate_text", json!({ "content": "hello", "idempotency_key": long }), "Idempotency-Key"),
        ("decide", json!({ "instructions": { "late": "Is it late?" } }), "state"),
        ("ask_judge", json!({ "state": "x" }), "judge_id"),
        ("ask_judge", json!({ "state": "x", "judge_id": null }), "judge_id"),
        ("submit_feedback", json!({ "action": "warn" }), "id"),
    ] {
        let refused = agent.refusal(tool, arguments.clone(), "VALIDATION_FAILED").await;
        assert_eq!(refused["details"][0]["field"], field, "{tool} {arguments}: {refused}");
    }
    agent.refusal("ask_judge", json!({ "state": "x", "judge_id": "judge_1" }), "NOT_FOUND").await;
    let Err(ServiceError::McpError(error)) = agent.call("ban", json!({})).await else {
        panic!("there is no tool of this name");
    };
    assert!(error.message.starts_with("name must be one of: moderate_text, "), "{error}");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn what_is_no_message_is_refused(db: Db) {
    let (server, account) = start(&db).await;
    let key = &account.key;
    let json = "application/json";
    post(&server).key(key).body(json, "{").send().await.fails(400, "MALFORMED_BODY");
    post(&server).key(key).body(json, "{}").send().await.fails(400, "MALFORMED_BODY");
    post(&server).key(key).body(json, "").send().await.fails(400, "MALFORMED_BODY");
    post(&server).key(key).body("text/plain", "{}").send().await.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    let packed = post(&server).key(key).header("content-encoding", "gzip").body(json, "{}").send().await;
    packed.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    let words = server.post(PATH).key(key).json(json!({})).send().await;
    assert!(words.fails(400, "MALFORMED_BODY").contains("text/event-stream"), "{}", words.text);
    for answer in [server.get(PATH).key(key).send().await, server.get(PATH).send().await] {
        answer.fails(405, "METHOD_NOT_ALLOWED");
    }
    // A notification has no answer.
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(post(&server).key(key).json(note).send().await.status, 202);
    let slash = server.post("/mcp/").header("accept", "application/json, text/event-stream");
    slash.key(key).json(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).send().await.ok();
}

async fn bodies_and_rates_are_bounded_as_elsewhere(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let (_, hasty) = db.key(&account, &["--rate-limit-per-minute", "2"]).await;
    let large = call("moderate_text", json!({ "content": "x".repeat(600 * 1_024) }));
    post(&server).key(&account.key).json(large).send().await.fails(413, "PAYLOAD_TOO_LARGE");
    // A call counts as one request, and so does a list of tools.
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let listed = post(&server).key(&hasty).json(list).send().await;
    assert!(listed.header("ratelimit").unwrap().contains(";r=1;"), "{:?}", listed.headers);
    let moderated = moderate(&server, &hasty).await;
    assert!(moderated.header("ratelimit").unwrap().contains(";r=0;"), "{:?}", moderated.headers);
    moderate(&server, &hasty).await.fails(429, "RATE_LIMITED");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn a_failed_call_is_found_by_its_id(db: Db) {
    let (server, account) = start(&db).await;
    let reader = db.scoped_key(&account, "read").await;
    let agent = Agent::connect(&server, &account.key).await;
    let refused = agent.refusal("moderate_text", json!({ "content": "" }), "VALIDATION_FAILED").await;
    let fields = "nodes { requestId path status code }";
    let query = format!("{{ account {{ failedRequests(first: 5) {{ {fields} }} }} }}");
    let row = eventually("the failed call is kept", async || {
        let rows = server.ask(&reader, &query, json!({})).await;
        rows["account"]["failedRequests"]["nodes"].get(0).cloned()
    });
    let id = &refused["request_id"];
    let expected = json!({ "requestId": id, "path": PATH, "status": 422, "code": "VALIDATION_FAILED" });
    assert_eq!(row.await, expected);
}

async fn parameters_of_another_shape_and_unknown_methods_are_told_apart(db: Db) {
    let (server, account) = start(&db).await;
    for (method, params, code, words) in [
        ("tools/call", json!({ "name": "decide", "arguments": [] }), -32602, "the parameters of tools/call"),
        ("tools/call", json!({}), -32602, "the parameters of tools/call"),
        ("tools/dance", json!({}), -32601, "there is no method tools/dance"),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = post(&server).key(&account.key).json(body).send().await.ok();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with(words), "{answer}");
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

on_both!(a_request_needs_a_valid_key, a_key_of_another_scope_is_told_which_one_a_tool_needs);
on_sqlite!(
    an_account_without_credits_is_not_answered,
    wrong_arguments_are_named_and_free,
    what_is_no_message_is_refused,
    parameters_of_another_shape_and_unknown_methods_are_told_apart,
    bodies_and_rates_are_bounded_as_elsewhere,
    a_failed_call_is_found_by_its_id,
);
