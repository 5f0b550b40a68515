//! HTTP/2 clients, common behind proxies, get the same answers.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Db, Server, client, inv, on_sqlite};

fn http2() -> reqwest::Client {
    client().http2_prior_knowledge().build().expect("an HTTP/2 client")
}

async fn one_http2_connection_carries_many_requests(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let client = Arc::new(http2());
    let url = format!("{}/api/v1/moderate/text", server.base_url);
    let mut tasks = JoinSet::new();
    for n in 0..300 {
        let client = client.clone();
        let url = url.clone();
        let key = account.key.clone();
        tasks.spawn(async move {
            // Every third request is invalid, which must not affect the others.
            let content = if n % 3 == 0 { "" } else { "hello" };
            let body = json!({ "content": content }).to_string();
            let request =
                client.post(url).header("x-api-key", key).header("content-type", "application/json");
            let response = request.body(body).send().await.expect("an answer");
            assert_eq!(response.version(), reqwest::Version::HTTP_2);
            response.status().as_u16()
        });
    }
    let statuses = tasks.join_all().await;
    for (status, count) in [(200, 200), (422, 100)] {
        assert_eq!(statuses.iter().filter(|seen| **seen == status).count(), count, "{status}");
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 200);
}

async fn an_http2_body_over_the_limit_is_refused_but_the_connection_continues(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let client = http2();
    let url = format!("{}/api/v1/moderate/text", server.base_url);
    let good = json!({ "content": "hello" }).to_string();
    let mut requests = vec![];
    for _ in 0..5 {
        requests.push((account.key.as_str(), "x".repeat(2_000_000), 413));
        requests.push(("no key", "x".repeat(2_000_000), 401));
    }
    requests.push((&account.key, good, 200));
    for (key, body, status) in requests {
        let request = client.post(&url).header("x-api-key", key).header("content-type", "application/json");
        assert_eq!(request.body(body).send().await.expect("an answer").status(), status);
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

on_sqlite!(
    one_http2_connection_carries_many_requests,
    an_http2_body_over_the_limit_is_refused_but_the_connection_continues,
);
