//! `gavel mcp`: the same tools for clients that start their servers as programs.

use std::process::Stdio;

use rmcp::ServiceExt;
use serde_json::json;
use tokio::process::{Child, Command};

use super::agent::Agent;
use crate::harness::{Db, Server, inv, on_both, on_sqlite};

/// `gavel mcp` for a server, as a client starts it.
fn program(db: &Db, url: &str, key: &str) -> Child {
    let mut command = db.command(&["mcp"]);
    command.env("GAVEL_URL", url).env("GAVEL_API_KEY", key);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Command::from(command).kill_on_drop(true).spawn().unwrap()
}

async fn a_program_passes_on_the_tools_of_a_running_server(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut child = program(&db, &server.base_url, &account.key);
    let transport = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let agent = Agent::new(().serve(transport).await.unwrap());
    let direct = Agent::connect(&server, &account.key).await;
    assert_eq!(agent.tools().await, direct.tools().await);
    let verdict = agent.answer("moderate_text", json!({ "content": "good morning" })).await;
    assert_eq!(verdict["action"], "none");
    agent.refusal("moderate_text", json!({}), "VALIDATION_FAILED").await;
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
    // It ends with its client.
    drop(agent);
    assert!(child.wait().await.unwrap().success());
}

async fn a_program_answers_what_was_asked_before_its_input_ended(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "a test", "version": "1" },
        } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "moderate_text", "arguments": { "content": "good morning" },
        } }),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let env = [("GAVEL_URL", server.base_url.as_str()), ("GAVEL_API_KEY", account.key.as_str())];
    let ran = db.run(&["mcp"], &env, input).await;
    assert!(ran.status.success(), "{ran:?}");
    let mut answers: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    // What was asked together is answered in any order.
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "gavel");
    assert_eq!(answers[1]["result"]["structuredContent"]["action"], "none");
}

async fn a_program_says_why_it_cannot_begin(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let start = json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "a test", "version": "1" },
    } });
    for (url, key, words) in [
        (server.base_url.as_str(), "svc_live_wrong", "GAVEL_API_KEY"),
        ("http://127.0.0.1:9", account.key.as_str(), "http://127.0.0.1:9/mcp"),
    ] {
        let env = [("GAVEL_URL", url), ("GAVEL_API_KEY", key)];
        let ran = db.run(&["mcp"], &env, format!("{start}\n")).await;
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["id"], 7);
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
    }
    let without = db.run(&["mcp"], &[("GAVEL_URL", server.base_url.as_str())], "").await;
    assert!(!without.status.success() && without.stderr.contains("--key"), "{without:?}");
}

on_both!(a_program_passes_on_the_tools_of_a_running_server);
on_sqlite!(a_program_answers_what_was_asked_before_its_input_ended, a_program_says_why_it_cannot_begin);
