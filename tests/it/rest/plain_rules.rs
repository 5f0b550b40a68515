//! Rules in plain language: asked of the decision model, priced by tens, and learnt from examples.

use serde_json::{Value, json};

use super::policies::{create, judge, manager, mutate};
use crate::{
    batches::{ended, results},
    harness::{Db, Fault, Server, Upstream, inv, milli, on_both, on_sqlite},
};

const SINGLE: &str = "/api/v1/moderate/text";
const POLICY: &str = "moderationPolicy { version rules } userErrors { field message code }";

/// Trading belongs elsewhere, with examples.
fn trading() -> Value {
    json!({
        "id": "no_trading", "name": "No trading", "action": "timeout",
        "text": "No buying, selling or trading of items outside #market.",
        "examples": {
            "not_allowed": [
                "wts 2 frost blades, 40k each dm me", "buying iron ore, paying 12 per stack",
                "selling my old headset, 30 bucks shipped", "anyone want to swap their mount for mine?",
                "taking offers on this skin, c/o 200 gems",
            ],
            "allowed": [
                "is the auction house down for anyone else?", "good morning everyone, raid at 8?",
                "what level do you guys farm iron at", "just pulled the frost blade on my second try",
                "who else's game crashes on the loading screen",
            ],
        },
    })
}

/// So many rules without examples.
fn many(count: usize) -> Vec<Value> {
    (0..count).map(|n| json!({ "text": format!("No talk about subject {n}"), "action": "review" })).collect()
}

fn deducted(answer: &Value) -> i64 {
    milli(&answer["credits_deducted"])
}

async fn a_rule_catches_what_it_forbids_and_nothing_else(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    create(&server, &key, "market", json!({ "plain_rules": [trading()] })).await;
    for mode in ["native", "hybrid"] {
        let caught = json!({ "content": "selling my frost blade, 30k, dm me", "policy": "market", "mode": mode,
            "explain": true });
        let caught = server.post(SINGLE).key(&key).json(caught).send().await.ok();
        assert_eq!(caught["action"], "timeout", "{caught}");
        let rule = &caught["explanation"]["rules"][0];
        assert_eq!((&rule["id"], &rule["name"]), (&json!("no_trading"), &json!("No trading")));
        assert!(rule["broken"] == true && rule["probability"].as_f64().unwrap() > 0.5, "{rule}");
        assert!(
            caught["explanation"]["signals"].to_string().contains("policy:plain_rule:no_trading"),
            "{caught}"
        );
        let left = json!({ "content": "good morning, anyone up for the raid?", "policy": "market", "mode": mode,
            "explain": true });
        let left = server.post(SINGLE).key(&key).json(left).send().await.ok();
        assert_eq!(
            (&left["action"], &left["explanation"]["rules"][0]["broken"]),
            (&json!("none"), &json!(false))
        );
        assert_eq!(deducted(&left), 1_000, "a message and one rule");
    }
    // Each message of a batch by its own policy, and OpenAI's form.
    let body = json!({ "explain": true, "messages": [
        { "content": "buying frost blades, paying 30k", "policy": "market" }, { "content": "buying frost blades" },
    ] });
    let answer = server.post("/api/v1/moderate/text/batch").key(&key).json(body).send().await.ok();
    assert_eq!(answer["results"][0]["action"], "timeout", "{answer}");
    assert_eq!(
        (&answer["results"][1]["action"], &answer["results"][1]["explanation"]["rules"]),
        (&json!("none"), &Value::Null)
    );
    assert_eq!(deducted(&answer), 1_500, "two messages and one rule");
    let body = json!({ "input": "selling gems, 5 bucks each", "policy": "market" });
    let theirs = server.post("/v1/moderations").key(&key).json(body).send().await.ok();
    assert_eq!(theirs["results"][0]["flagged"], true, "{theirs}");
}

async fn rules_apply_in_their_channels_and_cost_by_tens(db: Db) {
    let server = Server::start(&db).await;
    let (account, key) = manager(&db, &server, 100).await;
    let mut rules = many(11);
    for rule in &mut rules[1..] {
        rule["channels"] = json!(["#general", "112233"]);
    }
    create(&server, &key, "house", json!({ "plain_rules": rules })).await;
    create(
        &server,
        &key,
        "elsewhere",
        json!({ "plain_rules": [
        { "text": "No talk at all", "action": "ban", "channels": ["quiet"] },
    ] }),
    )
    .await;
    let mut charges = 0;
    for (policy, channel, asked, price) in [
        ("house", json!("general"), 11, 1_500),
        ("house", json!("112233"), 11, 1_500),
        ("house", json!("#other"), 1, 1_000),
        ("house", Value::Null, 1, 1_000),
        ("elsewhere", json!("#loud"), 0, 500),
        ("elsewhere", json!("#quiet"), 1, 1_000),
    ] {
        let body = json!({ "content": "hello there", "policy": policy, "channel": channel, "explain": true,
            "channel_name": "talk", "channel_topic": "anything" });
        let answer = server.post(SINGLE).key(&key).json(body).send().await.ok();
        let found = answer["explanation"]["rules"].as_array().map_or(0, Vec::len);
        assert_eq!((found, deducted(&answer)), (asked, price), "{policy} {channel}: {answer}");
        charges += 1;
        assert_eq!(inv::charges(&db, &account.id).await.len(), charges, "one charge a request");
    }
}

async fn wrong_rules_are_refused_with_the_field(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let rule = |member: &str, value: Value| {
        let mut rule = json!({ "text": "No trading", "action": "warn" });
        rule[member] = value;
        json!([rule])
    };
    let both = json!({ "allowed": ["same"], "not_allowed": ["same"] });
    for (rules, field) in [
        (json!(many(21)), "rules.plain_rules"),
        (rule("text", json!("  ")), "rules.plain_rules[0].text"),
        (rule("text", json!("x".repeat(501))), "rules.plain_rules[0].text"),
        (rule("text", json!("არ გაყიდოთ ნივთები აქ")), "rules.plain_rules[0].text"),
        (rule("action", json!("kick")), "rules.plain_rules[0].action"),
        (rule("certainty", json!(1.0)), "rules.plain_rules[0].certainty"),
        (rule("id", json!("a b")), "rules.plain_rules[0].id"),
        (rule("name", json!("n".repeat(101))), "rules.plain_rules[0].name"),
        (rule("channels", json!(["#"])), "rules.plain_rules[0].channels[0]"),
        (rule("examples", json!({ "allowed": vec!["a"; 21] })), "rules.plain_rules[0].examples.allowed"),
        (
            rule("examples", json!({ "not_allowed": ["x".repeat(501)] })),
            "rules.plain_rules[0].examples.not_allowed[0]",
        ),
        (rule("examples", both), "rules.plain_rules[0].examples.not_allowed[0]"),
        (
            json!([{ "id": "a", "text": "x", "action": "warn" }, { "id": "a", "text": "y", "action": "warn" }]),
            "rules.plain_rules[1].id",
        ),
    ] {
        let input = json!({ "name": "wrong", "rules": { "plain_rules": rules } });
        let payload = mutate(&server, &key, "createModerationPolicy", POLICY, input).await;
        assert_eq!(payload["userErrors"][0]["field"], field, "{payload}");
    }
    let body = json!({ "content": "hi", "channel_topic": "x".repeat(1_025) });
    let answer = server.post(SINGLE).key(&key).json(body).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert!(answer.text.contains("channel_topic"), "{}", answer.text);
}

async fn ids_are_made_and_versions_keep_the_rules(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let rules = json!({ "plain_rules": [
        { "text": "No politics", "action": "review" },
        { "id": "rule_1", "text": "No religion", "action": "warn", "certainty": 0.8 },
    ] });
    let made = create(&server, &key, "house", rules.clone()).await;
    assert_eq!(made["rules"]["plain_rules"][0]["id"], "rule_2", "{made}");
    let input = json!({ "id": made["id"], "rules": rules });
    let same = mutate(&server, &key, "updateModerationPolicy", POLICY, input).await;
    assert_eq!(same["moderationPolicy"]["version"], 1, "the same rules make no version: {same}");
    let input = json!({ "id": made["id"], "rules": { "plain_rules": [] } });
    let changed = mutate(&server, &key, "updateModerationPolicy", POLICY, input).await;
    assert_eq!(changed["moderationPolicy"]["version"], 2);
    let answer = judge(&server, &key, "vote for them", "house").await.ok();
    assert_eq!((&answer["explanation"]["rules"], deducted(&answer)), (&Value::Null, 500));
}

async fn a_dry_run_shows_and_charges_the_rules(db: Db) {
    let server = Server::start(&db).await;
    let (account, key) = manager(&db, &server, 100).await;
    let mut rule = trading();
    rule["channels"] = json!(["general"]);
    let messages = json!([
        { "content": "selling frost blades, 30k each", "channel": "general" },
        { "content": "selling frost blades, 30k each", "channel": "market" },
    ]);
    let input = json!({ "rules": { "plain_rules": [rule] }, "messages": messages });
    let fields = "results { verdict { action plainRules { id broken } } withoutPolicy { action plainRules { id } } } \
                  creditsDeducted userErrors { field message }";
    let ran = mutate(&server, &key, "dryRunModerationPolicy", fields, input).await;
    let found = json!([{ "id": "no_trading", "broken": true }]);
    assert_eq!(ran["results"][0]["verdict"], json!({ "action": "TIMEOUT", "plainRules": found }), "{ran}");
    assert_eq!(ran["results"][0]["withoutPolicy"], json!({ "action": "NONE", "plainRules": [] }));
    assert_eq!(ran["results"][1]["verdict"], json!({ "action": "NONE", "plainRules": [] }));
    assert_eq!(ran["creditsDeducted"], 1.5, "two messages, and the rule for one of them");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn the_log_has_what_broke_and_a_shadow_asks_its_own_rules(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let id = create(&server, &key, "house", json!({ "plain_rules": [trading()] })).await["id"].clone();
    mutate(&server, &key, "setModerationLog", "userErrors { code }", json!({ "enabled": true })).await;
    let mut strict = trading();
    strict["action"] = json!("ban");
    let shadow = json!({ "id": id, "rules": { "plain_rules": [strict] } });
    mutate(&server, &key, "shadowModerationPolicy", "userErrors { code }", shadow).await;
    let answer = judge(&server, &key, "selling my frost blade, 30k, dm me", "house").await.ok();
    assert_eq!((&answer["action"], deducted(&answer)), (&json!("timeout"), 1_000), "a shadow costs nothing");
    let query = "{ account { moderationLog { samples { nodes { credits moderation { action signals { name } shadow { \
        action } } } } } } }";
    let seen = server.ask(&key, query, json!({})).await;
    let row = &seen["account"]["moderationLog"]["samples"]["nodes"][0];
    assert_eq!(
        (&row["moderation"]["action"], &row["moderation"]["shadow"]["action"]),
        (&json!("TIMEOUT"), &json!("BAN"))
    );
    assert!(row["moderation"]["signals"].to_string().contains("policy:plain_rule:no_trading"), "{row}");
    assert_eq!(row["credits"], 1.0);
}

async fn a_bulk_item_is_held_and_charged_with_its_rules(db: Db) {
    let server = Server::start(&db).await;
    let (account, key) = manager(&db, &server, 100).await;
    let id = create(&server, &key, "market", json!({ "plain_rules": [trading()] })).await["id"].clone();
    let items: Vec<Value> = [Some("market"), None]
        .map(|policy| {
            let body =
                json!({ "content": "selling frost blades, 30k each", "mode": "native", "policy": policy });
            json!({ "custom_id": policy.unwrap_or("plain"), "method": "POST", "url": SINGLE, "body": body })
        })
        .into();
    let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
    let submitted = server.post("/api/v1/batches").key(&key).body("application/jsonl", lines).send().await;
    assert_eq!(
        (submitted.status, milli(&submitted.body["credits_held"])),
        (202, 1_500),
        "{}",
        submitted.text
    );
    // More rules than were held for cost no more.
    let rules: Vec<Value> = [trading()].into_iter().chain(many(12)).collect();
    let more = json!({ "id": id, "rules": { "plain_rules": rules } });
    mutate(&server, &key, "updateModerationPolicy", POLICY, more).await;
    let batch = submitted.body["id"].as_str().unwrap();
    let done = ended(&server, &key, batch).await;
    assert_eq!((&done["status"], milli(&done["credits_charged"])), (&json!("completed"), 1_500), "{done}");
    let lines = results(&server, &key, batch).await;
    let caught = lines.iter().find(|line| line["custom_id"] == "market").unwrap();
    assert_eq!(caught["response"]["body"]["action"], "timeout", "{caught}");
    assert_eq!(inv::balance(&db, &account.id).await, 98_500);
}

async fn a_model_that_fails_charges_nothing(db: Db) {
    let model = Upstream::start().await;
    let server = Server::with_model(&db, &model).start().await;
    let (account, key) = manager(&db, &server, 100).await;
    create(&server, &key, "house", json!({ "plain_rules": many(3) })).await;
    model.breaks(Fault::Status(500));
    judge(&server, &key, "hello there", "house").await.fails(500, "UPSTREAM_FAILED");
    assert_eq!(inv::balance(&db, &account.id).await, 100_000);
    model.heals();
    let answer = judge(&server, &key, "hello there", "house").await.ok();
    assert_eq!(deducted(&answer), 1_000);
    assert_eq!(
        model.asked().last().unwrap().body["questions"].as_object().unwrap().len(),
        3,
        "all in one request"
    );
}

on_both!(
    rules_apply_in_their_channels_and_cost_by_tens,
    ids_are_made_and_versions_keep_the_rules,
    a_bulk_item_is_held_and_charged_with_its_rules,
    a_model_that_fails_charges_nothing,
);
on_sqlite!(
    a_rule_catches_what_it_forbids_and_nothing_else,
    wrong_rules_are_refused_with_the_field,
    a_dry_run_shows_and_charges_the_rules,
    the_log_has_what_broke_and_a_shadow_asks_its_own_rules,
);
