//! Many concurrent requests with too few credits: exactly those are served that can be paid for.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Account, Answer, Db, Server, inv, on_both, on_postgres};

/// Sends `requests` messages at once, alternating between the servers.
async fn storm(servers: Vec<Server>, account: &Account, requests: usize) -> (Vec<Server>, Vec<Answer>) {
    let servers = Arc::new(servers);
    let mut tasks = JoinSet::new();
    for n in 0..requests {
        let servers = servers.clone();
        let key = account.key.clone();
        tasks
            .spawn(async move { servers[n % servers.len()].moderate(&key, "one of very many").send().await });
    }
    let answers = tasks.join_all().await;
    (Arc::into_inner(servers).expect("all tasks are done"), answers)
}

async fn half_of_a_thousand_is_served(servers: Vec<Server>) {
    let account = servers[0].account(250).await;
    let (servers, answers) = storm(servers, &account, 1_000).await;
    let balances: Vec<i64> =
        answers.iter().filter(|answer| answer.status == 200).map(Answer::remaining).collect();
    let distinct: BTreeSet<i64> = balances.iter().copied().collect();
    let refused: Vec<&Answer> = answers.iter().filter(|answer| answer.status != 200).collect();
    for answer in &refused {
        answer.fails(402, "INSUFFICIENT_CREDITS");
    }
    assert_eq!((balances.len(), refused.len()), (500, 500));
    assert_eq!(
        distinct,
        (0..500).map(|left| left * 500).collect(),
        "every balance on the way down occurs once"
    );
    assert_eq!(inv::charges(&servers[0].db, &account.id).await.len(), 500);
    assert_eq!(inv::balance(&servers[0].db, &account.id).await, 0);
}

async fn concurrent_requests_get_as_many_answers_as_credits_allow(db: Db) {
    half_of_a_thousand_is_served(vec![Server::start(&db).await]).await;
}

async fn two_replicas_give_as_many_answers_as_credits_allow(db: Db) {
    let server = Server::start(&db).await;
    let replica = server.replica().await;
    half_of_a_thousand_is_served(vec![server, replica]).await;
}

/// Concurrent requests share one read of the balance and one of the key.
async fn requests_without_credits_share_a_read_of_the_balance(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(0).await;
    let done = r#"gavel_database_statements_total{outcome="done"}"#;
    let before = server.metric(done).await;
    let (servers, answers) = storm(vec![server], &account, 500).await;
    for answer in &answers {
        answer.fails(402, "INSUFFICIENT_CREDITS");
    }
    let statements = servers[0].metric(done).await - before;
    assert!(statements < 250.0, "{statements} statements for 500 requests");
}

/// Batches of 1 to 5 messages that together cost too much. Balances only fall, so a batch may be refused only
/// if it costs more than is left in the end.
async fn batches_are_served_until_none_is_affordable(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(100).await;
    let mut tasks = JoinSet::new();
    for n in 0..150 {
        let server = server.clone();
        let key = account.key.clone();
        let size = 1 + n % 5;
        tasks.spawn(async move {
            let body = json!({ "messages": vec![json!({ "content": "hello" }); size] });
            let answer = server.post("/api/v1/moderate/text/batch").key(&key).json(body).send().await;
            (size as i64 * 500, answer)
        });
    }
    let answers = tasks.join_all().await;
    let left = inv::balance(&db, &account.id).await;
    let mut spent = 0;
    let mut distinct = BTreeSet::new();
    for (cost, answer) in &answers {
        if answer.status == 200 {
            spent += cost;
            assert!(distinct.insert(answer.remaining()), "two answers have the same balance");
        } else {
            answer.fails(402, "INSUFFICIENT_CREDITS");
            assert!(*cost > left, "a batch for {cost} was refused with {left} to spare");
        }
    }
    assert_eq!(spent + left, 100_000);
    assert_eq!(inv::charges(&db, &account.id).await.len(), distinct.len());
}

async fn concurrent_accounts_do_not_affect_each_other(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let mut accounts = Vec::new();
    for _ in 0..10 {
        accounts.push(server.account(10).await);
    }
    let mut tasks = JoinSet::new();
    for n in 0..300 {
        let server = server.clone();
        let key = accounts[n % 10].key.clone();
        tasks.spawn(async move { server.moderate(&key, "hello").send().await.status });
    }
    let statuses = tasks.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 200);
    assert_eq!(statuses.iter().filter(|status| **status == 402).count(), 100);
    for account in accounts {
        assert_eq!(inv::charges(&db, &account.id).await.len(), 20);
    }
}

async fn grants_under_load_are_neither_lost_nor_doubled(db: Db) {
    let servers = vec![Server::start(&db).await];
    let account = servers[0].account(20).await;
    let id = account.id.clone();
    let granting = db.clone();
    let grants = tokio::spawn(async move {
        for _ in 0..20 {
            granting.cli(&["credits", "grant", "--account", &id, "--amount", "5"]).await;
        }
    });
    let (servers, mut answers) = storm(servers, &account, 150).await;
    grants.await.expect("the grants");
    let (_servers, more) = storm(servers, &account, 150).await;
    answers.extend(more);
    let served = answers.iter().filter(|answer| answer.status == 200).count() as i64;
    assert!(answers.iter().all(|answer| [200, 402].contains(&answer.status)));
    assert_eq!(inv::balance(&db, &account.id).await, 120_000 - served * 500);
    assert!(served == 240 || inv::balance(&db, &account.id).await > 0, "{served}");
}

on_both!(
    concurrent_requests_get_as_many_answers_as_credits_allow,
    requests_without_credits_share_a_read_of_the_balance,
    batches_are_served_until_none_is_affordable,
    concurrent_accounts_do_not_affect_each_other,
    grants_under_load_are_neither_lost_nor_doubled,
);
on_postgres!(two_replicas_give_as_many_answers_as_credits_allow);
