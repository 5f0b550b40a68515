//! More concurrent work than the server accepts: 503 with Retry-After, while the operator's endpoints still answer.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Db, Fault, Server, Upstream, eventually, inv, on_sqlite};

/// How long the requests under way take.
const WORK: Duration = Duration::from_secs(6);

async fn overload_is_a_503_with_a_retry_after(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).env("GAVEL_REQUESTS_IN_FLIGHT", 2).start().await;
    // One account may have half of the requests in flight.
    let account = server.account(10).await;
    let other = server.account(10).await;
    upstream.next([Some(Fault::Late(WORK)), Some(Fault::Late(WORK))]);
    let question = json!({ "state": "where is it?", "instructions": ["is it late?"] });
    let under_way = [&account, &other].map(|account| {
        tokio::spawn(server.post("/api/v1/inference").key(&account.key).json(question.clone()).send())
    });
    eventually("both reach the model", async || (upstream.asked().len() == 2).then_some(())).await;
    for path in ["/api/v1/moderate/text", "/api/v1/moderate/text/batch", "/nowhere"] {
        let shed = server.post(path).key(&account.key).json(json!({ "content": "hello" })).send().await;
        shed.fails(503, "OVERLOADED");
        assert_eq!(shed.header("retry-after"), Some("1"));
    }
    server.get("/api/pricing").send().await.fails(503, "OVERLOADED");
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(server.get(path).send().await.status, 200, "{path}");
    }
    for answer in under_way {
        answer.await.unwrap().ok();
    }
    server.moderate(&account.key, "and now there is room").send().await.ok();
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
    assert_eq!(inv::charges(&db, &other.id).await.len(), 1);
}

on_sqlite!(overload_is_a_503_with_a_retry_after);
