//! Messages of 10,000 characters that both models read, beside another account's short ones: a short message waits for
//! one window of a long one, not for all of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::task::JoinSet;

use super::victim::{BUSY_FLOOR, beside, report};
use crate::harness::{Db, Server, on_sqlite};

const CLIENTS: usize = 24;
const ATTACK: Duration = Duration::from_secs(10);

async fn long_messages_do_not_hold_up_a_short_one(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(10_000).await;
    let victim = server.account(10_000).await;
    let stop = Arc::new(AtomicBool::new(false));
    let attack = async {
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            let server = server.clone();
            let key = account.key.clone();
            let stop = stop.clone();
            clients.spawn(async move {
                let mut answered = 0;
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let content = long_message(client * 1_000 + number);
                    let message = json!({ "content": content, "mode": "hybrid" });
                    let answer = server.post("/api/v1/moderate/text").key(&key).json(message).send().await;
                    if answer.status == 200 {
                        answered += 1;
                    } else {
                        answer.fails(503, "OVERLOADED");
                        tokio::time::sleep(Duration::from_millis(500)).await;
                    }
                }
                answered
            });
        }
        tokio::time::sleep(ATTACK).await;
        clients
    };
    let message = json!({ "content": "a message of somebody else", "mode": "hybrid" });
    let request = || server.post("/api/v1/moderate/text").key(&victim.key).json(message.clone());
    let (clients, fared) = beside("long messages", request, attack).await;
    stop.store(true, Ordering::Relaxed);
    let answered: usize = clients.join_all().await.into_iter().sum();
    report(&format!("{answered} long messages were answered"));
    assert!(answered > 0);
    fared.well(10, BUSY_FLOOR, Duration::from_secs(3));
}

/// A harmless message of 10,000 characters, each another one.
fn long_message(seed: usize) -> String {
    let sentences =
        (0..600).map(|n| format!("The {} was near the {}. ", word(seed + n * n), word(seed * 31 + n)));
    let mut message: String = sentences.collect();
    message.truncate(10_000);
    message
}

fn word(n: usize) -> &'static str {
    const WORDS: [&str; 7] = ["river", "bakery", "window", "garden", "letter", "table", "harbour"];
    WORDS[n % WORDS.len()]
}

on_sqlite!(long_messages_do_not_hold_up_a_short_one);
