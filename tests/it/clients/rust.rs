//! The Rust client (crate `typesafe-jev`) against Gavel, used as its documentation shows. It is the only
//! client that cannot send an `Idempotency-Key`.

use std::thread;

use serde::Serialize;
use serde_json::json;
use typesafe_jev::{
    Choice, ChoiceAnswer, Client, Config, Content, Error, Noul, Questions, Response, Score, ScoreAnswer,
};

use super::paid;
use crate::harness::{Account, Db, Server, on_sqlite};

const TICKET: &str = "I was charged twice for March and nobody answers my mails. Please fix this today.";

/// A client of a server. Its base URL is the whole endpoint.
pub(super) fn client(server: &Server, key: &str, config: Config) -> Client {
    let base_url = format!("{}/v1/systemone", server.base_url);
    Client::new(key, Config { base_url, ..config }).expect("a client")
}

/// Asks one question; returns the number of requests and of retries.
pub(super) async fn asked(client: Client) -> (u64, u64) {
    apart(move || {
        client.ask(TICKET, &billing()).expect("an answer");
        (client.usage().requests(), client.usage().retries())
    })
    .await
}

/// A configuration without retries.
fn once() -> Config {
    Config { max_retries: 0, ..Config::default() }
}

/// The client blocks, so it needs its own thread.
async fn apart<T: Send + 'static>(ask: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(ask).await.expect("no panic")
}

fn billing() -> Questions {
    Questions::new().with("billing", Noul::new("Is this about billing?"))
}

fn check_distribution<'a>(probabilities: impl Iterator<Item = &'a f64> + Clone) {
    assert!(probabilities.clone().all(|p| (0.0..=1.0).contains(p)));
    let sum: f64 = probabilities.sum();
    assert!((sum - 1.0).abs() < 1e-4, "probabilities sum to {sum}");
}

fn check_choice(answer: &ChoiceAnswer, options: &[&str]) {
    assert_eq!(answer.probabilities.keys().collect::<Vec<_>>(), options);
    check_distribution(answer.probabilities.values());
    let best = answer.probabilities[&answer.choice];
    let k = options.len() as f64;
    assert!(answer.probabilities.values().all(|p| *p <= best), "{answer:?}");
    assert!((answer.confidence - (best - 1.0 / k) / (1.0 - 1.0 / k)).abs() < 1e-4, "{answer:?}");
}

fn check_score(answer: &ScoreAnswer, levels: &[Content]) {
    assert_eq!(answer.legend.values().cloned().collect::<Vec<_>>(), levels);
    assert!(answer.legend.keys().eq(answer.probabilities.keys()), "{answer:?}");
    check_distribution(answer.probabilities.values());
    let expected: f64 = answer.probabilities.iter().map(|(level, p)| f64::from(*level) * p).sum();
    assert!((answer.score - expected).abs() < 1e-3 && (0.0..=1.0).contains(&answer.confidence), "{answer:?}");
}

async fn every_type_of_question_is_answered(db: Db) {
    #[derive(Serialize)]
    struct Ticket {
        subject: &'static str,
        document: &'static str,
        attempts: u8,
    }
    let server = &Server::start(&db).await;
    let account = server.account(10).await;
    let described = Content::try_from(json!({ "label": "this week", "examples": ["a question"] })).unwrap();
    let levels = ["can wait".into(), described, "today".into()];
    let questions = billing()
        .with("angry", Noul::new("Is the writer upset?").yes("Strong words").no("None"))
        .with("team", Choice::labels("Which team?", ["billing", "technical", "other"]))
        .with("tone", Choice::new("Which tone?", [("calm", "Polite")]).label("harsh"))
        .with("urgency", Score::new("How urgent is it?", levels.clone()));
    let client = client(server, &account.key, once());
    let (response, client) = apart(move || {
        let ticket = Ticket { subject: "Invoice", document: TICKET, attempts: 3 };
        (client.ask(&ticket, &questions), client)
    })
    .await;
    let response: Response = response.unwrap();
    assert_eq!(response.answers.keys().collect::<Vec<_>>(), ["billing", "angry", "team", "tone", "urgency"]);
    for key in ["billing", "angry"] {
        assert!(response.noul(key).is_some_and(|answer| (0.0..=1.0).contains(&answer.noul)), "{response:?}");
    }
    check_choice(response.choice("team").unwrap(), &["billing", "technical", "other"]);
    check_choice(response.choice("tone").unwrap(), &["calm", "harsh"]);
    check_score(response.score("urgency").unwrap(), &levels);
    assert!(!response.model.is_empty() && response.usage.input_tokens.is_some_and(|tokens| tokens > 0));
    assert_eq!((client.usage().requests(), client.usage().retries()), (1, 0));
    assert_eq!(paid::charges(&db, &account).await, json!({ "/v1/systemone": 1 }));
}

async fn the_client_works_from_many_threads(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10).await;
    let client = client(server, &account.key, once());
    let answered = apart(move || {
        thread::scope(|scope| {
            let client = &client;
            let threads: Vec<_> = (0..8)
                .map(|i| {
                    scope.spawn(move || {
                        let response = client.ask(&format!("{TICKET} ({i})"), &billing());
                        response.map(|response| response.noul("billing").is_some())
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        })
    })
    .await;
    assert_eq!(answered, vec![Ok(true); 8]);
    assert_eq!(
        (paid::charges(&db, &account).await, paid::spent(&db, &account).await),
        (json!({ "/v1/systemone": 8 }), 4_000)
    );
}

/// Asks a question that must be refused.
async fn refused(server: &Server, key: &str, state: serde_json::Value, questions: Questions) -> Error {
    let client = client(server, key, once());
    apart(move || client.ask(&state, &questions)).await.expect_err("a refusal")
}

async fn refusals_become_the_clients_own_errors(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10).await;
    let poor = server.account(0).await;
    let eleven =
        Questions::new().with("urgency", Score::new("How urgent?", (0..11).map(|i| format!("level {i}"))));
    for (state, questions, named) in [
        (json!(TICKET), eleven, "urgency"),
        (json!(" "), billing(), "state"),
        (json!(7), billing(), "state"),
        (json!("charged twice ".repeat(22_000)), billing(), "state"),
    ] {
        let error = refused(server, &account.key, state, questions).await;
        assert!(matches!(&error, Error::InvalidRequest(message) if message.contains(named)), "{error:?}");
    }
    let stranger = refused(server, "svc_live_nobodyhasthiskey", json!(TICKET), billing()).await;
    assert!(matches!(&stranger, Error::Auth(message) if message.contains("HTTP 401")), "{stranger:?}");
    let broke = refused(server, &poor.key, json!(TICKET), billing()).await;
    assert!(
        matches!(&broke, Error::Api(message) if message.contains("HTTP 402") && message.contains("credits")),
        "{broke:?}"
    );
    assert_eq!((paid::spent(&db, &account).await, paid::spent(&db, &poor).await), (0, 0));
}

/// The snippet of `docs/clients.md`, which `documented.rs` compares with these lines.
fn snippet(gavel: &str, key: &str) -> Result<f64, Error> {
    let config = Config { base_url: format!("{gavel}/v1/systemone"), ..Config::default() };
    let questions = Questions::new().with("billing", Noul::new("Is this about billing?"));
    let response = Client::new(key, config)?.ask("I was charged twice.", &questions)?;
    Ok(response.noul("billing").expect("its answer").noul)
}

/// Runs the snippet of `docs/clients.md`.
pub(super) async fn documented(server: &Server, account: &Account) -> f64 {
    let gavel = server.base_url.clone();
    let key = account.key.clone();
    apart(move || snippet(&gavel, &key)).await.expect("an answer")
}

on_sqlite!(
    every_type_of_question_is_answered,
    the_client_works_from_many_threads,
    refusals_become_the_clients_own_errors
);
