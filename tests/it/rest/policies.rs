//! Moderation policies: an account's own rules, used by name in requests, and their validation.

use crate::graphql::mutation;
use serde_json::{Value, json};

use crate::harness::{Account, Answer, Db, Server, eventually_within, inv, on_both, on_postgres};

const SINGLE: &str = "/api/v1/moderate/text";
const BATCH: &str = "/api/v1/moderate/text/batch";
const POLICY: &str = "moderationPolicy { id name version rules archived } userErrors { field message code }";

/// An account and a key with all permissions.
pub(super) async fn manager(db: &Db, server: &Server, credits: i32) -> (Account, String) {
    let account = server.account(credits).await;
    let key = db.scoped_key(&account, "moderate,infer,manage,read").await;
    (account, key)
}

/// The payload of a mutation with an input, such as `createModerationPolicy`.
pub(super) async fn mutate(server: &Server, key: &str, name: &str, fields: &str, input: Value) -> Value {
    server.ask(key, &mutation(name, fields), json!({ "input": input })).await["payload"].clone()
}

pub(super) async fn create(server: &Server, key: &str, name: &str, rules: Value) -> Value {
    let input = json!({ "name": name, "rules": rules });
    let payload = mutate(server, key, "createModerationPolicy", POLICY, input).await;
    assert_eq!(payload["userErrors"], json!([]), "{payload}");
    payload["moderationPolicy"].clone()
}

pub(super) async fn judge(server: &Server, key: &str, content: &str, policy: &str) -> Answer {
    let body = json!({ "content": content, "policy": policy, "explain": true });
    server.post(SINGLE).key(key).json(body).send().await
}

/// The verdict without the fields that differ between requests.
fn decision(answer: &Value) -> Value {
    let mut decision = answer.clone();
    for field in ["id", "latency_ms", "remaining_credits", "credits_deducted", "policy", "content"] {
        decision.as_object_mut().unwrap().remove(field);
    }
    decision
}

async fn a_policy_decides_by_its_rules_and_is_named(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let rules = json!({
        "categories": {
            "harassment": { "thresholds": { "warn": 0.9, "ban": 0.95 } },
            "spam": { "enabled": false },
        },
        "block": [
            { "action": "ban", "phrases": ["rival guild", "nitro*"], "domains": ["rival.com"] },
            { "action": "review", "phrases": ["see a moderator"] },
        ],
        "allow": { "phrases": ["noob"], "domains": ["dlscord-gift.com"] },
        "languages": { "known": ["en"], "action": "warn" },
    });
    let made = create(&server, &key, "strict", rules).await;
    let named = json!({ "id": made["id"], "name": "strict", "version": 1 });
    for (content, action) in [
        ("come to the R1VAL guild", "ban"),
        ("fr33 n1trogen", "ban"),
        ("look at www.rival.com", "ban"),
        ("look at chat.rival.com/x", "ban"),
        ("всем доброе утро", "warn"),
    ] {
        let answer = judge(&server, &key, content, "strict").await.ok();
        assert_eq!((&answer["action"], &answer["policy"]), (&json!(action), &named), "{content}: {answer}");
        let signals = answer["explanation"]["signals"].to_string();
        assert!(signals.contains("policy:"), "{content}: {signals}");
        let plain = server.moderate(&key, content).send().await;
        assert_ne!(plain.clone().ok()["action"], action, "{content}: without a policy");
        assert!(!plain.text.contains("policy"), "{}", plain.text);
    }
    let review = judge(&server, &key, "please see a moderator", "strict").await.ok();
    assert!(review["requires_mod_review"].as_f64().unwrap() > 0.9, "{review}");
    // An allowed link is no lure. A policy can be used by its id too.
    let lure = "look here: https://dlscord-gift.com/nitr0x";
    let plain = server.moderate(&key, lure).send().await.ok();
    assert!(plain["is_phishing_or_scam"].as_f64().unwrap() > 0.9, "{plain}");
    let allowed = judge(&server, &key, lure, made["id"].as_str().unwrap()).await.ok();
    assert!(allowed["is_phishing_or_scam"].as_f64().unwrap() < 0.5, "{allowed}");
    // Each message may name its own policy; others use the batch's.
    create(&server, &key, "empty", json!({})).await;
    let body = json!({ "policy": "strict", "messages": [
        { "content": "rival guild" }, { "content": "rival guild", "policy": "empty" },
    ] });
    let answer = server.post(BATCH).key(&key).json(body).send().await.ok();
    let results = &answer["results"];
    assert_eq!((&results[0]["action"], &results[0]["policy"]["name"]), (&json!("ban"), &json!("strict")));
    assert_eq!((&results[1]["action"], &results[1]["policy"]["name"]), (&json!("none"), &json!("empty")));
    let body = json!({ "input": ["rival guild", "hello"], "policy": "strict" });
    let theirs = server.post("/v1/moderations").key(&key).json(body).send().await.ok();
    assert_eq!(theirs["results"][0]["flagged"], true, "{theirs}");
    assert_eq!(theirs["results"][1]["flagged"], false, "{theirs}");
    assert_eq!(theirs["results"][0]["policy"], named);
}

async fn grooming_is_reviewed_under_every_policy(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let approach = "you're 12 right? don't tell your mum that we talk, this is our secret, send me a picture";
    let plain = server.moderate(&key, approach).send().await.ok();
    assert_ne!(plain["action"], "none", "{plain}");
    for (name, rule) in [("off", json!({ "enabled": false })), ("light", json!({ "weight": 0 }))] {
        create(
            &server,
            &key,
            name,
            json!({ "categories": { "sexual_minors": rule, "illicit": { "weight": 2 } } }),
        )
        .await;
        let answer = judge(&server, &key, approach, name).await.ok();
        assert!(answer["requires_mod_review"].as_f64().unwrap() >= 0.5, "{answer}");
        assert!(answer["threat_score"].as_f64() < plain["threat_score"].as_f64(), "{answer}");
    }
}

async fn a_policy_without_rules_changes_no_verdict(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    create(&server, &key, "empty", json!({})).await;
    for content in [
        "free nitro for everyone, claim at dlscord-gift.com",
        "i will find you and kill you",
        "gg well played",
        "sooooo what @a @b @c @d discord.gg/abc",
    ] {
        let body = json!({ "content": content, "explain": true, "account_age_days": 1 });
        let plain = server.post(SINGLE).key(&key).json(body.clone()).send().await.ok();
        let mut body = body;
        body["policy"] = json!("empty");
        let ruled = server.post(SINGLE).key(&key).json(body).send().await.ok();
        assert_eq!(decision(&plain), decision(&ruled), "{content}");
        let fields: Vec<&str> = plain.as_object().unwrap().keys().map(String::as_str).collect();
        let documented = [
            "id",
            "action",
            "threat_score",
            "is_phishing_or_scam",
            "requires_mod_review",
            "action_probabilities",
            "routing_model",
            "latency_ms",
            "mode",
            "credits_deducted",
            "remaining_credits",
            "explanation",
        ];
        assert_eq!(fields, documented, "without a policy the answer has no other fields");
    }
}

/// The threat score of a message by an author with an account of this age.
async fn threat(server: &Server, key: &str, policy: Option<&str>, age: u64) -> f64 {
    let mut body = json!({ "content": "you are an idiot", "account_age_days": age });
    body.as_object_mut().unwrap().extend(policy.map(|policy| ("policy".to_owned(), json!(policy))));
    let answer = server.post(SINGLE).key(key).json(body).send().await.ok();
    answer["threat_score"].as_f64().unwrap()
}

async fn strictness_with_new_accounts_and_weights_raise_the_threat(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    create(&server, &key, "new", json!({ "new_accounts": { "days": 7, "weight": 3 } })).await;
    create(&server, &key, "hot", json!({ "categories": { "toxic": { "weight": 10 } } })).await;
    let plain = threat(&server, &key, None, 5).await;
    let old = threat(&server, &key, Some("new"), 7).await;
    let new = threat(&server, &key, Some("new"), 5).await;
    assert!((new - 3.0 * plain).abs() < 1e-3 && old < plain, "{plain} {old} {new}");
    assert!(threat(&server, &key, Some("hot"), 30).await > threat(&server, &key, None, 30).await);
}

async fn update(server: &Server, key: &str, input: Value) -> Value {
    mutate(server, key, "updateModerationPolicy", POLICY, input).await
}

async fn a_change_creates_a_version_that_applies_immediately(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let made = create(&server, &key, "house", json!({})).await;
    let id = made["id"].clone();
    assert_eq!(judge(&server, &key, "rival guild", "house").await.ok()["action"], "none");
    let rules = json!({ "block": [{ "action": "timeout", "phrases": ["rival guild"] }] });

    let changed = update(&server, &key, json!({ "id": id, "version": 1, "rules": rules })).await;
    assert_eq!(changed["moderationPolicy"]["version"], 2, "{changed}");
    let answer = judge(&server, &key, "rival guild", "house").await.ok();
    assert_eq!((&answer["action"], &answer["policy"]["version"]), (&json!("timeout"), &json!(2)));
    // Unchanged rules make no new version; a change of an outdated version is refused.
    let same = update(&server, &key, json!({ "id": id, "rules": rules, "name": "home" })).await;
    assert_eq!(same["moderationPolicy"]["version"], 2, "{same}");
    let late = update(&server, &key, json!({ "id": id, "version": 1, "rules": {} })).await;
    assert_eq!(late["userErrors"][0]["code"], "CONFLICT", "{late}");
    assert_eq!(
        judge(&server, &key, "x y", "house").await.fails(404, "NOT_FOUND"),
        "there is no such moderation policy"
    );
    let query = "query($id: ID!) { moderationPolicy(id: $id) { name versions(first: 1) { totalCount \
        pageInfo { hasNextPage } nodes { version rules createdBy { id } } } } account { moderationPolicies { \
        totalCount nodes { name } } } }";
    let read = server.ask(&key, query, json!({ "id": id })).await;
    let versions = &read["moderationPolicy"]["versions"];
    assert_eq!((&versions["totalCount"], &versions["nodes"][0]["version"]), (&json!(2), &json!(2)), "{read}");
    assert_eq!(versions["pageInfo"]["hasNextPage"], true);
    assert_eq!(read["account"]["moderationPolicies"]["nodes"], json!([{ "name": "home" }]));

    // An archived policy cannot be used, but a replay still works.
    let body = json!({ "content": "rival guild", "policy": "home" });
    let first = server.post(SINGLE).key(&key).idempotent("once").json(body.clone()).send().await;
    assert_eq!(first.clone().ok()["action"], "timeout");
    let archived = mutate(&server, &key, "archiveModerationPolicy", POLICY, json!({ "id": id })).await;
    assert_eq!(archived["moderationPolicy"]["archived"], true, "{archived}");
    judge(&server, &key, "rival guild", "home").await.fails(404, "NOT_FOUND");
    let replay = server.post(SINGLE).key(&key).idempotent("once").json(body).send().await;
    assert_eq!(replay.text, first.text);
    let refused = update(&server, &key, json!({ "id": id, "name": "other" })).await;
    assert_eq!(refused["userErrors"][0]["code"], "CONFLICT");
    mutate(&server, &key, "unarchiveModerationPolicy", POLICY, json!({ "id": id })).await;
    judge(&server, &key, "rival guild", "home").await.ok();
}

const SHADOW: &str = "moderationPolicy { id version shadow { version rules outcomes { live shadow messages } } } \
    userErrors { code message }";

/// Makes the shadow of a policy its version.
async fn end_shadow(server: &Server, key: &str, id: &Value) -> Value {
    let input = json!({ "id": id, "activate": true });
    mutate(server, key, "endModerationPolicyShadow", SHADOW, input).await
}

fn differing(content: &str, live: &str, shadow: &str) -> Value {
    let shadow = json!({ "version": 2, "action": shadow });
    json!({ "moderation": { "content": content, "action": live, "shadow": shadow } })
}

async fn a_shadow_is_recorded_and_never_acted_on(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 100).await;
    let id = create(&server, &key, "house", json!({})).await["id"].clone();
    let set = json!({ "enabled": true });
    mutate(&server, &key, "setModerationLog", "userErrors { code }", set).await;

    // The shadow times out what the policy leaves alone, and leaves alone what the policy acts upon.
    let insult = "you are a worthless idiot";
    let rules = json!({
        "block": [{ "action": "timeout", "phrases": ["rival guild"] }],
        "allow": { "phrases": ["worthless idiot"] },
    });
    let begun =
        mutate(&server, &key, "shadowModerationPolicy", SHADOW, json!({ "id": id, "rules": rules })).await;
    let shadow = json!({ "version": 2, "rules": rules, "outcomes": [] });
    assert_eq!(begun["moderationPolicy"]["version"], 1, "{begun}");
    assert_eq!(begun["moderationPolicy"]["shadow"]["version"], shadow["version"]);
    let hello = judge(&server, &key, "hello everybody", "house").await.ok();
    let guild = judge(&server, &key, "rival guild", "house").await.ok();
    let insulted = judge(&server, &key, insult, "house").await.ok();
    assert_eq!((&hello["action"], &guild["action"]), (&json!("none"), &json!("none")), "never acted on");
    assert_ne!(insulted["action"], "none");
    let live = insulted["action"].as_str().unwrap().to_uppercase();

    let query = "query($id: ID!, $version: Int!) { moderationPolicy(id: $id) { shadow { outcomes { live shadow \
        messages } } } account { moderationLog { differing: samples(order: OLDEST_FIRST, moderation: { policyId: $id, \
        shadowVersion: $version, shadowDiffers: true }) { nodes { moderation { content action shadow { version \
        action } } } } agreeing: samples(moderation: { shadowDiffers: false }) { totalCount } } } }";
    let seen = server.ask(&key, query, json!({ "id": id, "version": 2 })).await;
    let mut outcomes = vec![
        json!({ "live": "NONE", "shadow": "NONE", "messages": 1 }),
        json!({ "live": "NONE", "shadow": "TIMEOUT", "messages": 1 }),
        json!({ "live": live, "shadow": "NONE", "messages": 1 }),
    ];
    assert_eq!(seen["moderationPolicy"]["shadow"]["outcomes"], json!(outcomes));
    let log = &seen["account"]["moderationLog"];
    assert_eq!(log["agreeing"]["totalCount"], 1);
    let expected = json!([differing("rival guild", "NONE", "TIMEOUT"), differing(insult, &live, "NONE"),]);
    assert_eq!(log["differing"]["nodes"], expected);

    // A change of the policy takes the next number, and the shadow goes on; then it takes over.
    let changed =
        update(&server, &key, json!({ "id": id, "rules": { "allow": { "phrases": ["x y z"] } } })).await;
    assert_eq!(changed["moderationPolicy"]["version"], 3, "{changed}");
    judge(&server, &key, "hello again", "house").await.ok();
    outcomes[0]["messages"] = json!(2);
    let seen = server.ask(&key, query, json!({ "id": id, "version": 2 })).await;
    assert_eq!(seen["moderationPolicy"]["shadow"]["outcomes"], json!(outcomes));
    let ended = end_shadow(&server, &key, &id).await;
    assert_eq!(ended["moderationPolicy"], json!({ "id": id, "version": 2, "shadow": null }));
    assert_eq!(judge(&server, &key, "rival guild", "house").await.ok()["action"], "timeout");
}

async fn wrong_shadows_are_refused(db: Db) {
    let server = Server::start(&db).await;
    let (_, key) = manager(&db, &server, 1).await;
    let (_, stranger) = manager(&db, &server, 1).await;
    let id = create(&server, &key, "house", json!({})).await["id"].clone();
    assert_eq!(end_shadow(&server, &key, &id).await["userErrors"][0]["code"], "CONFLICT");
    assert_eq!(end_shadow(&server, &stranger, &id).await["userErrors"][0]["code"], "NOT_FOUND");
    for (key, rules, code) in
        [(&stranger, json!({}), "NOT_FOUND"), (&key, json!({ "x": 1 }), "VALIDATION_FAILED")]
    {
        let input = json!({ "id": id, "rules": rules });
        let refused = mutate(&server, key, "shadowModerationPolicy", SHADOW, input).await;
        assert_eq!(refused["userErrors"][0]["code"], code, "{refused}");
    }
    mutate(&server, &key, "archiveModerationPolicy", POLICY, json!({ "id": id })).await;
    let input = json!({ "id": id, "rules": {} });
    let archived = mutate(&server, &key, "shadowModerationPolicy", SHADOW, input).await;
    assert_eq!(archived["userErrors"][0]["code"], "CONFLICT");
}

async fn replicas_apply_a_change(db: Db) {
    let server = Server::start(&db).await;
    let replica = server.replica().await;
    let (_, key) = manager(&db, &server, 1_000).await;
    let id = create(&server, &key, "house", json!({})).await["id"].clone();
    for version in 2..6 {
        judge(&replica, &key, "hello", "house").await.ok();
        let rules = json!({ "new_accounts": { "days": version, "weight": 2 } });
        let input = json!({ "id": id, "rules": rules });
        mutate(&server, &key, "updateModerationPolicy", POLICY, input).await;
        let here = judge(&server, &key, "hello", "house").await.ok();
        assert_eq!(here["policy"]["version"], version, "at once where it was changed");
        let replica = &replica;
        let key = &key;
        eventually_within(
            std::time::Duration::from_secs(4),
            "the replica decides by the new version",
            || async move {
                let there = judge(replica, key, "hello", "house").await.ok();
                (there["policy"]["version"] == version).then_some(())
            },
        )
        .await;
    }
}

async fn wrong_policies_are_refused_with_the_field(db: Db) {
    let server = Server::start(&db).await;
    let (account, key) = manager(&db, &server, 10).await;
    let words: Vec<String> = (0..10_001).map(|i| format!("word{i}")).collect();
    for (rules, field) in [
        (json!({ "categories": { "rudeness": {} } }), "rules.categories.rudeness"),
        (
            json!({ "categories": { "hate": { "thresholds": { "warn": 0.9, "ban": 0.5 } } } }),
            "rules.categories.hate.thresholds.ban",
        ),
        (json!({ "block": [{ "action": "ban", "phrases": words }] }), "rules.block"),
        (
            json!({ "block": [{ "action": "ban", "phrases": ["fine", "(a+)+$"] }] }),
            "rules.block[0].phrases[1]",
        ),
        (json!({ "allow": { "domains": ["no domain"] } }), "rules.allow.domains[0]"),
        (json!({ "colour": "red" }), "rules.colour"),
        (json!(5), "rules"),
    ] {
        let input = json!({ "name": "wrong", "rules": rules });
        let refused = mutate(&server, &key, "createModerationPolicy", POLICY, input).await;
        let error = &refused["userErrors"][0];
        assert_eq!(
            (&error["field"], &error["code"]),
            (&json!(field), &json!("VALIDATION_FAILED")),
            "{error}"
        );
        let input = json!({ "rules": rules, "messages": [{ "content": "hello" }] });
        let fields = "results { content } userErrors { field code }";
        let refused = mutate(&server, &key, "dryRunModerationPolicy", fields, input).await;
        assert_eq!(refused["userErrors"][0]["field"], json!(field), "{refused}");
    }
    let most = json!({ "block": [{ "action": "warn", "phrases": words[..10_000] }] });
    create(&server, &key, "most", most).await;
    let answer = judge(&server, &key, "is word 9999 or w0rd9999 here?", "most").await.ok();
    assert_eq!(answer["action"], "warn", "{answer}");
    let again = json!({ "name": " most ", "rules": {} });
    let again = mutate(&server, &key, "createModerationPolicy", POLICY, again).await;
    let errors = &again["userErrors"][0];
    assert_eq!((&errors["code"], &errors["field"]), (&json!("CONFLICT"), &json!("name")), "{again}");
    for name in ["", "two\nlines", "policy_x", &"n".repeat(101)] {
        let refused =
            mutate(&server, &key, "createModerationPolicy", POLICY, json!({ "name": name, "rules": {} }));
        assert_eq!(refused.await["userErrors"][0]["field"], "name", "{name}");
    }
    // In requests: an unknown policy, another account's, and invalid names.
    let other = server.account(10).await;
    for policy in ["none", "policy_01kahd7f3ye9pvsk8h0a5m5x2e"] {
        judge(&server, &key, "hello", policy).await.fails(404, "NOT_FOUND");
    }
    judge(&server, &other.key, "hello", "most").await.fails(404, "NOT_FOUND");
    for policy in [json!(5), json!(""), json!("a\0b"), json!("x".repeat(10_000)), json!(["most"])] {
        let body = json!({ "content": "hello", "policy": policy });
        let refused = server.post(SINGLE).key(&key).json(body).send().await;
        refused.fails(422, "VALIDATION_FAILED");
        assert_eq!(refused.body["details"][0]["field"], "policy", "{}", refused.text);
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1, "only the answer was charged");
}

async fn a_key_has_a_default_policy_and_analysts_change_nothing(db: Db) {
    let server = Server::start(&db).await;
    let (account, key) = manager(&db, &server, 100).await;
    let (bot, secret) = db.key(&account, &["--scopes", "moderate"]).await;
    let analyst = db.scoped_key(&account, "read").await;
    let rules = json!({ "block": [{ "action": "warn", "phrases": ["rival guild"] }] });
    let id = create(&server, &key, "house", rules).await["id"].clone();
    create(&server, &key, "empty", json!({})).await;
    let fields = "apiKey { moderationPolicyId } userErrors { code message }";
    let input = json!({ "id": bot, "moderationPolicyId": id });
    let set = mutate(&server, &key, "setApiKeyModerationPolicy", fields, input).await;
    assert_eq!(set["apiKey"]["moderationPolicyId"], id, "{set}");
    let answer = server.moderate(&secret, "rival guild").send().await.ok();
    assert_eq!((&answer["action"], &answer["policy"]["id"]), (&json!("warn"), &id), "{answer}");
    assert_eq!(judge(&server, &secret, "rival guild", "empty").await.ok()["action"], "none");
    let body = json!({ "input": "rival guild" });
    let theirs = server.post("/v1/moderations").key(&secret).json(body).send().await.ok();
    assert_eq!(theirs["results"][0]["flagged"], true, "{theirs}");
    // A retry is the same request although the key's policy has changed.
    let first = server.moderate(&secret, "rival guild").idempotent("k").send().await;
    let archive = mutate(&server, &key, "archiveModerationPolicy", POLICY, json!({ "id": id })).await;
    assert_eq!(archive["userErrors"][0]["code"], "CONFLICT", "it is a key's default: {archive}");
    let input = json!({ "id": bot, "moderationPolicyId": null });
    mutate(&server, &key, "setApiKeyModerationPolicy", fields, input).await;
    let server = &server;
    let secret = &secret;
    eventually_within(std::time::Duration::from_secs(10), "the key has no policy", || async move {
        let answer = server.moderate(secret, "rival guild").send().await.ok();
        (answer["action"] == "none" && answer.get("policy").is_none()).then_some(())
    })
    .await;
    let retried = server.moderate(secret, "rival guild").idempotent("k").send().await;
    assert_eq!(retried.text, first.text);
    let query = "mutation($id: ID!) { archiveModerationPolicy(input: { id: $id }) { userErrors { code } } }";
    server.graphql(query, json!({ "id": id })).key(&analyst).send().await.refused("FORBIDDEN");
    let query = "mutation { dryRunModerationPolicy(input: { rules: {}, messages: [{ content: \"x\" }] }) { \
        userErrors { code } } }";
    server.graphql(query, json!({})).key(&analyst).send().await.refused("FORBIDDEN");
}

async fn dry_run(server: &Server, key: &str, messages: Value) -> Value {
    let fields = "results { content verdict { action threatScore signals { name start end } categories { \
        category probability } } withoutPolicy { action } } creditsDeducted remainingCredits userErrors { \
        field code }";
    let rules = json!({ "block": [{ "action": "ban", "phrases": ["rival guild"] }] });
    let input = json!({ "rules": rules, "messages": messages });
    mutate(server, key, "dryRunModerationPolicy", fields, input).await
}

async fn a_dry_run_shows_both_verdicts_and_is_charged_like_any_moderation(db: Db) {
    let server = Server::start(&db).await;
    let (account, key) = manager(&db, &server, 2).await;
    let ran = dry_run(&server, &key, json!([{ "content": "ü rival guild" }, { "content": "hello" }])).await;
    let one = &ran["results"][0];
    assert_eq!(
        (&one["verdict"]["action"], &one["withoutPolicy"]["action"]),
        (&json!("BAN"), &json!("NONE")),
        "{ran}"
    );
    let blocked = json!({ "name": "policy:blocked_phrase", "start": 2, "end": 13 });
    assert!(one["verdict"]["signals"].as_array().unwrap().contains(&blocked), "{one}");
    assert_eq!(ran["results"][1]["verdict"]["action"], "NONE");
    assert_eq!((&ran["creditsDeducted"], &ran["remainingCredits"]), (&json!(1.0), &json!(1.0)));
    let refused = dry_run(&server, &key, json!([{ "content": "fine" }, { "content": " " }])).await;
    assert_eq!(refused["userErrors"][0]["field"], "messages[1].content", "{refused}");
    for messages in [vec![], vec![json!({ "content": "x" }); 51]] {
        let refused = dry_run(&server, &key, json!(messages)).await;
        assert_eq!(refused["userErrors"][0]["field"], "messages");
    }
    let poor = dry_run(&server, &key, json!(vec![json!({ "content": "x" }); 3])).await;
    assert_eq!(poor["userErrors"][0]["code"], "INSUFFICIENT_CREDITS", "{poor}");
    assert_eq!(inv::balance(&db, &account.id).await, 1_000, "nothing is charged on failure");
    let listed = server.ask(&key, "{ account { moderationPolicies { totalCount } } }", json!({})).await;
    assert_eq!(listed["account"]["moderationPolicies"]["totalCount"], 0, "nothing is saved");
}

on_both!(
    a_shadow_is_recorded_and_never_acted_on,
    wrong_shadows_are_refused,
    a_policy_decides_by_its_rules_and_is_named,
    grooming_is_reviewed_under_every_policy,
    a_change_creates_a_version_that_applies_immediately,
    wrong_policies_are_refused_with_the_field,
    a_key_has_a_default_policy_and_analysts_change_nothing,
    a_dry_run_shows_both_verdicts_and_is_charged_like_any_moderation,
    a_policy_without_rules_changes_no_verdict,
    strictness_with_new_accounts_and_weights_raise_the_threat,
);
on_postgres!(replicas_apply_a_change);
