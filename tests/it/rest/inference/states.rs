//! `states`: the same questions about several states, in one request and for one charge.

use serde_json::{Map, Value, json};

use super::asking::{INFERENCE, ask, start, with};
use crate::harness::{Answer, Db, Fault, Server, inv, on_both, on_sqlite};

const STATES: [&str; 3] = [
    "I was charged twice for the same order, please help",
    "The parcel is not here yet",
    "La factura se cobró dos veces",
];

/// A request about these states.
fn about(states: impl Into<Value>) -> Value {
    json!({ "states": states.into(), "instructions": { "team": ["billing", "shipping", "other"] } })
}

/// Sends a request with an `Idempotency-Key`.
async fn send(server: &Server, key: &str) -> Answer {
    server.post(INFERENCE).key(key).idempotent("k").json(about(&STATES[..])).send().await
}

async fn each_state_is_answered_as_if_it_were_alone(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let body = ask(&server, &account.key, about(&STATES[..])).await;
    assert_eq!((&body["answers"], &body["credits_deducted"]), (&json!({}), &json!(1.5)));
    let results = body["results"].as_array().unwrap();
    assert_eq!(results.len(), STATES.len());
    let mut tokens = 0;
    for (state, result) in STATES.iter().zip(results) {
        let alone = ask(&server, &account.key, with("state", json!(state))).await;
        for field in ["answers", "model", "backend", "routing", "usage"] {
            assert_eq!(result[field], alone[field], "{field} of {state}");
        }
        assert!(alone.get("results").is_none());
        tokens += alone["usage"]["input_tokens"].as_u64().unwrap();
    }
    assert_eq!(body["usage"]["input_tokens"], tokens);
    assert_eq!(body["model"], results[0]["model"]);
}

async fn all_states_are_one_charge(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let first = send(&server, &account.key).await;
    assert_eq!((first.status, first.remaining()), (200, 8_500), "{}", first.text);
    let charges = inv::charges(&db, &account.id).await;
    let [charge] = &charges[..] else { panic!("one charge") };
    assert_eq!((charge.delta, charge.items), (-1_500, 3));
    assert_eq!(charge.reference.as_deref(), first.body["id"].as_str());
    let again = send(&server, &account.key).await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    assert_eq!((upstream.asked().len(), inv::charges(&db, &account.id).await.len()), (3, 1));
}

async fn one_failure_fails_all_states_and_costs_nothing(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    upstream.breaks_for("parcel", Fault::Status(500));
    let answer = server.post(INFERENCE).key(&account.key).json(about(&STATES[..])).send().await;
    answer.fails(500, "UPSTREAM_FAILED");
    assert_eq!(inv::balance(&db, &account.id).await, 10_000);
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn credits_must_suffice_for_all_states(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account("1.4").await;
    let answer = server.post(INFERENCE).key(&account.key).json(about(&STATES[..])).send().await;
    answer.fails(402, "INSUFFICIENT_CREDITS");
    assert_eq!((upstream.asked().len(), inv::balance(&db, &account.id).await), (0, 1_400));
}

async fn states_at_fault_are_named(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(100).await;
    let mut both = about(&STATES[..]);
    both["content"] = json!("x");
    let long = "x".repeat(6_000);
    for (body, field) in [
        (about(Vec::<Value>::new()), "states"),
        (about(vec!["x"; 51]), "states"),
        (about("x"), "states"),
        (about(json!(["x", " "])), "states[1]"),
        (about(json!([null])), "states[0]"),
        (about(vec![long; 50]), "states"),
        (both, "states"),
    ] {
        let answer = server.post(INFERENCE).key(&account.key).json(body).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), field, "{}", answer.text);
    }
    assert!(upstream.asked().is_empty());
    assert_eq!(inv::balance(&db, &account.id).await, 100_000);
    assert_eq!(
        ask(&server, &account.key, about(vec!["x"; 50])).await["results"].as_array().unwrap().len(),
        50
    );
}

async fn a_state_that_the_model_cannot_read_is_named(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let leaves: Map<String, Value> = (0..5_000).map(|n| (n.to_string(), n.into())).collect();
    let deep = (0..50).fold(Value::Object(leaves), |inner, _| json!({ "k".repeat(1_000): inner }));
    let answer = server.post(INFERENCE).key(&account.key).json(about(json!(["x", deep]))).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(answer.field(), "states[1]", "{}", answer.text);
    assert_eq!(inv::balance(&db, &account.id).await, 10_000);
}

async fn more_than_can_be_answered_in_time_is_refused_for_good(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let states = vec!["The parcel came late and open. ".repeat(150); 50];
    let questions: Vec<String> = (1..=30).map(|n| format!("Is this about subject {n}?")).collect();
    let body = json!({ "states": states, "instructions": questions });
    let answer = server.post(INFERENCE).key(&account.key).json(body).send().await;
    let message = answer.fails(422, "VALIDATION_FAILED");
    assert!(message.starts_with("states must be fewer to be answered in time: send about "), "{message}");
    assert_eq!(answer.field(), "states");
    assert_eq!(inv::balance(&db, &account.id).await, 100_000);
}

on_both!(all_states_are_one_charge, one_failure_fails_all_states_and_costs_nothing);
on_sqlite!(
    each_state_is_answered_as_if_it_were_alone,
    credits_must_suffice_for_all_states,
    states_at_fault_are_named,
    a_state_that_the_model_cannot_read_is_named,
    more_than_can_be_answered_in_time_is_refused_for_good,
);
