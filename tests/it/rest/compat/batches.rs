//! `/v1/batches`: batches that OpenAI's clients create from files, and the files with their results.

use serde_json::{Value, json};

use super::files::{content, file, upload, uploaded};
use crate::{
    batches::asking::{BATCHES as OWN, ended, lines, submitted, text as own_text},
    harness::{
        Account, Answer, Db, Family, Origin, Server, Upstream, eventually, inv, on_both, on_sqlite,
        picture::{base64, fixture},
        response,
    },
    holds::funds,
};

const BATCHES: &str = "/v1/batches";
const MODERATIONS: &str = "/v1/moderations";
const DECISIONS: &str = "/v1/decisions";

fn line(id: &str, url: &str, body: Value) -> Value {
    json!({ "custom_id": id, "method": "POST", "url": url, "body": body })
}

fn moderation(id: &str, input: Value) -> Value {
    line(id, MODERATIONS, json!({ "model": "omni-moderation-latest", "input": input }))
}

async fn create(server: &Server, key: &str, file: &str, endpoint: &str) -> Answer {
    let body = json!({ "input_file_id": file, "endpoint": endpoint, "completion_window": "24h",
        "metadata": { "for": "you" } });
    server.post(BATCHES).key(key).json_text(body.to_string()).send().await
}

/// Uploads lines and creates a batch of them.
async fn create_of(server: &Server, key: &str, items: &[Value]) -> Answer {
    let file = uploaded(server, key, lines(items).as_bytes()).await;
    create(server, key, &file, items[0]["url"].as_str().expect("a path")).await
}

async fn batch(server: &Server, key: &str, id: &str) -> Answer {
    server.get(&format!("{BATCHES}/{id}")).key(key).send().await
}

/// The batch once it has ended.
async fn done(server: &Server, account: &Account, created: &Value) -> Value {
    let id = created["id"].as_str().expect("an id");
    ended(server, &account.key, id).await;
    batch(server, &account.key, id).await.ok()
}

/// The lines of a file of results, whose size is as the file says.
async fn results(server: &Server, account: &Account, id: &Value) -> Vec<Value> {
    let id = id.as_str().expect("a file");
    let described = file(server, &account.key, id).await.ok();
    assert_eq!(described["purpose"], "batch_output");
    let content = content(server, &account.key, id).await;
    assert_eq!(described["bytes"], content.len(), "{content}");
    content.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

async fn a_batch_of_moderations_gives_the_answers_of_the_endpoint(db: Db) {
    let origin = Origin::start("127.0.0.1:0", |_| response(404, &[], b"")).await;
    let server = Server::with(&db).env("GAVEL_FETCH_ALLOW", "127.0.0.1").start().await;
    let account = server.account(100).await;
    let picture = format!("data:image/png;base64,{}", base64(&fixture("rgb8.png")));
    let picture = json!({ "type": "image_url", "image_url": { "url": picture } });
    let gone = json!({ "type": "image_url", "image_url": { "url": origin.url("/a.png") } });
    let items = [
        moderation("one", json!("I will find you and kill you")),
        moderation("two", json!(["good morning", "I will find you and kill you"])),
        moderation("gone", json!([gone])),
        moderation("picture", json!([{ "type": "text", "text": "look" }, picture])),
        moderation("alone", json!([picture])),
    ];
    let created = create_of(&server, &account.key, &items).await.ok();
    assert_eq!(
        (&created["object"], &created["status"], &created["endpoint"]),
        (&json!("batch"), &json!("in_progress"), &json!(MODERATIONS))
    );
    assert_eq!(created["request_counts"], json!({ "total": 5, "completed": 0, "failed": 0 }));
    assert_eq!(
        (&created["metadata"], &created["completion_window"]),
        (&json!({ "for": "you" }), &json!("24h"))
    );
    assert_eq!((&created["output_file_id"], &created["errors"]), (&Value::Null, &Value::Null));
    let done = done(&server, &account, &created).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["request_counts"], json!({ "total": 5, "completed": 4, "failed": 1 }));
    assert!(done["completed_at"].is_i64() && done["cancelled_at"].is_null() && done["failed_at"].is_null());
    // Three texts, one beside a picture, and two pictures.
    let spent = 4 * 500 + 2 * 1_000;
    assert_eq!(funds(&db, &account).await, (100_000 - spent, 0));
    let charges = inv::charges(&db, &account.id).await;
    assert_eq!(charges.iter().map(|row| -row.delta).sum::<i64>(), spent);
    let answers = results(&server, &account, &done["output_file_id"]).await;
    assert_eq!(answers.len(), 4);
    let succeeded = items.iter().filter(|item| item["custom_id"] != "gone");
    for (answer, item) in answers.iter().zip(succeeded) {
        assert_eq!(keys(answer), ["id", "custom_id", "response", "error"]);
        assert!(answer["id"].as_str().unwrap().starts_with("batch_req_"));
        assert_eq!((&answer["custom_id"], &answer["error"]), (&item["custom_id"], &Value::Null));
        assert_eq!(answer["response"]["status_code"], 200);
        let request = answer["response"]["request_id"].as_str().unwrap();
        assert!(charges.iter().any(|row| row.request_id == request), "it refers to its charge");
        let single =
            server.post(MODERATIONS).key(&account.key).json_text(item["body"].to_string()).send().await.ok();
        assert_eq!(answer["response"]["body"]["results"], single["results"], "{answer}");
        assert_eq!(answer["response"]["body"]["model"], single["model"], "{answer}");
        assert!(answer["response"]["body"]["id"].as_str().unwrap().starts_with("mod_"));
    }
    let failures = results(&server, &account, &done["error_file_id"]).await;
    assert_eq!(failures.len(), 1);
    let failure = &failures[0];
    assert_eq!((&failure["custom_id"], &failure["error"]), (&json!("gone"), &Value::Null));
    assert_eq!(failure["response"]["status_code"], 422);
    let error = &failure["response"]["body"]["error"];
    assert_eq!(
        (&error["code"], &error["param"]),
        (&json!("INVALID_IMAGE"), &json!("input[0].image_url.url"))
    );
}

async fn each_endpoint_answers_in_its_own_form(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "moderate,infer,manage").await;
    let judge = json!({ "name": "a judge", "instructions": { "team": ["a", "b"] } });
    let judge = server.create_judge(&key, judge).await;
    let predicate = json!([{ "type": "predicate", "name": "late", "instructions": "It is late." }]);
    for (url, body, answered) in [
        (DECISIONS, json!({ "model": "gpt-6-luna", "input": "where?", "questions": predicate }), "answers"),
        ("/api/v1/moderate/text", json!({ "content": "hello" }), "action"),
        ("/api/v1/inference", json!({ "state": "where?", "instructions": { "a": ["b", "c"] } }), "answers"),
        (&format!("/api/v1/judges/{judge}/inference"), json!({ "state": "where?" }), "answers"),
    ] {
        let before = inv::balance(&db, &account.id).await;
        let created = create_of(&server, &account.key, &[line("a", url, body.clone())]).await.ok();
        let done = done(&server, &account, &created).await;
        assert_eq!((&done["status"], &done["error_file_id"]), (&json!("completed"), &Value::Null), "{url}");
        assert_eq!(inv::balance(&db, &account.id).await, before - 500, "{url}");
        let answers = results(&server, &account, &done["output_file_id"]).await;
        let single = server.post(url).key(&account.key).json(body).send().await.ok();
        let answer = &answers[0]["response"]["body"];
        assert_eq!((keys(answer), &answer[answered]), (keys(&single), &single[answered]), "{url}");
    }
    let listed = server.get(&format!("{BATCHES}?limit=3")).key(&account.key).send().await.ok();
    assert_eq!((listed["data"].as_array().unwrap().len(), &listed["has_more"]), (3, &json!(true)));
    assert!(listed["data"].as_array().unwrap().iter().all(|batch| batch["output_file_id"].is_string()));
    let after = listed["last_id"].as_str().unwrap();
    let next = server.get(&format!("{BATCHES}?after={after}")).key(&account.key).send().await.ok();
    assert_eq!((next["data"].as_array().unwrap().len(), &next["has_more"]), (1, &json!(false)));
    let outputs = server.get("/v1/files?purpose=batch_output").key(&account.key).send().await.ok();
    assert_eq!(outputs["data"].as_array().unwrap().len(), 4);
}

async fn a_batch_at_fault_is_refused_whole(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(2).await;
    let key = &account.key;
    let good = uploaded(&server, key, lines(&[moderation("a", json!("hello"))]).as_bytes()).await;
    let stranger = server.account(2).await;
    let theirs = uploaded(&server, &stranger.key, lines(&[moderation("a", json!("hello"))]).as_bytes()).await;
    for (file, status, code) in [
        ("file_01kahd7f3ye9pvsk8h0a5m5x2e", 404, "NOT_FOUND"),
        ("batch", 404, "NOT_FOUND"),
        (&theirs, 404, "NOT_FOUND"),
    ] {
        let answer = create(&server, key, file, MODERATIONS).await;
        answer.fails_in(Family::OpenAi, status, code);
        assert_eq!(answer.body["error"]["param"], "input_file_id", "{}", answer.text);
    }
    for (body, param, words) in [
        (json!({ "endpoint": MODERATIONS, "completion_window": "24h" }), "input_file_id", "is required"),
        (
            json!({ "input_file_id": good, "endpoint": "/v1/chat/completions", "completion_window": "24h" }),
            "endpoint",
            "/v1/moderations",
        ),
        (
            json!({ "input_file_id": good, "endpoint": MODERATIONS, "completion_window": "1h" }),
            "completion_window",
            "24h",
        ),
        (
            json!({
                "input_file_id": good,
                "endpoint": MODERATIONS,
                "completion_window": "24h",
                "metadata": { "a": 1 }
            }),
            "metadata",
            "16 strings",
        ),
        (
            json!({ "input_file_id": good, "endpoint": DECISIONS, "completion_window": "24h" }),
            "line 1: url",
            "must be the batch's endpoint, /v1/decisions",
        ),
    ] {
        let answer = server.post(BATCHES).key(key).json_text(body.to_string()).send().await;
        let message = answer.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
        assert!(message.contains(words), "{message}");
        assert_eq!(answer.body["error"]["param"], param, "{}", answer.text);
    }
    nothing_was_created(&db, &account).await;
    // A file of results is no file of requests.
    let created = create(&server, key, &good, MODERATIONS).await.ok();
    let done = done(&server, &account, &created).await;
    let answer = create(&server, key, done["output_file_id"].as_str().unwrap(), MODERATIONS).await;
    answer.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
    assert_eq!(answer.body["error"]["param"], "input_file_id");
}

async fn a_file_at_fault_is_refused_whole(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(2).await;
    let key = &account.key;
    let faults = [
        moderation("a", json!("hello")),
        moderation("a", json!("")),
        moderation("b", json!([{ "type": "image_url", "image_url": { "url": "http://10.0.0.1/" } }])),
    ];
    let answer = create_of(&server, key, &faults).await;
    let message = answer.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
    for words in
        ["line 2: custom_id is that", "line 2: body.input must", "line 3: body.input[0].image_url.url"]
    {
        assert!(message.contains(words), "{words}: {message}");
    }
    let not_json = uploaded(&server, key, b"\xff\xfe{\0}\0").await;
    create(&server, key, &not_json, MODERATIONS).await.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
    let five: Vec<Value> = (0..5).map(|n| moderation(&n.to_string(), json!("hello"))).collect();
    create_of(&server, key, &five).await.fails_in(Family::OpenAi, 402, "INSUFFICIENT_CREDITS");
    let infers = db.scoped_key(&account, "infer").await;
    create_of(&server, &infers, &five[..1]).await.fails_in(Family::OpenAi, 403, "FORBIDDEN");
    upload(&server, &infers, b"").await.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
    nothing_was_created(&db, &account).await;
}

/// No batch is left, and nothing was charged of 2 credits.
async fn nothing_was_created(db: &Db, account: &Account) {
    eventually("nothing is left", async || (inv::count(db, "batch").await == 0).then_some(())).await;
    assert_eq!(funds(db, account).await, (2_000, 0));
}

async fn a_cancelled_batch_has_an_error_for_each_item(db: Db) {
    // Without a worker.
    let server = Server::with(&db).args(&["api"]).start().await;
    let account = server.account(10).await;
    let items: Vec<Value> =
        (0..7).map(|n| moderation(&format!("number \"{n}\" ä"), json!("hello"))).collect();
    let created = create_of(&server, &account.key, &items).await.ok();
    assert_eq!(funds(&db, &account).await, (10_000, 3_500));
    let id = created["id"].as_str().unwrap();
    let stranger = server.account(10).await;
    let path = format!("{BATCHES}/{id}/cancel");
    batch(&server, &stranger.key, id).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    server.post(&path).key(&stranger.key).send().await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    let cancelled = server.post(&path).key(&account.key).send().await.ok();
    assert_eq!((&cancelled["status"], &cancelled["output_file_id"]), (&json!("cancelled"), &Value::Null));
    assert!(cancelled["cancelled_at"].is_i64() && cancelled["completed_at"].is_null(), "{cancelled}");
    assert_eq!(server.post(&path).key(&account.key).send().await.ok(), cancelled);
    assert_eq!(funds(&db, &account).await, (10_000, 0));
    let failures = results(&server, &account, &cancelled["error_file_id"]).await;
    assert_eq!(failures.len(), 7);
    for (failure, item) in failures.iter().zip(&items) {
        assert_eq!((&failure["custom_id"], &failure["response"]), (&item["custom_id"], &Value::Null));
        assert_eq!(failure["error"]["code"], "batch_cancelled");
    }
    let errors = cancelled["error_file_id"].as_str().unwrap();
    file(&server, &stranger.key, errors).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
}

async fn batches_of_both_apis_are_one_account_s(db: Db) {
    let server = Server::with(&db).args(&["api"]).start().await;
    let account = server.account(10).await;
    let own = submitted(&server, &account.key, &[own_text("a", "hello")]).await;
    batch(&server, &account.key, &own).await.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    let created = create_of(&server, &account.key, &[moderation("a", json!("hello"))]).await.ok();
    let id = created["id"].as_str().unwrap();
    let shown = server.get(&format!("{OWN}/{id}")).key(&account.key).send().await.ok();
    assert_eq!((&shown["status"], &shown["metadata"]), (&json!("queued"), &json!({ "for": "you" })));
    let listed = server.get(BATCHES).key(&account.key).send().await.ok();
    assert_eq!((listed["data"].as_array().unwrap().len(), &listed["first_id"]), (1, &json!(id)));
    // Its file may be deleted.
    let input = created["input_file_id"].as_str().unwrap();
    server
        .request(reqwest::Method::DELETE, &format!("/v1/files/{input}"))
        .key(&account.key)
        .send()
        .await
        .ok();
    assert_eq!(batch(&server, &account.key, id).await.ok()["input_file_id"], input);
    for id in [own.as_str(), id] {
        server.post(&format!("{OWN}/{id}/cancel")).key(&account.key).send().await.ok();
    }
}

/// Creates a batch under the same key each time.
async fn once(server: &Server, account: &Account, body: &Value) -> Answer {
    server.post(BATCHES).key(&account.key).idempotent("one").json_text(body.to_string()).send().await
}

async fn a_batch_is_created_once_under_a_key(db: Db) {
    let server = Server::with(&db).args(&["api"]).start().await;
    let account = server.account(10).await;
    let file = uploaded(&server, &account.key, lines(&[moderation("a", json!("hello"))]).as_bytes()).await;
    let mut body = json!({ "input_file_id": file, "endpoint": MODERATIONS, "completion_window": "24h" });
    let first = once(&server, &account, &body).await.ok();
    assert_eq!(once(&server, &account, &body).await.ok(), first);
    assert_eq!(funds(&db, &account).await, (10_000, 500));
    body["metadata"] = json!({ "a": "b" });
    once(&server, &account, &body).await.fails_in(Family::OpenAi, 422, "IDEMPOTENCY_MISMATCH");
}

on_both!(
    a_batch_of_moderations_gives_the_answers_of_the_endpoint,
    each_endpoint_answers_in_its_own_form,
    a_cancelled_batch_has_an_error_for_each_item,
);
on_sqlite!(
    a_batch_at_fault_is_refused_whole,
    a_file_at_fault_is_refused_whole,
    batches_of_both_apis_are_one_account_s,
    a_batch_is_created_once_under_a_key,
);
