//! A model server that never answers the requests of one account, beside another account's requests to the same server.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;

use super::victim::{FLOOR, beside};
use crate::harness::{Account, Db, Fault, Request, Server, Upstream, inv, on_sqlite};

/// The requests of the attack at once, in several rounds.
const AT_ONCE: usize = 500;
const ROUNDS: usize = 2;

fn ask(server: &Server, account: &Account, state: &str) -> Request {
    let body = json!({ "state": state, "instructions": { "animal": ["cat", "dog"] } });
    server.post("/api/v1/inference").key(&account.key).json(body)
}

async fn requests_that_hang_leave_places_for_others(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).env("GAVEL_BACKEND_TIMEOUT_S", 6).start().await;
    let attacker = server.account(1_000).await;
    let victim = server.account(1_000).await;
    upstream.breaks_for("hang", Fault::Silent);
    let attack = async {
        let mut answers = Vec::new();
        for _ in 0..ROUNDS {
            let mut clients = JoinSet::new();
            for _ in 0..AT_ONCE {
                clients.spawn(ask(&server, &attacker, "hang").send());
            }
            answers.extend(clients.join_all().await);
        }
        answers
    };
    let (answers, fared) = beside("a hanging backend", || ask(&server, &victim, "A cat."), attack).await;
    let mut slow = 0;
    for answer in &answers {
        if answer.status == 500 {
            let message = answer.fails(500, "UPSTREAM_FAILED");
            assert_eq!(message, "the local backend did not answer within 6 s; nothing was charged");
            slow += 1;
        } else {
            let message = answer.fails(503, "OVERLOADED");
            assert_eq!(message, "too many requests wait for the local backend; try again shortly");
        }
    }
    // Three quarters of 64 places in each round, or more on a slow machine.
    assert!(slow >= 48 * ROUNDS, "{slow}");
    assert_eq!(inv::charges(&db, &attacker.id).await.len(), 0);
    fared.well(20, FLOOR, Duration::from_secs(5));
}

on_sqlite!(requests_that_hang_leave_places_for_others);
