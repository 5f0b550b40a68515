//! Evaluations over GraphQL with the real model: started, read answer by answer, and compared.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{asking::mutation, checkpoints::LONG, checkpoints::Trained};
use crate::harness::{Db, on_both};

async fn start(trained: &Trained, more: Value) -> Value {
    let mut input = json!({ "judgeId": trained.judge, "maxCredits": 100 });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let query = mutation("startEvaluation", "evaluation { id scope } userErrors { field message }");
    trained.server.ask(&trained.key, &query, json!({ "input": input })).await["payload"].clone()
}

/// An evaluation once it has succeeded.
async fn succeeded(trained: &Trained, started: &Value) -> Value {
    let query = "query($id: ID!) { evaluation(id: $id) { id state scope filter { source since } \
                 metrics { count accuracy confusion { truth answered count } } trainedMetrics { count } } }";
    let since = Instant::now();
    loop {
        let id = json!({ "id": started["evaluation"]["id"] });
        let found = trained.server.ask(&trained.key, query, id).await["evaluation"].clone();
        if found["state"] == "SUCCEEDED" {
            return found;
        }
        assert!(since.elapsed() < LONG && found["state"] != "FAILED", "{found}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn answers(trained: &Trained, run: &Value, filter: Value) -> Value {
    let query = "query($id: ID!, $filter: EvaluationAnswerFilterInput, $after: String) { evaluation(id: $id) { \
                 answers(filter: $filter, first: 7, after: $after) { totalCount pageInfo { hasNextPage endCursor } \
                 nodes { key groundTruth answer probability groundTruthProbability trained sample { state } } } } }";
    let mut nodes = Vec::new();
    let mut after = Value::Null;
    loop {
        let variables = json!({ "id": run["id"], "filter": filter, "after": after });
        let page = trained.server.ask(&trained.key, query, variables).await["evaluation"]["answers"].clone();
        nodes.extend(page["nodes"].as_array().unwrap().clone());
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] == false {
            assert_eq!(page["totalCount"], json!(nodes.len()), "{filter}");
            return json!(nodes);
        }
    }
}

async fn answers_of_an_evaluation_are_read_cell_by_cell(db: Db) {
    let trained = Trained::new(&db, 12_000).await;
    trained.import(12).await;
    let refused = start(&trained, json!({ "scope": "NEW" })).await;
    assert_eq!(refused["userErrors"][0]["field"], "scope");
    let started = start(&trained, json!({ "filter": { "source": "IMPORT" } })).await;
    assert_eq!(started["evaluation"]["scope"], "UNSEEN");
    let run = succeeded(&trained, &started).await;
    assert_eq!((&run["filter"]["source"], &run["trainedMetrics"]), (&json!("IMPORT"), &json!([])));

    let all = answers(&trained, &run, json!({})).await;
    assert_eq!(all.as_array().unwrap().len(), 24);
    for one in all.as_array().unwrap() {
        assert!(one["sample"]["state"].is_string() && one["trained"] == false, "{one}");
        assert_eq!(one["answer"] == one["groundTruth"], one["probability"] == one["groundTruthProbability"]);
    }
    for cell in run["metrics"][0]["confusion"].as_array().unwrap() {
        let filter = json!({ "key": "kind", "groundTruth": cell["truth"], "answer": cell["answered"] });
        assert_eq!(json!(answers(&trained, &run, filter).await.as_array().unwrap().len()), cell["count"]);
    }
    let right = answers(&trained, &run, json!({ "agrees": true, "abstained": false })).await;
    let wrong = answers(&trained, &run, json!({ "agrees": false })).await;
    let share = right.as_array().unwrap().len() as f64 / 24.0;
    assert!((share - run["metrics"][0]["accuracy"].as_f64().unwrap()).abs() < 1e-6);
    assert_eq!(right.as_array().unwrap().len() + wrong.as_array().unwrap().len(), 24);
    for none in [
        json!({ "abstained": true }),
        json!({ "trained": true }),
        json!({ "key": "other" }),
        json!({ "answer": "a\0b" }),
    ] {
        assert_eq!(answers(&trained, &run, none).await, json!([]));
    }

    let again = succeeded(&trained, &start(&trained, json!({ "scope": "ALL" })).await).await;
    let query = "query($old: ID!, $new: ID!) { compareEvaluations(old: $old, new: $new) { better worse reason \
                 difference { samples accuracy pValue } } }";
    let ids = json!({ "old": run["id"], "new": again["id"] });
    let compared = trained.server.ask(&trained.key, query, ids).await["compareEvaluations"].clone();
    assert_eq!((&compared["better"], &compared["worse"]), (&json!(false), &json!(false)));
    assert_eq!(compared["difference"], json!({ "samples": 24, "accuracy": 0.0, "pValue": 1.0 }));
    let reason = compared["reason"].as_str().unwrap();
    assert!(
        reason.contains("+0.0 percentage points") && reason.ends_with("which could be chance"),
        "{reason}"
    );
}

on_both!(answers_of_an_evaluation_are_read_cell_by_cell);
