//! An editor changes, purges and labels a dataset of many samples on SQLite, whose only writer also serves charges: a
//! charge waits for one chunk of the change at most.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    large_dataset::large_dataset,
    victim::{FLOOR, moderating_beside},
};
use crate::harness::{Db, Request, Server, on_sqlite};

/// The dataset has this many samples, each with `KEYS` keys of 255 choices.
const SAMPLES: usize = 600;
const KEYS: usize = 24;
/// Lines of an import.
const LINES: usize = 4_000;
/// How long a request may wait for the editor.
const LONGEST: Duration = Duration::from_millis(1_500);

async fn an_editor_of_many_large_samples_does_not_block_charges(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let victim = server.account(1_000).await;
    let key = db.scoped_key(&account, "manage,read").await;
    let judge = large_dataset(&server, &key, SAMPLES, KEYS, "a".repeat(20_000)).await;
    let change = json!({ "input": { "judgeId": judge, "filter": {}, "key": "k3", "value": "c17" } });
    let reclassify = "mutation($input: ReclassifySamplesInput!) { done: reclassifySamples(input: $input) \
                      { changed changeId userErrors { message code } } }";
    let changing = graphql(&server, &key, reclassify, change.clone()).send();
    let (changed, fared) = moderating_beside("reclassifySamples", &server, &victim, changing).await;
    let changed = changed.data()["done"].clone();
    assert_eq!((&changed["changed"], &changed["userErrors"]), (&json!(SAMPLES), &json!([])), "{changed}");
    fared.well(1, FLOOR, LONGEST);
    assert!(fared.slowest < LONGEST, "{fared}");

    let undo = "mutation($input: UndoReclassificationInput!) { done: undoReclassification(input: $input) \
                { changed userErrors { message } } }";
    let undoing =
        graphql(&server, &key, undo, json!({ "input": { "changeId": changed["changeId"] } })).send();
    let (undone, fared) = moderating_beside("undoReclassification", &server, &victim, undoing).await;
    assert_eq!(undone.data()["done"]["changed"], SAMPLES);
    fared.well(1, FLOOR, LONGEST);
    assert!(fared.slowest < LONGEST, "{fared}");

    // All or none: a value that is invalid for one sample changes no sample.
    let first = "UPDATE sample SET instructions = '{\"k3\":[\"only\",\"these\"]}' WHERE seq = (SELECT \
        MAX(seq) FROM sample)";
    db.execute(first).await;
    let refused = graphql(&server, &key, reclassify, change).send().await.data()["done"].clone();
    assert_eq!(refused["userErrors"][0]["code"], "VALIDATION_FAILED", "{refused}");
    let labelled = "query($id: ID!) { judge(id: $id) { samples(filter: { labelled: true }) { totalCount } } \
                    account { auditLog(first: 3) { nodes { action detail } } } }";
    let state = graphql(&server, &key, labelled, json!({ "id": judge })).send().await.data();
    assert_eq!(state["judge"]["samples"]["totalCount"], 0);
    let log = &state["account"]["auditLog"]["nodes"];
    assert_eq!((&log[0]["action"], &log[1]["action"]), (&json!("SAMPLE_UNDO"), &json!("SAMPLE_RECLASSIFY")));
    assert_eq!(log[1]["detail"]["ground_truths"], SAMPLES, "one entry for all chunks: {log}");

    let purge = "mutation($input: PurgeSamplesInput!) { done: purgeSamples(input: $input) { count \
        userErrors { message } } }";
    let purging =
        graphql(&server, &key, purge, json!({ "input": { "judgeId": judge, "filter": {} } })).send();
    let (purged, fared) = moderating_beside("purgeSamples", &server, &victim, purging).await;
    assert_eq!(purged.data()["done"]["count"], SAMPLES);
    fared.well(1, FLOOR, LONGEST);
    assert!(fared.slowest < LONGEST, "{fared}");
}

async fn an_import_of_ground_truths_does_not_block_charges(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let victim = server.account(1_000).await;
    let key = db.scoped_key(&account, "manage,read").await;
    let judge = json!({ "name": "Large", "instructions": { "team": ["a", "b"], "late": "Is it late?" } });
    let judge = server.create_judge(&key, judge).await;
    let path = format!("/api/v1/judges/{judge}/dataset");
    importing(&server, &path, unlabelled).key(&key).send().await.ok();
    for counted in ["labelled", "duplicates"] {
        let again = importing(&server, &path, labelled).key(&key).send();
        let (imported, fared) = moderating_beside(counted, &server, &victim, again).await;
        assert_eq!(imported.ok()[counted], LINES);
        fared.well(1, FLOOR, LONGEST);
        assert!(fared.slowest < LONGEST, "{fared}");
    }
}

/// An import of a file with these lines.
fn importing(server: &Server, path: &str, line: fn(usize) -> Value) -> Request {
    let file: String = (0..LINES).map(|n| format!("{}\n", line(n))).collect();
    server.post(path).body("application/x-ndjson", file)
}

fn unlabelled(n: usize) -> Value {
    json!({ "state": format!("ticket {n}") })
}

fn labelled(n: usize) -> Value {
    json!({ "state": format!("ticket {n}"), "ground_truth": { "team": "b", "late": true } })
}

fn graphql(server: &Server, key: &str, query: &str, variables: Value) -> Request {
    server.graphql(query, variables).key(key)
}

on_sqlite!(
    an_editor_of_many_large_samples_does_not_block_charges,
    an_import_of_ground_truths_does_not_block_charges,
);
