//! Downloads from origins that are slow, broken or endless: each ends within its time and size limits with a
//! 422 that names the fault, and nothing is charged.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Account, Answer, Db, Origin, Server, Step, inv, on_sqlite, response, self_signed};

const MIB: usize = 1 << 20;
/// Far above every deadline in these tests.
const PATIENCE: Duration = Duration::from_secs(60);

async fn moderate(server: &Server, account: &Account, url: &str) -> Answer {
    let request = server.post("/api/v1/moderate/image").key(&account.key).json(json!({ "image_url": url }));
    tokio::time::timeout(PATIENCE, request.send()).await.unwrap_or_else(|_| panic!("{url} does not end"))
}

fn send(text: &str) -> Vec<Step> {
    vec![Step::Send(text.as_bytes().to_vec())]
}

fn then(mut steps: Vec<Step>, last: Step) -> Vec<Step> {
    steps.push(last);
    steps
}

/// A broken origin: each path has a fault.
fn broken(path: &str) -> Vec<Step> {
    let ok = "HTTP/1.1 200 OK\r\n";
    match path.split('?').next().unwrap_or_default() {
        "/not-modified" => send("HTTP/1.1 304 Not Modified\r\n\r\n"),
        "/nothing" => send("HTTP/1.1 204 No Content\r\n\r\n"),
        "/empty" => response(200, &[], b""),
        "/partial" => response(206, &[("Content-Range", "bytes 0-4/99")], b"bytes"),
        "/short" => send(&format!("{ok}Content-Length: 1000\r\n\r\nshort")),
        "/cut-chunk" => send(&format!("{ok}Transfer-Encoding: chunked\r\n\r\n400\r\nshort")),
        "/bad-chunk" => send(&format!("{ok}Transfer-Encoding: chunked\r\n\r\nxyz\r\nshort")),
        "/closed" => Vec::new(),
        "/reset" => vec![Step::Reset],
        "/reset-within" => then(send(&format!("{ok}Content-Length: 1000\r\n\r\nshort")), Step::Reset),
        "/not-http" => send("220 mail.example ESMTP\r\n"),
        "/head-only" => send(ok),
        "/two-lengths" => send(&format!("{ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab")),
        "/endless-head" => then(send(ok), Step::Repeat(b"x-more: and more\r\n".repeat(1000), Duration::ZERO)),
        "/gzip" => response(200, &[("Content-Encoding", "gzip")], b"\x1f\x8b a bomb"),
        "/stacked" => response(200, &[("Content-Encoding", "identity"), ("Content-Encoding", "br")], b"bomb"),
        "/over-by-header" => then(send(&format!("{ok}Content-Length: {}\r\n\r\n", 10 * MIB + 1)), Step::Hang),
        "/over-by-far" => send(&format!("{ok}Content-Length: 9223372036854775807\r\n\r\n")),
        "/endless" => then(send(&format!("{ok}\r\n")), Step::Repeat(vec![0; 64 * 1024], Duration::ZERO)),
        "/endless-chunks" => {
            let chunk = [b"10000\r\n".as_slice(), &[0; 0x10000], b"\r\n"].concat();
            then(
                send(&format!("{ok}Transfer-Encoding: chunked\r\n\r\n")),
                Step::Repeat(chunk, Duration::ZERO),
            )
        }
        "/loop" => response(302, &[("Location", "/loop")], b""),
        "/hop/0" => response(200, &[], b"arrived"),
        "/nowhere" => response(302, &[], b""),
        "/nonsense" => response(302, &[("Location", "http://[")], b""),
        "/ftp" => response(307, &[("Location", "ftp://example.com/")], b""),
        "/login" => response(301, &[("Location", "http://user:password@example.com/")], b""),
        "/far" => response(308, &[("Location", &format!("/{}", "a".repeat(9000)))], b""),
        path => match path.strip_prefix("/hop/").and_then(|left| left.parse::<u8>().ok()) {
            Some(left) => response(302, &[("Location", &format!("{}", left - 1))], b""),
            None => response(path[1..].parse().unwrap_or(404), &[], b"<html>not here</html>"),
        },
    }
}

/// A slow origin.
fn slow(path: &str) -> Vec<Step> {
    let ok = "HTTP/1.1 200 OK\r\n";
    let pause = Duration::from_millis(100);
    match path {
        "/silent" => vec![Step::Hang],
        "/slow-head" => then(send(ok), Step::Repeat(b"x-more: and more\r\n".to_vec(), pause)),
        "/slow-body" => {
            then(send(&format!("{ok}Content-Length: 1000000\r\n\r\n")), Step::Repeat(vec![0], pause))
        }
        "/stalled" => then(send(&format!("{ok}Content-Length: 1000000\r\n\r\nstart")), Step::Hang),
        "/continue" => vec![Step::Repeat(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(), pause)],
        _ => response(302, &[("Location", "/silent")], b""),
    }
}

async fn every_fault_of_an_origin_is_named(db: Db) {
    let origin = Origin::start("127.0.0.1:0", broken).await;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(1000).await;
    for (path, said) in [
        ("/404", "answered 404"),
        ("/401", "answered 401"),
        ("/500", "answered 500"),
        ("/503", "answered 503"),
        ("/201", "answered 201"),
        ("/not-modified", "answered 304"),
        ("/nothing", "answered 204"),
        ("/partial", "answered 206"),
        ("/empty", "sent an empty body"),
        ("/short", "ended early"),
        ("/cut-chunk", "ended early"),
        ("/bad-chunk", "ended early"),
        ("/reset-within", "ended early"),
        ("/closed", "did not send an HTTP response"),
        ("/reset", "did not send an HTTP response"),
        ("/not-http", "did not send an HTTP response"),
        ("/head-only", "did not send an HTTP response"),
        ("/two-lengths", "did not send an HTTP response"),
        ("/endless-head", "did not send an HTTP response"),
        ("/gzip", "sent a compressed body, which was not requested"),
        ("/stacked", "sent a compressed body, which was not requested"),
        ("/over-by-header", "is over 10 MiB"),
        ("/over-by-far", "is over 10 MiB"),
        ("/endless", "is over 10 MiB"),
        ("/endless-chunks", "is over 10 MiB"),
        ("/loop", "redirects more than 3 times"),
        ("/hop/4", "redirects more than 3 times"),
        ("/nowhere", "redirects to something that is not a URL"),
        ("/nonsense", "redirects to something that is not a URL"),
        ("/ftp", "redirects to a URL that is neither http nor https"),
        ("/login", "redirects to a URL with a user name or a password"),
        ("/far", "redirects to a URL longer than 8192 bytes"),
    ] {
        let answer = moderate(&server, &account, &origin.url(path)).await;
        assert_eq!(answer.fails(422, "INVALID_IMAGE"), format!("image_url {said}"), "{path}");
        assert_eq!(answer.field(), "image_url");
    }
    let nobody = origin.address;
    drop(origin);
    let answer =
        moderate(&server, &account, &format!("http://127.0.0.1:{}/", free_port(nobody.port()))).await;
    assert_eq!(answer.fails(422, "INVALID_IMAGE"), "image_url could not be reached");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

/// An unused port.
fn free_port(other_than: u16) -> u16 {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = socket.local_addr().expect("a local address").port();
    assert_ne!(port, other_than);
    port
}

async fn the_bytes_of_a_body_determine_its_type(db: Db) {
    let origin = Origin::start("127.0.0.1:0", |path| {
        let (kind, body): (&str, &[u8]) = match path {
            "/page" => ("image/png", b"<!doctype html><title>told to nobody</title>"),
            "/svg" => ("image/svg+xml", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
            "/gif" => ("image/gif", b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff;"),
            "/json" => ("application/json", br#"{"secret":"told to nobody"}"#),
            "/head" => ("image/png", b"\x89PNG\r\n\x1a\n"),
            _ => ("image/jpeg", b"\xff\xd8\xff\xe0"),
        };
        response(200, &[("Content-Type", kind)], body)
    })
    .await;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(1000).await;
    for path in ["/page", "/svg", "/gif", "/json", "/head", "/start"] {
        let answer = moderate(&server, &account, &origin.url(path)).await;
        let message = answer.fails(422, "INVALID_IMAGE");
        assert!(!message.contains("nobody"), "{path}: {message}");
        assert_eq!(answer.field(), "image_url", "{path}");
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn a_slow_origin_is_abandoned(db: Db) {
    let origin = Origin::start("127.0.0.1:0", slow).await;
    let server =
        Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").env("GAVEL_FETCH_TIMEOUT_S", 1).start().await;
    let account = server.account(1000).await;
    for path in ["/silent", "/slow-head", "/slow-body", "/stalled", "/continue", "/redirects"] {
        let answer = moderate(&server, &account, &origin.url(path)).await;
        assert_eq!(answer.fails(422, "INVALID_IMAGE"), "image_url took longer than 1 s", "{path}");
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn an_origin_learns_only_that_gavel_asks(db: Db) {
    let origin = Origin::start("127.0.0.1:0", |path| match path {
        "/start?a=b" => response(302, &[("Location", "/end"), ("Set-Cookie", "id=1; Path=/")], b""),
        _ => response(200, &[("Set-Cookie", "id=2; Path=/")], b"no picture"),
    })
    .await;
    let server = Server::with(&db)
        .env("GAVEL_FETCH_ALLOW", "127.0.0.1")
        // Proxies in the environment are not used for URLs of clients.
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("http_proxy", "http://127.0.0.1:9")
        .env("ALL_PROXY", "http://127.0.0.1:9")
        .start()
        .await;
    let account = server.account(1000).await;
    for _ in 0..2 {
        moderate(&server, &account, &origin.url("/start?a=b#fragment")).await.error();
    }
    let heads = origin.heads();
    assert_eq!(heads.len(), 4, "{heads:?}");
    for (head, path) in heads.iter().zip(["/start?a=b", "/end"].into_iter().cycle()) {
        let mut lines: Vec<String> = head.trim_end().split("\r\n").map(str::to_lowercase).collect();
        assert_eq!(lines.remove(0), format!("get {path} http/1.1"));
        lines.sort();
        let host = format!("host: {}", origin.address);
        let agent = format!("user-agent: gavel/{}", env!("CARGO_PKG_VERSION"));
        let accept = "accept: image/jpeg, image/png, image/webp, */*;q=0.5";
        assert_eq!(lines, ["accept-encoding: identity", accept, &host, &agent]);
    }
}

async fn urls_are_not_logged(db: Db) {
    let origin = Origin::start("127.0.0.1:0", broken).await;
    let port = origin.address.port().to_string();
    let server = Server::with(&db)
        .env("GAVEL_FETCH_ALLOW", "127.0.0.1,localhost")
        .env("GAVEL_LOG", "trace")
        .start()
        .await;
    let account = server.account(1000).await;
    let untrusted = Origin::tls("127.0.0.1:0", self_signed(&["127.0.0.1"]), broken).await;
    for url in [
        origin.url("/hop/1?token=told-to-nobody"),
        origin.url("/404?token=told-to-nobody"),
        origin.url("/login?token=told-to-nobody"),
        untrusted.url("/told-to-nobody"),
        format!("http://localhost:{port}/404"),
        format!("http://told-to-nobody@127.0.0.1:{port}/"),
        "http://10.11.12.13/told-to-nobody".to_owned(),
    ] {
        moderate(&server, &account, &url).await.error();
    }
    let log = server.log();
    let untrusted = untrusted.address.port().to_string();
    for secret in ["told-to-nobody", "localhost", "10.11.12.13", "user:password", &port, &untrusted] {
        // Ids contain digits too; an address has a colon before its port.
        let shown = if secret.parse::<u16>().is_ok() { format!(":{secret}") } else { secret.to_owned() };
        assert!(!log.contains(&shown), "{secret} in {log}");
    }
}

async fn three_redirects_are_followed(db: Db) {
    let origin = Origin::start("127.0.0.1:0", broken).await;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(1000).await;
    moderate(&server, &account, &origin.url("/hop/3")).await.error();
    assert_eq!(origin.heads().len(), 4);
}

on_sqlite!(
    every_fault_of_an_origin_is_named,
    the_bytes_of_a_body_determine_its_type,
    a_slow_origin_is_abandoned,
    an_origin_learns_only_that_gavel_asks,
    urls_are_not_logged,
    three_redirects_are_followed,
);
