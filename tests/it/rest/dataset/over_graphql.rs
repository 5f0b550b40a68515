//! Import as a mutation, for files that fit into an operation.

use serde_json::{Value, json};

use super::asking::{count, judge, lines, start};
use crate::harness::{Db, Server, on_both};

const IMPORT: &str = "mutation($input: ImportSamplesInput!) { importSamples(input: $input) {
    lines imported labelled duplicates userErrors { field message code } } }";

async fn import(server: &Server, key: &str, input: Value) -> Value {
    server.ask(key, IMPORT, json!({ "input": input })).await["importSamples"].take()
}

fn csv(judge: &str, data: &str, dry_run: bool) -> Value {
    json!({ "judgeId": judge, "format": "CSV", "data": data, "dryRun": dry_run })
}

async fn files_are_imported_by_the_same_rules(db: Db) {
    let (server, account, key) = start(&db).await;
    let judge = judge(&server, &key).await;

    let good = "content,ground_truth.team\nwhere is it?,shipping\nand my money?,billing\nwhere is it?,\n";
    let expected = json!({ "lines": 3, "imported": 2, "labelled": 0, "duplicates": 1, "userErrors": [] });
    assert_eq!(import(&server, &key, csv(&judge, good, true)).await, expected);
    assert_eq!(count(&db, "sample").await, 0);
    assert_eq!(import(&server, &key, csv(&judge, good, false)).await, expected);
    assert_eq!(lines(&server, &key, &judge, "").await.len(), 2);

    let wrong = "content,ground_truth.team\na,sales\n\nb,\n,billing\n";
    let refused = import(&server, &key, csv(&judge, wrong, false)).await;
    let errors = json!([
        { "field": "line 2: ground_truth.team", "code": "VALIDATION_FAILED",
          "message": "line 2: ground_truth.team must be one of: billing, shipping, =other" },
        { "field": "line 5: content", "code": "VALIDATION_FAILED", "message": "line 5: content must not be empty" },
    ]);
    assert_eq!(refused["userErrors"], errors);
    assert_eq!((&refused["lines"], &refused["imported"]), (&Value::Null, &Value::Null));
    let jsonl = json!({ "judgeId": judge, "format": "JSONL", "data": "{}\n".repeat(150) });
    let many = import(&server, &key, jsonl).await["userErrors"].take();
    assert_eq!(
        (many.as_array().unwrap().len(), &many[100]["message"]),
        (101, &json!("the file has 150 errors; the first 100 are listed"))
    );
    assert_eq!(count(&db, "sample").await, 2);

    // Another account's Judge is treated like an unknown one.
    let stranger = server.account(1).await;
    let stranger = db.scoped_key(&stranger, "manage").await;
    for id in [judge.as_str(), "judge_01kahd7f3ye9pvsk8h0a5m5x2e"] {
        let input = json!({ "judgeId": id, "format": "CSV", "data": good });
        let errors = import(&server, &stranger, input).await["userErrors"].take();
        assert_eq!(
            errors,
            json!([{ "field": null, "message": "there is no such Judge", "code": "NOT_FOUND" }])
        );
    }
    let reader = db.scoped_key(&account, "read").await;
    let answer =
        server.graphql(IMPORT, json!({ "input": csv(&judge, good, false) })).key(&reader).send().await;
    answer.refused("FORBIDDEN");
    assert_eq!(count(&db, "sample").await, 2);
}

on_both!(files_are_imported_by_the_same_rules);
