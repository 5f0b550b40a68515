//! Evaluations of backends, and the curve of a cascade of them.

use serde_json::{Value, json};

use super::naming::{judge, two};
use crate::{
    graphql::mutation,
    harness::{Account, Answer, Db, Server, Upstream, eventually, inv, on_both},
    holds::nothing_held,
};

const SAMPLES: usize = 30;

/// A server with the backends `near` and `far` and no model of its own, and a Judge with labelled samples.
struct Bench {
    server: Server,
    account: Account,
    key: String,
    judge: String,
    _own: Upstream,
    near: Upstream,
    far: Upstream,
}

impl Bench {
    async fn start(db: &Db) -> Self {
        let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
        let server = two(db, &own, &near, &far).start().await;
        let account = server.account(500).await;
        let key = db.scoped_key(&account, "manage,infer").await;
        let judge = judge(&server, &account, json!({ "model": "near" })).await;
        let lines: Vec<String> = (0..SAMPLES)
            .map(|n| {
                let label = ["billing", "shipping", "returns"][n % 3];
                json!({ "state": format!("Parcel {n}?"), "ground_truth": { "team": label } }).to_string()
            })
            .collect();
        let path = format!("/api/v1/judges/{judge}/dataset?format=jsonl");
        server.post(&path).key(&key).body("application/x-ndjson", lines.join("\n")).send().await.ok();
        Self { server, account, key, judge, _own: own, near, far }
    }

    async fn evaluate(&self, more: Value) -> Answer {
        let mut body = json!({ "max_credits": 100 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let path = format!("/api/v1/judges/{}/evaluations", self.judge);
        self.server.post(&path).key(&self.key).json(body).send().await
    }

    /// An evaluation of a backend, once it has succeeded.
    async fn succeeded(&self, backend: &str) -> Value {
        let started = self.evaluate(json!({ "backend": backend })).await;
        assert_eq!(started.status, 202, "{}", started.text);
        let path = format!("/api/v1/evaluations/{}", started.body["id"].as_str().unwrap());
        eventually("the evaluation succeeds", async || {
            let now = self.server.get(&path).key(&self.key).send().await.ok();
            assert_ne!(now["status"], "failed", "{now}");
            (now["status"] == "succeeded").then_some(now)
        })
        .await
    }

    async fn cascade(&self, first: &Value, query: &str) -> Answer {
        let path = format!("/api/v1/evaluations/{}/cascade?{query}", first["id"].as_str().unwrap());
        self.server.get(&path).key(&self.key).send().await
    }
}

async fn backends_are_evaluated_at_their_price_and_make_a_curve(db: Db) {
    let bench = Bench::start(&db).await;
    let far = bench.succeeded("far").await;
    assert_eq!((&far["backend"], &far["price"], &far["done"]), (&json!("far"), &json!(0.5), &json!(SAMPLES)));
    assert_eq!(bench.far.asked().len(), SAMPLES);
    assert!(bench.near.asked().is_empty(), "whatever the Judge asks");
    let near = bench.succeeded("near").await;
    assert_eq!((&near["backend"], &near["price"]), (&json!("near"), &json!(2.0)));
    let charged: i64 = inv::charges(&db, &bench.account.id).await.iter().map(|charge| charge.delta).sum();
    assert_eq!(charged, -2_500 * SAMPLES as i64);
    nothing_held(&db, &bench.account).await;

    let then = format!("then={}", near["id"].as_str().unwrap());
    let told = bench.cascade(&far, &then).await.ok();
    assert_eq!((&told["samples"], &told["questions"]), (&json!(SAMPLES), &json!(SAMPLES)));
    assert!(told.get("cheapest").is_none());
    let curve = told["curve"].as_array().unwrap();
    let first = &curve[0];
    assert_eq!(
        (&first["credits"], &first["asked"], &first["below"]),
        (&json!(0.5), &json!([1.0, 0.0]), &json!([0.0]))
    );
    let accuracy = far["metrics"][0]["accuracy"].as_f64().unwrap();
    assert!((first["accuracy"].as_f64().unwrap() - accuracy).abs() < 1e-6, "{first} {far}");
    for pair in curve.windows(2) {
        let [less, more] = [&pair[0], &pair[1]];
        assert!(less["credits"].as_f64() < more["credits"].as_f64(), "{told}");
        assert!(less["accuracy"].as_f64() < more["accuracy"].as_f64(), "{told}");
        let share = more["asked"][1].as_f64().unwrap();
        assert!((more["credits"].as_f64().unwrap() - 0.5 - 2.0 * share).abs() < 1e-9, "{more}");
    }
    let wanted = &curve[curve.len() - 1];
    let reached = bench.cascade(&far, &format!("{then}&accuracy={}", wanted["accuracy"])).await.ok();
    assert_eq!(&reached["cheapest"], wanted);

    let query = "query($ids: [ID!]!) { evaluationCascade(evaluations: $ids, accuracy: 0) { samples steps { id \
        backend } curve { below accuracy credits asked } cheapest { credits } } }";
    let ids = json!({ "ids": [far["id"], near["id"]] });
    let over_graphql = bench.server.ask(&bench.key, query, ids).await["evaluationCascade"].clone();
    assert_eq!(over_graphql["curve"], told["curve"]);
    assert_eq!(over_graphql["steps"][1], json!({ "id": near["id"], "backend": "near" }));
    assert_eq!(over_graphql["cheapest"]["credits"], 0.5);

    for (query, field) in [
        ("", "then"),
        ("then=", "then"),
        (format!("then={}", far["id"].as_str().unwrap()).as_str(), "evaluations"),
        (format!("{then}&accuracy=2").as_str(), "accuracy"),
        (format!("{then}&steps=2").as_str(), "steps"),
    ] {
        let refused = bench.cascade(&far, query).await;
        if query == "then=" {
            refused.fails(404, "NOT_FOUND");
            continue;
        }
        refused.fails(422, "VALIDATION_FAILED");
        assert_eq!(refused.field(), field, "{}", refused.text);
    }
    let stranger = db.scoped_key(&bench.server.account(1).await, "read").await;
    let path = format!("/api/v1/evaluations/{}/cascade?{then}", far["id"].as_str().unwrap());
    bench.server.get(&path).key(&stranger).send().await.fails(404, "NOT_FOUND");
}

/// A server may answer under one name whatever it is asked for, as llama.cpp does.
async fn a_model_that_the_server_does_not_have_is_refused_for_good(db: Db) {
    let bench = Bench::start(&db).await;
    let body = json!({ "state": "Parcel?", "model": "near/gpt-9" });
    let path = format!("/api/v1/judges/{}/inference", bench.judge);
    let refused = bench.server.post(&path).key(&bench.key).json(body).send().await;
    let message = refused.fails(422, "VALIDATION_FAILED");
    assert_eq!(message, "model is not a model of the near backend: its server answered as scripted-1.0");
    let started = bench.evaluate(json!({ "backend": "near/gpt-9" })).await.body;
    let path = format!("/api/v1/evaluations/{}", started["id"].as_str().unwrap());
    let failed = eventually("the evaluation fails", async || {
        let now = bench.server.get(&path).key(&bench.key).send().await.ok();
        (now["status"] == "failed").then_some(now)
    });
    let failed = failed.await;
    assert!(failed["error"].as_str().unwrap().contains("answered as scripted-1.0"), "{failed}");
    // The inference asked twice, for two orders, and the evaluation once: four samples are in progress at once.
    assert!(bench.near.asked().len() <= 2 + 2 * 4, "it was not tried again");
    assert!(inv::charges(&db, &bench.account.id).await.is_empty());
    nothing_held(&db, &bench.account).await;
}

async fn a_backend_that_is_not_there_or_not_allowed_is_not_evaluated(db: Db) {
    let bench = Bench::start(&db).await;
    let unknown = bench.evaluate(json!({ "backend": "nowhere" })).await;
    assert!(unknown.fails(422, "VALIDATION_FAILED").contains("near"), "{}", unknown.text);
    assert_eq!(unknown.field(), "backend");
    let both = bench.evaluate(json!({ "backend": "near", "zero_shot": true })).await;
    both.fails(422, "VALIDATION_FAILED");
    let no_model = bench.evaluate(json!({})).await;
    no_model.fails(500, "ENGINE_UNAVAILABLE");
    let limit = mutation("setApiKeyBackends", "apiKey { id } userErrors { message }");
    let viewer = bench.server.ask(&bench.key, "{ viewer { apiKey { id } } }", json!({})).await;
    let input = json!({ "id": viewer["viewer"]["apiKey"]["id"], "backends": ["near"] });
    bench.server.ask(&bench.key, &limit, json!({ "input": input })).await;
    let refused = bench.evaluate(json!({ "backend": "far" })).await;
    assert!(refused.fails(403, "FORBIDDEN").contains("near"), "{}", refused.text);
    assert!(bench.far.asked().is_empty() && inv::charges(&db, &bench.account.id).await.is_empty());
    nothing_held(&db, &bench.account).await;
}

on_both!(
    backends_are_evaluated_at_their_price_and_make_a_curve,
    a_model_that_the_server_does_not_have_is_refused_for_good,
    a_backend_that_is_not_there_or_not_allowed_is_not_evaluated,
);
