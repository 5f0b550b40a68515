//! Feedback on rules in plain language: messages become examples, by moderators too, and undo takes them back.

use serde_json::{Value, json};

use super::policies::{create, judge, manager, mutate};
use crate::{
    graphql::{PASSWORD, Session, mutation, person},
    harness::{Account, Answer, Db, Server, on_both, on_sqlite},
};

const FEEDBACK: &str = "/api/v1/moderate/feedback";
const RULE: &str = "No buying, selling or trading of items.";

async fn recording(db: &Db) -> (Server, String, Account) {
    let server = Server::start(db).await;
    let (account, key) = manager(db, &server, 1_000).await;
    mutate(&server, &key, "setModerationLog", "userErrors { code }", json!({ "enabled": true })).await;
    (server, key, account)
}

fn rules() -> Value {
    json!({ "plain_rules": [{ "id": "no_trading", "text": RULE, "action": "warn" }] })
}

/// Says of a new message what it is to the rule.
async fn corrected(server: &Server, key: &str, content: &str, example: &str) -> Answer {
    let verdict = judge(server, key, content, "house").await.ok();
    let body = json!({ "id": verdict["id"], "rules": { "no_trading": example } });
    server.post(FEEDBACK).key(key).json(body).send().await
}

async fn probability(server: &Server, key: &str, content: &str) -> f64 {
    let verdict = judge(server, key, content, "house").await.ok();
    verdict["explanation"]["rules"][0]["probability"].as_f64().unwrap()
}

async fn messages_become_examples_and_move_the_rule(db: Db) {
    let (server, key, _) = recording(&db).await;
    create(&server, &key, "house", rules()).await;
    let asks = "is the auction house down for anyone else?";
    let before = probability(&server, &key, asks).await;
    for content in
        ["wts 2 frost blades, 40k each", "buying iron ore, 12 a stack", "selling my headset, 30 bucks"]
    {
        corrected(&server, &key, content, "not_allowed").await.ok();
    }
    for content in [asks, "good morning, raid at 8?"] {
        corrected(&server, &key, content, "allowed").await.ok();
    }
    let last = corrected(&server, &key, "where do you farm iron?", "allowed").await.ok();
    assert_eq!(last["rules"], json!({ "no_trading": { "allowed": 3, "not_allowed": 3 } }), "{last}");
    assert_eq!((&last["policy"]["name"], &last["policy"]["version"]), (&json!("house"), &json!(7)));
    assert_eq!(last["change_id"], Value::Null);
    let after = probability(&server, &key, asks).await;
    assert!(after < before && after < 0.5, "{before} {after}");
    assert!(probability(&server, &key, "selling my frost blade, 30k").await > 0.5);
}

async fn a_correction_is_repeated_replaced_and_taken_back(db: Db) {
    let (server, key, _) = recording(&db).await;
    let policy = create(&server, &key, "house", rules()).await;
    let verdict = judge(&server, &key, "selling gems", "house").await.ok();
    let say = async |rules: Value, overwrite: bool| {
        let body = json!({ "id": verdict["id"], "rules": rules, "overwrite": overwrite });
        server.post(FEEDBACK).key(&key).json(body).send().await
    };
    let first = say(json!({ "no_trading": "allowed" }), false).await.ok();
    assert_eq!(first["policy"]["version"], 2, "{first}");
    assert_eq!(say(json!({ "no_trading": "allowed" }), false).await.ok(), first, "nothing new is no version");
    let opposite = say(json!({ "no_trading": "not_allowed" }), false).await;
    assert_eq!((opposite.status, opposite.field()), (409, "rules.no_trading"), "{}", opposite.text);
    let replaced = say(json!({ "no_trading": "not_allowed" }), true).await.ok();
    assert_eq!(replaced["rules"], json!({ "no_trading": { "allowed": 0, "not_allowed": 1 } }));
    let query = "{ account { moderationLog { samples { nodes { moderation { plainRules { id name broken } \
        ruleExamples { ruleId allowed } } } } } } }";
    let seen = server.ask(&key, query, json!({})).await;
    let record = &seen["account"]["moderationLog"]["samples"]["nodes"][0]["moderation"];
    assert_eq!(record["ruleExamples"], json!([{ "ruleId": "no_trading", "allowed": false }]), "{seen}");
    assert_eq!(record["plainRules"][0]["id"], "no_trading", "{seen}");
    let taken = say(json!({ "no_trading": "none" }), false).await.ok();
    assert_eq!(taken["rules"], json!({ "no_trading": { "allowed": 0, "not_allowed": 0 } }));
    // With the action, one request says both.
    let both = json!({ "id": verdict["id"], "action": "none", "rules": { "no_trading": "allowed" }, "note": "fine" });
    let both = server.post(FEEDBACK).key(&key).json(both).send().await.ok();
    assert_eq!(
        (&both["ground_truth"]["action"], &both["policy"]["version"]),
        (&json!("none"), &json!(5)),
        "{both}"
    );
    let versions = "query ($id: ID!) { moderationPolicy(id: $id) { versions { nodes { version rules } } } }";
    let versions = server.ask(&key, versions, json!({ "id": policy["id"] })).await;
    let newest = &versions["moderationPolicy"]["versions"]["nodes"][0]["rules"]["plain_rules"][0];
    assert_eq!(newest["examples"], json!({ "allowed": ["selling gems"] }), "{versions}");
}

async fn what_cannot_be_an_example_is_refused(db: Db) {
    let (server, key, _) = recording(&db).await;
    create(&server, &key, "house", rules()).await;
    let ruled = judge(&server, &key, "selling gems", "house").await.ok()["id"].clone();
    let plain = server.moderate(&key, "selling gems").send().await.ok()["id"].clone();
    for (body, status, field) in [
        (json!({ "id": ruled, "rules": { "no_shouting": "allowed" } }), 422, "rules"),
        (json!({ "id": ruled, "rules": { "no_trading": "fine" } }), 422, "rules.no_trading"),
        (json!({ "id": ruled, "rules": ["no_trading"] }), 422, "rules"),
        (json!({ "id": ruled, "rules": { "no_trading": "allowed" }, "note": "x" }), 422, "note"),
        (json!({ "id": ruled, "rules": {} }), 422, "action"),
        (json!({ "id": plain, "rules": { "no_trading": "allowed" } }), 422, "rules"),
    ] {
        let refused = server.post(FEEDBACK).key(&key).json(body.clone()).send().await;
        assert_eq!((refused.status, refused.field()), (status, field), "{body}: {}", refused.text);
    }
    let unknown = json!({ "id": "mod_01kahd7f3ye9pvsk8h0a5m5x30", "rules": { "no_trading": "allowed" } });
    server.post(FEEDBACK).key(&key).json(unknown).send().await.fails(404, "NOT_FOUND");
    for number in 0..20 {
        corrected(&server, &key, &format!("good morning number {number}"), "allowed").await.ok();
    }
    let full = corrected(&server, &key, "good night", "allowed").await;
    assert_eq!((full.status, full.field()), (409, "rules.no_trading"), "{}", full.text);
}

async fn moderators_give_feedback_over_rest_and_nothing_else(db: Db) {
    let (server, key, account) = recording(&db).await;
    create(&server, &key, "house", rules()).await;
    let verdict = judge(&server, &key, "selling gems", "house").await.ok();
    for (role, status) in [("moderator", 200), ("analyst", 403), ("editor", 200)] {
        let (_, email) = person(&db, &account, role).await;
        let session = Session::sign_in(&server, &email, PASSWORD).await;
        let body = json!({ "id": verdict["id"], "action": "none", "rules": { "no_trading": "allowed" } });
        let said = session.rest(server.post(FEEDBACK)).json(body).send().await;
        assert_eq!(said.status, status, "{role}: {}", said.text);
        if role == "moderator" {
            let moderated = json!({ "content": "hello" });
            let refused = session.rest(server.post("/api/v1/moderate/text")).json(moderated).send().await;
            refused.fails(403, "FORBIDDEN");
            let input = json!({ "id": verdict["id"], "rules": { "no_trading": "none" } });
            let fields = "sample { id } policy { version } userErrors { code }";
            let query = mutation("giveModerationFeedback", fields);
            let body = json!({ "query": query, "variables": { "input": input } });
            let taken = session.send(body).await.ok();
            assert_eq!(taken["data"]["payload"]["policy"]["version"], 3, "{taken}");
        }
    }
}

on_both!(
    a_correction_is_repeated_replaced_and_taken_back,
    moderators_give_feedback_over_rest_and_nothing_else
);
on_sqlite!(messages_become_examples_and_move_the_rule, what_cannot_be_an_example_is_refused);
