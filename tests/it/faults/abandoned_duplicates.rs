//! Duplicates under one `Idempotency-Key` whose clients hang up while the first request still runs.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::task::{JoinHandle, JoinSet};

use super::victim::{BUSY_FLOOR, beside, report};
use crate::harness::{Account, Answer, Db, Fault, RawConnection, Server, Upstream, eventually, inv, on_both};

const KEY: &str = "again-and-again";
/// How many duplicates may wait under one key, according to `docs/operate.md`.
const WAITING: usize = 24;
const ABANDONED: usize = 600;
const CLIENTS: usize = 24;
const STATE_BYTES: usize = 250_000;

fn body() -> Value {
    json!({ "state": "x".repeat(STATE_BYTES), "instructions": { "team": ["billing", "shipping"] } })
}

fn request(account: &Account) -> String {
    let body = body().to_string();
    format!(
        "POST /api/v1/inference HTTP/1.1\r\nHost: gavel\r\nx-api-key: {}\r\nIdempotency-Key: {KEY}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        account.key,
        body.len()
    )
}

/// Sends the duplicates and hangs up on each.
async fn abandon(server: &Arc<Server>, account: &Account) {
    let bytes = Arc::new(request(account));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let server = server.clone();
        let bytes = bytes.clone();
        clients.spawn(async move {
            for _ in 0..ABANDONED / CLIENTS {
                let mut raw = RawConnection::connect(&server).await;
                raw.send(bytes.as_bytes()).await;
                raw.silent_for(Duration::from_millis(150)).await;
            }
        });
    }
    clients.join_all().await;
}

/// Sends one duplicate and waits for its answer in the background.
fn duplicate(server: &Server, account: &Account) -> JoinHandle<Answer> {
    tokio::spawn(server.post("/api/v1/inference").key(&account.key).idempotent(KEY).json(body()).send())
}

async fn abandoned_duplicates_occupy_no_memory_and_no_slots(db: Db) {
    let upstream = Upstream::start().await;
    let start = Server::with_model(&db, &upstream).env("GAVEL_BACKEND_TIMEOUT_S", 25);
    let server = Arc::new(start.env("GAVEL_REQUESTS_IN_FLIGHT", 128).start().await);
    let account = server.account(10).await;
    let victim = server.account(1_000).await;
    upstream.next([Some(Fault::Late(Duration::from_secs(22)))]);

    let attack = async {
        let first = duplicate(&server, &account);
        eventually("the first request reaches the model server", async || {
            (!upstream.asked().is_empty()).then_some(())
        })
        .await;
        let before = server.memory().0;
        abandon(&server, &account).await;
        assert!(!first.is_finished(), "the machine is too slow for this test");
        let grown = server.memory().0.saturating_sub(before);
        let duplicates: Vec<_> = (0..WAITING + 16).map(|_| duplicate(&server, &account)).collect();
        let mut refused = 0;
        let mut texts = vec![first.await.expect("no panic").text];
        for duplicate in duplicates {
            let answer = duplicate.await.expect("no panic");
            match answer.status {
                200 => texts.push(answer.text),
                // Too many waiting duplicates, or too many requests of the account in flight.
                409 | 503 => refused += 1,
                _ => panic!("{}", answer.text),
            }
        }
        (grown, refused, texts)
    };
    let ((grown, refused, mut texts), fared) =
        beside("abandoned duplicates", || server.moderate(&victim.key, "hello there"), attack).await;
    report(&format!("{ABANDONED} abandoned duplicates take {grown} MiB"));
    texts.dedup();
    assert!(refused >= 16, "{refused} refused");
    assert_eq!((texts.len(), upstream.asked().len()), (1, 1));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
    // Together they sent 150 MB.
    assert!(grown < 70, "{grown} MiB more for {ABANDONED} abandoned duplicates");
    fared.well(50, BUSY_FLOOR, Duration::from_secs(10));
}

on_both!(abandoned_duplicates_occupy_no_memory_and_no_slots);
