//! The memory of channels: floods, copies, bursts and links raise the threat, and nothing else changes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Account, Db, RedisServer, Server, eventually, inv, on_both, on_postgres};

const SINGLE: &str = "/api/v1/moderate/text";
const SPAM: &str = "come and have a look at what we do over there, everybody";

/// A message in a channel.
fn said(channel: &str, author: &str, content: &str) -> Value {
    json!({ "content": content, "channel": channel, "author": author, "account_age_days": 30, "explain": true })
}

async fn moderate(server: &Server, account: &Account, body: Value) -> Value {
    server.post(SINGLE).key(&account.key).json(body).send().await.ok()
}

/// The names of the signals that come from the memory of a channel.
fn remembered(answer: &Value) -> Vec<&str> {
    let names = [
        "repeated_message",
        "copied_message",
        "new_account_burst",
        "mentions_over_time",
        "link_from_many_authors",
    ];
    let signals = answer["explanation"]["signals"].as_array().unwrap().iter();
    let mut seen: Vec<&str> = signals.filter_map(|signal| signal["name"].as_str()).collect();
    seen.retain(|name| names.contains(name));
    seen
}

fn threat(answer: &Value) -> f64 {
    answer["threat_score"].as_f64().unwrap()
}

async fn activity_in_a_channel_raises_the_threat(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let mut scores = Vec::new();
    for n in 0..8 {
        let answer = moderate(&server, &account, said("#a", "flooder", SPAM)).await;
        assert_eq!(remembered(&answer).contains(&"repeated_message"), n >= 2, "{n}: {answer}");
        scores.push(threat(&answer));
        assert_eq!(answer["credits_deducted"], 0.5, "the price is the same");
    }
    assert!(scores[1] == scores[0] && scores[7] > 1.0 && scores.is_sorted(), "{scores:?}");
    let near =
        moderate(&server, &account, said("#a", "flooder", &format!("{} !!!", SPAM.to_uppercase()))).await;
    assert_eq!(remembered(&near), ["repeated_message"]);
    for n in 0..4 {
        let answer = moderate(&server, &account, said("#b", &format!("bot {n}"), SPAM)).await;
        assert_eq!(remembered(&answer).contains(&"copied_message"), n >= 3, "{n}: {answer}");
    }
    for n in 0..4 {
        let content = format!("number {n}: look at evil-gifts.top/x");
        let answer = moderate(&server, &account, said("#c", &format!("bot {n}"), &content)).await;
        assert_eq!(remembered(&answer).contains(&"link_from_many_authors"), n >= 2, "{n}: {answer}");
    }
    for n in 0..6 {
        let mut body = said("#d", &format!("bot {n}"), &format!("{n}{n} is my number {n}"));
        body["account_age_days"] = json!(0);
        let answer = moderate(&server, &account, body).await;
        assert_eq!(remembered(&answer).contains(&"new_account_burst"), n >= 4, "{n}: {answer}");
    }
    for n in 0..5 {
        let mut body = said("#e", "caller", &format!("{n}{n} is my number {n}"));
        body["mentions_count"] = json!(3);
        let answer = moderate(&server, &account, body).await;
        assert_eq!(remembered(&answer).contains(&"mentions_over_time"), n >= 3, "{n}: {answer}");
    }
    // The messages of a batch count in their order.
    let messages: Vec<Value> = (0..3).map(|_| said("#f", "flooder", SPAM)).collect();
    let body = json!({ "messages": messages, "explain": true });
    let batch = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await.ok();
    assert_eq!(remembered(&batch["results"][1]), [""; 0]);
    assert_eq!(remembered(&batch["results"][2]), ["repeated_message"]);
}

async fn nothing_is_remembered_outside_a_channel(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let other = server.account(100).await;
    for _ in 0..6 {
        moderate(&server, &account, said("#a", "flooder", SPAM)).await;
        // Without a channel, or with an empty one, nothing changes.
        for body in [
            json!({ "content": SPAM, "author": "flooder", "explain": true }),
            json!({ "content": SPAM, "channel": "", "author": "", "explain": true }),
        ] {
            assert_eq!(remembered(&moderate(&server, &account, body).await), [""; 0]);
        }
    }
    for (account, channel) in [(&other, "#a"), (&account, "#b")] {
        let answer = moderate(&server, account, said(channel, "flooder", SPAM)).await;
        assert_eq!(remembered(&answer), [""; 0], "{answer}");
    }
    // A repeated request counts once and gets the same answer.
    let mut answers = Vec::new();
    for _ in 0..6 {
        let request = server.post(SINGLE).key(&other.key).idempotent("once");
        answers.push(request.json(said("#again", "flooder", SPAM)).send().await.text);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let next = moderate(&server, &other, said("#again", "flooder", SPAM)).await;
    assert_eq!(remembered(&next), [""; 0], "one earlier message, not six");
    // No text is stored: the database has only the secret of the hashes.
    assert_eq!(db.execute("DELETE FROM secret WHERE name <> 'channel_memory'").await, 0);
}

async fn channels_can_be_turned_off(db: Db) {
    let server = Server::with(&db).env("GAVEL_CHANNEL_MEMORY", "false").start().await;
    let account = server.account(100).await;
    for _ in 0..6 {
        let answer = moderate(&server, &account, said("#a", "flooder", SPAM)).await;
        assert_eq!(remembered(&answer), [""; 0]);
    }
}

async fn invalid_authors_and_channels_are_refused_by_field(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for field in ["author", "channel"] {
        for value in
            [json!("x".repeat(257)), json!("x".repeat(10_240)), json!("a\0b"), json!(7), json!(["#a"])]
        {
            let mut body = json!({ "content": "hello" });
            body[field] = value;
            let refused = server.post(SINGLE).key(&account.key).json(body).send().await;
            refused.fails(422, "VALIDATION_FAILED");
            assert_eq!(refused.body["details"][0]["field"], field, "{}", refused.text);
        }
        let mut body = json!({ "content": "hello" });
        body[field] = json!("ü".repeat(256));
        moderate(&server, &account, body).await;
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

/// The time of the slowest of 30 messages.
async fn slowest(server: &Server, account: &Account) -> Duration {
    let mut slowest = Duration::ZERO;
    for n in 0..30 {
        let start = Instant::now();
        let author = format!("somebody {n}");
        moderate(server, account, said("#b", &author, &format!("message {n} of several {n}"))).await;
        slowest = slowest.max(start.elapsed());
    }
    slowest
}

async fn replicas_agree_over_redis_and_a_dead_redis_delays_nobody(db: Db) {
    let mut redis = RedisServer::start();
    let server = Server::with(&db).env("GAVEL_REDIS_URL", redis.url()).start().await;
    let replica = server.replica().await;
    let account = server.account(1_000).await;
    // On a busy machine an answer of Redis may be too late, and each process then counts alone for two seconds.
    let server_ = &server;
    let replica_ = &replica;
    let account_ = &account;
    let tries = std::cell::Cell::new(0);
    eventually("the replicas agree", || {
        tries.set(tries.get() + 1);
        let channel = format!("#try {}", tries.get());
        async move {
            let mut agree = true;
            for n in 0..6 {
                let at = if n % 2 == 0 { server_ } else { replica_ };
                let answer = moderate(at, account_, said(&channel, "flooder", SPAM)).await;
                agree &= remembered(&answer).contains(&"repeated_message") == (n >= 2);
            }
            agree.then_some(())
        }
    })
    .await;
    // A frozen Redis accepts connections and answers nothing. Rate limits also use it, with their own pause.

    let (frozen, ()) = futures_util::join!(slowest(&server, &account), redis.freeze(Duration::from_secs(5)));
    assert!(frozen < Duration::from_secs(3), "{frozen:?}");
    redis.kill9_and_start(Duration::from_millis(500)).await;
    assert!(slowest(&replica, &account).await < Duration::from_secs(3));
}

on_both!(
    activity_in_a_channel_raises_the_threat,
    nothing_is_remembered_outside_a_channel,
    invalid_authors_and_channels_are_refused_by_field,
    channels_can_be_turned_off,
);
on_postgres!(replicas_agree_over_redis_and_a_dead_redis_delays_nobody);
