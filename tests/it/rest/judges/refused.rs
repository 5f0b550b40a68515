//! Refused requests through Judges, and the order of the reasons.

use serde_json::{Value, json};

use super::making::{archive, judge, paths, samples, start};
use crate::harness::{Answer, Db, inv, on_both, on_sqlite};

/// The body of a 404 without the request id.
fn not_found(answer: Answer) -> Value {
    answer.fails(404, "NOT_FOUND");
    let mut body = answer.body;
    body.as_object_mut().unwrap().remove("request_id");
    body
}

async fn a_foreign_judge_is_the_same_404_as_an_unknown_one(db: Db) {
    let (server, upstream, owner, key) = start(&db).await;
    let theirs = judge(&server, &key, true).await;
    let other = server.account(10).await;

    let body = json!({ "state": "x" });
    let missing = not_found(
        server
            .post(&paths("judge_01kahd7f3ye9pvsk8h0a5m5x2e")[0])
            .key(&other.key)
            .json(body.clone())
            .send()
            .await,
    );
    for id in [
        theirs.as_str(),
        "judge_",
        "acc_01kahd7f3ye9pvsk8h0a5m5x2e",
        "x",
        "%00",
        "judge_%F0%9F%92%A9",
        &"j".repeat(300),
    ] {
        for path in paths(id) {
            assert_eq!(
                not_found(server.post(&path).key(&other.key).json(body.clone()).send().await),
                missing,
                "{path}"
            );
        }
    }
    let in_body = json!({ "state": "x", "judge_id": theirs });
    for path in ["/api/v1/inference", "/v1/inference", "/v1/custom", "/api/inference"] {
        assert_eq!(
            not_found(server.post(path).key(&other.key).json(in_body.clone()).send().await),
            missing,
            "{path}"
        );
    }
    assert!(samples(&db).await.is_empty() && upstream.asked().is_empty());
    for account in [&owner.id, &other.id] {
        assert!(inv::charges(&db, account).await.is_empty());
    }
}

async fn an_archived_judge_does_not_answer(db: Db) {
    let (server, _upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    archive(&server, &key, &id).await;
    let answer = server.post(&paths(&id)[0]).key(&key).json(json!({ "state": "x" })).send().await;
    assert!(answer.fails(404, "NOT_FOUND").contains("archived"));
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn refusals_are_checked_in_order(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    let path = &paths(&id)[0];
    let missing = &paths("judge_x")[0];
    let poor = db.scoped_key(&server.account(0).await, "infer").await;
    let table: [(&str, &str, Value, u16, &str, &str); 7] = [
        (
            path,
            &key,
            json!({ "state": "x", "judge_id": "judge_other" }),
            422,
            "VALIDATION_FAILED",
            "judge_id",
        ),
        (missing, &key, json!({}), 422, "VALIDATION_FAILED", "state"),
        (
            missing,
            &key,
            json!({ "state": "x", "instructions": {} }),
            422,
            "VALIDATION_FAILED",
            "instructions",
        ),
        (
            missing,
            &key,
            json!({ "state": "x", "parameters": { "steps": 0 } }),
            422,
            "VALIDATION_FAILED",
            "parameters.steps",
        ),
        (missing, &key, json!({ "state": "x", "mode": "odd" }), 422, "VALIDATION_FAILED", "mode"),
        (missing, &poor, json!({ "state": "x" }), 404, "NOT_FOUND", ""),
        ("/api/v1/inference", &key, json!({ "state": "x" }), 422, "VALIDATION_FAILED", "instructions"),
    ];
    for (path, key, body, status, code, field) in table {
        let answer = server.post(path).key(key).json(body.clone()).send().await;
        answer.fails(status, code);
        if !field.is_empty() {
            assert_eq!(answer.field(), field, "{body}");
        }
    }
    assert!(samples(&db).await.is_empty());
}

async fn names_too_long_for_an_index_are_refused_before_the_model_is_asked(db: Db) {
    let (server, upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, true).await;
    let longest = "k".repeat(500);
    let longer = "k".repeat(501);
    let choice = "c".repeat(1_000);
    let long_choice = "c".repeat(1_001);
    for (instructions, field) in [
        (json!({ &longer: ["a", "b"] }), "instructions"),
        (json!({ "team": [long_choice, "b"] }), "instructions.team"),
    ] {
        let body = json!({ "state": "x", "instructions": instructions });
        let answer = server.post(&paths(&id)[0]).key(&key).json(body).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), field);
    }
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
    let body = json!({ "state": "x", "instructions": { &longest: [choice, "b"] } });
    assert_eq!(server.post(&paths(&id)[0]).key(&key).json(body).send().await.ok()["logged"], true);
    assert_eq!(samples(&db).await.len(), 1);
}

on_both!(
    a_foreign_judge_is_the_same_404_as_an_unknown_one,
    names_too_long_for_an_index_are_refused_before_the_model_is_asked
);
on_sqlite!(an_archived_judge_does_not_answer, refusals_are_checked_in_order);
