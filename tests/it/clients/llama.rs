//! A real server of llama.cpp as a backend: SmolLM2-135M-Instruct, too small to judge well, whose probabilities,
//! tokens and refusals are those of the real thing.

use serde_json::{Value, json};

use super::program::Program;
use crate::{
    batches,
    graphql::mutation,
    harness::{Account, Db, Server, Upstream, inv, milli, on_sqlite},
    holds::nothing_held,
};

const INFERENCE: &str = "/api/v1/inference";
/// The end of the model's name, which is the path of its file.
const MODEL: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// A question of each type about a message.
fn each_type() -> Value {
    json!({
        "state": { "message": "My parcel has not arrived, and I am tired of waiting." },
        "instructions": {
            "team": ["billing", "shipping", "returns"],
            "anger": { "type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "furious"] },
            "late": { "type": "noul", "instructions": "Is a parcel late?" },
        },
        "model": "llama",
    })
}

async fn answered(server: &Server, account: &Account, body: Value) -> Value {
    server.post(INFERENCE).key(&account.key).json(body).send().await.ok()
}

/// The probability of an option.
fn p(told: &Value, key: &str, option: &str) -> f64 {
    told["answers"][key]["probabilities"][option].as_f64().unwrap_or_else(|| panic!("{told}"))
}

/// Questions of each type, asked twice with their options in different orders.
async fn questions_are_answered(server: &Server, account: &Account) {
    let told = answered(server, account, each_type()).await;
    assert!(told["model"].as_str().unwrap().ends_with(MODEL), "{told}");
    assert_eq!((&told["backend"], &told["credits_deducted"]), (&json!("local"), &json!(0.5)));
    for (key, options) in [("team", ["billing", "shipping", "returns"]), ("anger", ["0", "1", "2"])] {
        let all = options.map(|option| p(&told, key, option));
        assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{told}");
        assert!(
            all.iter().all(|p| *p > 0.0) && all[0] != all[1] && all[1] != all[2],
            "read, not made up: {told}"
        );
    }
    let late = told["answers"]["late"]["noul"].as_f64().unwrap();
    assert!(late > 0.0 && late < 1.0 && late != 0.5, "{told}");
    let step = &told["routing"]["steps"][0];
    assert_eq!((&step["backend"], &step["calibrated"]), (&json!("llama"), &json!(false)));
    assert!(told["usage"]["input_tokens"].as_u64() > Some(300), "three prompts: {told}");
    assert_eq!(told["usage"]["output_tokens"], 3, "a letter each");
    let mut turned = each_type();
    turned["instructions"] = json!({ "team": ["returns", "billing", "shipping"] });
    let again = answered(server, account, turned).await;
    for option in ["billing", "shipping", "returns"] {
        let difference = (p(&told, "team", option) - p(&again, "team", option)).abs();
        assert!(difference < 0.02, "the order of options changes an answer: {told} {again}");
    }
}

async fn a_prompt_is_answered_in_words(server: &Server, account: &Account) {
    let body =
        json!({ "state": "It rained.", "instructions": "Say what the weather was.", "model": "llama" });
    let told = answered(server, account, body).await;
    assert!(!told["answers"]["answer"]["text"].as_str().unwrap().trim().is_empty(), "{told}");
}

/// What is longer than the context is refused by the server, and not cut.
async fn what_does_not_fit_the_context_is_refused(server: &Server, account: &Account) {
    let state = "The parcel was late again. ".repeat(1_000);
    let body = json!({ "state": state, "instructions": { "late": ["yes", "no"] }, "model": "llama" });
    let answer = server.post(INFERENCE).key(&account.key).json(body).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert!(answer.text.contains("too long for the context of its model"), "{}", answer.text);
}

/// A Judge whose cascade ends at the server, and a batch of its questions.
async fn a_judge_and_a_batch_cascade_into_it(server: &Server, account: &Account) {
    let cascade = json!([{ "backend": "local", "below": 1.0 }, { "backend": "llama" }]);
    let input = json!({
        "name": "Team", "instructions": { "team": ["billing", "shipping", "returns"] },
        "parameters": { "cascade": cascade },
    });
    let key = server.db.scoped_key(account, "infer,manage").await;
    let query = mutation("createJudge", "judge { id } userErrors { message }");
    let made = server.ask(&key, &query, json!({ "input": input })).await;
    let judge = made["payload"]["judge"]["id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let body = json!({ "state": "Where is it?", "judge_id": judge });
    let told = answered(server, account, body).await;
    let steps = told["routing"]["steps"].as_array().unwrap();
    let outcomes: Vec<Value> = steps.iter().map(|step| json!([step["backend"], step["outcome"]])).collect();
    assert_eq!(outcomes, [json!(["local", "answered"]), json!(["llama", "answered"])], "{told}");
    assert!(told["model"].as_str().unwrap().ends_with(MODEL), "{told}");
    assert_eq!(milli(&told["credits_deducted"]), 1_000);
    let items: Vec<Value> = (0..4)
        .map(|n| {
            let body = json!({
                "state": format!("Parcel {n}?"), "instructions": { "team": ["billing", "shipping"] }, "model": "llama",
            });
            json!({ "custom_id": format!("q{n}"), "method": "POST", "url": INFERENCE, "body": body })
        })
        .collect();
    let batch = batches::submitted(server, &account.key, &items).await;
    let ended = batches::ended(server, &account.key, &batch).await;
    assert_eq!(
        (&ended["status"], &ended["counts"]["completed"]),
        (&json!("completed"), &json!(4)),
        "{ended}"
    );
}

async fn a_llama_cpp_server_is_tested_asked_and_cascaded_into(db: Db) {
    let (_llama, url) = Program::llama().await;
    let settings = [
        ("GAVEL_BACKENDS__LLAMA__KIND", "openai_chat"),
        ("GAVEL_BACKENDS__LLAMA__URL", url.as_str()),
        ("GAVEL_BACKENDS__LLAMA__CONCURRENCY", "2"),
        ("GAVEL_BACKENDS__LLAMA__TIMEOUT_S", "25"),
        ("GAVEL_BACKENDS__LLAMA__ROTATIONS", "1"),
        ("GAVEL_BACKENDS__LLAMA__ANSWER_TOKENS", "256"),
        ("GAVEL_BACKENDS__LLAMA__MAX_STATE_BYTES", "100000"),
    ];
    let ran = db.run(&["backends", "test", "llama", "--json"], &settings, "").await;
    let tested: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert!(tested["model"].as_str().unwrap().ends_with(MODEL), "{tested}");
    assert_eq!(tested["answers"].as_object().map(serde_json::Map::len), Some(3), "{tested}");
    assert_eq!(tested["models_listed"], true, "{tested}");

    let local = Upstream::start().await;
    let server = settings
        .iter()
        .fold(Server::with_model(&db, &local), |server, (name, value)| server.env(name, *value));
    let server = server.start().await;
    let account = server.account(100).await;
    questions_are_answered(&server, &account).await;
    a_prompt_is_answered_in_words(&server, &account).await;
    let before = inv::balance(&db, &account.id).await;
    what_does_not_fit_the_context_is_refused(&server, &account).await;
    nothing_held(&db, &account).await;
    assert_eq!(inv::balance(&db, &account.id).await, before);
    a_judge_and_a_batch_cascade_into_it(&server, &account).await;
}

on_sqlite!(a_llama_cpp_server_is_tested_asked_and_cascaded_into);
