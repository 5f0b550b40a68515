//! Backends that speak OpenAI's decisions: another Gavel, and a scripted server with the faults of the format.

use serde_json::{Value, json};

use super::asking::{INFERENCE, ask};
use crate::{
    harness::{Account, Db, Fault, Server, ServerOptions, UPSTREAM_MODEL, Upstream, inv, on_both, on_sqlite},
    holds::nothing_held,
};

/// Options for a server whose backend `list` is at `url`, and whose local model is never to be asked.
fn list(db: &Db, url: &str) -> ServerOptions {
    Server::with(db)
        .env("GAVEL_LOCAL_URL", "http://127.0.0.1:1")
        .env("GAVEL_BACKENDS__LIST__KIND", "openai_decisions")
        .env("GAVEL_BACKENDS__LIST__URL", url)
        .env("GAVEL_BACKENDS__LIST__PRICE", 2)
        .env("GAVEL_BACKENDS__LIST__RETRIES", 0)
}

/// A request with a question of each type.
fn each_type() -> Value {
    json!({
        "state": { "message": "It is broken, and I want my money back!" },
        "instructions": {
            "team": { "type": "choice", "criteria": { "billing": "Money", "shipping": null, "returns": null } },
            "anger": { "type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "furious"] },
            "refund": {
                "type": "noul", "instructions": "A refund is wanted.", "criteria": { "true": "Said outright" },
            },
        },
        "model": "list",
    })
}

/// The probabilities of an answer.
fn probabilities(answer: &Value) -> Vec<f64> {
    answer["probabilities"].as_object().unwrap().values().filter_map(Value::as_f64).collect()
}

/// What is done to an answer, and what the error then says.
type Alteration = (fn(&mut Value), &'static str);

/// What an account was charged, in milli-credits.
async fn charged(db: &Db, account: &Account) -> Vec<i64> {
    inv::charges(db, &account.id).await.iter().map(|charge| charge.delta).collect()
}

async fn another_gavel_answers_every_type_of_question(db: Db) {
    let upstream = Upstream::start().await;
    let other = Server::with_model(&db, &upstream).start().await;
    let payer = other.account(10).await;
    let server =
        list(&db, &format!("{}/v1", other.base_url)).env("GAVEL_BACKENDS__LIST__API_KEY", &payer.key);
    let server = server.start().await;
    let account = server.account(10).await;
    let told = server.post(INFERENCE).key(&account.key).json(each_type()).send().await.ok();
    assert_eq!((&told["backend"], &told["model"]), (&json!("local"), &json!(UPSTREAM_MODEL)));
    assert_eq!(
        told["answers"]["team"]["probabilities"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["billing", "shipping", "returns"]
    );
    for key in ["team", "anger"] {
        let p = probabilities(&told["answers"][key]);
        assert!(p.len() == 3 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{told}");
    }
    assert_eq!(told["answers"]["anger"]["legend"], json!({ "0": "calm", "1": "annoyed", "2": "furious" }));
    assert!((0.0..=1.0).contains(&told["answers"]["refund"]["noul"].as_f64().unwrap()));
    // What the last server read, two formats later.
    let read = &upstream.asked()[0].body;
    assert_eq!(read["state"], r#"{"message":"It is broken, and I want my money back!"}"#);
    let asked: Vec<&Value> = read["questions"].as_object().unwrap().values().collect();
    assert_eq!(asked[0]["criteria"], json!({ "billing": "Money", "shipping": null, "returns": null }));
    assert_eq!(asked[1]["criteria"], json!(["calm", "annoyed", "furious"]));
    assert_eq!(asked[2]["instructions"], "A refund is wanted.\nTrue means: Said outright");
    assert_eq!(told["credits_deducted"], 2.0);
    assert_eq!((charged(&db, &account).await, charged(&db, &payer).await), (vec![-2_000], vec![-500]));
    // Without its key the other one refuses, and nobody pays.
    let keyless = list(&db, &other.base_url).start().await;
    keyless.post(INFERENCE).key(&account.key).json(each_type()).send().await.fails(500, "UPSTREAM_FAILED");
    assert!(keyless.log().contains("backends.list.api_key"), "{}", keyless.log());
    assert_eq!((charged(&db, &account).await.len(), charged(&db, &payer).await.len()), (1, 1));
}

async fn answers_are_those_to_the_questions_or_nothing_is_charged(db: Db) {
    let upstream = Upstream::start().await;
    let server = list(&db, &upstream.url()).start().await;
    let account = server.account(10).await;
    let altered: [Alteration; 9] = [
        (|body| body["answers"][0] = json!({ "type": "refusal", "name": null }), "refused to answer"),
        (|body| body["answers"] = json!([]), "another number of questions"),
        (|body| body["answers"].as_array_mut().unwrap().push(json!({ "type": "refusal" })), "another number"),
        (|body| body["answers"][0] = json!({ "type": "predicate", "probability": 0.5 }), "another type"),
        (|body| body["answers"][0]["probabilities"][0]["value"] = json!(true), "not offered"),
        (|body| body["answers"][0]["probabilities"][0]["value"] = json!("legal"), "could not answer"),
        (|body| body["answers"][0]["probabilities"][0]["probability"] = json!(2), "could not answer"),
        (|body| body["answers"][0]["type"] = json!("guess"), "could not answer"),
        (|body| body["model"] = json!(" "), "could not answer"),
    ];
    for (alter, says) in altered {
        upstream.next([Some(Fault::Altered(alter))]);
        let answer = ask(&server, &account, json!({ "model": "list" })).send().await;
        answer.fails(500, "UPSTREAM_FAILED");
        assert!(answer.text.contains(says), "{says}: {}", answer.text);
    }
    let long = Fault::Refusal(400, "This model's maximum context length is 8192 tokens.");
    upstream.next([Some(long), Some(Fault::Refusal(404, "The model `gpt-0` does not exist."))]);
    let answer = ask(&server, &account, json!({ "model": "list" })).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert!(answer.text.contains("too long for the model of the backend list"), "{}", answer.text);
    let answer = ask(&server, &account, json!({ "model": "list/gpt-0" })).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert!(answer.text.contains("is not accepted by the list backend"), "{}", answer.text);
    nothing_held(&db, &account).await;
    assert_eq!(inv::balance(&db, &account.id).await, 10_000);
    // A prompt has no format of its own there: it is a statement that is true or not.
    let prompt = json!({ "state": "A report.", "instructions": "Is it long?", "model": "list" });
    let told = server.post(INFERENCE).key(&account.key).json(prompt).send().await.ok();
    assert_eq!(told["answers"]["answer"]["type"], "noul");
    let question = json!({ "type": "choice", "criteria": { "only": null } });
    let body = json!({ "state": "x", "questions": { "one": question }, "model": "list" });
    let answer = server.post("/v1/systemone").key(&account.key).json(body).send().await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    assert!(answer.text.contains("at least 2 options to the backend list"), "{}", answer.text);
}

on_both!(another_gavel_answers_every_type_of_question);
on_sqlite!(answers_are_those_to_the_questions_or_nothing_is_charged);
