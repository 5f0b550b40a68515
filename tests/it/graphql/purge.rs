//! Purging removes exactly the selected samples, completely.

use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use super::dataset::{Dataset, ids, refused};
use crate::harness::{Db, inv, on_both};

const SECRET: &str = "a most regrettable sentence";

async fn purged_samples_leave_no_content(db: Db) {
    let mut data = Dataset::new(&db).await;
    let path = format!("/api/v1/judges/{}/inference", data.judge);
    let long = SECRET.repeat(400);
    for (number, state) in [SECRET, long.as_str()].into_iter().enumerate() {
        let body = json!({ "state": state, "instructions": { "regret": [SECRET, "none"] } });
        let request = data.server.post(&path).key(&data.key).json(body);
        request.idempotent(&format!("k{number}")).send().await.ok();
    }
    data.record(&data.judge, "an innocent sentence").await;
    let all = ids(&data.samples().await);
    data.reclassify(&all[1], "regret", SECRET).await.unwrap();
    assert!(holds(&db, SECRET).await, "the secret is present before the purge");
    let input = json!({ "judgeId": data.judge, "sampleIds": all[1..] });
    assert_eq!(purge(&data, input.clone(), true).await["count"], 2);
    assert_eq!(ids(&data.samples().await), all, "a dry run changes nothing");
    assert_eq!(purge(&data, input.clone(), false).await["count"], 2);
    assert_eq!(ids(&data.samples().await), all[..1]);
    assert!(!holds(&db, SECRET).await && holds(&db, "an innocent sentence").await);
    let (code, _, _) = refused(&purge(&data, input, false).await);
    assert_eq!(code, "NOT_FOUND");
    let query = "{ account { auditLog(first: 1) { nodes { action target detail actor { id } } } } }";
    let log = data.query(query, json!({})).await["account"]["auditLog"]["nodes"][0].clone();
    assert_eq!((&log["action"], &log["target"]), (&json!("SAMPLE_PURGE"), &json!(data.judge)));
    assert_eq!((&log["detail"], &log["actor"]["id"]), (&json!({ "samples": 2 }), &json!(data.key_id)));
    if db.is_sqlite() {
        // The write-ahead log is removed when the process ends; the file was overwritten.
        data.server.terminate().await;
        let bytes = std::fs::read(db.data_dir().join("gavel.sqlite")).unwrap();
        assert!(!bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()));
    }
}

async fn filters_and_ages_select_the_purged_samples(db: Db) {
    let data = Dataset::with(&db, 5).await;
    let other = data.judge_named("Another").await;
    data.record(&other, "of another Judge").await;
    let all = ids(&data.samples().await);
    data.reclassify(&all[3], "team", "other").await.unwrap();
    let aged = format!("UPDATE sample SET created_at = '2020-01-01 00:00:00+00:00' WHERE id = '{}'", all[4]);
    db.execute(&aged).await;

    for wrong in [
        json!({}),
        json!({ "filter": {}, "olderThanDays": 1 }),
        json!({ "olderThanDays": -1 }),
        json!({ "olderThanDays": 40_000 }),
        json!({ "sampleIds": [] }),
    ] {
        assert_eq!(refused(&purge(&data, of_judge(&data, wrong), false).await).0, "VALIDATION_FAILED");
    }
    assert_eq!(purge(&data, of_judge(&data, json!({ "olderThanDays": 365 })), true).await["count"], 1);
    assert_eq!(purge(&data, of_judge(&data, json!({ "olderThanDays": 365 })), false).await["count"], 1);
    assert_eq!(ids(&data.samples().await), all[..4]);
    assert_eq!(
        purge(&data, of_judge(&data, json!({ "filter": { "labelled": true } })), false).await["count"],
        1
    );
    assert_eq!(ids(&data.samples().await), all[..3]);
    assert_eq!(purge(&data, of_judge(&data, json!({ "filter": {} })), false).await["count"], 3);
    assert_eq!(purge(&data, of_judge(&data, json!({ "filter": {} })), false).await["count"], 0);
    #[derive(FromQueryResult)]
    struct RemainingRows {
        samples: i64,
        answers: i64,
        labels: i64,
    }
    let sql = "SELECT (SELECT COUNT(*) FROM sample) AS samples, (SELECT COUNT(*) FROM sample_answer) AS answers, \
               (SELECT COUNT(*) FROM label) AS labels";
    let left: Vec<RemainingRows> = inv::rows(&db, sql).await;
    assert_eq!((left[0].samples, left[0].answers, left[0].labels), (1, 3, 0), "only the other Judge's");
}

async fn only_editors_purge_and_only_their_own_samples(db: Db) {
    let data = Dataset::with(&db, 1).await;
    let id = ids(&data.samples().await)[0].clone();
    let (their_key, their_judge, theirs) = data.somebody_else().await;
    let analyst = data.analyst().await;
    let all = json!({ "judgeId": data.judge, "filter": {} });
    data.mutate(&analyst, "purgeSamples", all.clone(), "count").await.refused("FORBIDDEN");
    let mut dry = all.clone();
    dry["dryRun"] = json!(true);
    data.mutate(&analyst, "purgeSamples", dry, "count").await.refused("FORBIDDEN");
    for (key, input) in [
        (&their_key, all),
        (&their_key, json!({ "judgeId": their_judge, "sampleIds": [id] })),
        (&data.key, json!({ "judgeId": their_judge, "filter": {} })),
        (&data.key, json!({ "judgeId": data.judge, "sampleIds": [id, theirs] })),
    ] {
        let answer = data.mutate(key, "purgeSamples", input, "count").await;
        assert_eq!(refused(&answer.data()["payload"]).0, "NOT_FOUND");
    }
    assert_eq!(ids(&data.samples().await), [id]);
}

/// The Judge's samples that `what` selects.
fn of_judge(data: &Dataset, what: Value) -> Value {
    let mut input = json!({ "judgeId": data.judge });
    input.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
    input
}

/// The payload of a purge.
async fn purge(data: &Dataset, mut input: Value, dry_run: bool) -> Value {
    input["dryRun"] = json!(dry_run);
    data.payload("purgeSamples", input, "count").await
}

/// Whether any column with content contains `words`.
async fn holds(db: &Db, words: &str) -> bool {
    #[derive(FromQueryResult)]
    struct Text {
        text: String,
    }
    for (table, columns) in [
        ("sample", "state || COALESCE(instructions, '')"),
        (
            "sample_answer",
            "key || COALESCE(value, '') || COALESCE(answer, '') || COALESCE(probabilities, '') || COALESCE(truth, '')",
        ),
        ("label", "COALESCE(previous, '') || COALESCE(value, '')"),
        ("idempotency", "fingerprint || COALESCE(answer, '')"),
        ("audit", "detail"),
    ] {
        let rows: Vec<Text> = inv::rows(db, &format!("SELECT {columns} AS text FROM {table}")).await;
        if rows.iter().any(|row| row.text.contains(words)) {
            return true;
        }
    }
    false
}

on_both!(
    purged_samples_leave_no_content,
    filters_and_ages_select_the_purged_samples,
    only_editors_purge_and_only_their_own_samples,
);
