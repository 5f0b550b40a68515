//! The connection to PostgreSQL breaks while an `Idempotency-Key` is claimed, or before it can be freed: a client that
//! retries is served at once and does not wait for the lease of the failed request.

use std::time::{Duration, Instant};

use super::{
    commit_cut::behind,
    load::MARKER,
    proxy::{Fate, Proxy},
    settled::no_log_holds_content,
};
use crate::harness::{Account, Answer, Db, Server, inv, on_postgres};

/// Well under the rest of a 30-second lease after a request has failed.
const AT_ONCE: Duration = Duration::from_secs(15);

async fn ask(server: &Server, account: &Account, key: &str) -> Answer {
    server.moderate(&account.key, MARKER).idempotent(key).send().await
}

async fn a_claim_with_an_unknown_outcome_is_looked_up(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = behind(&proxy, &db).await;
    let account = server.account(10).await;
    for (round, fate) in [Fate::NeverSent, Fate::CutAfterSending, Fate::AnswerLost].into_iter().enumerate() {
        let key = format!("claimed-{round}");
        proxy.next(key.as_bytes(), fate, false);
        let start = Instant::now();
        let first = ask(&server, &account, &key).await;
        assert_eq!(first.status, 200, "{fate:?}: {}", first.text);
        assert_eq!(ask(&server, &account, &key).await.ok(), first.ok(), "{fate:?}");
        assert!(start.elapsed() < AT_ONCE, "{fate:?}: {:?}", start.elapsed());
        assert_eq!((proxy.met(), inv::charges(&db, &account.id).await.len()), (round + 1, round + 1));
    }
    no_log_holds_content(&db);
}

async fn the_key_of_a_failed_request_is_free_once_the_database_is_back(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = behind(&proxy, &db).await;
    let account = server.account(10).await;
    for (round, (key, charge)) in [("claimed", false), ("worked", true)].into_iter().enumerate() {
        server.moderate(&account.key, "all is well").send().await.ok();
        if charge {
            proxy.next_commit(Fate::NeverSent, true);
        } else {
            proxy.next(key.as_bytes(), Fate::AnswerLost, true);
        }
        ask(&server, &account, key).await.fails(500, "INTERNAL_ERROR");
        proxy.revive();
        let back = Instant::now();
        assert_eq!(ask(&server, &account, key).await.remaining(), 9_000 - round as i64 * 1_000, "{key}");
        assert!(back.elapsed() < AT_ONCE, "{key}: {:?} until it was served", back.elapsed());
        assert_eq!(inv::charges(&db, &account.id).await.len(), 2 * (round + 1), "{key}");
    }
    no_log_holds_content(&db);
}

on_postgres!(
    a_claim_with_an_unknown_outcome_is_looked_up,
    the_key_of_a_failed_request_is_free_once_the_database_is_back,
);
