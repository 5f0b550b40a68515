//! Rate limits: off by default, set for a deployment, an account or a key, shared through Redis.

use crate::harness::{Answer, Db, Server, from_environment, inv, on_both, on_postgres, on_sqlite};

/// Sends until refused, at most `most` times; returns the number of accepted requests and the refusal.
async fn until_refused(server: &Server, key: &str, most: usize) -> (usize, Option<Answer>) {
    for sent in 0..most {
        let answer = server.moderate(key, "once more").send().await;
        if answer.status == 429 {
            return (sent, Some(answer));
        }
        answer.ok();
    }
    (most, None)
}

async fn without_a_limit_there_are_no_limit_headers(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let answer = server.moderate(&account.key, "hello").send().await;
    for header in ["ratelimit", "ratelimit-policy", "retry-after"] {
        assert_eq!(answer.header(header), None, "{header}");
    }
    assert_eq!(until_refused(&server, &account.key, 100).await.0, 100);
}

async fn the_deployments_limit_counts_down_and_then_refuses(db: Db) {
    let server = Server::with(&db).env("GAVEL_RATE_LIMIT_PER_MINUTE", 2).start().await;
    let account = server.account(10).await;
    let other = server.account(10).await;
    for left in [1, 0] {
        let answer = server.moderate(&account.key, "hello").send().await;
        assert_eq!(answer.header("ratelimit-policy"), Some("\"account\";q=2;w=60"));
        assert_counts(&answer, left);
    }
    let refused = server.moderate(&account.key, "hello").send().await;
    let words = refused.fails(429, "RATE_LIMITED");
    assert!(words.contains("2 requests a minute"), "{words}");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"account\";q=2;w=60"));
    assert_counts(&refused, 0);
    let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2, "a refused request is not charged");
    server.moderate(&other.key, "another key has its own bucket").send().await.ok();
    server.get("/api/pricing").send().await.ok();
}

#[track_caller]
fn assert_counts(answer: &Answer, left: u32) {
    let shown = answer.header("ratelimit").unwrap();
    assert!(shown.starts_with(&format!("\"account\";r={left};t=")), "{shown}");
}

async fn invalid_requests_count_towards_the_limit(db: Db) {
    let server = Server::with(&db).env("GAVEL_RATE_LIMIT_PER_MINUTE", 1).start().await;
    let account = server.account(10).await;
    let mistaken = server.moderate(&account.key, "").send().await;
    mistaken.fails(422, "VALIDATION_FAILED");
    assert_counts(&mistaken, 0);
    server.moderate(&account.key, "hello").send().await.fails(429, "RATE_LIMITED");
}

async fn an_accounts_limit_is_a_ceiling_over_all_its_keys(db: Db) {
    let server = Server::with(&db).env("GAVEL_RATE_LIMIT_PER_MINUTE", 1).start().await;
    let account = server.account(100).await;
    let victim = server.account(100).await;
    let set =
        server.cli(&["account", "set-rate-limit", "--account", &account.email, "--per-minute", "4"]).await;
    assert_eq!(set["rate_limit_per_minute"], 4);
    let (_, one) = db.key(&account, &["--rate-limit-per-minute", "1"]).await;
    let (_, unlimited) = db.key(&account, &["--rate-limit-per-minute", "0"]).await;
    let first = server.moderate(&one, "within both limits").send().await;
    assert_eq!(first.header("ratelimit-policy"), Some("\"key\";q=1;w=60, \"account\";q=4;w=60"));
    assert!(first.header("ratelimit").unwrap().starts_with("\"key\";r=0;t="), "{:?}", first.headers);
    first.ok();
    let second = server.moderate(&one, "over the key's limit").send().await;
    let message = second.fails(429, "RATE_LIMITED");
    assert!(message.contains("this key has reached its limit of 1 request a minute"), "{message}");
    // What the key's limit refused did not count towards the account's.
    let (sent, refused) = until_refused(&server, &unlimited, 30).await;
    assert_eq!(sent, 3, "the account's limit");
    let refused = refused.unwrap();
    let message = refused.fails(429, "RATE_LIMITED");
    assert!(message.contains("this account has reached its limit of 4 requests a minute"), "{message}");
    assert_eq!(until_refused(&server, &account.key, 10).await.0, 0, "the account's limit");
    assert_eq!(until_refused(&server, &victim.key, 10).await.0, 1, "the deployment's limit");
}

async fn an_account_is_unlimited_only_by_the_operators_word(db: Db) {
    let server = Server::with(&db).env("GAVEL_RATE_LIMIT_PER_MINUTE", 3).start().await;
    let account = server.account(100).await;
    let (_, unlimited) = db.key(&account, &["--rate-limit-per-minute", "0"]).await;
    assert_eq!(until_refused(&server, &unlimited, 30).await.0, 3, "the deployment's limit");
    let free = server.account(100).await;
    server.cli(&["account", "set-rate-limit", "--account", &free.id, "--per-minute", "0"]).await;
    assert_eq!(until_refused(&server, &free.key, 30).await.0, 30, "no limit");
}

async fn a_new_limit_applies_within_five_seconds(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1_000).await;
    assert_eq!(until_refused(&server, &account.key, 20).await.0, 20, "no limit yet");
    server.cli(&["account", "set-rate-limit", "--account", &account.id, "--per-minute", "1"]).await;
    // The documented delay.
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(until_refused(&server, &account.key, 20).await.0, 1);
    let set = server.cli(&["account", "set-rate-limit", "--account", &account.id]).await;
    assert!(set["rate_limit_per_minute"].is_null(), "{set}");
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(until_refused(&server, &account.key, 20).await.0, 20, "no limit again");
}

async fn replicas_share_a_limit_through_redis(db: Db) {
    let shared = Server::with(&db)
        .env("GAVEL_RATE_LIMIT_PER_MINUTE", 4)
        .env("GAVEL_REDIS_URL", from_environment("GAVEL_TEST_REDIS_URL"));
    let server = shared.start().await;
    let replica = server.replica().await;
    let account = server.account(100).await;
    let mut left = Vec::new();
    for n in 0..4 {
        let answer = [&server, &replica][n % 2].moderate(&account.key, "hello").send().await;
        left.push(answer.header("ratelimit").unwrap().split(';').nth(1).unwrap().to_owned());
        answer.ok();
    }
    assert_eq!(left, ["r=3", "r=2", "r=1", "r=0"]);
    for server in [&server, &replica] {
        let refused = server.moderate(&account.key, "hello").send().await;
        refused.fails(429, "RATE_LIMITED");
        assert!(refused.header("retry-after").is_some());
    }
    server.moderate(&server.account(10).await.key, "another key").send().await.ok();
}

async fn keys_share_their_accounts_limit_through_redis(db: Db) {
    let shared = Server::with(&db)
        .env("GAVEL_RATE_LIMIT_PER_MINUTE", 5)
        .env("GAVEL_REDIS_URL", from_environment("GAVEL_TEST_REDIS_URL"));
    let server = shared.start().await;
    let replica = server.replica().await;
    let account = server.account(100).await;
    let (_, three) = db.key(&account, &["--rate-limit-per-minute", "3"]).await;
    assert_eq!(until_refused(&server, &three, 10).await.0, 3, "the key's limit");
    assert_eq!(until_refused(&replica, &three, 10).await.0, 0, "the key's limit");
    assert_eq!(until_refused(&replica, &account.key, 10).await.0, 2, "the account's limit");
}

async fn limits_apply_per_process_without_redis(db: Db) {
    // Nothing listens on port 1.
    let away =
        Server::with(&db).env("GAVEL_RATE_LIMIT_PER_MINUTE", 2).env("GAVEL_REDIS_URL", "redis://127.0.0.1:1");
    let server = away.start().await;
    let account = server.account(10).await;
    let (sent, refused) = until_refused(&server, &account.key, 5).await;
    assert_eq!(sent, 2);
    refused.unwrap().fails(429, "RATE_LIMITED");
    assert!(server.log().contains("Redis did not answer"), "an operator should know");
    for _ in 0..50 {
        server.moderate(&account.key, "hello").send().await;
    }
    let asked = server.log().matches("Redis did not answer").count();
    assert!(asked < 25, "Redis was asked {asked} times, as if it would answer the next time");
}

on_sqlite!(
    without_a_limit_there_are_no_limit_headers,
    the_deployments_limit_counts_down_and_then_refuses,
    invalid_requests_count_towards_the_limit,
    a_new_limit_applies_within_five_seconds,
    limits_apply_per_process_without_redis,
);
on_both!(
    an_accounts_limit_is_a_ceiling_over_all_its_keys,
    an_account_is_unlimited_only_by_the_operators_word
);
on_postgres!(replicas_share_a_limit_through_redis, keys_share_their_accounts_limit_through_redis);
