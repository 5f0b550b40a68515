//! Clients that speak HTTP/2, as those behind a proxy often do, get the same answers.

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
            // One in three has a mistake, which must not touch the others.
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
    let count = |status| statuses.iter().filter(|seen| **seen == status).count();
    assert_eq!((count(200), count(422)), (200, 100));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 200);
}

async fn an_http2_body_over_the_limit_is_refused_and_the_connection_goes_on(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let client = http2();
    let url = format!("{}/api/v1/moderate/text", server.base_url);
    let send = |key: &str, body: String| {
        let request = client.post(&url).header("x-api-key", key).header("content-type", "application/json");
        request.body(body).send()
    };
    for _ in 0..5 {
        assert_eq!(send(&account.key, "x".repeat(2_000_000)).await.expect("an answer").status(), 413);
        assert_eq!(send("no key", "x".repeat(2_000_000)).await.expect("an answer").status(), 401);
    }
    let good = json!({ "content": "hello" }).to_string();
    assert_eq!(send(&account.key, good).await.expect("an answer").status(), 200);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

on_sqlite!(
    one_http2_connection_carries_many_requests,
    an_http2_body_over_the_limit_is_refused_and_the_connection_goes_on,
);
