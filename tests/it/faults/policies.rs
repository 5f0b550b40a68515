//! An account with the largest policies and the worst messages for them, beside an account with a small policy.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{BUSY_FLOOR, FLOOR, beside};
use crate::harness::{Db, Request, Server, on_sqlite};

/// Over 16 MiB of compiled policies.
const POLICIES: usize = 20;
const ROUNDS: usize = 2;

const CREATE: &str = "mutation($input: CreateModerationPolicyInput!) { createModerationPolicy(input: \
    $input) { moderationPolicy { id } userErrors { message } } }";

async fn create(server: &Server, key: &str, name: &str, rules: serde_json::Value) {
    let input = json!({ "input": { "name": name, "rules": rules } });
    let made = server.ask(key, CREATE, input).await;
    assert_eq!(made["createModerationPolicy"]["userErrors"], json!([]), "{made}");
}

fn judge(server: &Server, key: &str, policy: &str) -> Request {
    let body = json!({ "content": "the rival guild is here", "policy": policy, "mode": "native" });
    server.post("/api/v1/moderate/text").key(key).json(body)
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
    let (memory, fared) = beside("largest policies", || judge(&server, &small, "house"), attack).await;
    fared.well(3, BUSY_FLOOR, Duration::from_secs(10));
    super::victim::report(&format!("largest policies: peak {memory} MiB"));
    assert!(memory < 1_500, "{memory} MiB");
}

/// The policies of an account in turn, more than its share of memory: each request compiles one.
async fn a_policy_stays_compiled_while_another_account_walks_through_many(db: Db) {
    let server = Server::start(&db).await;
    let attacker = server.account(100_000).await;
    let victim = server.account(10_000).await;
    let key = db.scoped_key(&attacker, "moderate,manage").await;
    let small = db.scoped_key(&victim, "moderate,manage").await;
    create(&server, &small, "house", json!({ "block": [{ "action": "warn", "phrases": ["rival guild"] }] }))
        .await;
    for n in 0..POLICIES {
        let phrases: Vec<String> =
            (0..9_000).map(|i| format!("{n} the phrase {:x}", i * 2_654_435_761_u64)).collect();
        create(
            &server,
            &key,
            &format!("large {n}"),
            json!({ "block": [{ "action": "ban", "phrases": phrases }] }),
        )
        .await;
    }
    let attack = async {
        for n in 0..POLICIES * ROUNDS {
            judge(&server, &key, &format!("large {}", n % POLICIES)).send().await.ok();
        }
    };
    let ((), fared) = beside("many policies", || judge(&server, &small, "house"), attack).await;
    // Those of the attack, and the victim's once.
    assert_eq!(server.metric("gavel_policies_compiled_total").await, (POLICIES * ROUNDS + 1) as f64);
    fared.well(10, FLOOR, Duration::from_secs(5));
}

on_sqlite!(
    the_largest_policies_of_one_account_delay_no_other,
    a_policy_stays_compiled_while_another_account_walks_through_many,
);
