//! What is recorded of a request through a Judge: with the charge, or not at all.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use super::making::{answers, archive, judge, paths, samples, start, update};
use crate::harness::{Db, Fault, Server, eventually, inv, on_both, on_sqlite};

const WORDS: &str = "words that only a Judge with consent may keep";

async fn with_consent_samples_are_recorded_with_the_charge(db: Db) {
    let (server, _upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    let state = json!({ "b": WORDS, "a": [1, { "z": null }] });
    let answer = server.post(&paths(&id)[0]).key(&key).json(json!({ "state": state })).send().await;
    let body = answer.clone().ok();
    assert_eq!((&body["judge_id"], &body["logged"]), (&json!(id), &json!(true)));

    let [sample] = &samples(&db).await[..] else { panic!("one sample") };
    assert!(sample.id.starts_with("sample_"));
    assert_eq!((&sample.account_id, &sample.judge_id, sample.judge_version), (&account.id, &id, 1));
    assert_eq!(sample.request_id.as_deref(), Some(answer.request_id()));
    assert_eq!(serde_json::from_str::<Value>(&sample.state).unwrap(), state);
    assert_eq!((&sample.instructions, sample.credits), (&None, 500));

    let [row] = &answers(&db, &sample.id).await[..] else { panic!("one answer") };
    let said = &body["answers"]["team"];
    assert_eq!(
        (row.key.as_str(), row.kind.as_str(), row.value.as_deref()),
        ("team", "choice", said["choice"].as_str())
    );
    assert_eq!(serde_json::from_str::<Value>(row.answer.as_deref().unwrap()).unwrap(), *said);
    let p = said["probabilities"][said["choice"].as_str().unwrap()].as_f64();
    assert_eq!((row.probability, sample.certainty), (p, p));
}

async fn each_of_several_states_is_a_sample(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    let states = json!([WORDS, { "a": 1 }]);
    let body = server.post(&paths(&id)[0]).key(&key).json(json!({ "states": states })).send().await.ok();
    assert_eq!((&body["judge_id"], &body["logged"]), (&json!(id), &json!(true)));
    let samples = samples(&db).await;
    let kept: Vec<Value> =
        samples.iter().map(|sample| serde_json::from_str(&sample.state).unwrap()).collect();
    assert_eq!((json!(kept), samples[1].credits), (states, 500));
}

async fn a_sample_keeps_the_instructions_of_its_request(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    let own =
        json!({ "urgent": { "type": "noul" }, "level": { "type": "score", "criteria": ["low", "high"] } });
    let body = json!({ "state": "x", "instructions": own });
    server.post(&paths(&id)[0]).key(&key).json(body).send().await.ok();
    let samples = samples(&db).await;
    assert_eq!(serde_json::from_str::<Value>(samples[0].instructions.as_deref().unwrap()).unwrap(), own);
    let kinds: Vec<String> =
        answers(&db, &samples[0].id).await.into_iter().map(|row| row.key + "=" + row.kind.as_str()).collect();
    assert_eq!(kinds, ["urgent=noul", "level=score"]);
}

/// Whether a file of the database contains these words.
fn stored(db: &Db, words: &str) -> bool {
    std::fs::read_dir(db.data_dir()).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    })
}

async fn without_consent_no_content_is_kept(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, false).await;
    let body = json!({ "state": WORDS });
    let answer = server.post(&paths(&id)[0]).key(&key).json(body.clone()).send().await.ok();
    assert_eq!(answer["logged"], false);
    assert!(samples(&db).await.is_empty());
    assert!(!stored(&db, WORDS));
    update(&server, &key, &id, json!({ "storeContent": true })).await;
    assert_eq!(server.post(&paths(&id)[0]).key(&key).json(body).send().await.ok()["logged"], true);
    assert!(stored(&db, WORDS), "the search finds stored text");
}

async fn a_replay_repeats_the_logged_flag_and_logs_nothing(db: Db) {
    let (server, upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    let path = &paths(&id)[0];
    let body = json!({ "state": WORDS });
    let first = server.post(path).key(&key).idempotent("k").json(body.clone()).send().await;
    assert_eq!(first.clone().ok()["logged"], true);
    // An edit changes later requests, but not a replay.
    update(&server, &key, &id, json!({ "instructions": ["Is it spam?"], "storeContent": false })).await;
    let again = server.post(path).key(&key).idempotent("k").json(body).send().await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    let by_body = json!({ "state": WORDS, "judge_id": id });
    let again = server.post("/api/v1/inference").key(&key).idempotent("k").json(by_body).send().await;
    assert_eq!(again.text, first.text, "the same request on another path");
    let counts =
        (samples(&db).await.len(), inv::charges(&db, &account.id).await.len(), upstream.asked().len());
    assert_eq!(counts, (1, 1, 1));
}

async fn answers_are_repeated_after_their_judge_is_archived(db: Db) {
    let (server, _upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, false).await;
    let [first, again, another] = ["k", "k", "another"].map(|idempotency_key| {
        let request = server.post(&paths(&id)[0]).key(&key).idempotent(idempotency_key);
        request.json(json!({ "state": WORDS }))
    });
    let first = first.send().await;
    archive(&server, &key, &id).await;
    let again = again.send().await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    another.send().await.fails(404, "NOT_FOUND");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn failures_are_neither_charged_nor_recorded(db: Db) {
    let (server, upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    upstream.breaks(Fault::Status(400));
    let path = &paths(&id)[0];
    let failed = server.post(path).key(&key).json(json!({ "state": "x" })).send().await;
    failed.fails(500, "UPSTREAM_FAILED");
    upstream.heals();
    server.cli(&["price", "set", "inference", "1000"]).await;
    eventually("the price is in force", async || {
        let answer = server.post(path).key(&key).json(json!({ "state": "x" })).send().await;
        (answer.status == 402).then_some(())
    })
    .await;
    let recorded = samples(&db).await.len();
    assert_eq!(recorded, inv::charges(&db, &account.id).await.len(), "each sample has its charge");
}

async fn samples_and_charges_are_the_same_after_kill_9(db: Db) {
    let (mut server, _upstream, account, key) = start(&db).await;
    db.cli(&["credits", "grant", "--account", &account.id, "--amount", "100000"]).await;
    let id = judge(&server, &key, true).await;
    let mut acknowledged = Vec::new();
    let answered = Arc::new(AtomicUsize::new(0));
    for round in 1..=3 {
        let tasks: Vec<_> =
            (0..16).map(|i| tokio::spawn(run(&server, &key, &id, i, answered.clone()))).collect();
        eventually("some are answered", || async {
            (answered.load(Ordering::Relaxed) > round * 15).then_some(())
        })
        .await;
        server.kill9();
        for task in tasks {
            acknowledged.extend(task.await.unwrap());
        }
        server.restart().await;
    }
    assert!(acknowledged.len() > 30, "{}", acknowledged.len());
    let samples = samples(&db).await;
    let mut recorded: Vec<String> = samples.into_iter().map(|sample| sample.request_id.unwrap()).collect();
    let charges = inv::charges(&db, &account.id).await;
    let mut charged: Vec<String> = charges.into_iter().map(|row| row.request_id).collect();
    recorded.sort_unstable();
    charged.sort_unstable();
    assert_eq!(recorded, charged);
    assert!(acknowledged.iter().all(|request| recorded.contains(request)));
}

/// Runs a Judge until the server is gone and counts the answers; returns the ids of the answered requests.
fn run(
    server: &Server,
    key: &str,
    id: &str,
    task: usize,
    answered: Arc<AtomicUsize>,
) -> impl Future<Output = Vec<String>> + use<> {
    let url = server.base_url.clone() + paths(id)[0].as_str();
    let key = key.to_owned();
    let client = crate::harness::client().build().unwrap();
    async move {
        let mut acknowledged = Vec::new();
        for number in 0.. {
            let body = json!({ "state": format!("message {number} of task {task}") }).to_string();
            let request =
                client.post(&url).bearer_auth(&key).header("content-type", "application/json").body(body);
            let Ok(response) = request.send().await else { break };
            let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
            assert_eq!(response.status(), 200);
            let Ok(body) = response.text().await else { break };
            assert!(body.contains("\"logged\":true"), "{body}");
            acknowledged.push(id);
            answered.fetch_add(1, Ordering::Relaxed);
        }
        acknowledged
    }
}

on_both!(
    with_consent_samples_are_recorded_with_the_charge,
    a_sample_keeps_the_instructions_of_its_request,
    a_replay_repeats_the_logged_flag_and_logs_nothing,
    answers_are_repeated_after_their_judge_is_archived,
    failures_are_neither_charged_nor_recorded,
    samples_and_charges_are_the_same_after_kill_9,
);
on_sqlite!(without_consent_no_content_is_kept, each_of_several_states_is_a_sample);
