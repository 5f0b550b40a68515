//! Usage and spend by route, Judge and payer.

use serde_json::{Value, json};

use super::{
    client::Session,
    dataset::Dataset,
    sessions::{PASSWORD, person},
};
use crate::harness::{Db, on_both};

fn usage_query(groups: &str) -> String {
    let fields = "endpoint requests credits judge { id name } payer { id name }";
    format!("{{ account {{ usage(groupBy: [{groups}]) {{ {fields} }} }} }}")
}

async fn usage(session: &Session<'_>, groups: &str) -> Vec<Value> {
    session.query(&usage_query(groups)).await["account"]["usage"].as_array().expect("rows").clone()
}

/// The requests and credits of the only row with this Judge and payer.
fn row(rows: &[Value], judge: Option<&str>, payer: Option<&str>) -> (i64, f64) {
    let mut found = rows.to_vec();
    found.retain(|row| row["judge"]["id"].as_str() == judge && row["payer"]["id"].as_str() == payer);
    assert_eq!(found.len(), 1, "{rows:?}");
    (found[0]["requests"].as_i64().unwrap(), found[0]["credits"].as_f64().unwrap())
}

async fn usage_is_summed_up_by_judge_and_payer(db: Db) {
    let data = Dataset::with(&db, 2).await;
    let other = data.judge_named("Other").await;
    data.record(&other, "one").await;
    let (id, email) = person(&db, &data.account, "editor").await;
    let editor = Session::sign_in(&data.server, &email, PASSWORD).await;
    let question = json!({ "state": "x", "instructions": { "a": ["b", "c"] } });
    editor.rest(data.server.post("/api/v1/inference")).json(question).send().await.ok();
    let through = format!("/api/v1/judges/{other}/inference");
    editor.rest(data.server.post(&through)).json(json!({ "state": "two" })).send().await.ok();
    let (stranger, _, _) = data.somebody_else().await;

    let rows = usage(&editor, "JUDGE").await;
    assert_eq!((rows.len(), &rows[0]["endpoint"], &rows[0]["payer"]), (3, &Value::Null, &Value::Null));
    assert_eq!(row(&rows, Some(&data.judge), None), (2, 1.0));
    assert_eq!(row(&rows, Some(&other), None), (2, 1.0));
    assert_eq!(row(&rows, None, None), (1, 0.5));
    let rows = usage(&editor, "PAYER").await;
    assert_eq!(row(&rows, None, Some(&id)), (2, 1.0));
    assert_eq!(row(&rows, None, Some(&data.key_id)), (3, 1.5));
    let rows = usage(&editor, "ENDPOINT, JUDGE, PAYER").await;
    assert_eq!((rows.len(), row(&rows, Some(&other), Some(&id))), (4, (1, 0.5)));
    assert!(rows.iter().all(|row| row["endpoint"] == "/api/v1/inference"), "{rows:?}");
    let all = usage(&editor, "").await;
    assert_eq!((all.len(), row(&all, None, None)), (1, (5, 2.5)));

    // The ledger shows the same for each charge.
    let ledger = editor
        .query("{ account { ledger(first: 1) { nodes { payer { id name } judge { id name } apiKeyId } } } }")
        .await;
    let last = json!({
        "payer": { "id": id, "name": email }, "judge": { "id": other, "name": "Other" }, "apiKeyId": null,
    });
    assert_eq!(ledger["account"]["ledger"]["nodes"][0], last);
    // Another account sees only its own usage.
    let theirs = data.server.ask(&stranger, &usage_query("JUDGE"), json!({})).await;
    assert_eq!(theirs["account"]["usage"].as_array().unwrap().len(), 1);
    assert!(!theirs.to_string().contains(&other), "{theirs}");
}

on_both!(usage_is_summed_up_by_judge_and_payer);
