//! The connection to PostgreSQL breaks around a COMMIT, so that nobody can tell whether it was done.

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

async fn kinds(db: &Db, account: &Account) -> Vec<String> {
    let ledger = inv::ledger(db).await.into_iter();
    ledger.filter(|row| row.account_id == account.id).map(|row| row.kind).collect()
}

async fn a_commit_of_unknown_fate_is_looked_up_and_charged_once(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = behind(&proxy, &db).await;
    let account = server.account(1_000).await;
    let mut left = HashSet::new();
    let mut charged = 0;
    for round in 0..4 {
        for fate in [Fate::NeverSent, Fate::CutAfterSending, Fate::AnswerLost] {
            proxy.next_commit(fate, false);
            // One request alone, then several that share a commit.
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

async fn a_charge_answered_with_an_error_is_refunded_when_the_database_is_back(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = behind(&proxy, &db).await;
    let account = server.account(10).await;
    for (round, fate) in [Fate::AnswerLost, Fate::NeverSent].into_iter().enumerate() {
        // So that key and price are known and the charge is all that needs the database.
        server.moderate(&account.key, "all is well").send().await.ok();
        proxy.next_commit(fate, true);
        let start = Instant::now();
        let answer = server.moderate(&account.key, MARKER).send().await;
        answer.fails(500, "INTERNAL_ERROR");
        assert!(start.elapsed() > Duration::from_secs(5), "it did not try for long: {:?}", start.elapsed());
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

/// A replica is cut off and answers 500; the client asks again, and another one answers, either what the first had
/// stored with its charge, or, since the lease is over, what it worked out itself.
async fn an_answer_given_after_all_is_not_refunded(db: Db) {
    let sound = Server::start(&db).await;
    for fate in [Fate::AnswerLost, Fate::NeverSent] {
        let proxy = Proxy::start(&db).await;
        let cut_off = behind(&proxy, &db).await;
        let account = sound.account(10).await;
        cut_off.moderate(&account.key, "all is well").send().await.ok();
        proxy.next_commit(fate, true);
        let ask = |server: &Server| server.moderate(&account.key, MARKER).idempotent("once").send();
        ask(&cut_off).await.fails(500, "INTERNAL_ERROR");
        end_leases(&db).await;
        let answer = ask(&sound).await;
        assert_eq!(answer.remaining(), 9_000);
        assert_eq!(answer.header("idempotent-replayed").is_some(), fate == Fate::AnswerLost);
        proxy.revive();
        eventually("the doubt is resolved", async || {
            cut_off.log().contains("a charge in doubt is resolved").then_some(())
        })
        .await;
        assert_eq!(kinds(&db, &account).await, ["grant", "charge", "charge"], "{fate:?}");
        assert_eq!(ask(&cut_off).await.ok(), answer.ok());
    }
}

/// A replica is slow beyond its lease, another one takes over, and in the end both have worked out an answer.
async fn two_who_run_the_same_request_give_the_same_answer(db: Db) {
    let proxy = Proxy::start(&db).await;
    let slow = behind(&proxy, &db).await;
    let quick = Server::start(&db).await;
    let account = quick.account(10).await;
    slow.moderate(&account.key, "all is well").send().await.ok();
    proxy.next_commit(Fate::NeverSentInSilence, false);
    let ask = |server: &Server| server.moderate(&account.key, MARKER).idempotent("once").send();
    let first = tokio::spawn(ask(&slow));
    eventually("the slow one is stuck", async || (proxy.met() == 1).then_some(())).await;
    end_leases(&db).await;
    let second = ask(&quick).await;
    let first = first.await.unwrap();
    assert_eq!(first.ok(), second.ok());
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

/// A replica is slow beyond its lease and then fails, while the one that took over is still at work.
async fn one_who_fails_late_does_not_take_the_key_from_the_next(db: Db) {
    let hinders_first = Proxy::start(&db).await;
    let hinders_second = Proxy::start(&db).await;
    let first = behind(&hinders_first, &db).await;
    let second = behind(&hinders_second, &db).await;
    let account = first.account(10).await;
    for server in [&first, &second] {
        server.moderate(&account.key, "all is well").send().await.ok();
    }
    let ask = |server: &Server| tokio::spawn(server.moderate(&account.key, MARKER).idempotent("once").send());
    hinders_first.next_commit(Fate::NeverSentInSilence, false);
    let fails = ask(&first);
    eventually("the first one is stuck", async || (hinders_first.met() == 1).then_some(())).await;
    hinders_first.next_commit(Fate::NeverSent, false);
    end_leases(&db).await;
    hinders_second.next_commit(Fate::NeverSentInSilence, false);
    let takes_over = ask(&second);
    fails.await.unwrap().fails(500, "INTERNAL_ERROR");
    let answer = takes_over.await.unwrap().ok();
    let again = ask(&first).await.unwrap().ok();
    assert_eq!(again, answer);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
}

async fn a_grant_whose_commit_is_cut_is_made_once(db: Db) {
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

async fn a_database_that_falls_silent_does_not_stop_the_others(db: Db) {
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
    a_commit_of_unknown_fate_is_looked_up_and_charged_once,
    a_charge_answered_with_an_error_is_refunded_when_the_database_is_back,
    an_answer_given_after_all_is_not_refunded,
    two_who_run_the_same_request_give_the_same_answer,
    one_who_fails_late_does_not_take_the_key_from_the_next,
    a_grant_whose_commit_is_cut_is_made_once,
    a_database_that_falls_silent_does_not_stop_the_others,
);
