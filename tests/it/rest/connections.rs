//! Clients that are slow, invalid or gone: the server keeps its connections for those who use them.

use std::time::{Duration, Instant};

use crate::harness::{Db, RawConnection, Server, eventually, inv, on_both, on_sqlite};

/// The head of a request.
fn head(key: &str, length: usize, more: &str) -> String {
    format!(
        "POST /api/v1/moderate/text HTTP/1.1\r\nHost: gavel\r\nx-api-key: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n"
    )
}

const BODY: &str = r#"{"content":"hello there, everyone"}"#;

/// A whole request.
fn whole(key: &str, more: &str) -> String {
    format!("{}{BODY}", head(key, BODY.len(), more))
}

async fn idle_connections_are_closed(db: Db) {
    let server = Server::with(&db).env("GAVEL_HEADER_TIMEOUT_S", 1).start().await;
    let account = server.account(10).await;
    for half in
        ["", "P", "POST /api/v1/moderate/text HTTP/1.1\r\nHost: gav", "GET / HTTP/1.1\r\nHost: gavel\r\n"]
    {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(half).await;
        raw.closed().await;
    }
    // Slow bytes do not extend the time.
    let mut dripping = RawConnection::connect(&server).await;
    dripping.send("GET /livez HTTP/1.1\r\nx-drip: ").await;
    for _ in 0..100 {
        if !dripping.send("a").await.silent_for(Duration::from_millis(100)).await {
            break;
        }
    }
    dripping.closed().await;
    let mut idle = RawConnection::connect(&server).await;
    idle.send(whole(&account.key, "")).await;
    idle.answer().await.unwrap().ok();
    idle.closed().await;
}

async fn a_stalled_body_is_abandoned(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut raw = RawConnection::connect(&server).await;
    raw.send(head(&account.key, 100, "")).await.send(r#"{"content":"#).await;
    // Other clients are served meanwhile.
    server.moderate(&account.key, "meanwhile").send().await.ok();
    raw.answer().await.expect("an answer after the longest pause").fails(400, "MALFORMED_BODY");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn a_body_that_trickles_is_abandoned(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut raw = RawConnection::connect(&server).await;
    raw.send(head(&account.key, 1_000, "")).await;
    let start = Instant::now();
    while raw.send(" ").await.silent_for(Duration::from_millis(500)).await {
        assert!(start.elapsed() < Duration::from_secs(20), "still received after {:?}", start.elapsed());
    }
    let answer = raw.answer().await.expect("an answer");
    assert!(answer.fails(400, "MALFORMED_BODY").contains("too slowly"), "{}", answer.text);
}

async fn a_truncated_body_is_malformed_and_not_charged(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for _ in 0..5 {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(head(&account.key, 100, "")).await.send(BODY).await.finish().await;
        if let Some(answer) = raw.answer().await {
            answer.fails(400, "MALFORMED_BODY");
        }
    }
    server.moderate(&account.key, "and the next request works").send().await.ok();
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn an_early_answer_reaches_a_client_that_is_still_sending(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let megabytes = " ".repeat(5_000_000);
    for _ in 0..10 {
        for (key, status, code) in [("no key", 401, "UNAUTHORIZED"), (&account.key, 413, "PAYLOAD_TOO_LARGE")]
        {
            // A client whose connection is reset while it sends would not see the answer.
            let request = server.post("/api/v1/moderate/text").key(key).json_text(megabytes.clone());
            let answer = request.send().await;
            answer.fails(status, code);
            assert_eq!(answer.header("connection"), Some("close"));
        }
    }
    let small = server.post("/api/v1/moderate/text").key("no key").json_text(BODY.to_owned()).send().await;
    assert_eq!((small.status, small.header("connection")), (401, None));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
}

async fn bytes_that_are_not_http_are_refused_without_harm(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let long = "x".repeat(2_000_000);
    for nonsense in [
        "hello\r\n\r\n".to_owned(),
        "\0\0\0\0\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "GET  HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET /{long} HTTP/1.1\r\nHost: gavel\r\n\r\n"),
        format!("GET /api/pricing HTTP/1.1\r\nHost: gavel\r\nx-long: {long}\r\n\r\n"),
        format!("GET /api/pricing HTTP/1.1\r\nHost: gavel\r\n{}\r\n", "x-many: 1\r\n".repeat(5_000)),
        head(&account.key, 5, "Content-Length: 6\r\n") + "hello!",
        head(&account.key, 5, "").replace("Content-Length: 5", "Content-Length: -5") + "hello",
        head(&account.key, 5, "").replace("Content-Length: 5", "Transfer-Encoding: chunked")
            + "zz\r\nhello\r\n",
        head(&account.key, 5, "").replace("Content-Length: 5", "Transfer-Encoding: chunked")
            + "ffffffffffffffffff\r\n",
    ] {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(&nonsense).await;
        if let Some(answer) = raw.answer().await {
            let shown: String = nonsense.chars().take(80).collect();
            assert!((400..500).contains(&answer.status), "{shown:?}: {} {}", answer.status, answer.text);
        }
    }
    server.moderate(&account.key, "and the next request works").send().await.ok();
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn requests_on_one_connection_are_answered_in_order(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut raw = RawConnection::connect(&server).await;
    // Pipelined, without waiting for an answer.
    let bad = whole("no key", "");
    raw.send(
        [whole(&account.key, ""), bad, whole(&account.key, ""), whole(&account.key, "Connection: close\r\n")]
            .concat(),
    )
    .await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let answer = raw.answer().await.unwrap();
        seen.push((answer.status, answer.body["remaining_credits"].as_f64()));
    }
    assert_eq!(seen, [(200, Some(9.5)), (401, None), (200, Some(9.0)), (200, Some(8.5))]);
    raw.closed().await;
}

async fn a_client_that_expects_100_continue_receives_it(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut raw = RawConnection::connect(&server).await;
    raw.send(head(&account.key, BODY.len(), "Expect: 100-continue\r\n")).await;
    assert_eq!(raw.answer().await.unwrap().status, 100);
    raw.send(BODY).await;
    raw.answer().await.unwrap().ok();
    // A request without a key is refused before its body.
    let mut raw = RawConnection::connect(&server).await;
    raw.send(head("no key", BODY.len(), "Expect: 100-continue\r\n")).await;
    raw.answer().await.unwrap().fails(401, "UNAUTHORIZED");
}

async fn a_client_that_disconnects_and_retries_pays_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    for n in 0..20 {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(whole(&account.key, &format!("Idempotency-Key: try-{n}\r\n"))).await;
        drop(raw);
    }
    for n in 0..20 {
        let again = server.moderate(&account.key, "hello there, everyone").idempotent(&format!("try-{n}"));
        again.send().await.ok();
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 20);
    // Requests without a key whose client hangs up are served completely or not at all.
    for _ in 0..20 {
        RawConnection::connect(&server).await.send(whole(&account.key, "")).await;
    }
    server.moderate(&account.key, "and the next request works").send().await.ok();
    assert!((21..=41).contains(&inv::charges(&db, &account.id).await.len()));
}

async fn a_stopping_server_finishes_running_requests(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut pending = Vec::new();
    for _ in 0..5 {
        pending.push(begin(&server, &account.key).await);
    }
    server.signal("TERM");
    let address = server.address;
    eventually("new connections are refused", async || tokio::net::TcpStream::connect(address).await.err())
        .await;
    for raw in &mut pending {
        raw.send(BODY).await;
        raw.answer().await.expect("an answer after SIGTERM").ok();
        raw.closed().await;
    }
    assert!(server.ended().await.success());
    assert_eq!(inv::charges(&db, &account.id).await.len(), 5);
}

async fn a_stopping_server_does_not_wait_indefinitely(db: Db) {
    let mut server = Server::with(&db).env("GAVEL_SHUTDOWN_GRACE_S", 1).start().await;
    let account = server.account(10).await;
    let _stalled = begin(&server, &account.key).await;
    assert!(server.terminate().await.success());
    assert!(server.log().contains("grace period"), "{}", server.log());
}

/// Begins a request, which waits for its body.
async fn begin(server: &Server, key: &str) -> RawConnection {
    let mut raw = RawConnection::connect(server).await;
    raw.send(head(key, BODY.len(), "Expect: 100-continue\r\n")).await;
    assert_eq!(raw.answer().await.expect("100 Continue").status, 100);
    raw
}

async fn connections_over_the_limit_wait_while_requests_are_under_way_on_all(db: Db) {
    let start = Server::with(&db).env("GAVEL_CONNECTIONS", 2).env("GAVEL_TRUSTED_PROXIES", "127.0.0.1");
    let server = start.env("GAVEL_CONNECTIONS_PER_NETWORK", 1).start().await;
    let account = server.account(10).await;
    let mut first = begin(&server, &account.key).await;
    let mut second = begin(&server, &account.key).await;
    let mut third = RawConnection::connect(&server).await;
    third.send(whole(&account.key, "")).await;
    assert!(third.silent_for(Duration::from_millis(300)).await, "served over the cap");
    first.send(BODY).await;
    first.answer().await.unwrap().ok();
    third.answer().await.expect("served when another is idle").ok();
    first.closed().await;
    second.send(BODY).await;
    second.answer().await.unwrap().ok();
}

async fn a_network_has_a_share_of_the_connections(db: Db) {
    let server = Server::with(&db).env("GAVEL_CONNECTIONS_PER_NETWORK", 2).start().await;
    let account = server.account(10).await;
    let mut silent = RawConnection::connect(&server).await;
    let mut first = begin(&server, &account.key).await;
    let mut second = begin(&server, &account.key).await;
    silent.closed().await;
    // Requests are under way on both.
    RawConnection::connect(&server).await.closed().await;
    first.send(BODY).await;
    first.answer().await.unwrap().ok();
    let mut third = RawConnection::connect(&server).await;
    third.send(whole(&account.key, "")).await;
    third.answer().await.expect("an answer").ok();
    first.closed().await;
    second.send(BODY).await;
    second.answer().await.unwrap().ok();
}

on_both!(a_client_that_disconnects_and_retries_pays_once, a_stopping_server_finishes_running_requests);
on_sqlite!(
    idle_connections_are_closed,
    a_stalled_body_is_abandoned,
    a_body_that_trickles_is_abandoned,
    a_truncated_body_is_malformed_and_not_charged,
    an_early_answer_reaches_a_client_that_is_still_sending,
    bytes_that_are_not_http_are_refused_without_harm,
    requests_on_one_connection_are_answered_in_order,
    a_client_that_expects_100_continue_receives_it,
    a_stopping_server_does_not_wait_indefinitely,
    connections_over_the_limit_wait_while_requests_are_under_way_on_all,
    a_network_has_a_share_of_the_connections,
);
