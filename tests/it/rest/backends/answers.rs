//! Requests to model servers, and how their answers are passed on.

use std::time::Duration;

use serde_json::{Value, json};

use super::asking::{INFERENCE, OPENROUTER_KEY, ask, asked, local, openrouter};
use crate::harness::{
    Db, Fault, Server, UPSTREAM_COST, UPSTREAM_MODEL, Upstream, eventually, inv, on_sqlite,
};

async fn a_server_in_place_of_the_model_is_asked_in_its_own_format(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_LOCAL_API_KEY", "key-of-our-own-server").start().await;
    db.record().key("key-of-our-own-server");
    let account = server.account(10).await;
    let body = json!({
        "state": { "subject": "A broken screen", "paid": true },
        "instructions": {
            "team": { "type": "choice", "instructions": { "task": "route it" },
                      "criteria": { "billing": "Payments and invoices", "returns": null } },
            "urgency": { "type": "score", "instructions": "How urgent is it?", "criteria": ["low", "high"] },
            "angry": { "type": "noul", "instructions": "Is the author angry?", "criteria": { "true": "Swears" } },
            "polite": "Is the author polite?",
        },
        "parameters": { "temperature": 2.0, "abstain_below": 0.1, "steps": 3, "seed": 7,
            "questions": {}, "stream": true },
    });
    let answer = server.post(INFERENCE).key(&account.key).json(body).send().await;
    let told = answer.ok();
    let sent = upstream.asked().remove(0);
    assert_eq!(sent.path, "/v1/systemone");
    assert_eq!(
        sent.body,
        json!({
            "model": UPSTREAM_MODEL,
            "state": { "subject": "A broken screen", "paid": true },
            "questions": {
                "team": { "type": "choice", "instructions": { "task": "route it" },
                          "criteria": { "billing": "Payments and invoices", "returns": null } },
                "urgency": { "type": "score", "instructions": "How urgent is it?", "criteria": ["low", "high"] },
                "angry": { "type": "noul", "instructions": "Is the author angry?",
                           "criteria": { "true": "Swears", "false": null } },
                "polite": { "type": "noul", "instructions": "Is the author polite?" },
            },
            "seed": 7,
            "steps": 3,
        })
    );
    assert!(sent.head.contains("authorization: bearer key-of-our-own-server"), "{}", sent.head);
    assert!(!sent.head.contains("svc_live_"), "{}", sent.head);
    assert_eq!((&told["backend"], &told["model"]), (&json!("local"), &json!(UPSTREAM_MODEL)));
    assert_eq!(told["usage"]["output_tokens"], 4);
    assert!(told["usage"].get("cost").is_none());
    let kinds: Vec<&Value> =
        ["team", "urgency", "angry", "polite"].map(|key| &told["answers"][key]["type"]).into();
    assert_eq!(kinds, ["choice", "score", "noul", "noul"]);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn prompts_scalars_and_hybrid_are_sent_in_the_wire_format(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_LOCAL_MODEL", "larger-1.5").start().await;
    let account = server.account(10).await;
    let more = json!({ "state": 42, "instructions": "Is this the answer?", "mode": "hybrid" });
    let told = ask(&server, &account, more).send().await.ok();
    let sent = upstream.asked().remove(0).body;
    assert_eq!((&sent["state"], &sent["model"]), (&json!("42"), &json!("larger-1.5")));
    assert_eq!(
        sent["questions"],
        json!({ "answer": { "type": "noul", "instructions": "Is this the answer?" } })
    );
    let reason = told["routing"]["reason"].as_str().unwrap();
    assert!(reason.contains("read as a yes/no question") && reason.contains("mode hybrid"), "{reason}");
    ask(&server, &account, json!({ "model": "another-2" })).send().await.ok();
    assert_eq!(upstream.asked()[1].body["model"], "another-2");
}

async fn openrouter_receives_its_key_and_its_cost_is_reported(db: Db) {
    let upstream = Upstream::start().await;
    let server = openrouter(Server::with(&db), &upstream).start().await;
    db.record().key(OPENROUTER_KEY);
    let account = server.account(10).await;
    let told = ask(&server, &account, json!({ "backend": "openrouter" })).send().await.ok();
    let sent = upstream.asked().remove(0);
    assert_eq!((sent.path.as_str(), &sent.body["model"]), ("/api/v1/systemone", &json!("typesafe/jev-1.13")));
    assert!(sent.head.contains(&format!("authorization: bearer {OPENROUTER_KEY}")), "{}", sent.head);
    assert_eq!((&told["backend"], &told["usage"]["cost"]), (&json!("openrouter"), &json!(UPSTREAM_COST)));
    let probabilities = told["answers"]["team"]["probabilities"].as_object().unwrap();
    let sum: f64 = probabilities.values().map(|p| p.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "they are rounded to two decimals, then normalised to sum to 1: {sum}");
    ask(&server, &account, json!({ "backend": "openrouter", "model": "kev/kev-4b" })).send().await.ok();
    assert_eq!(upstream.asked()[1].body["model"], "kev/kev-4b");
}

async fn a_model_unknown_to_openrouter_is_a_client_error(db: Db) {
    let upstream = Upstream::start().await;
    let server = openrouter(Server::with(&db), &upstream).start().await;
    let account = server.account(10).await;
    upstream.breaks(Fault::Refusal(400, "nobody/nothing-9 is not a valid model ID"));
    let asked = json!({ "backend": "openrouter", "model": "nobody/nothing-9" });
    let answer = ask(&server, &account, asked).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(answer.field(), "model");
    // The same error about our own default model is our fault.
    ask(&server, &account, json!({ "backend": "openrouter" })).send().await.fails(500, "UPSTREAM_FAILED");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn invalid_model_names_are_not_passed_on(db: Db) {
    let upstream = Upstream::start().await;
    let server = openrouter(local(&db, &upstream), &upstream).start().await;
    let account = server.account(10).await;
    for backend in ["auto", "local", "openrouter"] {
        for model in ["", " \t", "one\u{0}two"] {
            let asked = json!({ "backend": backend, "model": model });
            let answer = ask(&server, &account, asked).send().await;
            answer.fails(422, "VALIDATION_FAILED");
            assert_eq!(answer.field(), "model", "{backend} {model:?}");
        }
    }
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
}

async fn answers_without_token_counts_are_accepted(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    let silent: [fn(&mut Value); 3] = [
        |body| body["usage"] = Value::Null,
        |body| body["usage"] = json!({ "input_tokens": null, "output_tokens": null, "cost": null }),
        |body| drop(body.as_object_mut().unwrap().remove("usage")),
    ];
    for alter in silent {
        upstream.breaks(Fault::Altered(alter));
        let told = asked(&server, &account).await.ok();
        assert_eq!(told["usage"], json!({ "input_tokens": 0, "output_tokens": 0 }));
    }
}

async fn probabilities_are_normalized_to_one(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    upstream.breaks(Fault::Altered(|body| {
        body["answers"]["team"]["probabilities"] = json!({ "billing": 0.9, "shipping": 0.6 });
    }));
    let told = asked(&server, &account).await.ok();
    let probabilities = &told["answers"]["team"]["probabilities"];
    for (name, wanted) in [("billing", 0.6), ("shipping", 0.4)] {
        assert!((probabilities[name].as_f64().unwrap() - wanted).abs() < 1e-9, "{probabilities}");
    }
    assert_eq!(probabilities["returns"].as_f64(), Some(0.0));
    assert_eq!(told["answers"]["team"]["choice"], "billing");
}

async fn the_order_of_options_does_not_matter(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    let mut told = Vec::new();
    for options in [["billing", "shipping", "returns"], ["returns", "billing", "shipping"]] {
        let more = json!({ "instructions": { "team": options } });
        let answer = ask(&server, &account, more).send().await.ok();
        told.push(answer["answers"]["team"]["probabilities"].clone());
    }
    for name in ["billing", "returns", "shipping"] {
        assert_eq!(told[0][name].as_f64().unwrap(), told[1][name].as_f64().unwrap());
    }
}

async fn the_first_requests_wait_until_the_models_are_known(db: Db) {
    let upstream = Upstream::start().await;
    upstream.lists_after(Duration::from_millis(500));
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    let together = tokio::join!(asked(&server, &account), asked(&server, &account), asked(&server, &account));
    for answer in [together.0, together.1, together.2] {
        answer.ok();
    }
    for asked in upstream.asked() {
        assert_eq!(asked.body["model"], UPSTREAM_MODEL);
    }
}

async fn its_models_are_listed_and_health_checks_are_free(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    eventually("its model is listed", async || {
        let listed = server.get("/v1/models").key(&account.key).send().await;
        listed.text.contains(UPSTREAM_MODEL).then_some(())
    })
    .await;
    for _ in 0..3 {
        server.get("/readyz").send().await;
    }
    assert!(upstream.asked().is_empty(), "health checks are free");
    assert!(upstream.probed().iter().all(|free| free.path == "/v1/models"));
}

on_sqlite!(
    a_server_in_place_of_the_model_is_asked_in_its_own_format,
    prompts_scalars_and_hybrid_are_sent_in_the_wire_format,
    openrouter_receives_its_key_and_its_cost_is_reported,
    a_model_unknown_to_openrouter_is_a_client_error,
    invalid_model_names_are_not_passed_on,
    answers_without_token_counts_are_accepted,
    probabilities_are_normalized_to_one,
    the_order_of_options_does_not_matter,
    the_first_requests_wait_until_the_models_are_known,
    its_models_are_listed_and_health_checks_are_free,
);
