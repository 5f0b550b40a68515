//! Judges for the tests, created over GraphQL, and their rows in the database.

use crate::graphql::mutation;
use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use crate::harness::{Account, Db, Server, Upstream, inv};

/// A server with a scripted model server, an account, and a key with all permissions.
pub(super) async fn start(db: &Db) -> (Server, Upstream, Account, String) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(db, &upstream).start().await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "infer,manage").await;
    (server, upstream, account, key)
}

/// Runs a mutation, which must succeed; returns the Judge of its payload.
async fn mutate(server: &Server, key: &str, name: &str, input: Value) -> Value {
    let fields = "judge { id version archived } userErrors { field message code }";
    let payload = server.ask(key, &mutation(name, fields), json!({ "input": input })).await["payload"].take();
    assert_eq!(payload["userErrors"], json!([]), "{payload}");
    payload["judge"].clone()
}

/// Creates a Judge that asks for a team; returns its id.
pub(super) async fn judge(server: &Server, key: &str, store_content: bool) -> String {
    let input = json!({
        "name": "Triage",
        "instructions": { "team": ["billing", "shipping", "other"] },
        "parameters": { "temperature": 2.0, "tone": "calm" },
        "storeContent": store_content,
    });
    mutate(server, key, "createJudge", input).await["id"].as_str().unwrap().to_owned()
}

/// Changes a Judge; returns its version.
pub(super) async fn update(server: &Server, key: &str, id: &str, mut change: Value) -> i64 {
    change["id"] = json!(id);
    mutate(server, key, "updateJudge", change).await["version"].as_i64().unwrap()
}

/// Archives a Judge.
pub(super) async fn archive(server: &Server, key: &str, id: &str) {
    assert_eq!(mutate(server, key, "archiveJudge", json!({ "id": id })).await["archived"], true);
}

/// The paths that run a Judge.
pub(super) fn paths(id: &str) -> [String; 2] {
    [format!("/api/v1/judges/{id}/inference"), format!("/v1/judges/{id}/inference")]
}

/// A row of `sample`.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct SampleRow {
    pub(super) id: String,
    pub(super) account_id: String,
    pub(super) judge_id: String,
    pub(super) judge_version: i32,
    pub(super) request_id: Option<String>,
    pub(super) state: String,
    pub(super) instructions: Option<String>,
    pub(super) credits: i64,
    pub(super) certainty: Option<f64>,
}

/// A row of `sample_answer`.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct AnswerRow {
    pub(super) key: String,
    pub(super) kind: String,
    pub(super) value: Option<String>,
    pub(super) answer: Option<String>,
    pub(super) probability: Option<f64>,
}

/// All samples, in their order.
pub(super) async fn samples(db: &Db) -> Vec<SampleRow> {
    let columns =
        "id, account_id, judge_id, judge_version, request_id, state, instructions, credits, certainty";
    inv::rows(db, &format!("SELECT {columns} FROM sample ORDER BY seq")).await
}

/// The answers of a sample, in their order.
pub(super) async fn answers(db: &Db, sample: &str) -> Vec<AnswerRow> {
    let columns = "key, kind, value, answer, probability";
    let of = format!("sample_seq = (SELECT seq FROM sample WHERE id = '{sample}')");
    inv::rows(db, &format!("SELECT {columns} FROM sample_answer WHERE {of} ORDER BY position")).await
}
