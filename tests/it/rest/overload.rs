//! More concurrent work than the server accepts: 503 with Retry-After, while the operator's endpoints still answer.

use crate::harness::{Account, Db, RawConnection, Server, inv, on_sqlite};

const BODY: &str = r#"{"content":"the one under way"}"#;

/// Begins a request, which waits for its body.
async fn begin(server: &Server, account: &Account) -> RawConnection {
    let mut raw = RawConnection::connect(server).await;
    let key = &account.key;
    let length = BODY.len();
    raw.send(format!(
        "POST /api/v1/moderate/text HTTP/1.1\r\nHost: gavel\r\nx-api-key: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n\r\n"
    ))
    .await;
    assert_eq!(raw.answer().await.expect("100 Continue").status, 100);
    raw
}

async fn overload_is_a_503_with_a_retry_after(db: Db) {
    let server = Server::with(&db).env("GAVEL_REQUESTS_IN_FLIGHT", 2).start().await;
    // One account may have half of the requests in flight.
    let account = server.account(10).await;
    let other = server.account(10).await;
    let mut under_way = [begin(&server, &account).await, begin(&server, &other).await];
    for path in ["/api/v1/moderate/text", "/api/v1/moderate/text/batch", "/nowhere"] {
        let shed = server.post(path).key(&account.key).json_text(BODY).send().await;
        shed.fails(503, "OVERLOADED");
        assert_eq!(shed.header("retry-after"), Some("1"));
    }
    server.get("/api/pricing").send().await.fails(503, "OVERLOADED");
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(server.get(path).send().await.status, 200, "{path}");
    }
    for raw in &mut under_way {
        raw.send(BODY).await;
        raw.answer().await.unwrap().ok();
    }
    server.moderate(&account.key, "and now there is room").send().await.ok();
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
    assert_eq!(inv::charges(&db, &other.id).await.len(), 1);
}

on_sqlite!(overload_is_a_503_with_a_retry_after);
