//! Judges as resources, with their statistics.

use rmcp::service::ServiceError;
use serde_json::json;

use super::agent::Agent;
use crate::harness::{Db, Server, Upstream, on_both, on_sqlite};

async fn judges_are_resources_with_their_statistics(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(10).await;
    let key = db.scoped_key(&account, "infer,manage").await;
    let instructions = json!({ "late": "Is it late?" });
    let input = json!({ "name": "Late", "instructions": instructions, "storeContent": true });
    let judge = server.create_judge(&key, input).await;
    let uri = format!("gavel://judges/{judge}");
    let agent = Agent::connect(&server, &key).await;
    assert_eq!(agent.resources().await, [(uri.clone(), "Late".to_owned())]);
    let empty = agent.read(&uri).await.unwrap();
    assert_eq!(empty["statistics"], json!({ "count": 0, "labelled": 0, "credits": 0.0, "latency_ms": null }));
    for state in ["where is it?", "thank you"] {
        agent.answer("ask_judge", json!({ "judge_id": judge, "state": state })).await;
    }
    let read = agent.read(&uri).await.unwrap();
    assert_eq!((&read["id"], &read["name"], &read["version"]), (&json!(judge), &json!("Late"), &json!(1)));
    assert_eq!(read["instructions"], instructions);
    assert_eq!((&read["statistics"]["count"], &read["statistics"]["credits"]), (&json!(2), &json!(1.0)));
    assert!(read["statistics"]["latency_ms"]["p95"].as_f64().unwrap() > 0.0, "{read}");
}

async fn resources_are_of_ones_own_account_and_scope(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let manager = db.scoped_key(&account, "manage").await;
    let input = json!({ "name": "Late", "instructions": { "late": "Is it late?" } });
    let judge = server.create_judge(&manager, input).await;
    let uri = format!("gavel://judges/{judge}");

    let other = server.account(10).await;
    let stranger = Agent::connect(&server, &db.scoped_key(&other, "read").await).await;
    assert_eq!(stranger.resources().await, []);
    for unknown in [uri.as_str(), "gavel://judges/", "gavel://judges/judge_1", "file:///etc/passwd"] {
        let Err(ServiceError::McpError(error)) = stranger.read(unknown).await else {
            panic!("{unknown} is read")
        };
        assert_eq!(error.data.unwrap()["code"], "NOT_FOUND", "{unknown}");
    }

    let moderating = Agent::connect(&server, &db.scoped_key(&account, "moderate").await).await;
    assert_eq!(moderating.resources().await, []);
    let Err(ServiceError::McpError(error)) = moderating.read(&uri).await else { panic!("it is read") };
    assert!(error.message.contains("`read`") || error.message.contains("`manage`"), "{error}");
}

on_both!(judges_are_resources_with_their_statistics);
on_sqlite!(resources_are_of_ones_own_account_and_scope);
