//! The exact JSON that clients get, with placeholders for ids, times and the output of models.

use serde_json::json;

use super::shape::shape;
use crate::harness::{Db, Server, Upstream, on_sqlite};

const LURE: &str = "free nitro for everyone, claim it at dlscord-gift.com/nitro";

async fn a_verdict_has_exactly_the_documented_fields(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let answer = server.moderate(&account.key, LURE).send().await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    insta::assert_json_snapshot!(shape(answer.ok()), @r#"
    {
      "id": "mod_…",
      "action": "an action",
      "threat_score": "0 or more",
      "is_phishing_or_scam": "0 to 1",
      "requires_mod_review": "0 to 1",
      "action_probabilities": {
        "ban": "0 to 1",
        "timeout": "0 to 1",
        "warn": "0 to 1",
        "none": "0 to 1"
      },
      "routing_model": "a model",
      "latency_ms": "0 or more",
      "mode": "hybrid",
      "credits_deducted": 0.5,
      "remaining_credits": 9.5
    }
    "#);
}

async fn explanations_are_added_only_on_request(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let [plain, explained] = [false, true].map(|explain| {
        let body = json!({ "content": LURE, "mode": "native", "explain": explain });
        server.post("/api/v1/moderate/text").key(&account.key).json(body)
    });
    let plain = plain.send().await.ok();
    assert!(plain.get("explanation").is_none(), "{plain}");
    assert_eq!(plain["mode"], "native");
    let mut explained = explained.send().await.ok();
    let explanation = explained.as_object_mut().unwrap().remove("explanation").unwrap();
    explained["remaining_credits"] = plain["remaining_credits"].clone();
    assert_eq!(shape(explained.clone()), shape(plain.clone()), "nothing else differs");
    insta::assert_json_snapshot!(shape(explanation), @r#"
    {
      "categories": {
        "toxic": "0 to 1",
        "harassment": "0 to 1",
        "hate": "0 to 1",
        "sexual": "0 to 1",
        "violence": "0 to 1",
        "self_harm": "0 to 1",
        "spam": "0 to 1",
        "scam": "0 to 1",
        "sexual_minors": "0 to 1",
        "illicit": "0 to 1",
        "extremism": "0 to 1"
      },
      "severity": {
        "insult": "0 to 1",
        "severe_abuse": "0 to 1",
        "incitement": "0 to 1",
        "threat": "0 to 1",
        "hate_violence": "0 to 1",
        "self_harm_intent": "0 to 1",
        "self_harm_instructions": "0 to 1"
      },
      "signals": "signals",
      "normalized_text": "a text",
      "language": "a language"
    }
    "#);
}

async fn a_batch_has_one_result_for_each_message_in_order(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let body = json!({ "messages": [{ "content": "see you at nine" }, { "content": LURE }] });
    let answer = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await;
    insta::assert_json_snapshot!(shape(answer.ok()), @r#"
    {
      "batch_size": 2,
      "total_latency_ms": "0 or more",
      "results": [
        {
          "content": "see you at nine",
          "action": "an action",
          "threat_score": "0 or more",
          "is_phishing_or_scam": "0 to 1",
          "requires_mod_review": "0 to 1",
          "action_probabilities": {
            "ban": "0 to 1",
            "timeout": "0 to 1",
            "warn": "0 to 1",
            "none": "0 to 1"
          }
        },
        {
          "content": "free nitro for everyone, claim it at dlscord-gift.com/nitro",
          "action": "an action",
          "threat_score": "0 or more",
          "is_phishing_or_scam": "0 to 1",
          "requires_mod_review": "0 to 1",
          "action_probabilities": {
            "ban": "0 to 1",
            "timeout": "0 to 1",
            "warn": "0 to 1",
            "none": "0 to 1"
          }
        }
      ],
      "credits_deducted": 1.0,
      "remaining_credits": 9.0
    }
    "#);
}

async fn an_explained_batch_explains_every_result(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let messages = json!([{ "content": "see you at nine", "explain": true }, { "content": LURE }]);
    let [plain, explained] =
        [json!({ "messages": messages }), json!({ "messages": messages, "explain": true })]
            .map(|body| server.post("/api/v1/moderate/text/batch").key(&account.key).json(body));
    let plain = plain.send().await.ok();
    assert!(plain["results"][0].get("explanation").is_none(), "an item's `explain` has no effect");
    let explained = explained.send().await.ok();
    for result in explained["results"].as_array().unwrap() {
        assert_eq!(result["explanation"]["categories"].as_object().unwrap().len(), 11, "{result}");
    }
}

async fn the_mode_of_an_item_overrides_that_of_its_batch(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let body = json!({ "mode": "native", "messages": [{ "content": "one" }, { "content": "two", "mode": "hybrid" }] });
    let batch = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await.ok();
    assert_eq!(batch["batch_size"], 2);
    // A batch does not tell the mode of an item, so this asks for one that does not exist.
    let body =
        json!({ "mode": "native", "messages": [{ "content": "one" }, { "content": "two", "mode": "fast" }] });
    let refused = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await;
    refused.fails(422, "VALIDATION_FAILED");
    assert_eq!(refused.field(), "messages[1].mode");
}

async fn prices_and_health_are_public(db: Db) {
    let server = Server::start(&db).await;
    let pricing = server.get("/api/pricing").send().await.ok();
    insta::assert_json_snapshot!(pricing, @r#"
    {
      "success": true,
      "pricing": {
        "imageCreditCost": 1.0,
        "textCreditCost": 0.5,
        "plainRulesCreditCost": 0.5,
        "inferenceCreditCost": 0.5,
        "checkpointCreditCost": 5000.0
      }
    }
    "#);
    let health = server.get("/api/v1/moderate/health").send().await.ok();
    insta::assert_json_snapshot!(shape(health), @r#"
    {
      "gateway_status": "healthy",
      "service": "gavel",
      "timestamp": "a time",
      "services": {
        "text_moderation": {
          "healthy": true
        },
        "image_moderation": {
          "healthy": true
        }
      }
    }
    "#);
}

async fn health_and_readiness_are_reported(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    insta::assert_json_snapshot!(server.get("/livez").send().await.ok(), @r#"
    {
      "status": "live"
    }
    "#);
    insta::assert_json_snapshot!(server.get("/readyz").send().await.ok(), @r#"
    {
      "ready": true,
      "database": true,
      "storage": true,
      "billing": true,
      "text_engine": true,
      "image_engine": true,
      "decision_engine": true,
      "queue": true
    }
    "#);
}

async fn metrics_count_requests_charges_and_engine_time(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    server.moderate(&account.key, "hello").send().await.ok();
    server.moderate("no key", "hello").send().await.fails(401, "UNAUTHORIZED");
    server.get("/made/up/path").send().await.fails(404, "NOT_FOUND");
    let metrics = server.get("/metrics").send().await;
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    for line in [
        "gavel_requests_total{route=\"/api/v1/moderate/text\",status=\"200\"} 1",
        "gavel_requests_total{route=\"/api/v1/moderate/text\",status=\"401\"} 1",
        "gavel_requests_total{route=\"unmatched\",status=\"404\"} 1",
        "gavel_request_seconds_count{route=\"/api/v1/moderate/text\"} 2",
        "gavel_engine_seconds_count{engine=\"text\"} 1",
        "gavel_charge_group_size_count 1",
    ] {
        assert!(metrics.text.lines().any(|shown| shown == line), "{line} is not in:\n{}", metrics.text);
    }
}

async fn errors_are_readable_for_people_and_programs(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(0).await;
    let unauthorized = server.post("/api/v1/moderate/text").send().await;
    assert_eq!(unauthorized.header("www-authenticate"), Some("Bearer"));
    insta::assert_json_snapshot!(shape(unauthorized.body), @r#"
    {
      "error": "an API key is needed: `Authorization: Bearer <key>`, `x-api-key` or `api-key`",
      "code": "UNAUTHORIZED",
      "request_id": "req_…"
    }
    "#);
    insta::assert_json_snapshot!(shape(server.moderate(&account.key, "hello").send().await.body), @r#"
    {
      "error": "this costs 0.5 credits, but the account has 0",
      "code": "INSUFFICIENT_CREDITS",
      "request_id": "req_…"
    }
    "#);
    insta::assert_json_snapshot!(shape(server.moderate(&account.key, " ").send().await.body), @r#"
    {
      "error": "content must not be empty",
      "code": "VALIDATION_FAILED",
      "request_id": "req_…",
      "details": [
        {
          "field": "content",
          "message": "must not be empty"
        }
      ]
    }
    "#);
}

on_sqlite!(
    a_verdict_has_exactly_the_documented_fields,
    explanations_are_added_only_on_request,
    a_batch_has_one_result_for_each_message_in_order,
    an_explained_batch_explains_every_result,
    the_mode_of_an_item_overrides_that_of_its_batch,
    prices_and_health_are_public,
    health_and_readiness_are_reported,
    metrics_count_requests_charges_and_engine_time,
    errors_are_readable_for_people_and_programs,
);
