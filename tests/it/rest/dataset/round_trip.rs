//! An exported file can be imported again without changes.

use serde_json::{Value, json};

use super::asking::{
    all_kinds, content, counts, download, import, import_csv, judge, judge_asking, lines, path, sending,
    start,
};
use crate::harness::{Db, Upstream, on_both};

fn contents(lines: &[Value]) -> Vec<Value> {
    lines.iter().map(content).collect()
}

async fn a_jsonl_export_is_the_same_in_another_judge(db: Db) {
    let (server, _, key) = start(&db).await;
    let [one, other] = [judge(&server, &key).await, judge(&server, &key).await];
    let given = all_kinds();
    let n = given.len() as u64;
    assert_eq!(counts(import(&server, &key, &one, &given).await), [n, n, 0, 0]);
    let exported = lines(&server, &key, &one, "").await;
    assert_eq!(exported.len(), given.len());
    for (given, line) in given.iter().zip(&exported) {
        for member in ["state", "instructions"] {
            assert_eq!(line.get(member), given.get(member), "{line}");
        }
        for member in ["answers", "ground_truth"] {
            assert_eq!(&line[member], given.get(member).unwrap_or(&json!({})), "{line}");
        }
        assert_eq!((&line["source"], &line["judge_version"]), (&json!("import"), &json!(1)));
    }
    let (kind, file) = download(&server, &key, &one, "?format=jsonl").await;
    assert_eq!(kind, "application/x-ndjson");
    let file = String::from_utf8(file).unwrap();
    let sent = sending(&server, &key, &other, "application/jsonl; charset=utf-8", file.as_str()).send().await;
    assert_eq!(counts(sent), [n, n, 0, 0]);
    let again = lines(&server, &key, &other, "").await;

    assert_eq!(contents(&again), contents(&exported));
    // The third time, every sample exists already.
    assert_eq!(counts(sending(&server, &key, &other, "application/jsonl", file).send().await), [n, 0, 0, n]);
    assert_eq!(lines(&server, &key, &other, "").await, again);
}

async fn a_csv_export_has_the_same_states_and_ground_truths_in_another_judge(db: Db) {
    let (server, _, key) = start(&db).await;
    let [one, other] = [judge(&server, &key).await, judge(&server, &key).await];
    let given = all_kinds();
    let n = given.len() as u64;
    counts(import(&server, &key, &one, &given).await);
    let (kind, file) = download(&server, &key, &one, "?format=csv").await;
    assert!(kind.starts_with("text/csv"), "{kind}");
    let file = String::from_utf8(file).unwrap();
    assert_eq!(counts(import_csv(&server, &key, &other, &file).await), [n, n, 0, 0]);
    let before = lines(&server, &key, &one, "").await;
    let after = lines(&server, &key, &other, "").await;
    for (before, after) in before.iter().zip(&after) {
        for member in ["state", "instructions", "ground_truth", "content_hash"] {
            assert_eq!(before.get(member), after.get(member), "{before}");
        }
    }
    assert_eq!(before.len(), after.len());
}

async fn ambiguous_keys_and_choices_survive_csv(db: Db) {
    let (server, _, key) = start(&db).await;
    let choices = ["billing", "\"billing\"", "\"", "=1", "＝1", " space ", "null", "a,b\r\n\"c\""];
    let instructions = json!({
        "team ": choices,
        " =team\n": choices,
        "stars": { "type": "score", "criteria": ["1", "2", "3"] },
    });
    let [one, other] = [
        judge_asking(&server, &key, instructions.clone()).await,
        judge_asking(&server, &key, instructions).await,
    ];
    let given: Vec<Value> = choices
        .iter()
        .enumerate()
        .map(|(n, choice): (usize, &&str)| {
            let truth = json!({ "team ": choice, " =team\n": choice, "stars": n % 3 });
            json!({ "state": n, "ground_truth": truth })
        })
        .collect();
    let n = given.len() as u64;
    assert_eq!(counts(import(&server, &key, &one, &given).await), [n, n, 0, 0]);
    let (_, file) = download(&server, &key, &one, "?format=csv").await;
    let file = String::from_utf8(file).unwrap();
    assert_eq!(counts(import_csv(&server, &key, &other, &file).await), [n, n, 0, 0]);
    let after = lines(&server, &key, &other, "").await;
    for (given, after) in given.iter().zip(&after) {
        assert_eq!(given["ground_truth"], after["ground_truth"]);
    }
}

async fn recorded_samples_can_be_moved_to_another_judge(db: Db) {
    let upstream = Upstream::start().await;
    let server = crate::harness::Server::with_model(&db, &upstream).start().await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "infer,manage").await;
    let [one, other] = [judge(&server, &key).await, judge(&server, &key).await];
    let record =
        "mutation($id: ID!) { updateJudge(input: { id: $id, storeContent: true }) { userErrors { code } } }";
    server.ask(&key, record, json!({ "id": one })).await;
    for state in ["the first parcel of three", "the second parcel of three", "the third parcel"] {
        let request = server.post(&format!("/api/v1/judges/{one}/inference")).key(&key);
        assert_eq!(request.json(json!({ "state": state })).send().await.ok()["logged"], true);
    }
    let recorded = lines(&server, &key, &one, "").await;
    assert_eq!(recorded.len(), 3);
    for line in &recorded {
        assert_eq!(line["source"], "inference");
        assert!(line["request_id"].as_str().unwrap().starts_with("req_"), "{line}");
        assert_eq!((&line["credits"], &line["backend"]), (&json!(0.5), &json!("local")));
        assert!(line["latency_ms"].as_f64().unwrap() >= 0.0);
        assert_eq!(line["answers"].as_object().unwrap().len(), 3);
    }
    let (_, file) = download(&server, &key, &one, "?source=inference").await;
    let request = server.post(&path(&other, "?format=jsonl")).key(&key);
    let sent = request.untyped_body(file).send().await;
    assert_eq!(counts(sent), [3, 3, 0, 0]);
    assert_eq!(contents(&lines(&server, &key, &other, "").await), contents(&recorded));
}

async fn a_number_is_the_label_of_the_choice_with_that_name(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge_asking(&server, &key, json!({ "stars": ["1", "2", "3"] })).await;
    let numbers = [json!(2), json!(2.0), json!("2"), json!(null)].into_iter().enumerate();
    let given: Vec<Value> =
        numbers.map(|(n, label)| json!({ "state": n, "ground_truth": { "stars": label } })).collect();
    assert_eq!(counts(import(&server, &key, &judge, &given).await), [4, 4, 0, 0]);
    let csv = "content,ground_truth.stars\na,2\nb,2.0\nc,\n";
    assert_eq!(counts(import_csv(&server, &key, &judge, csv).await), [3, 3, 0, 0]);
    let lines = lines(&server, &key, &judge, "").await;
    let labelled: Vec<&Value> = lines.iter().filter_map(|line| line["ground_truth"].get("stars")).collect();
    assert_eq!(labelled, vec![&json!("2"); 5]);
    for wrong in [json!(4), json!(2.5), json!(true)] {
        let line = json!({ "state": "d", "ground_truth": { "stars": wrong } });
        import(&server, &key, &judge, &[line]).await.fails(422, "VALIDATION_FAILED");
    }
}

on_both!(
    a_number_is_the_label_of_the_choice_with_that_name,
    a_jsonl_export_is_the_same_in_another_judge,
    a_csv_export_has_the_same_states_and_ground_truths_in_another_judge,
    ambiguous_keys_and_choices_survive_csv,
    recorded_samples_can_be_moved_to_another_judge,
);
