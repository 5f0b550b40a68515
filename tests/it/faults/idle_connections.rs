//! The maximum number of HTTP/2 connections, all of which only answer pings.

use std::time::{Duration, Instant};

use crate::harness::{Db, RawConnection, Server, client, on_sqlite};

const CONNECTIONS: usize = 64;

async fn idle_http2_connections_make_room_for_others(db: Db) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let start = Server::with(&db).env("GAVEL_CONNECTIONS", CONNECTIONS).env("GAVEL_HEADER_TIMEOUT_S", 4);
    let server = start.env("GAVEL_OPERATIONS_LISTEN", port).start().await;
    let account = server.account(10).await;
    let mut idle = Vec::new();
    for _ in 0..CONNECTIONS {
        // Each answers pings until it is dropped.
        let client = client().http2_prior_knowledge().pool_idle_timeout(None).build().unwrap();
        let request = client.get(format!("{}/livez", server.base_url)).send();
        if let Ok(answer) = tokio::time::timeout(Duration::from_secs(2), request).await {
            assert_eq!(answer.unwrap().status(), 200);
        }
        idle.push(client);
    }
    let operations = client().timeout(Duration::from_secs(20)).build().unwrap();
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(
            operations.get(format!("http://{port}{path}")).send().await.unwrap().status(),
            200,
            "{path}"
        );
    }
    assert_eq!(operations.get(format!("http://{port}/api/pricing")).send().await.unwrap().status(), 404);
    let start = Instant::now();
    server.moderate(&account.key, "hello there").send().await.ok();
    let mut raw = RawConnection::connect(&server).await;
    raw.send("GET /livez HTTP/1.1\r\nHost: gavel\r\n\r\n").await;
    raw.answer().await.expect("an answer").ok();
    super::victim::report(&format!("{CONNECTIONS} idle connections: a place after {:?}", start.elapsed()));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    drop(idle);
}

on_sqlite!(idle_http2_connections_make_room_for_others);
