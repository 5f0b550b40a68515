//! Evaluations and Checkpoints over REST with the real model.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::Digest as _;

use crate::{
    graphql::checkpoints::{LONG, Trained},
    harness::{Answer, Db, inv, on_both},
};

struct Rest(Trained);

impl Rest {
    async fn post(&self, path: &str, body: Value) -> Answer {
        self.0.server.post(path).key(&self.0.key).json(body).send().await
    }

    /// Submits an evaluation or a Checkpoint, which must be accepted; returns its path.
    async fn submitted(&self, noun: &str, body: Value) -> String {
        let answer = self.post(&format!("/api/v1/judges/{}/{noun}", self.0.judge), body).await;
        assert_eq!((answer.status, &answer.body["status"]), (202, &json!("queued")), "{}", answer.text);
        format!("/api/v1/{noun}/{}", answer.body["id"].as_str().expect("an id"))
    }

    /// Submits under an `Idempotency-Key`.
    async fn submit_under_key(&self, noun: &str, idempotency_key: &str, body: Value) -> Answer {
        let path = format!("/api/v1/judges/{}/{noun}", self.0.judge);
        self.0.server.post(&path).key(&self.0.key).idempotent(idempotency_key).json(body).send().await
    }

    async fn get(&self, path: &str) -> Value {
        self.0.server.get(path).key(&self.0.key).send().await.ok()
    }

    async fn ended(&self, path: &str) -> Value {
        let start = Instant::now();
        loop {
            let now = self.get(path).await;
            if now["status"] != "queued" && now["status"] != "running" {
                return now;
            }
            let begun =
                now["status"] == "running" && now["progress"].as_f64().is_some_and(|done| done >= 0.02);
            if path.contains("checkpoints") {
                assert_eq!(now["estimated_seconds_left"].is_u64(), begun, "{now}");
            }
            assert!(start.elapsed() < LONG, "it does not end: {now}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

fn in_scope(wanted: &Value, scope: &str) -> Value {
    let mut wanted = wanted.clone();
    wanted["scope"] = json!(scope);
    wanted
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn literal(db: &Db, bytes: &[u8]) -> String {
    if db.is_sqlite() { format!("X'{}'", hex(bytes)) } else { format!("'\\x{}'", hex(bytes)) }
}

/// Turns a Checkpoint into one of an older model, as an upgrade does.
async fn trained_before_an_upgrade(db: &Db, id: &str) {
    #[derive(sea_orm::FromQueryResult)]
    struct StoredHead {
        backbone: String,
        artefact: String,
        bytes: Vec<u8>,
    }
    let sql = format!(
        "SELECT backbone, artefact, bytes FROM checkpoint JOIN artefact ON sha256 = artefact WHERE id = '{id}'"
    );
    let StoredHead { backbone, artefact, mut bytes } = inv::rows(db, &sql).await.pop().expect("an artefact");
    let at =
        bytes.windows(64).position(|part| part == backbone.as_bytes()).expect("the hash of the backbone");
    bytes[at..at + 64].fill(b'0');

    let sha256 = hex(&sha2::Sha256::digest(&bytes));
    let literal = literal(db, &bytes);
    db.execute(&format!(
        "INSERT INTO artefact (sha256, bytes, created_at) SELECT '{sha256}', {literal}, created_at FROM \
         artefact WHERE sha256 = '{artefact}'"
    ))
    .await;
    let older = "0".repeat(64);
    let update =
        format!("UPDATE checkpoint SET artefact = '{sha256}', backbone = '{older}' WHERE id = '{id}'");
    db.execute(&update).await;
}

async fn a_judge_is_evaluated_trained_and_activated(db: Db) {
    let rest = Rest(Trained::new(&db, 12_000).await);
    rest.0.import(24).await;
    let judge = format!("/api/v1/judges/{}", rest.0.judge);
    let price = rest.post(&format!("{judge}/evaluations/price"), json!({})).await.ok();
    assert_eq!(price, json!({ "samples": 48, "price": 0.5, "credits": 24.0 }));
    for filter in [json!(null), json!({ "since": null, "version": 1.0, "source": null })] {
        let body = json!({ "version": 1.0, "checkpoint_id": null, "zero_shot": null, "filter": filter,
            "max_credits": null });
        let same = rest.post(&format!("{judge}/evaluations/price"), body).await.ok();
        assert_eq!(same, price);
    }
    for body in
        [json!({}), json!({ "max_credits": 1 }), json!({ "max_credits": 24, "filter": { "source": "x" } })]
    {
        rest.post(&format!("{judge}/evaluations"), body).await.fails(422, "VALIDATION_FAILED");
    }
    for noun in ["evaluations", "checkpoints"] {
        for body in [json!([]), json!([true])] {
            let refused = rest.post(&format!("{judge}/{noun}"), body).await;
            refused.fails(422, "VALIDATION_FAILED");
            assert!(refused.text.contains("must be an object"), "{}", refused.text);
        }
    }
    let wanted = json!({ "max_credits": 24, "filter": { "source": "import" } });
    let before = rest.submitted("evaluations", wanted.clone()).await;
    let before = rest.ended(&before).await;
    assert_eq!(
        (&before["status"], &before["done"], &before["checkpoint_id"]),
        (&json!("succeeded"), &json!(48), &Value::Null)
    );
    assert_eq!((&before["metrics"][0]["key"], &before["metrics"][0]["count"]), (&json!("kind"), &json!(48)));
    let path = rest.submitted("checkpoints", json!({ "auto_activate": false })).await;
    rest.post(&format!("{judge}/checkpoints"), json!({})).await.fails(409, "CONFLICT");
    let done = rest.ended(&path).await;
    assert_eq!(
        (&done["status"], &done["active"], &done["progress"]),
        (&json!("succeeded"), &json!(false), &json!(1.0))
    );
    let [trained, live] =
        ["checkpoint", "live"].map(|of| done["metrics"]["keys"][0][of]["accuracy"].as_f64().unwrap());
    assert!(trained > live, "{}", done["metrics"]);
    rest.post(&format!("{path}/cancel"), json!({})).await.fails(409, "CONFLICT");
    let active = rest.post(&format!("{path}/activate"), json!({})).await.ok();
    assert_eq!((&active["active"], &active["judge_id"]), (&json!(true), &json!(rest.0.judge)));
    let answer = rest.0.infer("A cat and a dog.").await.body;
    let id = active["id"].as_str().unwrap();
    assert!(answer["model"].as_str().unwrap().ends_with(id), "{answer}");
    let after = rest.submitted("evaluations", wanted.clone()).await;
    let after = rest.ended(&after).await;
    assert_eq!(after["checkpoint_id"], json!(id));
    let unseen = &done["metrics"]["hold_out_samples"];
    assert_eq!(
        (&after["scope"], &after["done"], &after["trained_metrics"]),
        (&json!("unseen"), unseen, &json!([]))
    );
    assert_eq!((&after["filter"]["source"], &after["filter"]["since"]), (&json!("import"), &Value::Null));
    let all = rest.submitted("evaluations", in_scope(&wanted, "all")).await;
    let all = rest.ended(&all).await;
    let trained = done["metrics"]["training_samples"].clone();
    assert_eq!((&all["metrics"][0]["count"], &all["trained_metrics"][0]["count"]), (unseen, &trained));
    for scope in ["new", "none", "UNSEEN"] {
        let refused = rest.post(&format!("{judge}/evaluations"), in_scope(&wanted, scope)).await;
        let message = refused.fails(422, "VALIDATION_FAILED");
        assert!(message.starts_with("scope ") && message.contains("held_out"), "{message}");
    }
    let [before, after] = [before, after].map(|run| run["metrics"][0]["accuracy"].as_f64().unwrap());
    assert!(after > before, "{before} before, {after} after");
    trained_before_an_upgrade(&db, id).await;
    let answer = rest.0.infer("A cat and a dog.").await.body;
    let model = answer["model"].as_str().unwrap();
    let reason = answer["routing"]["reason"].as_str().unwrap();
    assert!(model.starts_with("gavel-decision-") && !model.contains('+'), "{answer}");
    assert!(reason.contains("trained on another version of the model; train a new one"), "{reason}");
    // A cancelled Checkpoint ends too.
    let queued = rest.submitted("checkpoints", json!({})).await;
    rest.post(&format!("{queued}/cancel"), json!({})).await.ok();
    let status = rest.ended(&queued).await["status"].clone();
    assert!(status == "cancelled" || status == "succeeded", "{status}");
}

/// A stored Checkpoint with one bit changed, wherever it is, answers nothing: neither requests nor an evaluation.
async fn a_damaged_checkpoint_is_refused(db: Db) {
    #[derive(sea_orm::FromQueryResult)]
    struct StoredArtefact {
        bytes: Vec<u8>,
    }
    let rest = Rest(Trained::new(&db, 12_000).await);
    rest.0.import(24).await;
    let path = rest.submitted("checkpoints", json!({})).await;
    assert_eq!(rest.ended(&path).await["status"], "succeeded");
    rest.post(&format!("{path}/activate"), json!({})).await.ok();
    let stored: Vec<StoredArtefact> = inv::rows(&db, "SELECT bytes FROM artefact").await;
    let intact = &stored[0].bytes;
    let infer = format!("/api/v1/judges/{}/inference", rest.0.judge);
    for at in [intact.len() / 3, intact.len() / 2, intact.len() - 1] {
        let mut damaged = intact.clone();
        damaged[at] ^= 1;
        db.execute(&format!("UPDATE artefact SET bytes = {}", literal(&db, &damaged))).await;
        // Another process has not read it yet.
        let replica = rest.0.server.replica().await;
        let refused = replica.post(&infer).key(&rest.0.key).json(json!({ "state": "A cat." })).send().await;
        refused.fails(500, "ENGINE_UNAVAILABLE");
    }
    let run = rest.submitted("evaluations", json!({ "max_credits": 100 })).await;
    db.execute("UPDATE job SET max_attempts = 1 WHERE state IN ('queued', 'running')").await;
    let ended = rest.ended(&run).await;
    assert_eq!((&ended["status"], &ended["done"]), (&json!("failed"), &json!(0)), "{ended}");
    db.execute(&format!("UPDATE artefact SET bytes = {}", literal(&db, intact))).await;
    let replica = rest.0.server.replica().await;
    let answer = replica.post(&infer).key(&rest.0.key).json(json!({ "state": "A cat." })).send().await.ok();
    assert!(answer["model"].as_str().unwrap().contains("+ckpt_"), "{answer}");
}

async fn a_repeated_submission_counts_once(db: Db) {
    let rest = Rest(Trained::new(&db, 12_000).await);
    rest.0.import(6).await;

    for (noun, body, other) in [
        ("evaluations", json!({ "max_credits": 100 }), json!({ "max_credits": 99 })),
        ("checkpoints", json!({}), json!({ "auto_activate": true })),
    ] {
        let (first, again) = tokio::join!(
            rest.submit_under_key(noun, noun, body.clone()),
            rest.submit_under_key(noun, noun, body.clone()),
        );
        assert_eq!((first.status, again.status), (202, 202), "{} {}", first.text, again.text);
        assert_eq!(first.body["id"], again.body["id"]);
        rest.submit_under_key(noun, noun, other).await.fails(422, "IDEMPOTENCY_MISMATCH");
        let path = format!("/api/v1/{noun}/{}", first.body["id"].as_str().expect("an id"));
        let ended = rest.ended(&path).await;
        let later = rest.submit_under_key(noun, noun, body).await;
        assert_eq!((later.status, &later.body["status"]), (202, &ended["status"]), "its present status");
    }
    // A refused submission leaves its key free.
    let refused = rest.submit_under_key("evaluations", "free", json!({ "max_credits": 0 })).await;
    refused.fails(422, "VALIDATION_FAILED");
    let accepted = rest.submit_under_key("evaluations", "free", json!({ "max_credits": 100 })).await;
    assert_eq!(accepted.status, 202);
    assert_eq!((inv::count(&db, "evaluation").await, inv::count(&db, "checkpoint").await), (2, 1));
}

async fn read_keys_cannot_manage_checkpoints(db: Db) {
    let rest = Rest(Trained::new(&db, 100).await);
    rest.0.import(6).await;
    let server = &rest.0.server;
    let other = server.account(1).await;
    let reader = db.scoped_key(&rest.0.account, "read").await;
    let path = rest.submitted("evaluations", json!({ "max_credits": 100 })).await;
    for key in [&rest.0.key, &reader] {
        server.get(&path).key(key).send().await.ok();
    }
    let cancel = format!("{path}/cancel");
    server.post(&cancel).key(&reader).json(json!({})).send().await.fails(403, "FORBIDDEN");
    let theirs = db.scoped_key(&other, "manage").await;
    server.get(&path).key(&theirs).send().await.fails(404, "NOT_FOUND");
    server.post(&cancel).key(&theirs).json(json!({})).send().await.fails(404, "NOT_FOUND");
    let refused = rest.post(&format!("/api/v1/judges/{}/checkpoints", rest.0.judge), json!({})).await;
    refused.fails(402, "INSUFFICIENT_CREDITS");
    rest.ended(&path).await;
}

on_both!(
    a_judge_is_evaluated_trained_and_activated,
    a_damaged_checkpoint_is_refused,
    a_repeated_submission_counts_once,
    read_keys_cannot_manage_checkpoints,
);
