//! Clients that open all the connections there are, and send little or nothing on them.

use std::time::{Duration, Instant};

use serde_json::json;

use super::victim::{FLOOR, beside};
use crate::harness::{Db, RawConnection, Request, Server, client, on_sqlite};

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

async fn silent_connections_make_room_for_others(db: Db) {
    let start = Server::with(&db).env("GAVEL_CONNECTIONS", CONNECTIONS);
    let server = start.env("GAVEL_CONNECTIONS_PER_NETWORK", CONNECTIONS).start().await;
    let account = server.account(10_000).await;
    // Another network than that of the silent connections, and a connection for each request.
    let elsewhere = client().local_address("127.0.0.2".parse::<std::net::IpAddr>().unwrap());
    let elsewhere = elsewhere.pool_max_idle_per_host(0).build().unwrap();
    let moderate = || {
        let request = elsewhere.post(format!("{}/api/v1/moderate/text", server.base_url));
        Request::new(request, db.clone()).key(&account.key).json(json!({ "content": "hello there" }))
    };
    let attack = async {
        let mut silent = Vec::new();
        for number in 0..4 * CONNECTIONS {
            let mut raw = RawConnection::connect(&server).await;
            if number % 2 == 0 {
                raw.send("POST /api/v1/moderate/text HTTP/1.1\r\nHost: gav").await;
            }
            silent.push(raw);
        }
        for _ in 0..16 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            for raw in &mut silent {
                raw.send("e").await;
            }
        }
    };
    let ((), fared) = beside("silent connections", moderate, attack).await;
    fared.well(50, FLOOR, Duration::from_secs(10));
}

on_sqlite!(silent_connections_make_room_for_others, idle_http2_connections_make_room_for_others);
