//! The connection to PostgreSQL breaks around a COMMIT, so that its outcome is unknown.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use super::{
    api_killed::end_leases,
    load::MARKER,
    proxy::{Fate, Proxy},
    settled::no_log_holds_content,
};
use crate::harness::{Account, Answer, Db, Server, eventually, inv, on_postgres};

pub(super) async fn behind(proxy: &Proxy, db: &Db) -> Server {
    Server::with(db).env("GAVEL_DATABASE_URL", proxy.url(db)).start().await
}

async fn at_once(server: &Server, account: &Account, requests: usize) -> Vec<Answer> {
    let sending = (0..requests).map(|_| tokio::spawn(server.moderate(&account.key, MARKER).send()));
    let mut answers = Vec::new();
    for answer in sending.collect::<Vec<_>>() {
        answers.push(answer.await.unwrap());
    }
    answers
}

/// Sends the same request under the same `Idempotency-Key`.
fn ask_once(server: &Server, account: &Account) -> impl Future<Output = Answer> + Send + use<> {
    server.moderate(&account.key, MARKER).idempotent("once").send()
}

async fn kinds(db: &Db, account: &Account) -> Vec<String> {
    let ledger = inv::ledger(db).await.into_iter();
    ledger.filter(|row| row.account_id == account.id).map(|row| row.kind).collect()
}

async fn a_commit_with_an_unknown_outcome_is_looked_up_and_charged_once(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = behind(&proxy, &db).await;
    let account = server.account(1_000).await;
    let mut left = HashSet::new();
    let mut charged = 0;
    for round in 0..4 {
        for fate in [Fate::NeverSent, Fate::CutAfterSending, Fate::AnswerLost] {
            proxy.next_commit(fate, false);
            // First one request, then several that share a commit.
            for answer in at_once(&server, &account, 1 + round * 4).await {
                assert_eq!(answer.status, 200, "{fate:?}: {}", answer.text);
                assert!(left.insert(answer.remaining()), "{fate:?}: the same balance twice");
                charged += 1;
            }
            let charges = inv::charges(&db, &account.id).await.len();
            assert_eq!(charges, charged, "{fate:?}");
        }
    }
    assert_eq!(proxy.met(), 12);
    assert_eq!(inv::balance(&db, &account.id).await, 1_000_000 - charged as i64 * 500);
    no_log_holds_content(&db);
}

async fn charges_answered_with_an_error_are_refunded_once_the_database_is_back(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = behind(&proxy, &db).await;
    let account = server.account(10).await;
    for (round, fate) in [Fate::AnswerLost, Fate::NeverSent].into_iter().enumerate() {
        // Caches key and price, so that only the charge needs the database.
        server.moderate(&account.key, "all is well").send().await.ok();
        proxy.next_commit(fate, true);
        let start = Instant::now();
        let answer = server.moderate(&account.key, MARKER).send().await;
        answer.fails(500, "INTERNAL_ERROR");
        assert!(start.elapsed() > Duration::from_secs(5), "it gave up too early: {:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        let charged = inv::charges(&db, &account.id).await;
        let charged = charged.iter().any(|row| row.request_id == answer.request_id());
        assert_eq!(charged, fate == Fate::AnswerLost);
        proxy.revive();
        if charged {
            let refund = eventually("the charge is refunded", async || {
                inv::ledger(&db).await.into_iter().find(|row| row.kind == "refund")
            });
            let refund = refund.await;
            assert_eq!((refund.delta, refund.reference.as_deref()), (500, Some(answer.request_id())));
        }
        let well = eventually("requests succeed again", async || {
            let answer = server.moderate(&account.key, "all is well again").send().await;
            (answer.status == 200).then_some(answer)
        });
        assert_eq!(well.await.remaining(), 10_000 - (round as i64 + 1) * 1_000);
    }
    assert_eq!(kinds(&db, &account).await.iter().filter(|kind| *kind == "refund").count(), 1);
    no_log_holds_content(&db);
}

/// A replica is cut off and answers 500. The client retries at another one, which returns either the answer
/// stored with the charge or, since the lease has ended, its own.
async fn a_delivered_answer_is_not_refunded(db: Db) {
    let sound = Server::start(&db).await;
    for fate in [Fate::AnswerLost, Fate::NeverSent] {
        let proxy = Proxy::start(&db).await;
        let cut_off = behind(&proxy, &db).await;
        let account = sound.account(10).await;
        cut_off.moderate(&account.key, "all is well").send().await.ok();
        proxy.next_commit(fate, true);
        ask_once(&cut_off, &account).await.fails(500, "INTERNAL_ERROR");
        end_leases(&db).await;
        let answer = ask_once(&sound, &account).await;
        assert_eq!(answer.remaining(), 9_000);
        assert_eq!(answer.header("idempotent-replayed").is_some(), fate == Fate::AnswerLost);
        proxy.revive();
        eventually("the doubt is resolved", async || {
            cut_off.log().contains("a charge in doubt is resolved").then_some(())
        })
        .await;
        assert_eq!(kinds(&db, &account).await, ["grant", "charge", "charge"], "{fate:?}");
        assert_eq!(ask_once(&cut_off, &account).await.ok(), answer.ok());
    }
}

/// A replica exceeds its lease, another one takes over, and in the end both have an answer.
async fn two_replicas_that_run_the_same_request_give_the_same_answer(db: Db) {
    let proxy = Proxy::start(&db).await;
    let slow = behind(&proxy, &db).await;
    let quick = Server::start(&db).await;
    let account = quick.account(10).await;
    slow.moderate(&account.key, "all is well").send().await.ok();
    proxy.next_commit(Fate::NeverSentInSilence, false);
    let first = tokio::spawn(ask_once(&slow, &account));
    eventually("the slow replica is stuck", async || (proxy.met() == 1).then_some(())).await;
    end_leases(&db).await;
    let second = ask_once(&quick, &account).await;
    let first = first.await.unwrap();
    assert_eq!(first.ok(), second.ok());
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

/// A replica exceeds its lease and then fails, while the one that took over is still working.
async fn a_late_failure_does_not_release_the_key_of_the_next_attempt(db: Db) {
    let hinders_first = Proxy::start(&db).await;
    let hinders_second = Proxy::start(&db).await;
    let first = behind(&hinders_first, &db).await;
    let second = behind(&hinders_second, &db).await;
    let account = first.account(10).await;
    for server in [&first, &second] {
        server.moderate(&account.key, "all is well").send().await.ok();
    }
    hinders_first.next_commit(Fate::NeverSentInSilence, false);
    let fails = tokio::spawn(ask_once(&first, &account));
    eventually("the first replica is stuck", async || (hinders_first.met() == 1).then_some(())).await;
    hinders_first.next_commit(Fate::NeverSent, false);
    end_leases(&db).await;
    hinders_second.next_commit(Fate::NeverSentInSilence, false);
    let takes_over = tokio::spawn(ask_once(&second, &account));
    fails.await.unwrap().fails(500, "INTERNAL_ERROR");
    let answer = takes_over.await.unwrap().ok();
    let again = ask_once(&first, &account).await.ok();
    assert_eq!(again, answer);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
}

async fn an_interrupted_grant_is_made_once(db: Db) {
    let account = db.account(10).await;
    for fate in [Fate::AnswerLost, Fate::NeverSent] {
        let proxy = Proxy::start(&db).await;
        proxy.next_commit(fate, false);
        let grant = ["credits", "grant", "--account", &account.id, "--amount", "5", "--json"];
        let ran = db.run(&grant, &[("GAVEL_DATABASE_URL", &proxy.url(&db))], "").await;
        assert!(ran.status.success(), "{fate:?}: {ran:?}");
        assert_eq!(proxy.met(), 1);
    }
    assert_eq!(kinds(&db, &account).await, ["grant"; 3]);
    assert_eq!(inv::balance(&db, &account.id).await, 20_000);
}

async fn a_silent_connection_does_not_stop_other_requests(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = behind(&proxy, &db).await;
    let account = server.account(100).await;
    server.moderate(&account.key, "all is well").send().await.ok();
    for fate in [Fate::NeverSentInSilence, Fate::DoneInSilence] {
        proxy.next_commit(fate, false);
        let start = Instant::now();
        for answer in at_once(&server, &account, 8).await {
            assert_eq!(answer.status, 200, "{fate:?}: {}", answer.text);
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{fate:?}: {:?}", start.elapsed());
    }
    assert_eq!((proxy.met(), inv::charges(&db, &account.id).await.len()), (2, 17));
}

on_postgres!(
    a_commit_with_an_unknown_outcome_is_looked_up_and_charged_once,
    charges_answered_with_an_error_are_refunded_once_the_database_is_back,
    a_delivered_answer_is_not_refunded,
    two_replicas_that_run_the_same_request_give_the_same_answer,
    a_late_failure_does_not_release_the_key_of_the_next_attempt,
    an_interrupted_grant_is_made_once,
    a_silent_connection_does_not_stop_other_requests,
);
