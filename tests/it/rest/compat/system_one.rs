//! `POST /v1/systemone` in the format of its clients.

use serde_json::{Value, json};

use crate::{
    harness::{Account, Answer, Db, Family, Server, Upstream, inv, on_sqlite},
    rest::shape::shape,
};

const PATH: &str = "/v1/systemone";

async fn start(db: &Db) -> (Server, Upstream, Account) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(db, &upstream).start().await;
    let account = server.account(100).await;
    (server, upstream, account)
}

async fn ask(server: &Server, account: &Account, questions: Value) -> Answer {
    let body = json!({ "model": "jev-latest", "state": "the lamp arrived broken", "questions": questions });
    server.post(PATH).key(&account.key).json(body).send().await
}

async fn answers_have_exactly_the_fields_that_clients_read(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let questions = json!({
        "team": { "type": "choice", "instructions": "Which team?",
            "criteria": { "billing": "Payments", "other": null } },
        "urgency": { "type": "score", "criteria": ["it can wait", { "when": "today" }] },
        "angry": { "type": "noul", "instructions": { "task": "find anger" }, "criteria": null },
    });
    let answer = ask(&server, &account, questions).await;
    assert_eq!(answer.header("x-typesafe-request-id"), Some(answer.request_id()));
    insta::assert_json_snapshot!(shape(answer.ok()), @r#"
    {
      "model": "scripted-1.0",
      "answers": {
        "team": {
          "type": "choice",
          "choice": "a choice",
          "confidence": "0 to 1",
          "probabilities": {
            "billing": "0 to 1",
            "other": "0 to 1"
          }
        },
        "urgency": {
          "type": "score",
          "score": "0 or more",
          "confidence": "0 to 1",
          "legend": {
            "0": "it can wait",
            "1": {
              "when": "today"
            }
          },
          "probabilities": {
            "0": "0 to 1",
            "1": "0 to 1"
          }
        },
        "angry": {
          "type": "noul",
          "noul": "0 to 1"
        }
      },
      "usage": {
        "input_tokens": "0 or more",
        "output_tokens": "0 or more"
      }
    }
    "#);
}

async fn every_possible_question_is_answered(db: Db) {
    let (server, upstream, account) = start(&db).await;
    let many: Value = (0..255).map(|n| (format!("option {n}"), Value::Null)).collect();
    for question in [
        json!({ "type": "noul", "instructions": "is it late?" }),
        json!({ "type": "noul", "instructions": null, "criteria": { "true": "it is late", "false": null } }),
        json!({ "type": "noul", "instructions": ["is", "it", { "late": true }] }),
        json!({ "type": "choice", "criteria": { "only": null } }),
        json!({ "type": "choice", "instructions": null, "criteria": { "a": { "of": 1 }, "b": ["x"], "c": "words" } }),
        json!({ "type": "choice", "instructions": "which?", "criteria": many }),
        json!({ "type": "score", "instructions": "how much?", "criteria": [null, "some", { "all": true }] }),
    ] {
        let answer = ask(&server, &account, json!({ "q": question })).await;
        assert_eq!(answer.status, 200, "{question}: {}", answer.text);
        if question["type"] == "score" {
            let legend = &answer.body["answers"]["q"]["legend"];
            assert_eq!(*legend, json!({ "0": "level 0", "1": "some", "2": { "all": true } }));
        }
    }
    // The name of a question is not sent as its text.
    let question = json!({ "type": "noul", "criteria": { "true": "spoken", "false": "written" } });
    ask(&server, &account, json!({ "a_telling_name": question })).await.ok();
    let sent = upstream.asked().pop().unwrap().body["questions"]["a_telling_name"].to_string();
    assert!(!sent.contains("telling name"), "{sent}");
    let four_hundred: Value =
        (0..400).map(|n| (format!("q{n}"), json!({ "type": "noul", "instructions": "is it?" }))).collect();
    let answer = ask(&server, &account, four_hundred).await.ok();
    assert_eq!(answer["answers"].as_object().unwrap().len(), 400);
}

async fn an_unknown_model_means_the_default(db: Db) {
    let (server, upstream, account) = start(&db).await;

    for model in ["jev-latest", "auto", "gavel-latest", "gpt-6-luna"] {
        let question = json!({ "type": "noul", "instructions": "is it?" });
        let body = json!({ "model": model, "state": "s", "questions": { "q": question } });
        let answer = server.post(PATH).key(&account.key).json(body).send().await.ok();
        assert_eq!(answer["model"], "scripted-1.0", "{model}");
        assert_eq!(upstream.asked().pop().unwrap().body["model"], "scripted-1.0", "{model}");
    }
}

/// The path and those under which OpenRouter's clients call it.
const PATHS: [&str; 3] = [PATH, "/api/v1/systemone", "/api/alpha/decisions"];

async fn the_paths_of_open_router_answer_alike_and_are_charged_as_one_route(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let question = json!({ "late": { "type": "noul", "instructions": "is it late?" } });
    let body = json!({ "model": "typesafe/jev-1.14", "state": "where is it?", "questions": question });
    let mut answers = Vec::new();
    for path in PATHS {
        answers.push(server.post(path).key(&account.key).json(body.clone()).send().await.ok());
    }
    assert_eq!((&answers[1], &answers[2]), (&answers[0], &answers[0]));
    assert_eq!(answers[0]["answers"]["late"]["type"], "noul");
    let charges = inv::charges(&db, &account.id).await;
    let charged: Vec<(Option<&str>, i64)> =
        charges.iter().map(|charge| (charge.endpoint.as_deref(), charge.delta)).collect();
    assert_eq!(charged, [(Some(PATH), -500); 3]);

    // A retry on another path is the same request.
    for path in PATHS {
        server.post(path).key(&account.key).idempotent("once").json(body.clone()).send().await.ok();
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 4);
}

fn one(question: Value) -> Value {
    json!({ "model": "m", "state": "s", "questions": { "q": question } })
}

fn state(state: Value) -> Value {
    let question = json!({ "type": "noul", "instructions": "is it?" });
    json!({ "model": "m", "state": state, "questions": { "q": question } })
}

async fn invalid_questions_are_refused_with_their_location(db: Db) {
    let (server, upstream, account) = start(&db).await;

    let noul = json!({ "type": "noul", "instructions": "is it?" });
    let too_many: Value = (0..256).map(|n| (format!("option {n}"), Value::Null)).collect();
    let table = [
        (json!({}), json!(["body", "state"]), "missing"),
        (json!({ "state": "s" }), json!(["body", "questions"]), "missing"),
        (state(json!("")), json!(["body", "state"]), "value_error"),
        (state(json!(5)), json!(["body", "state"]), "value_error"),
        (state(Value::Null), json!(["body", "state"]), "value_error"),
        (json!({ "state": "s", "questions": {} }), json!(["body", "questions"]), "value_error"),
        (json!({ "state": "s", "questions": [] }), json!(["body", "questions"]), "value_error"),
        (one(json!("is it?")), json!(["body", "questions", "q"]), "value_error"),
        (one(json!(["a", "b"])), json!(["body", "questions", "q"]), "value_error"),
        (one(json!({})), json!(["body", "questions", "q", "type"]), "missing"),
        (one(json!({ "type": "box" })), json!(["body", "questions", "q", "type"]), "value_error"),
        (one(json!({ "type": "noul" })), json!(["body", "questions", "q"]), "value_error"),
        (
            one(json!({ "type": "noul", "criteria": [] })),
            json!(["body", "questions", "q", "criteria"]),
            "value_error",
        ),
        (one(json!({ "type": "choice" })), json!(["body", "questions", "q", "criteria"]), "value_error"),
        (
            one(json!({ "type": "choice", "criteria": {} })),
            json!(["body", "questions", "q", "criteria"]),
            "value_error",
        ),
        (
            one(json!({ "type": "choice", "criteria": too_many })),
            json!(["body", "questions", "q", "criteria"]),
            "value_error",
        ),
        (
            one(json!({ "type": "score", "criteria": ["low"] })),
            json!(["body", "questions", "q", "criteria"]),
            "value_error",
        ),
        (
            one(json!({ "type": "score", "criteria": ["low", 5] })),
            json!(["body", "questions", "q", "criteria", 1]),
            "value_error",
        ),
        (
            json!({ "state": "s", "questions": { "q": noul }, "assets": { "a": { "type": "image" } } }),
            json!(["body", "assets"]),
            "value_error",
        ),
        (state(json!("x".repeat(300 * 1024))), json!(["body", "state"]), "value_error"),
        (state(json!({ "a": "\0" })), json!(["body", "state"]), "value_error"),
    ];
    for (body, loc, kind) in table {
        let shown: String = body.to_string().chars().take(100).collect();
        let answer = server.post(PATH).key(&account.key).json_text(body.to_string()).send().await;
        answer.fails_in(Family::SystemOne, 422, "VALIDATION_FAILED");
        let detail = &answer.body["detail"][0];
        assert_eq!((&detail["loc"], &detail["type"]), (&loc, &json!(kind)), "{shown}: {}", answer.text);
    }
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
}

on_sqlite!(
    answers_have_exactly_the_fields_that_clients_read,
    every_possible_question_is_answered,
    the_paths_of_open_router_answer_alike_and_are_charged_as_one_route,
    an_unknown_model_means_the_default,
    invalid_questions_are_refused_with_their_location,
);
