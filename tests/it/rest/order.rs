//! A request with several faults gets the error that comes first in the documented order.

use serde_json::{Value, json};

use crate::harness::{Answer, Db, Server, on_both};

/// A fault of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    NoKey,
    NoScope,
    TooOften,
    TooLarge,
    WrongType,
    NotJson,
    WrongShape,
    OtherRequest,
    Poor,
}

use Fault::*;

impl Fault {
    /// The place in the order of checks.
    fn rank(self) -> usize {
        match self {
            NoKey => 0,
            NoScope => 1,
            TooOften => 2,
            TooLarge | WrongType => 3,
            NotJson => 4,
            WrongShape => 5,
            OtherRequest => 6,
            Poor => 7,
        }
    }

    fn expected(self) -> (u16, &'static str) {
        match self {
            NoKey => (401, "UNAUTHORIZED"),
            NoScope => (403, "FORBIDDEN"),
            TooOften => (429, "RATE_LIMITED"),
            TooLarge => (413, "PAYLOAD_TOO_LARGE"),
            WrongType => (415, "UNSUPPORTED_MEDIA_TYPE"),
            NotJson => (400, "MALFORMED_BODY"),
            WrongShape => (422, "VALIDATION_FAILED"),
            OtherRequest => (422, "IDEMPOTENCY_MISMATCH"),
            Poor => (402, "INSUFFICIENT_CREDITS"),
        }
    }
}

/// Keys of an account with credits and one without: within the rate limit, over it, and each without the scope.
struct Keys {
    rich: [String; 4],
    poor: [String; 4],
}

const USED: &str = "used-before";

async fn keys(server: &Server, credits: u32) -> [String; 4] {
    let account = server.account(1).await;
    let mut keys = Vec::new();
    for (scope, limit) in [("moderate", "0"), ("moderate", "1"), ("read", "0"), ("read", "1")] {
        let args = ["--scopes", scope, "--rate-limit-per-minute", limit];
        keys.push(server.db.key(&account, &args).await.1);
    }
    // Two requests spend the credit: one uses up the rate limit, one the Idempotency-Key.
    server.moderate(&keys[1], "the only one this minute").send().await.ok();
    server.moderate(&keys[0], "the first of its kind").idempotent(USED).send().await.ok();
    if credits > 0 {
        server.cli(&["credits", "grant", "--account", &account.id, "--amount", &credits.to_string()]).await;
    }
    keys.try_into().expect("four keys")
}

async fn send(server: &Server, keys: &Keys, faults: &[Fault]) -> Answer {
    let owner = if faults.contains(&Poor) { &keys.poor } else { &keys.rich };
    let mut request = server.post("/api/v1/moderate/text");
    if !faults.contains(&NoKey) {
        request = request.key(
            &owner[usize::from(faults.contains(&NoScope)) * 2 + usize::from(faults.contains(&TooOften))],
        );
    }
    if faults.contains(&OtherRequest) {
        request = request.idempotent(USED);
    }
    let shape = if faults.contains(&WrongShape) { Value::Null } else { json!("another one") };
    let mut body = json!({ "content": shape }).to_string();
    if faults.contains(&NotJson) {
        body.push('}');
    }
    if faults.contains(&TooLarge) {
        body.push_str(&" ".repeat(300_000));
    }
    request
        .body(if faults.contains(&WrongType) { "text/plain" } else { "application/json" }, body)
        .send()
        .await
}

async fn the_earlier_of_two_failing_checks_answers(db: Db) {
    let server = Server::start(&db).await;
    let keys = Keys { rich: keys(&server, 1_000).await, poor: keys(&server, 0).await };
    // A key without the scope is refused before its rate is counted, so it never exceeds its limit.
    let all = [NoKey, NoScope, TooOften, TooLarge, WrongType, NotJson, WrongShape, OtherRequest, Poor];
    for first in all {
        let (status, code) = first.expected();
        let alone = send(&server, &keys, &[first]).await;
        assert_eq!(
            (alone.status, alone.body["code"].as_str()),
            (status, Some(code)),
            "{first:?}: {}",
            alone.text
        );
        alone.error();
        for second in all.into_iter().filter(|second| second.rank() > first.rank()) {
            let both = send(&server, &keys, &[first, second]).await;
            let got = (both.status, both.body["code"].as_str());
            assert_eq!(got, (status, Some(code)), "{first:?} and {second:?}: {}", both.text);
        }
    }
    let every = send(&server, &keys, &all).await;
    every.fails(401, "UNAUTHORIZED");
    send(&server, &keys, &[]).await.ok();
}

on_both!(the_earlier_of_two_failing_checks_answers);
