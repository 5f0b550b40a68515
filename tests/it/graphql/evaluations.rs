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

    exported_answers_are_those_of_the_list(&trained, &run, &all).await;

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

/// Exports the answers in both formats, filtered too, and compares them with `listed`.
async fn exported_answers_are_those_of_the_list(trained: &Trained, run: &Value, listed: &Value) {
    let path = format!("/api/v1/evaluations/{}/answers", run["id"].as_str().unwrap());
    let server = &trained.server;
    let export = server.get(&path).key(&trained.key).send().await;
    assert_eq!((export.status, export.header("content-type")), (200, Some("application/x-ndjson")));
    let lines: Vec<Value> = export.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 24);
    for (line, listed) in lines.iter().zip(listed.as_array().unwrap()) {
        assert!(line["sample_id"].as_str().unwrap().starts_with("sample_"));
        let exported =
            json!([line["key"], line["ground_truth"], line["answer"], line["probability"], line["state"]]);
        let sample = &listed["sample"]["state"];
        let expected =
            json!([listed["key"], listed["groundTruth"], listed["answer"], listed["probability"], sample]);
        assert_eq!(exported, expected);
    }
    let wrong = lines.iter().filter(|line| line["answer"] != line["ground_truth"]).count();
    let csv = server.get(&format!("{path}?format=csv&agrees=false")).key(&trained.key).send().await;
    let name = format!("attachment; filename=\"{}.csv\"", run["id"].as_str().unwrap());
    assert_eq!((csv.status, csv.header("content-disposition")), (200, Some(name.as_str())));
    let mut rows = csv.text.lines();
    let columns = "sample_id,state,key,ground_truth,answer,probability,ground_truth_probability,trained";
    assert_eq!((rows.next(), rows.count()), (Some(columns), wrong));
    for (query, field) in [("format=parquet", "format"), ("agrees=maybe", "agrees"), ("page=2", "page")] {
        let refused = server.get(&format!("{path}?{query}")).key(&trained.key).send().await;
        refused.fails(422, "VALIDATION_FAILED");
        assert_eq!(refused.body["details"][0]["field"], field);
    }
    let stranger = server.db.scoped_key(&server.account(1).await, "read").await;
    server.get(&path).key(&stranger).send().await.fails(404, "NOT_FOUND");
}

on_both!(answers_of_an_evaluation_are_read_cell_by_cell);
