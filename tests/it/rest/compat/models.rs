//! `GET /v1/models`, for clients of both wires at once.

use serde_json::{Value, json};

use crate::harness::{Db, Server, Upstream, eventually, inv, on_sqlite};

async fn both_lists_name_the_default_first_and_the_exact_models(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
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
    assert!(inv::charges(&db, &account.id).await.is_empty(), "free");
}

on_sqlite!(both_lists_name_the_default_first_and_the_exact_models);
