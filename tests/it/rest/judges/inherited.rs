//! What a request inherits from its Judge, and what it may override.

use serde_json::{Map, Value, json};

use super::making::{judge, paths, start, update};
use crate::harness::{Db, inv, on_both, on_postgres, on_sqlite};

const INFERENCE: &str = "/api/v1/inference";

async fn a_judge_supplies_instructions_and_parameters_on_every_path(db: Db) {
    let (server, upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, false).await;
    let state = json!({ "text": "I was charged twice" });
    let in_path = paths(&id).map(|path| (path, json!({ "state": state })));
    let in_body = [INFERENCE, "/v1/inference", "/v1/custom", "/api/inference"]
        .map(|path| (path.to_owned(), json!({ "state": state, "judge_id": id })));
    let both = (paths(&id)[0].clone(), json!({ "state": state, "judge_id": id }));
    let mut first: Option<Value> = None;
    for (path, body) in in_path.into_iter().chain(in_body).chain([both]) {
        let answer = server.post(&path).key(&key).json(body).send().await;
        let mut body = answer.clone().ok();
        assert_eq!((&body["judge_id"], &body["logged"]), (&json!(id), &json!(false)), "{path}");
        assert_eq!(body["inference_parameters"], json!({ "temperature": 2.0, "tone": "calm" }), "{path}");
        assert_eq!(body["answers"]["team"]["type"], "choice");
        for field in ["id", "latency_ms", "remaining_credits"] {
            body.as_object_mut().unwrap().remove(field);
        }
        assert_eq!(*first.get_or_insert_with(|| body.clone()), body, "{path}");
    }
    let charges = inv::charges(&db, &account.id).await;
    assert_eq!(charges.len(), 7);
    assert!(charges.iter().all(|row| row.endpoint.as_deref() == Some(INFERENCE) && row.delta == -500));
    assert_eq!(upstream.asked().len(), 7);
}

async fn instructions_of_a_request_replace_and_its_parameters_override(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, false).await;
    let body = json!({
        "content": "Is anybody there?",
        "instructions": { "urgent": { "type": "noul", "instructions": "Is it urgent?" } },
        "parameters": { "temperature": 1.5, "extra": [1] },
    });
    let answer = server.post(&paths(&id)[0]).key(&key).json(body).send().await.ok();
    assert_eq!(answer["answers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["urgent"]);
    let applied = json!({ "temperature": 1.5, "tone": "calm", "extra": [1] });
    assert_eq!(answer["inference_parameters"], applied);
}

async fn without_a_judge_the_response_has_neither_of_its_fields(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let body = json!({ "state": "hello", "instructions": { "team": ["a", "b"] } });
    let answer = server.post(INFERENCE).key(&key).json(body).send().await.ok();
    assert!(answer.get("judge_id").is_none() && answer.get("logged").is_none(), "{answer}");
}

async fn an_edit_applies_on_every_replica_immediately(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let replica = server.replica().await;
    let id = judge(&server, &key, true).await;
    for version in 2..6 {
        let choice = format!("v{version}");
        let instructions = json!({ "team": [choice, "other"] });
        assert_eq!(update(&server, &key, &id, json!({ "instructions": instructions })).await, version);
        for server in [&server, &replica] {
            let path = &paths(&id)[0];
            let answer = server.post(path).key(&key).json(json!({ "state": "x" })).send().await.ok();
            assert!(answer["answers"]["team"]["probabilities"].get(&choice).is_some(), "{answer}");
        }
    }
    let versions: Vec<i32> =
        super::making::samples(&db).await.into_iter().map(|sample| sample.judge_version).collect();
    assert_eq!(versions, [2, 2, 3, 3, 4, 4, 5, 5]);
}

async fn a_saved_judge_can_always_be_asked(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    let options: Vec<String> = (0..255).map(|n| format!("o{n}")).collect();
    let full: Map<String, Value> = (0..2).map(|n| (format!("q{n}"), json!(options))).collect();
    let room = 262_144 - json!(full).to_string().len();
    update(&server, &key, &id, json!({ "instructions": full })).await;
    let [most, over] = [room, room + 1].map(|bytes| {
        let state = "x".repeat(bytes - r#""""#.len());
        server.post(&paths(&id)[0]).key(&key).json(json!({ "state": state }))
    });
    let answer = most.send().await.ok();
    assert_eq!((&answer["logged"], answer["answers"].as_object().unwrap().len()), (&json!(true), 2));
    let over = over.send().await;
    over.fails(422, "VALIDATION_FAILED");
    assert_eq!(over.field(), "state");
}

on_both!(a_judge_supplies_instructions_and_parameters_on_every_path);
on_sqlite!(
    instructions_of_a_request_replace_and_its_parameters_override,
    without_a_judge_the_response_has_neither_of_its_fields,
    a_saved_judge_can_always_be_asked,
);
on_postgres!(an_edit_applies_on_every_replica_immediately);
