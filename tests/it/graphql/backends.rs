//! The operator's view of the backends: which there are, whether they answer, and what they have answered.

use serde_json::{Value, json};

use super::{client::Session, operator::operator};
use crate::harness::{Account, Answer, Db, Server, UPSTREAM_MODEL, Upstream, on_both};

const BACKENDS: &str = "{ operator { backends { name kind url model external price state fault requests errors \
    latencyP50Ms latencyP95Ms credits costUsd calibratedAs calibratedAt } } }";

async fn listed(session: &Session<'_>) -> Vec<Value> {
    session.query(BACKENDS).await["operator"]["backends"].as_array().unwrap().clone()
}

/// Some members of an object, as an array.
fn members(of: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| of[*name].clone()).collect()
}

/// Asks a short question, with more members of the body.
async fn ask(server: &Server, account: &Account, more: Value) -> Answer {
    let mut body = json!({ "state": "A parcel.", "instructions": { "team": ["billing", "shipping"] } });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.post("/api/v1/inference").key(&account.key).json(body).send().await
}

async fn operators_see_what_backends_answer_and_cost(db: Db) {
    let near = Upstream::start().await;
    let near_url = format!("http://somebody:hidden@{}/v1", near.address);
    let llm = [
        ("GAVEL_BACKENDS__NEAR__KIND", "openai_chat"),
        ("GAVEL_BACKENDS__NEAR__URL", near_url.as_str()),
        ("GAVEL_BACKENDS__NEAR__PRICE", "2"),
    ];
    let server = Server::with_model(&db, &near)
        .env("GAVEL_OPENROUTER_API_KEY", "sk-or-v1-0123456789abcdef")
        .env("GAVEL_OPENROUTER_URL", near.url())
        .env("GAVEL_BACKENDS__FAR__KIND", "openai_decisions")
        .env("GAVEL_BACKENDS__FAR__URL", "http://127.0.0.1:1")
        .env("GAVEL_BACKENDS__FAR__EXTERNAL", true)
        .env("GAVEL_BACKENDS__FAR__RETRIES", 0)
        .env("GAVEL_BACKEND_BREAKER_FAILURES", 2);
    let server = llm.iter().fold(server, |server, (name, value)| server.env(name, *value)).start().await;
    let session = operator(&db, &server).await;
    let fresh = listed(&session).await;
    let shown: Vec<Value> =
        fresh.iter().map(|one| members(one, &["name", "kind", "state", "external"])).collect();
    assert_eq!(
        shown,
        [
            json!(["local", "system_one", "UP", false]),
            json!(["openrouter", "openrouter", "UP", true]),
            json!(["far", "openai_decisions", "DOWN", true]),
            json!(["near", "openai_chat", "UP", false]),
        ]
    );
    let unasked =
        ["requests", "errors", "latencyP50Ms", "latencyP95Ms", "credits", "costUsd", "calibratedAs"];
    for one in &fresh {
        assert_eq!(members(one, &unasked), json!([0, 0, null, null, 0.0, null, null]), "{one}");
    }
    assert_eq!(fresh[3]["url"], format!("http://{}/v1", near.address), "without the password");
    assert!(fresh[2]["fault"].as_str().unwrap().contains("connection"), "{}", fresh[2]);

    let account = server.account(100).await;
    for _ in 0..3 {
        ask(&server, &account, json!({ "model": "near" })).await.ok();
        ask(&server, &account, json!({ "model": "far" })).await.fails(500, "UPSTREAM_FAILED");
    }
    ask(&server, &account, json!({ "backend": "openrouter" })).await.ok();
    // Refused before anybody is asked.
    ask(&server, &account, json!({ "model": "near", "state": "long ".repeat(4_000) }))
        .await
        .fails(422, "VALIDATION_FAILED");
    let ran = db.run(&["backends", "calibrate", "near", "--questions", "160"], &llm, "").await;
    assert!(ran.status.success(), "{ran:?}");
    let after = listed(&session).await;
    assert_eq!(members(&after[0], &["requests", "credits"]), json!([0, 0.0]));
    assert_eq!(
        members(&after[1], &["requests", "errors", "credits", "costUsd"]),
        json!([1, 0, 0.5, 0.000123])
    );
    assert_eq!(members(&after[2], &["state", "requests", "errors", "credits"]), json!(["PAUSED", 3, 3, 0.0]));
    assert!(after[2]["fault"].as_str().unwrap().contains("paused"), "{}", after[2]);
    let of_near = ["requests", "errors", "credits", "price", "calibratedAs"];
    assert_eq!(members(&after[3], &of_near), json!([3, 0, 6.0, 2.0, UPSTREAM_MODEL]));
    let p50 = after[3]["latencyP50Ms"].as_f64().unwrap();
    assert!(p50 > 0.0 && after[3]["latencyP95Ms"].as_f64().unwrap() >= p50, "{}", after[3]);
    assert!(after[3]["calibratedAt"].is_string());
    assert!(!server.log().contains("hidden"));
}

on_both!(operators_see_what_backends_answer_and_cost);
