//! Many subscriptions of one account that spends: each change is read once for all of them, and other
//! accounts are served.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{FLOOR, moderating_beside};
use crate::{
    graphql::Socket,
    harness::{Account, Db, Server, on_both},
};

const SOCKETS: usize = 8;
const SUBSCRIPTIONS: usize = 32;
const BALANCE: &str = "subscription { balanceChanged { id balance } }";

/// Opens the maximum number of subscriptions on each connection.
async fn subscribed(server: &Server, key: &str) -> Vec<Socket> {
    let open = (0..SOCKETS).map(|_| async {
        let mut socket = Socket::with_key(server, key).await;
        for id in 0..SUBSCRIPTIONS {
            socket.subscribe(&id.to_string(), BALANCE, json!({})).await;
        }
        // The pong shows that everything sent before has been handled.
        socket.say(json!({ "type": "ping" })).await;
        assert_eq!(socket.hear().await, json!({ "type": "pong" }));
        socket
    });
    join_all(open).await
}

/// The number of SQL statements so far.
async fn statements(server: &Server) -> u64 {
    let metrics = server.get("/metrics").send().await.text;
    let lines = metrics.lines().filter(|line| line.starts_with("gavel_database_statements_total{"));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Sends requests until `end`; returns their number.
async fn spend(server: &Server, account: &Account, client: usize, end: Instant) -> i32 {
    let mut spent = 0;
    while Instant::now() < end {
        let answer = server.moderate(&account.key, &format!("message {spent} of {client}")).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        spent += 1;
    }
    spent
}

/// 8 connections with 32 subscriptions each, to an account that spends constantly, and no client reads.
async fn subscriptions_do_not_occupy_the_database(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10_000).await;
    let victim = server.account(10_000).await;
    let key = db.scoped_key(&account, "read").await;

    let attack = async {
        let sockets = subscribed(server, &key).await;
        let end = Instant::now() + Duration::from_secs(8);
        (join_all((0..4).map(|client| spend(server, &account, client, end))).await, sockets)
    };
    let ((spent, _), fared) =
        moderating_beside("subscribers of an account that spends", server, &victim, attack).await;
    assert!(spent.iter().sum::<i32>() >= 40, "{spent:?}");
    fared.well(20, FLOOR, Duration::from_secs(3));
}

async fn each_change_is_read_once_for_all_subscribers(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(100).await;
    let mut sockets = subscribed(server, &db.scoped_key(&account, "read").await).await;
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
    // The connections also check their key once a second.
    let read = statements(server).await - before;
    assert!(read < 64, "{read} statements for one change that {} watch", SOCKETS * SUBSCRIPTIONS);
}

on_both!(subscriptions_do_not_occupy_the_database, each_change_is_read_once_for_all_subscribers);
