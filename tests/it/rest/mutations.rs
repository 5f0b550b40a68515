//! Valid requests damaged in thousands of ways: each gets a verdict or a client error, and only verdicts are charged.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Answer, Db, Server, inv, on_sqlite, picture};

/// A small random number generator with a fixed seed, so that failures are reproducible.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

const PIECES: [&str; 24] = [
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\u200b",
    "null",
    "true",
    "-1",
    "1e999",
    "0.5",
    "18446744073709551616",
    "\"mode\":\"native\",",
    "\"explain\":true,",
    "\"messages\":[",
    "\0",
    "\u{feff}",
    "é",
    "😀",
];

/// Damages a body in one to four places.
fn damage(body: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = body.to_vec();
    for _ in 0..=chance.below(4) {
        let at = chance.below(bytes.len() + 1);
        match chance.below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 if at < bytes.len() => bytes[at] = chance.below(256) as u8,
            3 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            4 => {
                let end = at + chance.below(bytes.len() + 1 - at);
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => drop(bytes.splice(at..at, chance.of(&PIECES).bytes())),
        }
    }
    bytes
}

async fn thousands_of_damaged_requests_never_fail_the_server(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(1_000_000).await;
    let single = json!({ "content": "free nitro: dlscord-gift.com/nitro", "author": "a#1", "channel": "#general",
        "account_age_days": 3, "mentions_count": 2, "has_attachments": false, "mode": "hybrid", "explain": true });
    let batch = json!({ "messages": [{ "content": "one" }, { "content": "two", "mode": "native" }], "mode": "hybrid" });
    let bodies =
        [("/api/v1/moderate/text", single.to_string()), ("/api/v1/moderate/text/batch", batch.to_string())];
    let mut tasks = JoinSet::new();
    for lane in 0..8 {
        let server = server.clone();
        let key = account.key.clone();
        let bodies = bodies.clone();
        tasks.spawn(async move {
            let mut chance = Chance(lane);
            let mut served = 0;
            for _ in 0..400 {
                let (path, body) = &bodies[chance.below(2)];
                let bytes = damage(body.as_bytes(), &mut chance);
                let answer = server.post(path).key(&key).json_text(bytes.clone()).send().await;
                let shown = String::from_utf8_lossy(&bytes);
                assert!(
                    [200, 400, 422].contains(&answer.status),
                    "{shown}: {} {}",
                    answer.status,
                    answer.text
                );
                served += served_or_refused(&answer);
            }
            served
        });
    }
    let served: usize = tasks.join_all().await.into_iter().sum();
    assert!(served > 100, "too few requests were still valid: {served}");
    assert_eq!(inv::charges(&db, &account.id).await.len(), served);
}

/// 1 for a verdict, 0 for an error, which must have the documented format.
fn served_or_refused(answer: &Answer) -> usize {
    if answer.status != 200 {
        answer.error();
    }
    usize::from(answer.status == 200)
}

async fn hundreds_of_damaged_pictures_never_fail_the_server(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(1_000_000).await;
    let mut tasks = JoinSet::new();
    for lane in 0..4 {
        let server = server.clone();
        let key = account.key.clone();
        tasks.spawn(async move {
            let mut chance = Chance(lane);
            let mut served = 0;
            for _ in 0..100 {
                let name = chance.of(&[
                    "rgb.jpg",
                    "progressive.jpg",
                    "rgb8.png",
                    "palette2.png",
                    "lossy.webp",
                    "lossless.webp",
                ]);
                let whole = picture::form(&[("image", &picture::fixture(name))]);
                let (kind, body) = match chance.below(3) {
                    0 => (picture::FORM, damage(&whole, &mut chance)),
                    1 => {
                        let file = damage(&picture::fixture(name), &mut chance);
                        (picture::FORM, picture::form(&[("image", &file)]))
                    }
                    _ => {
                        let text = picture::base64(&picture::fixture(name));
                        let body = json!({ "image_base64": text }).to_string();
                        ("application/json", damage(body.as_bytes(), &mut chance))
                    }
                };
                let answer = server.post(picture::IMAGE).key(&key).body(kind, body.clone()).send().await;
                assert!(
                    [200, 400, 422].contains(&answer.status),
                    "{kind} {}: {}",
                    picture::base64(&body),
                    answer.text
                );
                served += served_or_refused(&answer);
            }
            served
        });
    }
    let served: usize = tasks.join_all().await.into_iter().sum();
    assert!((20..380).contains(&served), "not a mix of valid and invalid pictures: {served} valid");
    assert_eq!(inv::charges(&db, &account.id).await.len(), served);
}

on_sqlite!(
    thousands_of_damaged_requests_never_fail_the_server,
    hundreds_of_damaged_pictures_never_fail_the_server,
);
