//! Ground truths: set, changed, cleared and undone, with a history that always agrees with the samples.

use std::collections::HashMap;

use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use super::dataset::{Dataset, answer, ids, refused, text};
use crate::harness::{Db, inv, on_both};

async fn ground_truths_are_set_changed_cleared_and_undone(db: Db) {
    let data = Dataset::with(&db, 1).await;
    let id = ids(&data.samples().await)[0].clone();
    let first = data.reclassify(&id, "team", "shipping").await.unwrap();
    let sample = data.sample(&id).await;
    let team = answer(&sample, "team");
    assert_eq!((&team["groundTruth"], &team["labelledBy"]["id"]), (&json!("shipping"), &json!(data.key_id)));
    assert!(team["labelledAt"].is_string() && sample["labelled"] == true);
    assert_eq!(team["groundTruthProbability"], probability(&data, &id, "team", "shipping").await);
    assert_eq!(data.reclassify(&id, "team", "shipping").await, None, "it is unchanged");
    let second = data.reclassify(&id, "team", "other").await.unwrap();
    data.reclassify(&id, "urgency", "2").await.unwrap();
    data.reclassify(&id, "angry", "false").await.unwrap();
    assert_eq!(truths(&data, &id).await, ["other", "2", "false"]);

    let clear = json!({ "sampleIds": [id], "key": "team" });
    let fields = "changed changeId samples { id labelled }";
    let cleared = data.payload("clearGroundTruth", clear.clone(), fields).await;
    assert_eq!((&cleared["changed"], &cleared["samples"][0]["labelled"]), (&json!(1), &json!(true)));
    assert_eq!(truths(&data, &id).await, ["", "2", "false"]);
    let again = data.payload("clearGroundTruth", clear, fields).await;
    assert_eq!((&again["changed"], &again["changeId"]), (&json!(0), &Value::Null));

    let undone = undo(&data, &text(&cleared["changeId"])).await;
    assert_eq!((&undone["changed"], &undone["userErrors"]), (&json!(1), &json!([])));
    assert_eq!(truths(&data, &id).await, ["other", "2", "false"]);
    let redone = undo(&data, &text(&undone["changeId"])).await;
    assert_eq!(redone["userErrors"], json!([]));
    assert_eq!(truths(&data, &id).await, ["", "2", "false"]);
    for stale in [&first, &second, &text(&cleared["changeId"])] {
        let (code, _, message) = refused(&undo(&data, stale).await);
        assert!(code == "CONFLICT" && message.contains("1 of the 1"), "{code}: {message}");
    }

    let query = "query($id: ID!) { sample(id: $id) { history(first: 3) { totalCount \
                 nodes { changeId key previous value actor { id } } pageInfo { endCursor hasNextPage } } } }";
    let history = data.query(query, json!({ "id": id })).await["sample"]["history"].clone();
    assert_eq!((&history["totalCount"], &history["pageInfo"]["hasNextPage"]), (&json!(7), &json!(true)));
    let newest = &history["nodes"][0];
    assert_eq!((&newest["previous"], &newest["value"]), (&json!("other"), &Value::Null));
    assert_eq!((&newest["actor"]["id"], &newest["key"]), (&json!(data.key_id), &json!("team")));
    let rest = format!(
        "query($id: ID!) {{ sample(id: $id) {{ history(after: {}) {{ nodes {{ changeId value }} }} }} }}",
        history["pageInfo"]["endCursor"]
    );
    let rest = data.query(&rest, json!({ "id": id })).await["sample"]["history"]["nodes"].clone();
    assert_eq!(rest.as_array().unwrap().len(), 4);
    assert_eq!(rest[3], json!({ "changeId": first, "value": "shipping" }));
    consistent(&db).await;
}

async fn bulk_changes_are_atomic(db: Db) {
    let data = Dataset::with(&db, 12).await;
    let samples = data.samples().await;
    let all = ids(&samples);
    data.reclassify(&all[0], "team", "billing").await.unwrap();

    let twice: Vec<_> = all[..5].iter().chain(&all[..5]).cloned().collect();
    let some = reclassify_many(&data, set_team(&data, &twice, "billing")).await;
    assert_eq!(some["changed"], 4, "one is unchanged, and a repeated id counts once");
    assert_eq!(some["samples"].as_array().unwrap().len(), 5);
    let mixed = undo(&data, &text(&some["changeId"])).await;
    assert_eq!(mixed["changed"], 4);
    assert_eq!(labelled(&data).await, all[..1]);

    let by_query = json!({
        "judgeId": data.judge, "filter": { "labelled": false }, "answer": { "key": "angry", "value": "true" },
        "key": "angry", "value": "false",
    });
    let expected = samples[1..].iter().filter(|one| answer(one, "angry")["value"] == "true").count();
    let changed = reclassify_many(&data, by_query).await;
    assert_eq!(changed["changed"].as_u64().unwrap() as usize, expected);

    let (_, their_judge, theirs) = data.somebody_else().await;
    let other = data.judge_named("Another").await;
    data.record(&other, "of another Judge").await;
    let query = "query($id: ID!) { judge(id: $id) { samples { nodes { id } } } }";
    let foreign =
        text(&data.query(query, json!({ "id": other })).await["judge"]["samples"]["nodes"][0]["id"]);
    let before = trail(&db).await.len();
    let mut unknown_key = set_team(&data, &all, "other");
    unknown_key["key"] = json!("colour");
    let mut with_nul = set_team(&data, &all, "other");
    with_nul["key"] = json!("te\u{0}am");
    let mut neither = set_team(&data, &all, "other");
    neither.as_object_mut().unwrap().shift_remove("sampleIds");
    let mut both = set_team(&data, &all, "other");
    both["filter"] = json!({});
    let mut in_theirs = set_team(&data, &all, "other");
    in_theirs["judgeId"] = json!(their_judge);
    for missing in [&theirs, &foreign, "sample_00000000000000000000000000", "nonsense"] {
        let input = set_team(&data, &[&all[..3], &[missing.to_owned()]].concat(), "other");
        let refusal = refused(&reclassify_many(&data, input).await);
        assert_eq!((refusal.0.as_str(), refusal.1.as_deref()), ("NOT_FOUND", None), "{missing}");
        assert!(refusal.2.contains("no such sample"), "{missing}: {}", refusal.2);
    }
    for (wrong, code, field, says) in [
        (in_theirs, "NOT_FOUND", None, "no such Judge"),
        (set_team(&data, &all, "sales"), "VALIDATION_FAILED", Some("value"), "billing, shipping, other"),
        (set_team(&data, &all, ""), "VALIDATION_FAILED", Some("value"), "billing, shipping, other"),
        (
            set_team(&data, &all, "none_of_these"),
            "VALIDATION_FAILED",
            Some("value"),
            "billing, shipping, other",
        ),
        (unknown_key, "VALIDATION_FAILED", Some("key"), "team, urgency, angry"),
        (with_nul, "VALIDATION_FAILED", Some("key"), "team, urgency, angry"),
        (neither, "VALIDATION_FAILED", Some("input"), "exactly one of"),
        (both, "VALIDATION_FAILED", Some("input"), "exactly one of"),
        (set_team(&data, &[], "other"), "VALIDATION_FAILED", Some("sampleIds"), "1 to 10000"),
    ] {
        let refusal = refused(&reclassify_many(&data, wrong.clone()).await);
        assert_eq!((refusal.0.as_str(), refusal.1.as_deref()), (code, field), "{wrong}: {}", refusal.2);
        assert!(refusal.2.contains(says), "{wrong}: {}", refusal.2);
    }
    refuse_other_values(&data, &all[0]).await;
    assert_eq!(trail(&db).await.len(), before, "nothing was changed");
    consistent(&db).await;
}

/// Asserts that values that a question does not offer are refused with those that it offers.
async fn refuse_other_values(data: &Dataset, sample: &str) {
    for (key, value, says) in
        [("urgency", "3", "0, 1, 2"), ("urgency", "today", "0, 1, 2"), ("angry", "yes", "true, false")]
    {
        let input = json!({ "sampleId": sample, "key": key, "value": value });
        let payload = data.payload("reclassifySample", input, "sample { id }").await;
        assert!(refused(&payload).2.contains(says), "{payload}");
    }
}

async fn samples_with_own_instructions_have_their_own_choices(db: Db) {
    let data = Dataset::new(&db).await;
    let path = format!("/api/v1/judges/{}/inference", data.judge);
    for instructions in [json!({ "colour": ["red", "green"] }), json!("should it be answered today?")] {
        let body = json!({ "state": "some state", "instructions": instructions });
        data.server.post(&path).key(&data.key).json(body).send().await.ok();
    }
    let all = ids(&data.samples().await);
    for (sample, key, value, fits) in [
        (&all[1], "colour", "green", true),
        (&all[1], "colour", "billing", false),
        (&all[1], "team", "billing", false),
        (&all[0], "answer", "true", true),
        (&all[0], "answer", "perhaps", false),
    ] {
        let input = json!({ "sampleId": sample, "key": key, "value": value });
        let payload = data.payload("reclassifySample", input, "changeId").await;
        assert_eq!(payload["userErrors"] == json!([]), fits, "{key}: {value}: {payload}");
    }
    // Editing the Judge does not change the questions of old samples.
    data.record(&data.judge, "asked by version 1").await;
    let input = json!({ "id": data.judge, "instructions": { "team": ["a", "b"] } });
    data.payload("updateJudge", input, "judge { version }").await;
    data.record(&data.judge, "asked by version 2").await;
    let all = ids(&data.samples().await);
    data.reclassify(&all[1], "team", "billing").await.unwrap();
    data.reclassify(&all[0], "team", "a").await.unwrap();
    let both = json!({ "judgeId": data.judge, "sampleIds": [all[0], all[1]], "key": "team", "value": "b" });
    let payload = data.payload("reclassifySamples", both, "changed").await;
    assert!(refused(&payload).2.contains("billing, shipping, other"), "{payload}");
    consistent(&db).await;
}

async fn imported_samples_without_answers_can_be_labelled(db: Db) {
    let data = Dataset::with(&db, 1).await;
    let path = format!("/api/v1/judges/{}/dataset", data.judge);
    let file = "{\"state\":\"the first of a file\"}\n{\"state\":\"the second of a file\"}\n";
    let import = data.server.post(&path).key(&data.key).body("application/x-ndjson", file);
    import.send().await.ok();
    let queue = super::dataset::nodes(&data.list("reviewQueue", "").await);
    let states: Vec<_> = queue.iter().map(|one| text(&one["state"])).collect();
    assert_eq!(states, [&super::dataset::state(0), "the first of a file", "the second of a file"]);
    assert_eq!((&queue[1]["certainty"], &queue[1]["answers"]), (&Value::Null, &json!([])));
    let page = data.list("reviewQueue", "last: 1").await;
    let before = format!("last: 5, before: {}", page["pageInfo"]["startCursor"]);
    assert_eq!(data.list("reviewQueue", &before).await["edges"].as_array().unwrap().len(), 2);
    let all =
        json!({ "judgeId": data.judge, "filter": { "source": "IMPORT" }, "key": "urgency", "value": "1" });
    let labelled = data.payload("reclassifySamples", all, "changed changeId").await;
    assert_eq!((&labelled["changed"], &labelled["userErrors"]), (&json!(2), &json!([])));
    let sample = data.sample(&ids(&queue)[1]).await;
    let urgency = answer(&sample, "urgency");
    assert_eq!((&urgency["groundTruth"], &urgency["type"]), (&json!("1"), &json!("SCORE")));
    assert_eq!((&urgency["value"], &urgency["groundTruthProbability"]), (&Value::Null, &Value::Null));
    consistent(&db).await;
    let undone = undo(&data, &text(&labelled["changeId"])).await;
    assert_eq!(undone["changed"], 2);
    assert_eq!(data.list("reviewQueue", "").await["totalCount"], 3);
    consistent(&db).await;
}

async fn concurrent_labels_leave_a_consistent_history(db: Db) {
    let data = Dataset::with(&db, 6).await;
    let all = ids(&data.samples().await);
    let reversed: Vec<_> = all.iter().rev().cloned().collect();
    let values = ["billing", "shipping", "other"];
    let tasks = (0..24).map(|number| {
        let data = &data;
        let ids = if number % 2 == 0 { &all } else { &reversed };
        async move {
            let value = values[number % 3];
            if number % 4 == 3 {
                let input = json!({ "sampleIds": ids, "key": "team" });
                data.payload("clearGroundTruth", input, "changeId").await
            } else {
                let input = json!({ "judgeId": data.judge, "sampleIds": ids, "key": "team", "value": value });
                data.payload("reclassifySamples", input, "changeId").await
            }
        }
    });
    let made = futures_util::future::join_all(tasks).await;
    assert!(made.iter().all(|payload| payload["userErrors"] == json!([])), "{made:?}");
    consistent(&db).await;
    // Of concurrent undos of one change, one succeeds.
    let change = data.reclassify(&all[0], "angry", "true").await.unwrap();
    let undos = futures_util::future::join_all((0..8).map(|_| undo(&data, &change))).await;
    assert_eq!(undos.iter().filter(|payload| payload["userErrors"] == json!([])).count(), 1, "{undos:?}");
    consistent(&db).await;
}

async fn only_editors_label_and_only_their_own_samples(db: Db) {
    let data = Dataset::with(&db, 1).await;
    let id = ids(&data.samples().await)[0].clone();
    let change = data.reclassify(&id, "team", "other").await.unwrap();
    let (their_key, _, _) = data.somebody_else().await;
    let analyst = data.analyst().await;
    for (name, input) in [
        ("reclassifySample", json!({ "sampleId": id, "key": "team", "value": "billing" })),
        ("clearGroundTruth", json!({ "sampleIds": [id], "key": "team" })),
        ("undoReclassification", json!({ "changeId": change })),
        (
            "reclassifySamples",
            json!({ "judgeId": data.judge, "sampleIds": [id], "key": "team", "value": "billing" }),
        ),
    ] {
        data.mutate(&analyst, name, input.clone(), "__typename").await.refused("FORBIDDEN");
        let answer = data.mutate(&their_key, name, input, "__typename").await.data();
        assert_eq!(refused(&answer["payload"]).0, "NOT_FOUND", "{name}");
    }
    assert_eq!(truths(&data, &id).await[0], "other");
    consistent(&db).await;
}

/// An input that sets the ground truth of `team`.
fn set_team(data: &Dataset, ids: &[String], value: &str) -> Value {
    json!({ "judgeId": data.judge, "sampleIds": ids, "key": "team", "value": value })
}

async fn reclassify_many(data: &Dataset, input: Value) -> Value {
    let fields = "changed changeId samples { id answers { key groundTruth } }";
    data.payload("reclassifySamples", input, fields).await
}

/// The payload of an undo.
async fn undo(data: &Dataset, change: &str) -> Value {
    let input = json!({ "changeId": change });
    data.payload("undoReclassification", input, "changed changeId").await
}

/// The ground truths of a sample in the order of the instructions; empty where there is none.
async fn truths(data: &Dataset, id: &str) -> Vec<String> {
    let sample = data.sample(id).await;
    let answers = sample["answers"].as_array().unwrap().clone();
    answers.iter().map(|one| one["groundTruth"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn probability(data: &Dataset, id: &str, key: &str, value: &str) -> Value {
    let query = "query($id: ID!) { sample(id: $id) { answers { key probabilities } } }";
    let found = data.query(query, json!({ "id": id })).await;
    answer(&found["sample"], key)["probabilities"][value].clone()
}

async fn labelled(data: &Dataset) -> Vec<String> {
    ids(&super::dataset::nodes(&data.list("samples", "filter: { labelled: true }").await))
}

#[derive(Debug, FromQueryResult)]
struct TrailRow {
    sample_seq: i64,
    key: String,
    previous: Option<String>,
    value: Option<String>,
}

async fn trail(db: &Db) -> Vec<TrailRow> {
    inv::rows(db, "SELECT sample_seq, key, previous, value FROM label ORDER BY seq").await
}

/// Asserts that each change begins where the previous one ended, that the last one agrees with the sample, and that the
/// samples count their ground truths correctly.
async fn consistent(db: &Db) {
    #[derive(FromQueryResult)]
    struct AnswerRow {
        sample_seq: i64,
        key: String,
        truth: Option<String>,
        truth_by: Option<String>,
        labels: i32,
    }
    let mut ends: HashMap<(i64, String), Option<String>> = HashMap::new();
    for row in trail(db).await {
        let end = ends.entry((row.sample_seq, row.key.clone())).or_default();
        assert_eq!(row.previous, *end, "{row:?}");
        assert_ne!(row.previous, row.value, "{row:?}");
        *end = row.value;
    }
    let sql =
        "SELECT sample_seq, key, truth, truth_by, labels FROM sample_answer JOIN sample ON seq = sample_seq";
    let mut counts = HashMap::new();
    let mut said = HashMap::new();
    for row in inv::rows::<AnswerRow>(db, sql).await {
        let end = ends.remove(&(row.sample_seq, row.key.clone())).flatten();
        assert_eq!(row.truth, end, "{} of {}", row.key, row.sample_seq);
        assert_eq!(row.truth.is_some(), row.truth_by.is_some());
        *counts.entry(row.sample_seq).or_insert(0) += i32::from(row.truth.is_some());
        said.insert(row.sample_seq, row.labels);
    }
    assert_eq!(counts, said);
    assert!(ends.is_empty(), "changes of missing answers: {ends:?}");
}

on_both!(
    ground_truths_are_set_changed_cleared_and_undone,
    bulk_changes_are_atomic,
    samples_with_own_instructions_have_their_own_choices,
    imported_samples_without_answers_can_be_labelled,
    concurrent_labels_leave_a_consistent_history,
    only_editors_label_and_only_their_own_samples,
);
