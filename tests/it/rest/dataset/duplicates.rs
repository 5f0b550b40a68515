//! Existing samples are not imported again, but may receive a missing ground truth.

use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use super::asking::{ask_otherwise, count, counts, import, import_csv, judge, judge_asking, lines, start};
use crate::harness::{Account, Db, Server, inv, on_both};

#[derive(Debug, FromQueryResult)]
struct LabelRow {
    change_id: String,
    key: String,
    previous: Option<String>,
    value: Option<String>,
    actor: String,
}

async fn trail(db: &Db) -> Vec<LabelRow> {
    inv::rows(db, "SELECT change_id, key, previous, value, actor FROM label ORDER BY seq").await
}

fn line(state: &str, truth: Value) -> Value {
    json!({ "state": state, "ground_truth": truth })
}

fn truths(lines: &[Value]) -> Vec<&Value> {
    lines.iter().map(|line| &line["ground_truth"]).collect()
}

async fn duplicates_within_a_file_are_folded(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let given = [
        line("one", json!({})),
        line("two", json!({ "spam": true })),
        line("one", json!({ "team": "billing" })),
        line("one", json!({ "team": "shipping", "spam": false })),
        line("two", json!({ "spam": false })),
        json!({ "state": "one", "instructions": ["Another question?"] }),
        json!({ "state": { "a": 1, "b": 2 } }),
        json!({ "state": { "b": 2, "a": 1 } }),
    ];
    assert_eq!(counts(import(&server, &key, &judge, &given).await), [8, 4, 2, 2]);
    let exported = lines(&server, &key, &judge, "").await;
    let expected =
        [json!({ "team": "billing", "spam": false }), json!({ "spam": true }), json!({}), json!({})];
    assert_eq!(truths(&exported), expected.iter().collect::<Vec<_>>());
    // No existing sample was changed, so there is no history.
    assert_eq!(trail(&db).await.len(), 0);
}

async fn a_duplicate_adds_a_missing_ground_truth(db: Db) {
    let (server, account, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let said = json!({ "team": { "type": "choice", "choice": "billing", "confidence": 0.25,
        "probabilities": { "billing": 0.5, "shipping": 0.25, "=other": 0.25 } } });
    let first = [
        json!({ "state": "one", "answers": said }),
        line("two", json!({ "spam": true })),
        line("three", json!({})),
    ];
    assert_eq!(counts(import(&server, &key, &judge, &first).await), [3, 3, 0, 0]);
    let again = [
        line("one", json!({ "team": "shipping", "urgency": 1 })),
        line("two", json!({ "spam": false })),
        line("three", json!({})),
        line("four", json!({ "spam": false })),
    ];
    assert_eq!(counts(import(&server, &key, &judge, &again).await), [4, 1, 1, 2]);
    let exported = lines(&server, &key, &judge, "").await;
    let expected = [
        json!({ "team": "shipping", "urgency": 1 }),
        json!({ "spam": true }),
        json!({}),
        json!({ "spam": false }),
    ];
    assert_eq!(truths(&exported), expected.iter().collect::<Vec<_>>());
    assert_eq!(exported[0]["answers"], said, "the answers are unchanged");
    assert_eq!(lines(&server, &key, &judge, "?labelled=true").await.len(), 3);
    let trail = trail(&db).await;
    assert_eq!(trail.len(), 2, "{trail:?}");
    for row in &trail {
        assert_eq!(
            (&row.change_id, &row.actor, &row.previous),
            (&trail[0].change_id, &trail[1].actor, &None)
        );
        assert!(row.change_id.starts_with("change_") && row.actor.starts_with("key_"), "{row:?}");
    }
    let mut set: Vec<_> = trail.iter().map(|row| (row.key.as_str(), row.value.as_deref())).collect();
    set.sort_unstable();
    assert_eq!(set, [("team", Some("shipping")), ("urgency", Some("1"))]);
    // The probability of the ground truth is stored with it.
    let p: Vec<Probability> =
        inv::rows(&db, "SELECT truth_probability FROM sample_answer WHERE truth = 'shipping'").await;
    assert_eq!(p[0].truth_probability, Some(0.25));
    assert_eq!(counts(import(&server, &key, &judge, &again).await), [4, 0, 0, 4]);
    assert_eq!(lines(&server, &key, &judge, "").await, exported);
    audited(&server, &account, &key).await;
}

#[derive(FromQueryResult)]
struct Probability {
    truth_probability: Option<f64>,
}

/// Asserts that the audit log records who imported how much, without contents.
async fn audited(server: &Server, account: &Account, key: &str) {
    #[derive(FromQueryResult)]
    struct AuditRow {
        account_id: String,
        actor: String,
        detail: String,
    }
    let sql = "SELECT account_id, actor, detail FROM audit WHERE action = 'dataset.import' ORDER BY seq";
    let entries: Vec<AuditRow> = inv::rows(&server.db, sql).await;
    assert_eq!(entries.len(), 3, "one for each import: {key:?}");
    let detail: Value = serde_json::from_str(&entries[1].detail).unwrap();
    let expected = json!({ "format": "jsonl", "lines": 4, "imported": 1, "labelled": 1, "duplicates": 2 });
    assert_eq!((&entries[1].account_id, detail), (&account.id, expected));
    assert!(entries[1].actor.starts_with("key_"));
}

async fn differently_asked_samples_are_labelled_only_where_the_label_fits(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    counts(import(&server, &key, &judge, &[line("one", json!({})), line("two", json!({}))]).await);
    ask_otherwise(&server, &key, &judge, json!({ "team": ["billing", "sales"], "late": "Is it late?" }))
        .await;
    let given = [line("one", json!({ "team": "billing" })), line("two", json!({ "team": "sales" }))];
    assert_eq!(counts(import(&server, &key, &judge, &given).await), [2, 1, 1, 0]);
    let exported = lines(&server, &key, &judge, "").await;
    let versions: Vec<_> = exported.iter().map(|line| (&line["state"], &line["judge_version"])).collect();
    let one = json!("one");
    let two = json!("two");
    assert_eq!(versions, [(&one, &json!(1)), (&two, &json!(1)), (&two, &json!(2))]);
    assert_eq!(counts(import(&server, &key, &judge, &given).await), [2, 0, 0, 2]);
}

async fn text_answers_cannot_have_a_ground_truth(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge_asking(&server, &key, json!("What is it about?")).await;
    let said = json!({ "state": "one", "answers": { "answer": { "type": "text", "text": "a parcel" } } });
    assert_eq!(counts(import(&server, &key, &judge, &[said]).await), [1, 1, 0, 0]);
    let given = [line("one", json!({ "answer": true }))];
    assert_eq!(counts(import(&server, &key, &judge, &given).await), [1, 0, 0, 1]);
    assert_eq!(truths(&lines(&server, &key, &judge, "").await), [&json!({})]);
}

async fn a_dry_run_reports_the_result_and_writes_nothing(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let file = "content,ground_truth.spam\none,true\ntwo,\none,false\n";
    let path = super::asking::path(&judge, "?format=csv&dry_run=true");
    let answer = server.post(&path).key(&key).untyped_body(file).send().await;
    assert_eq!(answer.body["dry_run"], true);
    assert_eq!(counts(answer), [3, 2, 0, 1]);
    assert_eq!(count(&db, "sample").await, 0);
    assert_eq!(counts(import_csv(&server, &key, &judge, file).await), [3, 2, 0, 1]);
    assert_eq!(counts(server.post(&path).key(&key).untyped_body(file).send().await), [3, 0, 0, 3]);
    assert_eq!(count(&db, "sample").await, 2);
}

async fn concurrent_imports_of_one_file_create_each_sample_once(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    let given: Vec<Value> = (0..300).map(|n| line(&format!("sample {n}"), json!({ "spam": true }))).collect();
    let other = server.replica_or_self().await;
    let (one, two) = tokio::join!(
        import(&server, &key, &judge, &given),
        import(other.as_ref().unwrap_or(&server), &key, &judge, &given)
    );
    let one = counts(one);
    let two = counts(two);
    assert_eq!((one[1] + two[1], one[3] + two[3]), (300, 300));
    assert_eq!(count(&db, "sample").await, 300);
}

impl Server {
    /// Starts another process; none on SQLite, which allows only one.
    async fn replica_or_self(&self) -> Option<Server> {
        if self.db.is_sqlite() { None } else { Some(self.replica().await) }
    }
}

on_both!(
    duplicates_within_a_file_are_folded,
    a_duplicate_adds_a_missing_ground_truth,
    differently_asked_samples_are_labelled_only_where_the_label_fits,
    text_answers_cannot_have_a_ground_truth,
    a_dry_run_reports_the_result_and_writes_nothing,
    concurrent_imports_of_one_file_create_each_sample_once,
);
