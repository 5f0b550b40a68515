//! Every error on every path is in its family's shape, whichever layer it is from, and the order of checks is the same.

use serde_json::{Value, json};

use crate::harness::{Db, Family, Raw, Server, Upstream, inv, on_sqlite};

/// The paths of all families that infer or moderate, with a good request for each.
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
        ("/v1/decisions", json!({ "model": "m", "input": "where is it?", "questions": predicate })),
        ("/v1/moderations", json!({ "model": "m", "input": "where is it?" })),
    ]
}

/// What can be wrong with a request, in the order of the checks.
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

async fn of_several_faults_the_earliest_check_answers_in_the_shape_of_its_path(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    for (path, good) in requests() {
        let family = Family::of(path);
        // Rich and poor; with the scope and without; over the rate limit and not.
        let mut keys = Vec::new();
        for credits in ["100", "0.5"] {
            let account = server.account(credits).await;
            server.post(path).key(&account.key).idempotent("used").json(good.clone()).send().await.ok();
            let (_, reader) = db.key(&account, &["--scopes", "read"]).await;
            let (_, hasty) = db.key(&account, &["--rate-limit-per-minute", "1"]).await;
            server.post(path).key(&hasty).json(json!({})).send().await.fails_in(
                family,
                422,
                "VALIDATION_FAILED",
            );
            keys.push([account.key, reader, hasty]);
        }
        let later = |first: usize| (first..FAULTS.len()).collect::<Vec<_>>();
        // Alone, then together with everything that is checked after it.
        let sets = (0..FAULTS.len()).flat_map(|first| [vec![first], later(first)]);
        for faults in sets {
            let has = |name: &str| faults.iter().any(|fault| FAULTS[*fault].0 == name);
            let [key, reader, hasty] = &keys[usize::from(has("poor"))];
            let mut body = if has("wrong shape") { json!({}) } else { good.clone() };
            if has("other request") && !has("wrong shape") {
                body["state"] = json!("another");
                body["input"] = json!("another");
            }
            let mut text = body.to_string();
            if has("not JSON") {
                text.push('}');
            }
            // What is too large is known before its type or after it: they are one step.
            if has("too large") {
                text.push_str(&" ".repeat(4 << 20));
            }
            let kind = if has("wrong type") && !has("too large") { "text/plain" } else { "application/json" };
            let mut request = server.post(path).body(kind, text);
            if !has("no key") {
                request = request.key(if has("no scope") {
                    reader
                } else if has("too often") {
                    hasty
                } else {
                    key
                });
            }
            if has("other request") {
                request = request.idempotent("used");
            }
            let answer = request.send().await;
            let (name, status, code) = FAULTS[faults[0]];
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

async fn the_three_headers_bring_a_key_on_every_path(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
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

async fn an_upstream_that_fails_is_told_in_the_shape_of_the_path(db: Db) {
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

async fn too_much_to_read_names_the_field_of_the_path(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
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

async fn too_much_at_once_is_told_in_the_shape_of_the_path(db: Db) {
    let server = Server::with(&db).env("GAVEL_REQUESTS_IN_FLIGHT", 1).start().await;
    let account = server.account(10).await;
    let mut under_way = Raw::connect(&server).await;
    let head = format!(
        "POST /api/v1/moderate/text HTTP/1.1\r\nHost: gavel\r\nx-api-key: {}\r\n\
         Content-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n",
        account.key
    );
    under_way.send(head).await;
    assert_eq!(under_way.answer().await.expect("a sign that it is under way").status, 100);
    let paths = requests().into_iter().map(|(path, _)| path).chain(["/v1/models", "/v1/nowhere", "/nowhere"]);
    for path in paths {
        let answer = server.post(path).key(&account.key).json(json!({})).send().await;
        answer.fails_in(Family::of(path), 503, "OVERLOADED");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
}

on_sqlite!(
    of_several_faults_the_earliest_check_answers_in_the_shape_of_its_path,
    the_three_headers_bring_a_key_on_every_path,
    an_upstream_that_fails_is_told_in_the_shape_of_the_path,
    too_much_to_read_names_the_field_of_the_path,
    too_much_at_once_is_told_in_the_shape_of_the_path,
);
