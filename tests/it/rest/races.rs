//! Many requests at once for less money than they cost: as many are served as can be paid for, to the last one.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Account, Answer, Db, Server, inv, on_both, on_postgres};

/// Sends `requests` messages at once, to each server in turn.
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
    assert_eq!(distinct, (0..500).map(|left| left * 500).collect(), "every balance on the way down, once");
    assert_eq!(inv::charges(&servers[0].db, &account.id).await.len(), 500);
    assert_eq!(inv::balance(&servers[0].db, &account.id).await, 0);
}

async fn a_thousand_at_once_with_credits_for_five_hundred(db: Db) {
    half_of_a_thousand_is_served(vec![Server::start(&db).await]).await;
}

async fn a_thousand_at_once_on_two_replicas_with_credits_for_five_hundred(db: Db) {
    let server = Server::start(&db).await;
    let replica = server.replica().await;
    half_of_a_thousand_is_served(vec![server, replica]).await;
}

/// One read of the balance answers all who ask meanwhile, and one of the key.
async fn those_who_cannot_pay_share_a_read_of_the_balance(db: Db) {
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

/// Batches of 1 to 5 messages for more money than there is. Balances only fall, so a batch may be refused only for
/// costing more than is left in the end.
async fn batches_of_all_sizes_are_served_until_nothing_more_fits(db: Db) {
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
            assert!(distinct.insert(answer.remaining()), "two requests were told the same balance");
        } else {
            answer.fails(402, "INSUFFICIENT_CREDITS");
            assert!(*cost > left, "a batch for {cost} was refused with {left} to spare");
        }
    }
    assert_eq!(spent + left, 100_000);
    assert_eq!(inv::charges(&db, &account.id).await.len(), distinct.len());
}

async fn many_accounts_at_once_do_not_touch_each_other(db: Db) {
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

async fn grants_in_the_middle_of_a_storm_are_neither_lost_nor_doubled(db: Db) {
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
    a_thousand_at_once_with_credits_for_five_hundred,
    those_who_cannot_pay_share_a_read_of_the_balance,
    batches_of_all_sizes_are_served_until_nothing_more_fits,
    many_accounts_at_once_do_not_touch_each_other,
    grants_in_the_middle_of_a_storm_are_neither_lost_nor_doubled,
);
on_postgres!(a_thousand_at_once_on_two_replicas_with_credits_for_five_hundred);
