//! Clients whose bodies trickle, beside an account that sends whole ones.

use std::time::Duration;

use serde_json::json;

use super::victim::{FLOOR, beside, moderating_beside, report};
use crate::{
    batches::asking::{submit, text},
    harness::{
        Account, Db, RawConnection, Server, on_sqlite,
        picture::{IMAGE, fixture},
    },
};

/// How long an attack takes, except where it says otherwise.
const ATTACK: Duration = Duration::from_secs(8);
/// The pause between two bytes of a body.
const DRIP: Duration = Duration::from_secs(1);
const KIB: usize = 1_024;

/// A body that trickles.
struct Trickle<'a> {
    path: &'a str,
    /// The key, if there is one.
    key: Option<&'a str>,
    content_type: &'a str,
    length: usize,
    /// Bytes that are sent at once.
    begun: usize,
}

impl Trickle<'_> {
    /// Sends the head and the first bytes of the body.
    async fn begin(&self, server: &Server) -> RawConnection {
        let Self { path, content_type, length, .. } = self;
        let key = self.key.map_or(String::new(), |key| format!("x-api-key: {key}\r\n"));
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: gavel\r\n{key}Content-Type: {content_type}\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        let mut raw = RawConnection::connect(server).await;
        raw.send(head).await.send(vec![b' '; self.begun]).await;
        raw
    }
}

/// Sends a byte of each body now and then, for `time`.
async fn drip(bodies: &mut [RawConnection], time: Duration) {
    let end = tokio::time::Instant::now() + time;
    while tokio::time::Instant::now() < end {
        tokio::time::sleep(DRIP).await;
        for body in &mut *bodies {
            body.send(" ").await;
        }
    }
}

async fn begin_all(server: &Server, bodies: &[Trickle<'_>], of_each: usize) -> Vec<RawConnection> {
    let mut begun = Vec::new();
    for body in bodies {
        for _ in 0..of_each {
            begun.push(body.begin(server).await);
        }
    }
    begun
}

fn message<'a>(account: Option<&'a Account>, path: &'static str) -> Trickle<'a> {
    Trickle {
        path,
        key: account.map(|account| account.key.as_str()),
        content_type: "application/json",
        length: 256 * KIB,
        begun: 1,
    }
}

async fn trickling_bodies_of_guests_take_no_places(db: Db) {
    let server = Server::with(&db).env("GAVEL_REQUESTS_IN_FLIGHT", 64).start().await;
    let victim = server.account(10_000).await;
    let attack = async {
        let mut bodies = begin_all(&server, &[message(None, "/graphql")], 256).await;
        drip(&mut bodies, ATTACK).await;
    };
    let ((), fared) = moderating_beside("trickling guests", &server, &victim, attack).await;
    fared.well(50, FLOOR, Duration::from_secs(10));
}

async fn trickling_bodies_of_accounts_take_no_places(db: Db) {
    let server = Server::with(&db).env("GAVEL_REQUESTS_IN_FLIGHT", 64).start().await;
    let victim = server.account(10_000).await;
    let accounts = [server.account(1).await, server.account(1).await];
    let attack = async {
        let bodies = accounts.each_ref().map(|account| message(Some(account), "/api/v1/moderate/text"));
        let mut bodies = begin_all(&server, &bodies, 128).await;
        drip(&mut bodies, ATTACK).await;
    };
    let ((), fared) = moderating_beside("trickling accounts", &server, &victim, attack).await;
    fared.well(50, FLOOR, Duration::from_secs(10));
}

async fn trickling_pictures_do_not_take_the_places_of_pictures(db: Db) {
    let start = Server::with(&db).env("GAVEL_IMAGES_IN_FLIGHT", 16).env("GAVEL_ARRIVING_BYTES", 32 << 20);
    let server = start.start().await;
    let victim = server.account(10_000).await;
    let accounts =
        [server.account(1).await, server.account(1).await, server.account(1).await, server.account(1).await];
    let picture = fixture("rgb.jpg");
    let attack = async {
        // They may hold more than all the bytes that may arrive.
        let pictures = accounts.each_ref().map(|account| Trickle {
            path: IMAGE,
            key: Some(&account.key),
            content_type: "application/json",
            length: 4 << 20,
            begun: KIB,
        });
        let mut bodies = begin_all(&server, &pictures, 16).await;
        drip(&mut bodies, ATTACK).await;
    };
    let ((), fared) = beside("trickling pictures", || server.upload(&victim.key, &picture), attack).await;
    fared.well(20, FLOOR, Duration::from_secs(10));
}

async fn trickling_uploads_give_their_places_to_others(db: Db) {
    let server = Server::start(&db).await;
    let victim = server.account(1_000).await;
    let mut accounts = Vec::new();
    for _ in 0..4 {
        accounts.push(server.account(10).await);
    }
    // One place each. When one is taken away, its account tries again.
    let attack = async {
        loop {
            let uploads: Vec<_> = accounts
                .iter()
                .map(|account| Trickle {
                    path: "/api/v1/batches",
                    key: Some(&account.key),
                    content_type: "application/jsonl",
                    length: 64 << 20,
                    begun: 1,
                })
                .collect();
            let mut bodies = begin_all(&server, &uploads, 1).await;
            drip(&mut bodies, 3 * DRIP).await;
        }
    };
    let work = async {
        tokio::time::sleep(DRIP).await;
        for n in 0..4 {
            let start = std::time::Instant::now();
            let answer = submit(&server, &victim.key, &[text("one", "hello there")]).await;
            report(&format!(
                "an upload beside four that trickle: {} after {:?}",
                answer.status,
                start.elapsed()
            ));
            assert_eq!(answer.status, 202, "upload {n}: {}", answer.text);
        }
    };
    tokio::select! {
        () = attack => {}
        () = work => {}
    }
}

async fn who_cannot_pay_is_refused_before_the_body(db: Db) {
    let server = Server::start(&db).await;
    let poor = server.account("0.4").await;
    let rich = server.account(10).await;
    for (path, content_type) in [
        ("/api/v1/moderate/text", "application/json"),
        ("/api/v1/moderate/text/batch", "application/json"),
        (IMAGE, "application/json"),
        (IMAGE, "multipart/form-data; boundary=b"),
        ("/api/v1/inference", "application/json"),
        ("/v1/moderations", "application/json"),
        ("/api/v1/batches", "application/jsonl"),
    ] {
        let large = Trickle { path, key: Some(&poor.key), content_type, length: 200 * KIB, begun: 0 };
        let answer = large.begin(&server).await.answer().await.expect("an answer before the body");
        assert_eq!(answer.status, 402, "{path}: {}", answer.text);
        // A client that waits for permission to send is refused too, and does not get it.
        for (account, status) in [(&poor, 402), (&rich, 100)] {
            let mut raw = RawConnection::connect(&server).await;
            raw.send(format!(
                "POST {path} HTTP/1.1\r\nHost: gavel\r\nx-api-key: {}\r\nContent-Type: {content_type}\r\n\
                 Content-Length: 100\r\nExpect: 100-continue\r\n\r\n",
                account.key
            ))
            .await;
            assert_eq!(raw.answer().await.expect("an answer before the body").status, status, "{path}");
        }
    }
    // What has been paid for is answered without credits.
    let body = json!({ "content": "hello", "mode": "native", "unknown": "x".repeat(80 * KIB) });
    let account = server.account("0.5").await;
    for _ in 0..2 {
        let request = server.post("/api/v1/moderate/text").key(&account.key).idempotent("once");
        request.json(body.clone()).send().await.ok();
    }
}

async fn bodies_that_trickle_take_little_memory(db: Db) {
    const BODIES: usize = 1_024;
    // Many networks may be behind a proxy.
    let server = Server::with(&db).env("GAVEL_TRUSTED_PROXIES", "127.0.0.0/8").start().await;
    let accounts = [server.account(1).await, server.account(1).await];
    let victim = server.account(10_000).await;
    let (before, _) = server.memory();
    let attack = async {
        let bodies = accounts
            .each_ref()
            .map(|account| Trickle { begun: 255 * KIB, ..message(Some(account), "/api/v1/moderate/text") });
        let mut bodies = begin_all(&server, &bodies, BODIES).await;
        drip(&mut bodies, ATTACK).await;
        server.memory()
    };
    let ((now, peak), fared) = moderating_beside("2,048 trickling bodies", &server, &victim, attack).await;
    report(&format!("2,048 trickling bodies of 256 KiB: {now} MiB, at most {peak} MiB"));
    // Half of it for the tasks of 2,048 requests, which take many times the memory without optimisation.
    assert!(peak < before + 250, "{peak} MiB, {before} MiB before");
    fared.well(20, FLOOR, Duration::from_secs(10));
}

on_sqlite!(
    trickling_bodies_of_guests_take_no_places,
    trickling_bodies_of_accounts_take_no_places,
    trickling_pictures_do_not_take_the_places_of_pictures,
    trickling_uploads_give_their_places_to_others,
    who_cannot_pay_is_refused_before_the_body,
    bodies_that_trickle_take_little_memory,
);
