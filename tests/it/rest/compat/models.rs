//! `GET /v1/models`, which serves the clients of two APIs at once.

use serde_json::{Value, json};

use crate::harness::{Db, Family, Server, Upstream, eventually, inv, on_sqlite};

async fn both_lists_start_with_the_default_and_name_exact_models(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(0).await;
    let models = eventually("the models are known", async || {
        let models = server.get("/v1/models").key(&account.key).send().await.ok();
        (!models["models"].as_array().unwrap().is_empty()).then_some(models)
    })
    .await;
    let expected: Value = json!({
        "models": [
            {
                "name": "gavel-latest",
                "description": "The default model, at present scripted-1.0",
                "release_date": "2026-11-01",
            },
            { "name": "scripted-1.0", "description": "By arithmetic.", "release_date": "2026-11-01" },
        ],
        "object": "list",
        "data": [
            { "id": "gavel-latest", "object": "model", "created": 1_793_491_200, "owned_by": "gavel" },
            { "id": "scripted-1.0", "object": "model", "created": 1_793_491_200, "owned_by": "gavel" },
        ],
    });
    assert_eq!(models, expected);
    for (one, named) in models["data"].as_array().unwrap().iter().zip(["gavel-latest", "scripted-1.0"]) {
        let found = server.get(&format!("/v1/models/{named}")).key(&account.key).send().await.ok();
        assert_eq!(&found, one);
    }
    let none = server.get("/v1/models/gpt-9").key(&account.key).send().await;
    none.fails_in(Family::OpenAi, 404, "NOT_FOUND");
    assert!(inv::charges(&db, &account.id).await.is_empty(), "listing models is free");
}

async fn another_gavel_as_the_model_answers_as_itself(db: Db) {
    let behind = Server::start(&db).await;
    let account = behind.account(10).await;
    let before = Server::with(&db).env("GAVEL_LOCAL_URL", behind.base_url.as_str());
    let before = before.env("GAVEL_LOCAL_API_KEY", account.key.as_str()).start().await;
    let names = eventually("the models are known", async || {
        let models = before.get("/v1/models").key(&account.key).send().await.ok();
        let names = models["models"].as_array().unwrap().iter().map(|model| model["name"].clone());
        Some(names.collect::<Vec<_>>()).filter(|names| !names.is_empty())
    })
    .await;
    let networks = ["gavel-decision-2.5.0", "gavel-decision-multilingual-1.0.0"];
    assert_eq!(names[..2], ["gavel-latest", "gavel-decision-3.0.0"], "each once");
    assert_eq!(names[2..], networks, "each once");
    let body = json!({
        "state": { "text": "I was charged twice", "orders": [1, 2] },
        "instructions": { "team": ["billing", "technical"], "urgent": "Is it urgent?" },
        "parameters": { "temperature": 2 },
    });
    let there = behind.post("/api/v1/inference").key(&account.key).json(body.clone()).send().await.ok();
    let here = before.post("/api/v1/inference").key(&account.key).json(body).send().await.ok();
    assert_eq!(there["model"], here["model"]);
    let there = &there["answers"];
    let here = &here["answers"];
    assert!(alike(there, here), "{there} and {here}");
}

/// Whether two answers are equal to 1e-8: those of the other Gavel have ten digits, and the temperature
/// changes the last.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| (a - b).abs() < 1e-8)
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((key, a), (own, b))| key == own && alike(a, b))
        }
        _ => one == other,
    }
}

on_sqlite!(
    both_lists_start_with_the_default_and_name_exact_models,
    another_gavel_as_the_model_answers_as_itself,
);
