//! Clients that disconnect during a call: it is charged at most once, and a client that returns gets its answer.

use std::time::Duration;

use serde_json::json;

use super::agent::Agent;
use crate::harness::{Account, Db, RawConnection, Server, inv, on_both};

const CONTENT: &str = "good morning, everyone";

fn request(account: &Account, idempotency_key: &str) -> String {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "moderate_text",
            "arguments": { "content": CONTENT, "idempotency_key": idempotency_key },
        },
    });
    let body = body.to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: gavel\r\nx-api-key: {}\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        account.key,
        body.len()
    )
}

async fn a_call_whose_client_is_gone_is_charged_at_most_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let agent = Agent::connect(&server, &account.key).await;
    for number in 0..20 {
        let key = format!("gone-{number}");
        let mut raw = RawConnection::connect(&server).await;
        raw.send(request(&account, &key)).await;
        // Disconnects between before the request is read and after it is answered.
        tokio::time::sleep(Duration::from_micros(number * 500)).await;
        drop(raw);
        let arguments = json!({ "content": CONTENT, "idempotency_key": key });
        let first = agent.answer("moderate_text", arguments.clone()).await;
        assert_eq!(agent.answer("moderate_text", arguments).await, first);
        assert_eq!(inv::charges(&db, &account.id).await.len(), number as usize + 1);
    }
}

on_both!(a_call_whose_client_is_gone_is_charged_at_most_once);
