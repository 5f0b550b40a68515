//! Every error has the format of its path's API, whichever layer it comes from, and the order of checks is
//! always the same.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Db, Family, Fault, Server, Upstream, eventually, inv, on_sqlite};

/// The paths of all APIs that infer or moderate, with a valid request for each.
fn requests() -> Vec<(&'static str, Value)> {
    let noul = json!({ "q": { "type": "noul", "instructions": "is it late?" } });
    let predicate = json!([{ "type": "predicate", "instructions": "It is late." }]);
    let own = json!({ "state": "where is it?", "instructions": ["is it late?"] });
    vec![
        ("/api/v1/inference", own.clone()),
        ("/v1/inference", own.clone()),
        ("/v1/custom", own.clone()),
        ("/api/inference", own),
        ("/v1/systemone", json!({ "model": "m", "state": "where is it?", "questions": noul })),
        ("/api/v1/systemone", json!({ "model": "m", "state": "where is it?", "questions": noul })),
        ("/api/alpha/decisions", json!({ "model": "m", "state": "where is it?", "questions": noul })),
        ("/v1/decisions", json!({ "model": "m", "input": "where is it?", "questions": predicate })),
        ("/v1/moderations", json!({ "model": "m", "input": "where is it?" })),
    ]
}

/// The faults of a request, in the order of the checks.
const FAULTS: [(&str, u16, &str); 9] = [
    ("no key", 401, "UNAUTHORIZED"),
    ("no scope", 403, "FORBIDDEN"),
    ("too often", 429, "RATE_LIMITED"),
    ("too large", 413, "PAYLOAD_TOO_LARGE"),
    ("wrong type", 415, "UNSUPPORTED_MEDIA_TYPE"),
    ("not JSON", 400, "MALFORMED_BODY"),
    ("wrong shape", 422, "VALIDATION_FAILED"),
    ("other request", 422, "IDEMPOTENCY_MISMATCH"),
    ("poor", 402, "INSUFFICIENT_CREDITS"),
];

/// The indices of some [`FAULTS`].
struct Faults(Vec<usize>);

impl Faults {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|fault| FAULTS[*fault].0 == name)
    }
}

async fn the_earliest_failing_check_answers_in_the_format_of_its_path(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    for (path, good) in requests() {
        let family = Family::of(path);
        // With and without credits, scope and rate limit.
        let mut keys = Vec::new();
        for credits in ["100", "0.5"] {
            let account = server.account(credits).await;
            server.post(path).key(&account.key).idempotent("used").json(good.clone()).send().await.ok();
            let reader = db.scoped_key(&account, "read").await;
            let (_, hasty) = db.key(&account, &["--rate-limit-per-minute", "1"]).await;
            server.post(path).key(&hasty).json(json!({})).send().await.fails_in(
                family,
                422,
                "VALIDATION_FAILED",
            );
            keys.push([account.key, reader, hasty]);
        }
        // Each fault alone, then together with every later one.
        let sets = (0..FAULTS.len()).flat_map(|first| [vec![first], (first..FAULTS.len()).collect()]);
        for faults in sets {
            let faults = Faults(faults);
            let [key, reader, hasty] = &keys[usize::from(faults.has("poor"))];
            let mut body = if faults.has("wrong shape") { json!({}) } else { good.clone() };
            if faults.has("other request") && !faults.has("wrong shape") {
                body["state"] = json!("another");
                body["input"] = json!("another");
            }
            let mut text = body.to_string();
            if faults.has("not JSON") {
                text.push('}');
            }
            // Size and type are checked in one step.
            if faults.has("too large") {
                text.push_str(&" ".repeat(16 << 20));
            }
            let kind = if faults.has("wrong type") && !faults.has("too large") {
                "text/plain"
            } else {
                "application/json"
            };
            let mut request = server.post(path).body(kind, text);
            if !faults.has("no key") {
                request = request.key(if faults.has("no scope") {
                    reader
                } else if faults.has("too often") {
                    hasty
                } else {
                    key
                });
            }
            if faults.has("other request") {
                request = request.idempotent("used");
            }
            let answer = request.send().await;
            let (name, status, code) = FAULTS[faults.0[0]];
            let status = if name == "not JSON" { family.malformed_status() } else { status };
            assert_eq!(
                (answer.status, answer.code(family)),
                (status, Some(code)),
                "{path}, {name}: {}",
                answer.text
            );
            answer.fails_in(family, status, code);
            assert_eq!(answer.header("retry-after").is_some(), status == 429, "{path}: {:?}", answer.headers);
            assert_eq!(answer.header("www-authenticate").is_some(), status == 401);
        }
    }
}

async fn every_path_accepts_a_key_in_three_headers(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(100).await;
    for (path, body) in requests() {
        for (name, value) in [
            ("authorization", format!("bearer {}", account.key)),
            ("x-api-key", account.key.clone()),
            ("api-key", account.key.clone()),
        ] {
            server.post(path).header(name, value).json(body.clone()).send().await.ok();
        }
        let wrong = server.post(path).header("authorization", "Bearer bad").header("x-api-key", &account.key);
        wrong.json(body).send().await.fails_in(Family::of(path), 401, "UNAUTHORIZED");
    }
}

async fn upstream_failures_have_the_format_of_the_path(db: Db) {
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", "http://127.0.0.1:9").start().await;
    let account = server.account(10).await;
    for (path, body) in requests().into_iter().filter(|(path, _)| *path != "/v1/moderations") {
        let answer = server.post(path).key(&account.key).json(body).send().await;
        let message = answer.fails_in(Family::of(path), 500, "UPSTREAM_FAILED");
        assert!(message.contains("nothing was charged"), "{message}");
        if Family::of(path) == Family::OpenAi {
            assert_eq!(answer.body["error"]["type"], "server_error");
        }
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn long_inputs_are_refused_with_the_field_of_the_path(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(10).await;
    let large = "x".repeat(262_144);
    for (path, mut body) in requests().into_iter().filter(|(path, _)| *path != "/v1/moderations") {
        let field = if path == "/v1/decisions" { "input" } else { "state" };
        body[field] = json!(large);
        let answer = server.post(path).key(&account.key).json_text(body.to_string()).send().await;
        let message = answer.fails_in(Family::of(path), 422, "VALIDATION_FAILED");
        assert!(message.starts_with(field) && message.contains("at most 262144 bytes"), "{message}");
    }
    assert!(upstream.asked().is_empty());
}

async fn overload_errors_have_the_format_of_the_path(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).env("GAVEL_REQUESTS_IN_FLIGHT", 1).start().await;
    let account = server.account(10).await;
    upstream.next([Some(Fault::Late(Duration::from_secs(8)))]);
    let (path, body) = requests().swap_remove(0);
    let under_way = tokio::spawn(server.post(path).key(&account.key).json(body).send());
    eventually("it reaches the model", async || (!upstream.asked().is_empty()).then_some(())).await;
    let paths = requests().into_iter().map(|(path, _)| path).chain(["/v1/models", "/v1/nowhere", "/nowhere"]);
    for path in paths {
        let answer = server.post(path).key(&account.key).json(json!({})).send().await;
        answer.fails_in(Family::of(path), 503, "OVERLOADED");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    under_way.await.unwrap().ok();
}

on_sqlite!(
    the_earliest_failing_check_answers_in_the_format_of_its_path,
    every_path_accepts_a_key_in_three_headers,
    upstream_failures_have_the_format_of_the_path,
    long_inputs_are_refused_with_the_field_of_the_path,
    overload_errors_have_the_format_of_the_path,
);
