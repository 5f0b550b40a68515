//! Many subscriptions of one account that spends: what changes is read once for all of them, and others get their turn.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{FLOOR, beside};
use crate::{
    graphql::Socket,
    harness::{Account, Db, Server, on_both},
};

const SOCKETS: usize = 8;
const SUBSCRIPTIONS: usize = 32;
const BALANCE: &str = "subscription { balanceChanged { id balance } }";

/// As many subscriptions as the connections may have.
async fn subscribed(server: &Server, key: &str) -> Vec<Socket> {
    let open = (0..SOCKETS).map(|_| async {
        let mut socket = Socket::with_key(server, key).await;
        for id in 0..SUBSCRIPTIONS {
            socket.subscribe(&id.to_string(), BALANCE, json!({})).await;
        }
        // What was sent before is handled when this is answered.
        socket.say(json!({ "type": "ping" })).await;
        assert_eq!(socket.hear().await, json!({ "type": "pong" }));
        socket
    });
    join_all(open).await
}

/// SQL statements so far.
async fn statements(server: &Server) -> u64 {
    let metrics = server.get("/metrics").send().await.text;
    let lines = metrics.lines().filter(|line| line.starts_with("gavel_database_statements_total{"));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

async fn reader(db: &Db, account: &Account) -> String {
    db.key(account, &["--scopes", "read"]).await.1
}

/// 8 connections with 32 subscriptions each, on an account that spends all the time, and nobody reads what is sent.
async fn subscriptions_leave_the_database_to_others(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10_000).await;
    let victim = server.account(10_000).await;
    let key = reader(&db, &account).await;
    let spend = async |client: usize, end: Instant| {
        let mut spent = 0;
        while Instant::now() < end {
            let answer = server.moderate(&account.key, &format!("message {spent} of {client}")).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            spent += 1;
        }
        spent
    };
    let attack = async {
        let sockets = subscribed(server, &key).await;
        let end = Instant::now() + Duration::from_secs(8);
        (join_all((0..4).map(|client| spend(client, end))).await, sockets)
    };
    let request = || server.moderate(&victim.key, "a message of somebody else");
    let ((spent, _), fared) = beside("subscribers of an account that spends", request, attack).await;
    assert!(spent.iter().sum::<i32>() >= 40, "{spent:?}");
    fared.well(20, FLOOR, Duration::from_secs(3));
}

async fn a_change_is_read_once_for_all_who_watch(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(100).await;
    let mut sockets = subscribed(server, &reader(&db, &account).await).await;
    let before = statements(server).await;
    server.moderate(&account.key, "one message").send().await.ok();
    for socket in &mut sockets {
        let mut heard = std::collections::HashSet::new();
        while heard.len() < SUBSCRIPTIONS {
            let message = socket.hear().await;
            assert_eq!(message["payload"]["data"]["balanceChanged"]["id"], account.id, "{message}");
            heard.insert(message["id"].as_str().unwrap().to_owned());
        }
    }
    // The connections look at their key once a second as well.
    let read = statements(server).await - before;
    assert!(read < 64, "{read} statements for one change that {} watch", SOCKETS * SUBSCRIPTIONS);
}

on_both!(subscriptions_leave_the_database_to_others, a_change_is_read_once_for_all_who_watch);
