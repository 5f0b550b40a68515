//! Personal data in explanations, and the rules of policies on it.

use serde_json::{Value, json};

use super::policies::{create, judge, manager, mutate};
use crate::{
    batches::{ended, results, submitted},
    harness::{Db, Server, on_both, on_sqlite},
};

const TEXT: &str = "/api/v1/moderate/text";
const OWN: &str = "my address is 33 Maple Street and my number is 415-555-0132";

/// The types in an explanation, in order.
fn types(answer: &Value) -> Vec<&str> {
    let found = answer["explanation"]["personal_data"].as_array();
    found.into_iter().flatten().filter_map(|one| one["type"].as_str()).collect()
}

async fn personal_data_is_told_and_leads_to_nothing_by_itself(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    for mode in ["native", "hybrid"] {
        let body = json!({ "content": OWN, "mode": mode, "explain": true });
        let own = server.post(TEXT).key(&key).json(body).send().await.ok();
        assert_eq!((&own["action"], types(&own)), (&json!("none"), vec!["postal_address", "phone"]), "{own}");
        assert!(own["requires_mod_review"].as_f64().unwrap() < 0.5, "{own}");
        let body = json!({ "content": OWN, "mode": mode });
        let unexplained = server.post(TEXT).key(&key).json(body).send().await.ok();
        assert_eq!(own["threat_score"], unexplained["threat_score"]);
    }
    // Places are in characters, and messages without any have no list.
    let body = json!({ "content": "für Ann: ann@example.com", "explain": true });
    let found = server.post(TEXT).key(&key).json(body).send().await.ok();
    let email = json!({ "type": "email", "start": 9, "end": 24, "probability": 0.99 });
    assert_eq!(found["explanation"]["personal_data"], json!([email]));
    let nothing = json!({ "content": "good morning", "explain": true });
    let nothing = server.post(TEXT).key(&key).json(nothing).send().await.ok();
    assert_eq!(nothing["explanation"].get("personal_data"), None);
}

async fn a_policy_acts_on_types_of_personal_data(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let rules = json!({ "personal_data": {
        "phone": { "action": "timeout" }, "email": { "action": "review" },
    } });
    create(&server, &key, "private", rules).await;
    let phone = judge(&server, &key, "my number is 415-555-0132", "private").await.ok();
    assert_eq!(phone["action"], "timeout", "{phone}");
    assert!(phone["explanation"]["signals"].to_string().contains("policy:personal_data:phone"), "{phone}");
    let email = judge(&server, &key, "write to ann@example.com", "private").await.ok();
    assert_eq!(email["action"], "none", "{email}");
    assert!(email["requires_mod_review"].as_f64().unwrap() > 0.9, "{email}");
    // What a policy allows is no personal data.
    let rules = json!({
        "personal_data": { "email": { "action": "ban" } }, "allow": { "phrases": ["help@example.com"] },
    });
    create(&server, &key, "ours", rules).await;
    assert_eq!(judge(&server, &key, "ask help@example.com", "ours").await.ok()["action"], "none");
    assert_eq!(judge(&server, &key, "ask ann@example.com", "ours").await.ok()["action"], "ban");
    // In batches, in bulk and in OpenAI's form.
    let message = json!({ "content": "my number is 415-555-0132", "policy": "private", "explain": true });
    let body = json!({ "messages": [message], "explain": true });
    let batch = server.post("/api/v1/moderate/text/batch").key(&key).json(body).send().await.ok();
    let result = &batch["results"][0];
    assert_eq!((&result["action"], types(result)), (&json!("timeout"), vec!["phone"]), "{batch}");
    let item = json!({ "custom_id": "a", "method": "POST", "url": TEXT, "body": message });
    let bulk = submitted(&server, &key, &[item]).await;
    ended(&server, &key, &bulk).await;
    let lines = results(&server, &key, &bulk).await;
    assert_eq!(types(&lines[0]["response"]["body"]), ["phone"], "{lines:?}");
    let body = json!({ "input": "my number is 415-555-0132", "policy": "private" });
    let theirs = server.post("/v1/moderations").key(&key).json(body).send().await.ok();
    assert_eq!(theirs["results"][0]["flagged"], true, "{theirs}");
}

async fn a_policy_acts_on_doxxing_and_not_on_own_data(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    create(&server, &key, "safe", json!({ "personal_data": { "doxxing": { "action": "timeout" } } })).await;
    let exposed = "her real address is 12 Elm Street, go say hi guys";
    let theirs = judge(&server, &key, exposed, "safe").await.ok();
    assert_eq!((&theirs["action"], types(&theirs)), (&json!("timeout"), vec!["postal_address", "doxxing"]));
    assert!(
        theirs["explanation"]["signals"].to_string().contains("policy:personal_data:doxxing"),
        "{theirs}"
    );
    assert_eq!(judge(&server, &key, OWN, "safe").await.ok()["action"], "none");
    // Data are redacted once.
    let body = json!({ "content": exposed, "redact": true, "explain": true });
    let redacted = server.post(TEXT).key(&key).json(body).send().await.ok();
    assert_eq!(redacted["redacted"]["content"], "her real address is [POSTAL_ADDRESS], go say hi guys");
    assert_eq!(redacted["redacted"]["personal_data"].as_array().map(Vec::len), Some(1), "{redacted}");
}

async fn a_dry_run_and_the_log_show_it(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let rules = json!({ "personal_data": { "phone": { "action": "warn" } } });
    let messages = json!([{ "content": "my number is 415-555-0132" }]);
    let input = json!({ "rules": rules, "messages": messages });
    let verdict = "action personalData { type start end country probability }";
    let fields = format!(
        "results {{ verdict {{ {verdict} }} withoutPolicy {{ action }} }} userErrors {{ field message }}"
    );
    let ran = mutate(&server, &key, "dryRunModerationPolicy", &fields, input).await;
    let phone = json!({ "type": "phone", "start": 13, "end": 25, "country": null, "probability": 0.99 });
    let expected = json!({
        "verdict": { "action": "WARN", "personalData": [phone] }, "withoutPolicy": { "action": "NONE" },
    });
    assert_eq!(ran["results"][0], expected, "{ran}");
    let input =
        json!({ "name": "wrong", "rules": { "personal_data": { "shoe_size": { "action": "ban" } } } });
    let wrong = mutate(&server, &key, "createModerationPolicy", "userErrors { field message }", input).await;
    assert_eq!(wrong["userErrors"][0]["field"], "rules.personal_data.shoe_size", "{wrong}");
    assert!(wrong["userErrors"][0]["message"].as_str().unwrap().contains("postal_address"), "{wrong}");
    mutate(&server, &key, "setModerationLog", "userErrors { code }", json!({ "enabled": true })).await;
    create(&server, &key, "private", rules).await;
    judge(&server, &key, "my number is 415-555-0132", "private").await.ok();
    let query =
        "{ account { moderationLog { samples { nodes { moderation { action signals { name } } } } } } }";
    let seen = server.ask(&key, query, json!({})).await;
    let record = &seen["account"]["moderationLog"]["samples"]["nodes"][0]["moderation"];
    assert_eq!(record["action"], "WARN", "{seen}");
    assert!(record["signals"].to_string().contains("policy:personal_data:phone"), "{seen}");
}

on_both!(a_policy_acts_on_types_of_personal_data);
on_sqlite!(
    personal_data_is_told_and_leads_to_nothing_by_itself,
    a_policy_acts_on_doxxing_and_not_on_own_data,
    a_dry_run_and_the_log_show_it
);
