//! Checkpoints over the public interfaces with the real model: label, train, watch, activate, roll back.

use super::asking::mutation;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::socket::Socket;
use crate::harness::{Account, Answer, Db, Server, inv, on_both, on_postgres};

/// Only the labels tell the Judge animals from machines.
pub(crate) const ANIMALS: [&str; 12] =
    ["cat", "dog", "horse", "sheep", "rabbit", "goose", "mouse", "pig", "tiger", "wolf", "bear", "hen"];
pub(crate) const MACHINES: [&str; 12] = [
    "tractor", "lorry", "drill", "printer", "engine", "crane", "boiler", "pump", "lathe", "turbine", "truck",
    "motor",
];
pub(crate) const SAYINGS: [&str; 5] = [
    "The {} is here again.",
    "We have bought a {}.",
    "A {} stood there.",
    "Look at that {}!",
    "My {} is old.",
];

/// The timeout of a training, which takes some seconds on an idle machine.
pub(crate) const LONG: Duration = Duration::from_secs(400);

/// A Judge whose options have meaningless names, on a server with the model in process.
pub(crate) struct Trained {
    pub(crate) server: Server,
    pub(crate) account: Account,
    pub(crate) key: String,
    pub(crate) judge: String,
}

impl Trained {
    pub(crate) async fn new(db: &Db, credits: i64) -> Self {
        Self::on(Server::start(db).await, credits).await
    }

    pub(crate) async fn on(server: Server, credits: i64) -> Self {
        let account = server.account(credits).await;
        let key = server.db.scoped_key(&account, "infer,manage,read").await;
        let mut made = Self { server, account, key, judge: String::new() };
        let input =
            json!({ "name": "Sorts", "instructions": { "kind": ["zub", "vek"] }, "storeContent": true });
        let judge = made.mutate("createJudge", input, "judge { id }").await;
        made.judge = judge["judge"]["id"].as_str().expect("a Judge").to_owned();
        made
    }

    pub(crate) async fn mutate(&self, name: &str, input: Value, fields: &str) -> Value {
        let query = mutation(name, &format!("{fields} userErrors {{ field message code }}"));
        self.server.ask(&self.key, &query, json!({ "input": input })).await["payload"].clone()
    }

    /// Imports labelled samples, `of_each` of each kind.
    pub(crate) async fn import(&self, of_each: usize) {
        let mut lines = String::new();
        for number in 0..of_each {
            for (nouns, label) in [(ANIMALS, "zub"), (MACHINES, "vek")] {
                let saying = SAYINGS[number / nouns.len() % SAYINGS.len()];
                let state = saying.replace("{}", nouns[number % nouns.len()]);
                lines.push_str(&json!({ "state": state, "ground_truth": { "kind": label } }).to_string());
                lines.push('\n');
            }
        }
        let path = format!("/api/v1/judges/{}/dataset?format=jsonl", self.judge);
        self.server.post(&path).key(&self.key).body("application/x-ndjson", lines).send().await.ok();
    }

    pub(crate) async fn infer(&self, state: &str) -> Answer {
        let path = format!("/api/v1/judges/{}/inference", self.judge);
        let answer = self.server.post(&path).key(&self.key).json(json!({ "state": state })).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer
    }

    /// How many of ten new sentences are classified correctly.
    async fn correct(&self) -> usize {
        let mut correct = 0;
        for (noun, label) in [
            ("kitten", "zub"),
            ("donkey", "zub"),
            ("goat", "zub"),
            ("puppy", "zub"),
            ("lion", "zub"),
            ("forklift", "vek"),
            ("compressor", "vek"),
            ("generator", "vek"),
            ("bulldozer", "vek"),
            ("saw", "vek"),
        ] {
            let answer = self.infer(&format!("There is a {noun} in the yard.")).await;
            correct += usize::from(answer.body["answers"]["kind"]["choice"] == label);
        }
        correct
    }

    pub(crate) async fn checkpoint(&self, id: &Value) -> Value {
        let fields = "id state progress error isActive price \
            metrics { trainingSamples holdOutSamples better reason keys { key checkpoint { accuracy } live \
            { accuracy } } } \
            events(first: 100) { nodes { message } } report";
        let query = format!("query($id: ID!) {{ checkpoint(id: $id) {{ {fields} }} }}");
        self.server.ask(&self.key, &query, json!({ "id": id })).await["checkpoint"].clone()
    }

    pub(crate) async fn ended(&self, id: &Value) -> Value {
        let start = Instant::now();
        loop {
            let now = self.checkpoint(id).await;
            if now["state"] != "QUEUED" && now["state"] != "RUNNING" {
                return now;
            }
            assert!(start.elapsed() < LONG, "it does not end: {now}; the log:\n{}", self.server.log());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    pub(crate) async fn submit(&self, auto_activate: bool) -> Value {
        let input = json!({ "judgeId": self.judge, "autoActivate": auto_activate });
        self.mutate("submitCheckpoint", input, "checkpoint { id state price }").await
    }
}

async fn a_judge_is_trained_and_rolled_back(db: Db) {
    let made = Trained::new(&db, 12_000).await;
    made.import(3).await;
    let refused = made.submit(false).await;
    assert_eq!(refused["userErrors"][0]["code"], "VALIDATION_FAILED", "{refused}");
    assert!(refused["userErrors"][0]["message"].as_str().unwrap().contains("kind: 6"), "{refused}");
    made.import(20).await;
    let before = made.correct().await;
    let submitted = made.submit(false).await;
    assert_eq!(submitted["userErrors"], json!([]), "{submitted}");
    let id = submitted["checkpoint"]["id"].clone();
    let mut watcher = Socket::with_key(&made.server, &made.key).await;
    let watch = "subscription($id: ID!) { checkpointProgress(id: $id) { id state progress } }";
    watcher.subscribe("c", watch, json!({ "id": id })).await;
    let again = made.submit(false).await;
    assert_eq!(again["userErrors"][0]["code"], "CONFLICT", "{again}");
    let done = made.ended(&id).await;
    assert_eq!(
        (&done["state"], &done["isActive"], &done["progress"]),
        (&json!("SUCCEEDED"), &json!(false), &json!(1.0)),
        "{done}"
    );
    // The subscription reports the end.
    let mut heard = Value::Null;
    while heard["state"] != "SUCCEEDED" {
        heard = watcher.given("c").await["checkpointProgress"].clone();
    }
    let metrics = &done["metrics"];
    assert!(metrics["holdOutSamples"].as_u64().unwrap() >= 4, "{metrics}");
    let key = &metrics["keys"][0];
    let trained = key["checkpoint"]["accuracy"].as_f64().unwrap();
    assert!(trained > key["live"]["accuracy"].as_f64().unwrap() + 0.1, "{metrics}");
    // Clients see no change until it is activated.
    assert!(!made.infer("A cat.").await.text.contains("ckpt_"));
    let activated = made.mutate("activateCheckpoint", json!({ "id": id }), "checkpoint { isActive }").await;
    assert_eq!(activated["checkpoint"]["isActive"], true, "{activated}");
    let answer = made.infer("A cat and a dog.").await;
    assert!(
        answer.body["model"].as_str().unwrap().ends_with(&format!("+{}", id.as_str().unwrap())),
        "{}",
        answer.text
    );
    let after = made.correct().await;
    assert!(after >= 8 && after >= before + 2, "{before} of ten correct before, {after} after");
    let sample = "query($id: ID!) { judge(id: $id) { activeCheckpoint { id } samples(first: 1) { nodes { \
        model checkpoint { id } } } checkpoints { totalCount nodes { id } } } }";
    let judge = made.server.ask(&made.key, sample, json!({ "id": made.judge })).await["judge"].clone();
    assert_eq!(judge["samples"]["nodes"][0]["checkpoint"]["id"], id, "{judge}");
    assert_eq!((&judge["activeCheckpoint"]["id"], &judge["checkpoints"]["totalCount"]), (&id, &json!(1)));
    let input = json!({ "judgeId": made.judge });
    made.mutate("deactivateCheckpoint", input, "judge { activeCheckpoint { id } }").await;
    assert!(!made.infer("A dog.").await.text.contains("ckpt_"));
    assert_eq!(made.correct().await, before);
    let mut charged: Vec<i64> =
        inv::charges(&db, &made.account.id).await.iter().map(|row| row.delta).collect();
    charged.retain(|delta| *delta < -1_000_000);
    assert_eq!(charged, [-5_000_000]);
}

/// The process that serves and trains is killed five times during the training.
async fn the_training_of_a_killed_worker_is_repeated_and_charged_once(db: Db) {
    let mut made = Trained::new(&db, 6_000).await;
    made.import(12).await;
    let id = made.submit(true).await["checkpoint"]["id"].clone();
    for death in 1..=5 {
        let start = Instant::now();
        loop {
            let now = made.checkpoint(&id).await;
            let begun = now["events"]["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|event| event["message"].as_str().unwrap().starts_with("started"))
                .count();
            if begun >= death || now["state"] == "SUCCEEDED" {
                break;
            }
            assert!(start.elapsed() < LONG, "it does not begin: {now}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        made.server.kill9();
        db.execute("UPDATE job SET lease_until = 1, delivered_at = 0 WHERE state = 'running'").await;
        made.server.restart().await;
    }
    let done = made.ended(&id).await;
    assert_eq!(done["state"], "SUCCEEDED", "{done}");
    assert_eq!((inv::count(&db, "artefact").await, inv::charges(&db, &made.account.id).await.len()), (1, 1));
    assert_eq!(inv::balance(&db, &made.account.id).await, 1_000_000);
}

/// Another replica answers with a Checkpoint as soon as it is activated.
async fn replicas_use_an_activated_checkpoint_immediately(db: Db) {
    let made = Trained::new(&db, 6_000).await;
    let replica = made.server.replica().await;
    made.import(12).await;
    let id = made.submit(false).await["checkpoint"]["id"].clone();
    assert_eq!(made.ended(&id).await["state"], "SUCCEEDED");
    made.mutate("activateCheckpoint", json!({ "id": id }), "checkpoint { id }").await;
    let path = format!("/api/v1/judges/{}/inference", made.judge);
    let answer = replica.post(&path).key(&made.key).json(json!({ "state": "A cat." })).send().await;
    assert!(answer.body["model"].as_str().unwrap().contains(id.as_str().unwrap()), "{}", answer.text);
}

on_both!(a_judge_is_trained_and_rolled_back, the_training_of_a_killed_worker_is_repeated_and_charged_once,);
on_postgres!(replicas_use_an_activated_checkpoint_immediately);
