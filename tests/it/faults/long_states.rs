//! Long states of two accounts, sent to the decision model beside another account's short questions: each is refused at
//! once or answered.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::task::JoinSet;

use super::victim::{BUSY_FLOOR, beside, report};
use crate::harness::{Account, Db, Server, inv, on_sqlite};

const CLIENTS: usize = 6;
/// About 15,000 tokens, since the windows of a long state overlap.
const WORDS: usize = 11_000;
const ATTACK: Duration = Duration::from_secs(20);
/// How much later the second account begins, when requests of the first wait.
const LATER: Duration = Duration::from_secs(6);
/// The deadline of a decision, and a margin for a busy machine.
const IN_TIME: Duration = Duration::from_secs(35);
/// The longest time to a refusal, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(5);

async fn long_states_delay_nobody_and_are_answered_unless_refused_at_once(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let accounts = [server.account(10_000).await, server.account(10_000).await];
    let victim = server.account(10_000).await;
    let short =
        json!({ "state": "The parcel is late.", "instructions": { "team": ["billing", "shipping"] } });
    let stop = Arc::new(AtomicBool::new(false));
    let attack = async {
        let first = long_states(&server, &accounts[0], &stop);
        tokio::time::sleep(LATER).await;
        let second = long_states(&server, &accounts[1], &stop);
        tokio::time::sleep(ATTACK).await;
        (first, second)
    };
    let ((first, second), fared) = beside(
        "long states",
        || server.post("/api/v1/inference").key(&victim.key).json(short.clone()),
        attack,
    )
    .await;
    stop.store(true, Ordering::Relaxed);
    for (clients, account) in [first, second].into_iter().zip(&accounts) {
        let sent: Vec<_> = clients.join_all().await.into_iter().flatten().collect();
        let (answered, refused): (Vec<_>, Vec<_>) = sent.into_iter().partition(|(status, _)| *status == 200);
        let answer = slowest(&answered);
        let refusal = slowest(&refused);
        report(&format!("{} answered, the slowest in {answer:?}, refused in {refusal:?}", answered.len()));
        assert_eq!(inv::charges(&db, &account.id).await.len(), answered.len());
        assert!(!answered.is_empty() && answer < IN_TIME && refusal < AT_ONCE);
    }
    fared.well(10, BUSY_FLOOR, Duration::from_secs(5));
}

fn slowest(sent: &[(u16, Duration)]) -> Duration {
    sent.iter().map(|(_, took)| *took).max().unwrap_or_default()
}

/// Starts clients that send long states until `stop`; they return the status and time of each answer.
fn long_states(
    server: &Arc<Server>,
    account: &Account,
    stop: &Arc<AtomicBool>,
) -> JoinSet<Vec<(u16, Duration)>> {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let server = server.clone();
        let key = account.key.clone();
        let stop = stop.clone();
        let state = format!("client {client} {}", "late ".repeat(WORDS));
        let body = json!({ "state": state, "instructions": { "team": ["billing", "shipping"] } });
        clients.spawn(async move {
            let mut sent = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                let start = Instant::now();
                let answer = server.post("/api/v1/inference").key(&key).json(body.clone()).send().await;
                if answer.status != 200 {
                    answer.fails(503, "OVERLOADED");
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
                sent.push((answer.status, start.elapsed()));
            }
            sent
        });
    }
    clients
}

on_sqlite!(long_states_delay_nobody_and_are_answered_unless_refused_at_once);
