//! `POST /v1/decisions` in the format of OpenAI's clients.

use serde_json::{Value, json};

use crate::{
    harness::{Account, Answer, Db, Family, Server, Upstream, inv, on_sqlite},
    rest::shape::shape,
};

const PATH: &str = "/v1/decisions";

async fn start(db: &Db) -> (Server, Upstream, Account) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(db, &upstream).start().await;
    let account = server.account(100).await;
    (server, upstream, account)
}

async fn ask(server: &Server, account: &Account, body: Value) -> Answer {
    server.post(PATH).key(&account.key).json_text(body.to_string()).send().await
}

fn body(questions: Value) -> Value {
    json!({ "model": "gpt-6-luna", "input": "the lamp arrived broken", "questions": questions })
}

/// A question of each type.
fn each_type() -> Value {
    json!([
        { "type": "predicate", "name": "broken", "instructions": "Something is broken." },
        {
            "type": "choice",
            "instructions": [{ "type": "input_text", "text": "Which team?" }],
            "choices": [{ "value": "shipping", "description": "Parcels" }, { "value": true }],
        },
        {
            "type": "score",
            "name": "broken",
            "instructions": "How urgent?",
            "levels": [{ "label": "low" }, { "label": "high", "description": "today" }],
        },
    ])
}

async fn answers_have_exactly_the_fields_that_clients_read(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    insta::assert_json_snapshot!(shape(ask(&server, &account, body(each_type())).await.ok()), @r#"
    {
      "answers": [
        {
          "type": "predicate",
          "name": "broken",
          "probability": "0 to 1"
        },
        {
          "type": "choice",
          "name": null,
          "choice": "a choice",
          "confidence": "0 to 1",
          "probabilities": [
            {
              "value": "shipping",
              "probability": "0 to 1"
            },
            {
              "value": true,
              "probability": "0 to 1"
            }
          ]
        },
        {
          "type": "score",
          "name": "broken",
          "score": "0 or more",
          "confidence": "0 to 1",
          "probabilities": [
            {
              "value": "0 to 1",
              "label": "low",
              "probability": "0 to 1"
            },
            {
              "value": "0 to 1",
              "label": "high",
              "probability": "0 to 1"
            }
          ]
        }
      ],
      "model": "scripted-1.0",
      "usage": {
        "input_tokens": "0 or more",
        "input_tokens_details": {
          "cache_write_tokens": "0 to 1",
          "cached_tokens": "0 to 1"
        },
        "output_tokens": "0 or more",
        "output_tokens_details": {
          "reasoning_tokens": "0 to 1"
        },
        "total_tokens": "0 or more"
      }
    }
    "#);
}

async fn a_string_and_a_boolean_with_the_same_text_are_distinct(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    for input in ["a", "b", "c", "d", "e", "f"] {
        let choices = json!([{ "value": "true" }, { "value": true }, { "value": false }]);
        let question = json!({ "type": "choice", "instructions": "which?", "choices": choices });
        let body = json!({ "model": "m", "input": input, "questions": [question] });
        let answer = ask(&server, &account, body).await.ok()["answers"][0].clone();
        let probabilities = answer["probabilities"].as_array().unwrap();
        let values: Vec<&Value> = probabilities.iter().map(|one| &one["value"]).collect();
        assert_eq!(values, [&json!("true"), &json!(true), &json!(false)]);
        let top = probabilities.iter().max_by(|a, b| {
            let [a, b] = [a, b].map(|one| one["probability"].as_f64().unwrap());
            a.total_cmp(&b)
        });
        assert_eq!(answer["choice"], top.unwrap()["value"], "{answer}");
    }
}

async fn conversations_are_read_with_their_speakers(db: Db) {
    let (server, upstream, account) = start(&db).await;
    let question = json!({ "type": "predicate", "instructions": "It is late." });
    let text = json!({
        "type": "input_text", "text": "where is it?", "prompt_cache_breakpoint": { "mode": "explicit" },
    });
    let input = json!([
        { "role": "user", "content": [text, { "type": "input_json", "data": { "order": 7 } }] },
        { "type": "function_call", "call_id": "c", "name": "track", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c", "output": "lost" },
        { "role": "assistant", "content": [{ "type": "output_text", "text": "I will ask" }] },
    ]);
    let body = json!({
        "model": "m", "input": input, "questions": [question],
        "prompt_cache_key": "k", "safety_identifier": null, "prompt_cache_options": { "mode": "implicit" },
    });
    ask(&server, &account, body).await.ok();
    let expected = json!([
        { "role": "user", "content": ["where is it?", { "order": 7 }] },
        { "call": "track", "arguments": "{}" },
        { "output": "lost" },
        { "role": "assistant", "content": "I will ask" },
    ]);
    assert_eq!(upstream.asked().pop().unwrap().body["state"], expected);
    let four_hundred = vec![question.clone(); 400];
    let body = json!({ "model": "m", "input": "s", "questions": four_hundred });
    assert_eq!(ask(&server, &account, body).await.ok()["answers"].as_array().unwrap().len(), 400);
}

fn one(question: Value) -> Value {
    body(json!([question]))
}

fn input(input: Value) -> Value {
    let question = json!({ "type": "predicate", "instructions": "It is late." });
    json!({ "model": "m", "input": input, "questions": [question] })
}

fn choices(choices: Value) -> Value {
    one(json!({ "type": "choice", "instructions": "which?", "choices": choices }))
}

fn levels(levels: Value) -> Value {
    one(json!({ "type": "score", "instructions": "how?", "levels": levels }))
}

async fn invalid_questions_are_refused_with_their_parameter(db: Db) {
    let (server, upstream, account) = start(&db).await;

    let predicate = json!({ "type": "predicate", "instructions": "It is late." });

    let image = json!({ "type": "input_image", "image_url": "https://example.com/a.png" });
    let too_many: Value = (0..256).map(|n| json!({ "value": n.to_string() })).collect();
    for (body, param) in [
        (json!({}), "input"),
        (json!({ "input": "s" }), "model"),
        (json!({ "input": "s", "model": "m" }), "questions"),
        (json!({ "input": "s", "model": "m", "questions": {} }), "questions"),
        (body(json!([])), "questions"),
        (body(json!(vec![predicate.clone(); 401])), "questions"),
        (input(json!("")), "input"),
        (input(json!([])), "input"),
        (input(Value::Null), "input"),
        (input(json!("x".repeat(300 * 1024))), "input"),
        (input(json!("a\0b")), "input"),
        (input(json!([{ "role": "user", "content": [image] }])), "input[0].content[0]"),
        (input(json!([{ "role": "nobody", "content": "hello" }])), "input[0].role"),
        (
            input(json!([{ "type": "function_call_output", "call_id": "c", "output": "x" }])),
            "input[0].call_id",
        ),
        (one(json!("is it?")), "questions[0]"),
        (one(json!({ "instructions": "which?" })), "questions[0].type"),
        (one(json!({ "type": "noul", "instructions": "is it?" })), "questions[0].type"),
        (one(json!({ "type": "predicate" })), "questions[0].instructions"),
        (one(json!({ "type": "predicate", "instructions": " " })), "questions[0].instructions"),
        (one(json!({ "type": "predicate", "instructions": [image] })), "questions[0].instructions[0]"),
        (one(json!({ "type": "predicate", "instructions": "a", "name": 5 })), "questions[0].name"),
        (choices(Value::Null), "questions[0].choices"),
        (choices(json!([])), "questions[0].choices"),
        (choices(too_many), "questions[0].choices"),
        (choices(json!([{ "value": 5 }])), "questions[0].choices[0].value"),
        (choices(json!([{ "value": "a" }, { "value": "a" }])), "questions[0].choices"),
        (choices(json!([{ "value": true }, { "value": true }])), "questions[0].choices"),
        (levels(json!([{ "label": "low" }])), "questions[0].levels"),
        (levels(json!([{ "label": "low" }, {}])), "questions[0].levels[1].label"),
        (levels(json!([{ "label": "low" }, { "label": "" }])), "questions[0].levels[1]"),
    ] {
        let shown: String = body.to_string().chars().take(100).collect();
        let answer = ask(&server, &account, body).await;
        answer.fails_in(Family::OpenAi, 422, "VALIDATION_FAILED");
        let error = &answer.body["error"];
        assert_eq!(
            (&error["type"], &error["param"]),
            (&json!("invalid_request_error"), &json!(param)),
            "{shown}: {}",
            answer.text
        );
    }
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
}

on_sqlite!(
    answers_have_exactly_the_fields_that_clients_read,
    a_string_and_a_boolean_with_the_same_text_are_distinct,
    conversations_are_read_with_their_speakers,
    invalid_questions_are_refused_with_their_parameter,
);
