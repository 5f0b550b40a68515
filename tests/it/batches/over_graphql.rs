//! Batches over GraphQL: submitted, watched, read and cancelled.

use serde_json::{Value, json};

use super::asking::*;
use crate::{
    graphql::{PASSWORD, Session, Socket, person},
    harness::{Db, Server, on_both},
};

const SUBMIT: &str = "mutation($input: SubmitBatchInput!) { submitBatch(input: $input) { batch { id status \
    total creditsHeld } userErrors { field code } } }";
const READ: &str = "query($id: ID!) { batch(id: $id) { id status completed failed creditsCharged results { \
    lines nextPart } } account { batches { totalCount nodes { id } } } }";
const CANCEL: &str = "mutation($input: CancelBatchInput!) { cancelBatch(input: $input) { batch { status } \
    userErrors { code } } }";

async fn a_batch_is_submitted_watched_and_read(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let key = db.scoped_key(&account, "moderate,manage").await;
    let data = lines(&[text("a", "hello there"), text("b", "good bye then")]);
    let made = server.ask(&key, SUBMIT, json!({ "input": { "data": data } })).await;
    let batch = &made["submitBatch"]["batch"];
    assert_eq!((&batch["total"], &batch["creditsHeld"]), (&json!(2), &json!(1.0)), "{made}");
    let id = batch["id"].as_str().unwrap();
    ended(&server, &key, id).await;
    let read = server.ask(&key, READ, json!({ "id": id })).await;
    let batch = &read["batch"];
    assert_eq!((&batch["status"], &batch["completed"]), (&json!("COMPLETED"), &json!(2)), "{read}");
    assert_eq!(batch["results"]["lines"].as_str().unwrap().lines().count(), 2);
    assert_eq!(read["account"]["batches"]["nodes"][0]["id"], id);
    // A key can submit only requests that it may send itself.
    let asks = lines(&[question("a", "which team?")]);
    server.graphql(SUBMIT, json!({ "input": { "data": asks } })).key(&key).send().await.refused("FORBIDDEN");
    let faulty = lines(&[text("a", "")]);
    let refused = server.ask(&key, SUBMIT, json!({ "input": { "data": faulty } })).await;
    let error = &refused["submitBatch"]["userErrors"][0];
    assert_eq!(error["field"], "line 1: body.content", "{refused}");
    let cancelled = server.ask(&key, CANCEL, json!({ "input": { "id": id } })).await;
    assert_eq!(cancelled["cancelBatch"]["userErrors"][0]["code"], "CONFLICT");
}

/// A request that submits a batch of texts.
fn submission(texts: &[&str]) -> Value {
    let items: Vec<_> = texts.iter().map(|content| text(content, content)).collect();
    json!({ "query": SUBMIT, "variables": { "input": { "data": lines(&items) } } })
}

async fn a_batch_is_billed_to_its_submitter(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let (key_id, key) = db.key(&account, &["--scopes", "moderate,manage"]).await;
    let (user, email) = person(&db, &account, "editor").await;
    let editor = Session::sign_in(&server, &email, PASSWORD).await;

    let by_key = server.post("/graphql").key(&key).json(submission(&["hello"])).send().await.data();
    let by_person = editor.send(submission(&["good", "bye", "then"])).await.data();
    for made in [by_key, by_person] {
        ended(&server, &key, made["submitBatch"]["batch"]["id"].as_str().unwrap()).await;
    }
    let query = "{ account { usage(groupBy: [PAYER]) { requests credits payer { id } } ledger(kind: \
        CHARGE) { nodes { payer { id } } } } }";
    let account = server.ask(&key, query, json!({})).await["account"].clone();
    for (payer, credits) in [(&key_id, 0.5), (&user, 1.5)] {
        let usage = json!({ "requests": 1, "credits": credits, "payer": { "id": payer } });
        assert!(account["usage"].as_array().unwrap().contains(&usage), "{account}");
        let entry = json!({ "payer": { "id": payer } });
        assert!(account["ledger"]["nodes"].as_array().unwrap().contains(&entry), "{account}");
    }
    assert_eq!(account["usage"].as_array().map(Vec::len), Some(2), "{account}");
}

async fn subscribers_receive_the_progress_of_a_batch(db: Db) {
    let api = Server::with(&db).args(&["api"]).start().await;
    let account = api.account(10).await;
    let key = db.scoped_key(&account, "moderate,manage").await;
    let data = lines(&[text("a", "hello there")]);
    let made = api.ask(&key, SUBMIT, json!({ "input": { "data": data } })).await;
    let id = made["submitBatch"]["batch"]["id"].as_str().unwrap();
    let mut watcher = Socket::with_key(&api, &key).await;
    let watch = "subscription($id: ID!) { batchProgress(id: $id) { id status completed } }";
    watcher.subscribe("b", watch, json!({ "id": id })).await;
    assert_eq!(watcher.given("b").await["batchProgress"]["status"], "QUEUED");
    let cancelled = api.ask(&key, CANCEL, json!({ "input": { "id": id } })).await;
    assert_eq!(cancelled["cancelBatch"]["batch"]["status"], "CANCELLED", "{cancelled}");
    let heard = watcher.given("b").await;
    assert_eq!(heard["batchProgress"]["status"], "CANCELLED", "{heard}");
    assert_eq!(watcher.hear().await["type"], "complete");
}

on_both!(
    a_batch_is_submitted_watched_and_read,
    a_batch_is_billed_to_its_submitter,
    subscribers_receive_the_progress_of_a_batch,
);
