//! Messages with an uncertain action are also sent to a diffusion model.

use serde_json::{Value, json};

use super::{asking::OPENROUTER_KEY, naming::two};
use crate::harness::{Account, Db, Fault, Server, ServerOptions, UPSTREAM_MODEL, Upstream, inv, on_sqlite};

const HARMS: [&str; 11] = [
    "toxic",
    "harassment",
    "hate",
    "sexual",
    "violence",
    "self_harm",
    "spam",
    "scam",
    "sexual_minors",
    "illicit",
    "extremism",
];

/// Options for a server that escalates every message.
fn asking(db: &Db, upstream: &Upstream) -> ServerOptions {
    Server::with(db)
        .env("GAVEL_DIFFUSION_URL", upstream.url())
        .env("GAVEL_TEXT_ESCALATE_BELOW", 1)
        .env("GAVEL_BACKEND_RETRIES", 0)
}

async fn moderate(server: &Server, account: &Account, message: Value) -> Value {
    server.post("/api/v1/moderate/text").key(&account.key).json(message).send().await.ok()
}

fn model(told: &Value) -> &str {
    told["routing_model"].as_str().expect("a model")
}

async fn an_uncertain_message_is_escalated(db: Db) {
    let upstream = Upstream::start().await;
    let server = asking(&db, &upstream).start().await;
    let account = server.account(10).await;
    let message = json!({ "content": "have a nice day, all of you", "author": "somebody-in-particular" });
    upstream.breaks(Fault::Altered(|body| {
        body["answers"].as_object_mut().unwrap().values_mut().for_each(|answer| answer["noul"] = json!(0.01));
    }));
    let harmless = moderate(&server, &account, message.clone()).await;
    let sent = upstream.asked().remove(0);
    assert_eq!(sent.body["state"], json!({ "chat_message": "have a nice day, all of you" }));
    let questions = sent.body["questions"].as_object().unwrap();
    assert!(questions.keys().eq(HARMS), "{questions:?}");
    assert!(questions.values().all(|question| question["type"] == "noul"));
    assert!(model(&harmless).ends_with(&format!("+{UPSTREAM_MODEL}")), "{harmless}");
    upstream.breaks(Fault::Altered(|body| {
        body["answers"].as_object_mut().unwrap().values_mut().for_each(|answer| answer["noul"] = json!(1));
    }));
    let harmful = moderate(&server, &account, message).await;
    let [more, less] = [&harmful, &harmless].map(|told| told["threat_score"].as_f64().unwrap());
    assert!(more > less, "{harmful} {harmless}");
    let native = json!({ "content": "have a nice day, all of you", "mode": "native" });
    assert!(!model(&moderate(&server, &account, native).await).contains(UPSTREAM_MODEL));
    assert_eq!(upstream.asked().len(), 2, "mode native is not escalated");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
}

async fn a_failed_escalation_keeps_the_local_verdict(db: Db) {
    let upstream = Upstream::start().await;
    let server = asking(&db, &upstream)
        .env("GAVEL_TEXT_ESCALATION_TIMEOUT_S", 1)
        .env("GAVEL_BACKEND_BREAKER_FAILURES", 1000);
    let server = server.start().await;
    let account = server.account(100).await;
    let content = "you are all invited to my birthday party";
    let alone = moderate(&Server::start(&db).await, &account, json!({ "content": content })).await;
    for fault in [
        Fault::Status(500),
        Fault::Status(402),
        Fault::Silent,
        Fault::Drip,
        Fault::Reset,
        Fault::Body("garbage"),
        Fault::Endless,
        Fault::Altered(|body| body["answers"]["hate"] = json!(null)),
        Fault::Altered(|body| body["answers"]["hate"]["noul"] = json!(2)),
    ] {
        upstream.breaks(fault.clone());
        let told = moderate(&server, &account, json!({ "content": content })).await;
        assert!(model(&told).ends_with(" (escalation failed)"), "{fault:?}: {told}");
        assert_eq!(told["action"], alone["action"], "{fault:?}");
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 10);
}

async fn each_message_of_a_batch_is_escalated(db: Db) {
    let upstream = Upstream::start().await;
    let server = asking(&db, &upstream).start().await;
    let account = server.account(10).await;
    upstream.next([None, Some(Fault::Status(500)), None]);
    let contents = ["the first of several", "the second of several", "the third of several"];
    let messages: Vec<Value> = contents.iter().map(|content| json!({ "content": content })).collect();
    let batch = server.post("/api/v1/moderate/text/batch").key(&account.key);
    let told = batch.json(json!({ "messages": messages })).send().await.ok();
    assert_eq!(told["results"].as_array().unwrap().len(), 3, "{told}");
    let mut asked: Vec<Value> =
        upstream.asked().into_iter().map(|mut one| one.body["state"]["chat_message"].take()).collect();
    asked.sort_by_key(ToString::to_string);
    assert_eq!(asked, contents);
}

async fn without_an_own_server_openrouter_is_asked(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with(&db)
        .env("GAVEL_OPENROUTER_URL", upstream.url())
        .env("GAVEL_OPENROUTER_API_KEY", OPENROUTER_KEY)
        .env("GAVEL_TEXT_ESCALATE_BELOW", 1);
    let server = server.start().await;
    let account = server.account(10).await;
    moderate(&server, &account, json!({ "content": "good morning to everybody" })).await;
    let sent = upstream.asked().remove(0);
    assert_eq!(
        (sent.path.as_str(), &sent.body["model"]),
        ("/api/v1/systemone", &json!("inception/mercury-decide"))
    );
}

/// What an explanation says of the second opinion.
fn opinion(told: &Value) -> (&str, &str, &str) {
    let opinion = &told["explanation"]["second_opinion"];
    let [backend, outcome, reason] = ["backend", "outcome", "reason"].map(|name| opinion[name].as_str());
    (backend.expect("a backend"), outcome.expect("an outcome"), reason.expect("a reason"))
}

async fn a_named_llm_gives_a_second_opinion_that_the_explanation_tells(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far)
        .env("GAVEL_TEXT_ESCALATE_BELOW", 1)
        .env("GAVEL_TEXT_ESCALATION_BACKEND", "near")
        .env("GAVEL_TEXT_ESCALATION_TIMEOUT_S", 2)
        .start()
        .await;
    let account = server.account(10).await;
    let message = json!({ "content": "have a nice day, all of you", "explain": true });
    let told = moderate(&server, &account, message.clone()).await;
    assert_eq!(near.asked().len(), 2 * HARMS.len(), "each harm in two orders");
    assert!(model(&told).ends_with(&format!("+{UPSTREAM_MODEL}")), "{told}");
    let (backend, outcome, reason) = opinion(&told);
    assert_eq!((backend, outcome), ("near", "answered"));
    assert!(
        reason.starts_with("the first verdict was unsure (") && reason.contains("not calibrated"),
        "{reason}"
    );
    assert_eq!(told["explanation"]["second_opinion"]["model"], UPSTREAM_MODEL);
    assert_eq!(told["credits_deducted"], 0.5, "the price of a message, whatever the backend's");
    let alone = moderate(&Server::start(&db).await, &account, message.clone()).await;
    assert!(alone["explanation"].get("second_opinion").is_none(), "{alone}");
    for fault in [Fault::Status(500), Fault::Body("<html>"), Fault::Silent] {
        near.breaks(fault.clone());
        let told = moderate(&server, &account, message.clone()).await;
        let (backend, outcome, reason) = opinion(&told);
        assert_eq!((backend, outcome), ("near", "failed"), "{fault:?}");
        assert!(reason.ends_with("; the first verdict stands"), "{reason}");
        assert_eq!((&told["action"], &told["threat_score"]), (&alone["action"], &alone["threat_score"]));
    }
    server.cli(&["account", "set-backends", "--account", &account.id, "--backends", "gavel"]).await;
    let limited = Account { key: db.scoped_key(&account, "moderate").await, ..account.clone() };
    let before = near.asked().len();
    let told = moderate(&server, &limited, message).await;
    let (backend, outcome, reason) = opinion(&told);
    assert_eq!((backend, outcome, near.asked().len()), ("near", "skipped", before));
    assert!(reason.contains("may not use it"), "{reason}");
    assert_eq!(told["threat_score"], alone["threat_score"]);
}

async fn messages_stay_within_the_data_boundary(db: Db) {
    let upstream = Upstream::start().await;
    let url = upstream.url();
    let far = [
        ("GAVEL_TEXT_ESCALATION_BACKEND", "far"),
        ("GAVEL_BACKENDS__FAR__KIND", "system_one"),
        ("GAVEL_BACKENDS__FAR__URL", url.as_str()),
        ("GAVEL_BACKENDS__FAR__EXTERNAL", "true"),
    ];
    let openrouter = [("GAVEL_OPENROUTER_API_KEY", OPENROUTER_KEY)];
    let both = [("GAVEL_TEXT_ESCALATION_BACKEND", "local"), ("GAVEL_DIFFUSION_URL", url.as_str())];
    let unknown = [("GAVEL_TEXT_ESCALATION_BACKEND", "nowhere")];
    for (settings, says) in [
        (&far[..], "text_escalation_backend must not be far: data_boundary is local"),
        (&openrouter[..], "text_escalate_below must not be diffusion: data_boundary is local"),
        (&both[..], "must not both be set"),
        (&unknown[..], "text_escalation_backend is not a backend of this server: `nowhere`"),
    ] {
        let mut command = db.command(&["serve"]);
        command.env("GAVEL_TEXT_ESCALATE_BELOW", "1").env("GAVEL_DATA_BOUNDARY", "local");
        let ended = command.envs(settings.iter().copied()).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && said.contains(says), "{settings:?}: {said}");
    }
    assert!(upstream.asked().is_empty());
}

on_sqlite!(
    a_named_llm_gives_a_second_opinion_that_the_explanation_tells,
    messages_stay_within_the_data_boundary,
    an_uncertain_message_is_escalated,
    a_failed_escalation_keeps_the_local_verdict,
    each_message_of_a_batch_is_escalated,
    without_an_own_server_openrouter_is_asked,
);
