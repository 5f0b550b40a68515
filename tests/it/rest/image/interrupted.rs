//! Clients that are slow or disconnect: a waiting request blocks others for a limited time, and work that has begun is
//! finished and charged once.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::harness::{
    Db, RawConnection, Server, eventually, inv, on_both, on_sqlite,
    picture::{FORM, IMAGE, fixture, form},
};

/// A server that downloads from this machine, an origin, and the URL of its picture.
async fn with_origin(db: &Db) -> (Server, TcpListener, String) {
    let server = Server::with(db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let origin = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/somebodys-picture.jpg", origin.local_addr().unwrap());
    (server, origin, url)
}

/// Answers a download.
async fn serve(download: &mut TcpStream, picture: &[u8]) {
    let _ = download.read(&mut [0; 2048]).await.unwrap();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", picture.len());
    download.write_all(&[head.as_bytes(), picture].concat()).await.unwrap();
    let _ = download.read(&mut [0; 2048]).await;
}

fn head(key: &str, more: &str, length: usize) -> String {
    format!(
        "POST {IMAGE} HTTP/1.1\r\nHost: gavel\r\nx-api-key: {key}\r\n{more}Content-Length: {length}\r\n\r\n"
    )
}

async fn a_client_that_disconnects_during_the_work_pays_once_and_can_retry(db: Db) {
    let (server, origin, url) = with_origin(&db).await;
    let account = server.account(10).await;
    let body = json!({ "image_url": url });
    let mut raw = RawConnection::connect(&server).await;
    let more = "Content-Type: application/json\r\nIdempotency-Key: gone\r\n";
    raw.send(head(&account.key, more, body.to_string().len()) + body.to_string().as_str()).await;
    // The work has begun: the picture is requested. The client disconnects before the picture arrives.
    let (mut download, _) = origin.accept().await.unwrap();
    drop(raw);
    tokio::time::sleep(Duration::from_millis(200)).await;
    serve(&mut download, &fixture("rgb.jpg")).await;
    let charges = eventually("the finished work is charged", async || {
        Some(inv::charges(&db, &account.id).await).filter(|charges| !charges.is_empty())
    })
    .await;
    let again = server.post(IMAGE).key(&account.key).idempotent("gone").json(body).send().await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{}", again.text);
    assert_eq!(again.remaining(), 9_000);
    assert_eq!(again.body["request_id"], charges[0].request_id);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn a_client_that_disconnects_after_sending_is_charged_at_most_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let body = form(&[("image", &fixture("orientation-6.jpg"))]);
    for number in 0..12 {
        let key = format!("gone-{number}");
        let mut raw = RawConnection::connect(&server).await;
        let more = format!("Content-Type: {FORM}\r\nIdempotency-Key: {key}\r\n");
        raw.send(head(&account.key, &more, body.len())).await.send(&body).await;
        // Disconnects between before the request is read and after it is answered.
        tokio::time::sleep(Duration::from_millis(number * 4)).await;
        drop(raw);
        let again = server.upload(&account.key, &fixture("orientation-6.jpg")).idempotent(&key).send().await;
        assert_eq!(again.remaining(), 100_000 - (number as i64 + 1) * 1_000, "{}", again.text);
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 12);
}

async fn nothing_is_downloaded_without_sufficient_credits(db: Db) {
    let (server, origin, url) = with_origin(&db).await;
    let account = server.account("0.999").await;
    let body = json!({ "image_url": url });
    let refused = server.post(IMAGE).key(&account.key).json(body.clone()).send().await;
    refused.fails(402, "INSUFFICIENT_CREDITS");
    let touched = tokio::time::timeout(Duration::from_millis(300), origin.accept()).await;
    assert!(touched.is_err(), "{touched:?}");
    server.cli(&["credits", "grant", "--account", &account.id, "--amount", "0.001"]).await;
    let serve = async {
        let (mut download, _) = origin.accept().await.unwrap();
        serve(&mut download, &fixture("rgb.jpg")).await;
    };
    let (answer, ()) = tokio::join!(server.post(IMAGE).key(&account.key).json(body).send(), serve);
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.remaining(), 0);
}

async fn a_picture_without_a_slot_is_refused_after_five_seconds(db: Db) {
    let start = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").env("GAVEL_FETCH_TIMEOUT_S", 25);
    let server = start.env("GAVEL_IMAGES_IN_FLIGHT", 1).start().await;
    let account = server.account(10).await;
    let origin = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/slow.jpg", origin.local_addr().unwrap());
    // A picture to be downloaded needs no slot. An upload under the same key waits for it, and keeps the only slot.
    let first = server.post(IMAGE).key(&account.key).idempotent("held").json(json!({ "image_url": url }));
    let first = tokio::spawn(first.send());
    let (mut download, _) = origin.accept().await.unwrap();
    let body = form(&[("image", &fixture("rgb.jpg"))]);
    let mut slow = RawConnection::connect(&server).await;
    let more = format!("Content-Type: {FORM}\r\nIdempotency-Key: held\r\n");
    slow.send(head(&account.key, &more, body.len())).await.send(&body).await;
    assert!(slow.silent_for(Duration::from_millis(500)).await);
    let start = Instant::now();
    let (shed, other) = tokio::join!(
        server.upload(&account.key, &fixture("rgb.jpg")).send(),
        server.upload(&account.key, &fixture("rgb.jpg")).send()
    );
    assert!(start.elapsed() >= Duration::from_secs(5));
    for answer in [shed, other] {
        assert!(answer.fails(503, "OVERLOADED").contains("pictures"));
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    // Everything else works, and a request without a valid key is refused without waiting.
    server.moderate(&account.key, "hello").send().await.ok();
    server.upload("svc_live_wrong", &fixture("rgb.jpg")).send().await.fails(401, "UNAUTHORIZED");
    assert_eq!(server.get("/readyz").send().await.ok()["image_engine"], true);
    // A client that disconnects frees its slot.
    drop(slow);
    server.upload(&account.key, &fixture("rgb.jpg")).send().await.ok();
    serve(&mut download, &fixture("rgb.jpg")).await;
    first.await.unwrap().ok();
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
}

on_both!(a_client_that_disconnects_during_the_work_pays_once_and_can_retry);
on_sqlite!(
    a_client_that_disconnects_after_sending_is_charged_at_most_once,
    nothing_is_downloaded_without_sufficient_credits,
    a_picture_without_a_slot_is_refused_after_five_seconds,
);
