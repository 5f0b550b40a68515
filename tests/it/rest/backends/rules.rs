//! Rules in plain language that a named backend is asked about.

use serde_json::{Value, json};

use crate::{
    harness::{Account, Answer, Db, Fault, Server, ServerOptions, UPSTREAM_MODEL, Upstream, inv, on_sqlite},
    rest::policies::{create, manager, mutate},
};

/// Options for a server that asks `rules`, which speaks as `kind`, about rules.
fn asking(db: &Db, upstream: &Upstream, kind: &str) -> ServerOptions {
    Server::with(db)
        .env("GAVEL_PLAIN_RULES_BACKEND", "rules")
        .env("GAVEL_BACKENDS__RULES__KIND", kind)
        .env("GAVEL_BACKENDS__RULES__URL", upstream.url())
        .env("GAVEL_BACKENDS__RULES__PRICE", 7)
        .env("GAVEL_BACKENDS__RULES__TIMEOUT_S", 1)
        .env("GAVEL_BACKENDS__RULES__RETRIES", 0)
        .env("GAVEL_BACKEND_BREAKER_FAILURES", 1000)
}

fn trading() -> Value {
    json!({ "plain_rules": [{
        "id": "no_trading", "action": "timeout", "text": "No trading outside #market.",
        "examples": {
            "not_allowed": (0..7).map(|n| format!("wts {n} frost blades")).collect::<Vec<_>>(),
            "allowed": ["raid at 8?"],
        },
    }] })
}

async fn moderate(server: &Server, key: &str, content: &str) -> Answer {
    let body = json!({ "content": content, "author": "somebody-in-particular", "channel": "general",
        "channel_topic": "raids", "policy": "market", "mode": "native", "explain": true });
    server.post("/api/v1/moderate/text").key(key).json(body).send().await
}

/// Makes a System One server answer every question with this probability.
fn says_yes(body: &mut Value) {
    body["answers"].as_object_mut().unwrap().values_mut().for_each(|answer| answer["noul"] = json!(0.97));
}

async fn an_llm_reads_the_rule_with_its_newest_examples(db: Db) {
    let llm = Upstream::start().await;
    let server = asking(&db, &llm, "openai_chat").start().await;
    let (account, key) = manager(&db, &server, 100).await;
    create(&server, &key, "market", trading()).await;
    let told = moderate(&server, &key, "anyone selling a shield?").await.ok();
    let rule = &told["explanation"]["rules"][0];
    assert_eq!(rule["model"], format!("rules/{UPSTREAM_MODEL}"), "{told}");
    let probability = rule["probability"].as_f64().expect("a probability");
    assert_eq!(rule["broken"], probability >= 0.5, "{rule}");
    assert_eq!(told["credits_deducted"], 1.0, "a message and one rule, whatever the backend's price");
    let asked = llm.asked();
    assert_eq!(asked.len(), 2, "in two orders");
    let user = asked[0].body["messages"][1]["content"].as_str().expect("a text");
    for part in [
        "No trading outside #market.",
        "Messages that break it:\n- wts 2 frost",
        "- wts 6 frost",
        "raid at 8?",
    ] {
        assert!(user.contains(part), "{part}: {user}");
    }
    assert!(!user.contains("wts 1 frost"), "five of each side: {user}");
    let document = user.rsplit("===").nth(2).expect("a document");
    assert!(document.contains("anyone selling a shield?") && document.contains("raids"), "{document}");
    assert!(!user.contains("somebody-in-particular"), "{user}");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn what_the_backend_says_decides_also_in_dry_runs_and_batches(db: Db) {
    let backend = Upstream::start().await;
    let server = asking(&db, &backend, "system_one").start().await;
    let (_, key) = manager(&db, &server, 100).await;
    create(&server, &key, "market", trading()).await;
    backend.breaks(Fault::Altered(says_yes));
    let told = moderate(&server, &key, "good morning").await.ok();
    assert_eq!(
        (&told["action"], &told["explanation"]["rules"][0]["broken"]),
        (&json!("timeout"), &json!(true))
    );
    let one = json!({ "content": "good evening", "policy": "market" });
    let batch = json!({ "explain": true, "messages": [one, one, { "content": "good night" }] });
    let told = server.post("/api/v1/moderate/text/batch").key(&key).json(batch).send().await.ok();
    let actions: Vec<&Value> = told["results"].as_array().unwrap().iter().map(|one| &one["action"]).collect();
    assert_eq!(actions, ["timeout", "timeout", "none"], "{told}");
    let input = json!({ "rules": trading(), "messages": [{ "content": "good day" }] });
    let fields = "results { verdict { action plainRules { broken model } } } userErrors { message }";
    let ran = mutate(&server, &key, "dryRunModerationPolicy", fields, input).await;
    let found = json!([{ "broken": true, "model": format!("rules/{UPSTREAM_MODEL}") }]);
    assert_eq!(ran["results"][0]["verdict"], json!({ "action": "TIMEOUT", "plainRules": found }), "{ran}");
    assert_eq!(backend.asked().len(), 4, "one request for each message with rules");
}

async fn where_the_backend_does_not_answer_the_default_model_does(db: Db) {
    let backend = Upstream::start().await;
    let server = asking(&db, &backend, "system_one").start().await;
    let (account, key) = manager(&db, &server, 100).await;
    create(&server, &key, "market", trading()).await;
    for fault in [Fault::Status(500), Fault::Status(402), Fault::Body("<html>"), Fault::Silent, Fault::Drip] {
        backend.breaks(fault.clone());
        let told = moderate(&server, &key, "raid at 9?").await.ok();
        let rule = &told["explanation"]["rules"][0];
        assert!(rule["probability"].is_f64() && rule.get("model").is_none(), "{fault:?}: {told}");
        assert_eq!(told["credits_deducted"], 1.0);
    }
    backend.heals();
    let before = backend.asked().len();
    server.cli(&["account", "set-backends", "--account", &account.id, "--backends", "gavel"]).await;
    let limited = Account { key: db.scoped_key(&account, "moderate").await, ..account };
    let told = moderate(&server, &limited.key, "raid at 9?").await.ok();
    assert!(told["explanation"]["rules"][0].get("model").is_none(), "{told}");
    assert_eq!(backend.asked().len(), before, "an account that may not use it");
}

async fn a_wrong_backend_stops_the_start(db: Db) {
    let far = [
        ("GAVEL_PLAIN_RULES_BACKEND", "far"),
        ("GAVEL_BACKENDS__FAR__KIND", "system_one"),
        ("GAVEL_BACKENDS__FAR__URL", "http://127.0.0.1:9"),
        ("GAVEL_BACKENDS__FAR__EXTERNAL", "true"),
    ];
    let unknown = [("GAVEL_PLAIN_RULES_BACKEND", "nowhere")];
    for (settings, says) in [
        (&far[..], "plain_rules_backend must not be far: data_boundary is local"),
        (&unknown[..], "plain_rules_backend is not a backend of this server: `nowhere`"),
    ] {
        let mut command = db.command(&["serve"]);
        command.env("GAVEL_DATA_BOUNDARY", "local");
        let ended = command.envs(settings.iter().copied()).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && said.contains(says), "{settings:?}: {said}");
    }
}

on_sqlite!(
    an_llm_reads_the_rule_with_its_newest_examples,
    what_the_backend_says_decides_also_in_dry_runs_and_batches,
    where_the_backend_does_not_answer_the_default_model_does,
    a_wrong_backend_stops_the_start,
);
