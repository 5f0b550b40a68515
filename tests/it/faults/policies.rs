//! An account with the largest policies and the worst messages for them, beside an account with a small policy.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{BUSY_FLOOR, beside};
use crate::harness::{Db, Server, on_sqlite};

const CREATE: &str = "mutation($input: CreateModerationPolicyInput!) { createModerationPolicy(input: \
    $input) { moderationPolicy { id } userErrors { message } } }";

async fn create(server: &Server, key: &str, name: &str, rules: serde_json::Value) {
    let input = json!({ "input": { "name": name, "rules": rules } });
    let made = server.ask(key, CREATE, input).await;
    assert_eq!(made["createModerationPolicy"]["userErrors"], json!([]), "{made}");
}

async fn the_largest_policies_of_one_account_delay_no_other(db: Db) {
    let server = Server::start(&db).await;
    let attacker = server.account(100_000).await;
    let victim = server.account(10_000).await;
    let key = db.scoped_key(&attacker, "moderate,manage").await;
    let small = db.scoped_key(&victim, "moderate,manage").await;
    create(&server, &small, "house", json!({ "block": [{ "action": "warn", "phrases": ["rival guild"] }] }))
        .await;
    // Each phrase ends in all shorter ones, so that many match at every letter of a message.
    for n in 0..8 {
        let phrases: Vec<String> =
            (0..4_000).map(|i| format!("*{}*", "ab".repeat(2 + (i + n) % 20))).collect();
        let distinct: Vec<String> = (0..4_000).map(|i| format!("{n} entry number {i}")).collect();
        let block =
            json!([{ "action": "warn", "phrases": phrases }, { "action": "ban", "phrases": distinct }]);
        create(&server, &key, &format!("large {n}"), json!({ "block": block })).await;
    }
    let messages: Vec<_> = (0..10)
        .map(|n| json!({ "content": "ab".repeat(5_000), "policy": format!("large {}", n % 8), "mode": "native" }))
        .collect();
    let attack = async {
        for _ in 0..3 {
            let body = json!({ "messages": messages });
            let batches = (0..6)
                .map(|_| server.post("/api/v1/moderate/text/batch").key(&key).json(body.clone()).send());
            for answer in join_all(batches).await {
                assert!([200, 503].contains(&answer.status), "{}", answer.text);
            }
        }
        server.memory().1
    };
    let (memory, fared) = beside(
        "largest policies",
        || {
            let body = json!({ "content": "the rival guild is here", "policy": "house", "mode": "native" });
            server.post("/api/v1/moderate/text").key(&small).json(body)
        },
        attack,
    )
    .await;
    fared.well(3, BUSY_FLOOR, Duration::from_secs(10));
    super::victim::report(&format!("largest policies: peak {memory} MiB"));
    assert!(memory < 1_500, "{memory} MiB");
}

on_sqlite!(the_largest_policies_of_one_account_delay_no_other);
