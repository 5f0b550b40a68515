//! A Judge with a dataset, for the tests of datasets: asked over REST, read and labelled over GraphQL.

use super::asking::mutation;
use serde_json::{Value, json};

use crate::harness::{Account, Answer, Db, Server, Upstream};

/// The Judge's questions: a choice, a score and a yes/no question.
pub(super) fn instructions() -> Value {
    json!({
        "team": ["billing", "shipping", "other"],
        "urgency": { "type": "score", "criteria": ["can wait", "today", "at once"] },
        "angry": "is the customer angry?",
    })
}

/// The fields of a sample that the tests compare.
pub(super) const SAMPLE: &str = "id state certainty labelled claimedBy { id } \
    answers { key type value probability groundTruth groundTruthProbability labelledBy { id } labelledAt }";

/// A Judge that records, its account, and a key with all permissions on it.
pub(super) struct Dataset {
    pub(super) server: Server,
    pub(super) account: Account,
    /// Its scopes are `infer`, `manage` and `read`.
    pub(super) key: String,
    /// The id of `key`.
    pub(super) key_id: String,
    pub(super) judge: String,
    _upstream: Upstream,
}

impl Dataset {
    /// Creates an empty dataset.
    pub(super) async fn new(db: &Db) -> Self {
        let upstream = Upstream::start().await;
        // Without a worker, whose database statements would be counted.
        let server = Server::with(db).args(&["api"]).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
        let account = server.account(1_000).await;
        let (key_id, key) = db.key(&account, &["--scopes", "infer,manage,read"]).await;
        let mut made = Self { server, account, key, key_id, judge: String::new(), _upstream: upstream };
        made.judge = made.judge_named("Triage").await;
        made
    }

    /// Creates a dataset with `samples` samples, recorded one after the other.
    pub(super) async fn with(db: &Db, samples: usize) -> Self {
        let made = Self::new(db).await;
        for number in 0..samples {
            made.record(&made.judge, &state(number)).await;
        }
        made
    }

    /// Creates another Judge of the account.
    pub(super) async fn judge_named(&self, name: &str) -> String {
        let input = json!({ "name": name, "instructions": instructions(), "storeContent": true });
        self.server.create_judge(&self.key, input).await
    }

    /// Runs a Judge over REST, which records a sample.
    pub(super) async fn record(&self, judge: &str, state: &str) -> Answer {
        let path = format!("/api/v1/judges/{judge}/inference");
        let answer = self.server.post(&path).key(&self.key).json(json!({ "state": state })).send().await;
        assert_eq!((answer.status, &answer.body["logged"]), (200, &json!(true)), "{}", answer.text);
        answer
    }

    /// The data of an operation.
    pub(super) async fn query(&self, query: &str, variables: Value) -> Value {
        self.server.ask(&self.key, query, variables).await
    }

    /// The payload of a mutation.
    pub(super) async fn payload(&self, name: &str, input: Value, fields: &str) -> Value {
        self.mutate(&self.key, name, input, fields).await.data()["payload"].clone()
    }

    /// The answer to a mutation under a key.
    pub(super) async fn mutate(&self, key: &str, name: &str, input: Value, fields: &str) -> Answer {
        let query = mutation(name, &format!("{fields} userErrors {{ field message code }}"));
        self.server.graphql(&query, json!({ "input": input })).key(key).send().await
    }

    /// A page of the Judge's list under `field` with `arguments`.
    pub(super) async fn list(&self, field: &str, arguments: &str) -> Value {
        let arguments = if arguments.is_empty() { String::new() } else { format!("({arguments})") };
        let fields = format!(
            "totalCount edges {{ cursor node {{ {SAMPLE} }} }} \
             pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }}"
        );
        let query =
            format!("query($id: ID!) {{ judge(id: $id) {{ list: {field}{arguments} {{ {fields} }} }} }}");
        self.query(&query, json!({ "id": self.judge })).await["judge"]["list"].clone()
    }

    /// All samples of the Judge, the newest first.
    pub(super) async fn samples(&self) -> Vec<Value> {
        nodes(&self.list("samples", "first: 100").await)
    }

    /// One sample.
    pub(super) async fn sample(&self, id: &str) -> Value {
        let query = format!("query($id: ID!) {{ sample(id: $id) {{ {SAMPLE} }} }}");
        self.query(&query, json!({ "id": id })).await["sample"].clone()
    }

    /// Sets the ground truth of one answer; returns the id of the change.
    pub(super) async fn reclassify(&self, sample: &str, key: &str, value: &str) -> Option<String> {
        let input = json!({ "sampleId": sample, "key": key, "value": value });
        let payload = self.payload("reclassifySample", input, "changeId").await;
        assert_eq!(payload["userErrors"], json!([]), "{payload}");
        payload["changeId"].as_str().map(str::to_owned)
    }

    /// Creates another account with a Judge and one sample; returns its key and the ids of Judge and sample.
    pub(super) async fn somebody_else(&self) -> (String, String, String) {
        let account = self.server.account(10).await;
        let key = self.server.db.scoped_key(&account, "infer,manage,read").await;
        let input = json!({ "name": "Theirs", "instructions": instructions(), "storeContent": true });
        let judge = self.server.create_judge(&key, input).await;
        let path = format!("/api/v1/judges/{judge}/inference");
        self.server.post(&path).key(&key).json(json!({ "state": "zebra stripes" })).send().await.ok();
        let query = "query($id: ID!) { judge(id: $id) { samples { nodes { id } } } }";
        let samples = self.server.ask(&key, query, json!({ "id": judge })).await;
        let sample = text(&samples["judge"]["samples"]["nodes"][0]["id"]);
        (key, judge, sample)
    }

    /// A key that may only read.
    pub(super) async fn analyst(&self) -> String {
        self.server.db.scoped_key(&self.account, "read").await
    }
}

/// The state of a sample by its number.
pub(super) fn state(number: usize) -> String {
    format!("message number {number:04}")
}

/// The nodes of a page.
pub(super) fn nodes(list: &Value) -> Vec<Value> {
    list["edges"].as_array().expect("edges").iter().map(|edge| edge["node"].clone()).collect()
}

/// The ids of samples.
pub(super) fn ids(samples: &[Value]) -> Vec<String> {
    samples.iter().map(|sample| text(&sample["id"])).collect()
}

/// A string.
#[track_caller]
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}

/// The answer of a sample under a key.
pub(super) fn answer(sample: &Value, key: &str) -> Value {
    let answers = sample["answers"].as_array().expect("answers");
    answers
        .iter()
        .find(|answer| answer["key"] == key)
        .unwrap_or_else(|| panic!("no {key} in {sample}"))
        .clone()
}

/// The code, field and message of a payload's only user error.
#[track_caller]
pub(super) fn refused(payload: &Value) -> (String, Option<String>, String) {
    let errors = payload["userErrors"].as_array().expect("user errors");
    assert_eq!(errors.len(), 1, "{payload}");
    (text(&errors[0]["code"]), errors[0]["field"].as_str().map(str::to_owned), text(&errors[0]["message"]))
}
