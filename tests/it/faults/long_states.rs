//! Long states of one account, sent to the decision model beside another account's short questions.

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

const CLIENTS: usize = 11;
/// About 15,000 tokens, since the windows of a long state overlap.
const WORDS: usize = 11_000;
const ATTACK: Duration = Duration::from_secs(20);
/// The deadline of a decision, and a margin for a busy machine.
const IN_TIME: Duration = Duration::from_secs(35);

async fn long_states_of_one_account_delay_nobody(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(10_000).await;
    let victim = server.account(10_000).await;
    let short =
        json!({ "state": "The parcel is late.", "instructions": { "team": ["billing", "shipping"] } });
    let stop = Arc::new(AtomicBool::new(false));
    let attack = async {
        let clients = long_states(&server, &account, &stop);
        tokio::time::sleep(ATTACK).await;
        clients
    };
    let (clients, fared) = beside(
        "long states",
        || server.post("/api/v1/inference").key(&victim.key).json(short.clone()),
        attack,
    )
    .await;
    stop.store(true, Ordering::Relaxed);
    let sent: Vec<_> = clients.join_all().await.into_iter().flatten().collect();
    let answered = sent.iter().filter(|(status, _)| *status == 200).count();
    let slowest = sent.iter().map(|(_, took)| *took).max().expect("some states were sent");
    report(&format!("{} long states, {answered} answered, the slowest in {slowest:?}", sent.len()));
    assert_eq!(inv::charges(&db, &account.id).await.len(), answered);
    assert!(answered >= 1 && slowest < IN_TIME, "{answered} answered, the slowest in {slowest:?}");
    fared.well(10, BUSY_FLOOR, Duration::from_secs(5));
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

on_sqlite!(long_states_of_one_account_delay_nobody);
