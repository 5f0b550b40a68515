//! `/graphql/ws`: who may connect and for how long, the protocol, and events across replicas.

use std::time::Duration;

use serde_json::{Value, json};

use super::{csrf::sign_in, socket::Socket};
use crate::harness::{Account, Db, Server, Upstream, eventually, milli, on_both, on_postgres, on_sqlite};

const BALANCE: &str = "subscription { balanceChanged { id balance } }";

/// Spends until the watcher receives a change, since the protocol does not tell when a subscription has started.
async fn spend_until_heard(server: &Server, account: &Account, watcher: &mut Socket, id: &str) -> Value {
    for i in 0..50 {
        server.moderate(&account.key, &format!("a message, number {i}")).send().await.ok();
        if let Some(message) = watcher.within(Duration::from_millis(500)).await {
            assert_eq!((&message["type"], &message["id"]), (&json!("next"), &json!(id)), "{message}");
            return message["payload"]["data"].clone();
        }
    }
    panic!("the watcher receives nothing");
}

async fn balance_changes_are_received(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10).await;
    let other = server.account(10).await;
    let mut watcher = Socket::with_key(server, &db.scoped_key(&account, "read").await).await;
    watcher.subscribe("b", BALANCE, json!({})).await;
    let data = spend_until_heard(server, &account, &mut watcher, "b").await;
    assert_eq!(data["balanceChanged"]["id"], account.id);
    assert!(data["balanceChanged"]["balance"].as_f64().unwrap() < 10.0, "{data}");

    // A completed subscription sends nothing more: the next message belongs to another one.
    watcher.say(json!({ "type": "complete", "id": "b" })).await;
    watcher.subscribe("c", BALANCE, json!({})).await;
    spend_until_heard(server, &account, &mut watcher, "c").await;

    // Of two changes, the account receives only its own.
    server.moderate(&other.key, "a message of another account").send().await.ok();
    let left = server.moderate(&account.key, "a message of this account").send().await.remaining();
    hear_of(&mut watcher, "c", left).await;
}

/// Receives changes until the balance is this one.
async fn hear_of(watcher: &mut Socket, id: &str, balance: i64) {
    let mut heard = None;
    while heard != Some(balance) {
        heard = Some(milli(&watcher.given(id).await["balanceChanged"]["balance"]));
    }
}

async fn sessions_can_subscribe(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10).await;
    let (cookie, _) = sign_in(server, &account.email, false).await;
    let own = server.base_url.as_str();
    let headers = [("cookie", cookie.as_str()), ("origin", own)];
    let mut watcher = Socket::open(server, &headers).await.expect("the connection opens");
    watcher.say(json!({ "type": "connection_init" })).await;
    assert_eq!(watcher.hear().await, json!({ "type": "connection_ack" }));
    watcher.subscribe("b", BALANCE, json!({})).await;
    let data = spend_until_heard(server, &account, &mut watcher, "b").await;
    assert_eq!(data["balanceChanged"]["id"], account.id);

    let end = "DELETE FROM session";
    db.execute(end).await;
    let (code, reason) = watcher.closed().await;
    assert_eq!((code, reason.as_str()), (4401, "Unauthorized: the session is over"));
}

async fn a_revoked_key_is_disconnected(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10).await;
    let (id, key) = db.key(&account, &["--scopes", "read"]).await;
    let mut watcher = Socket::with_key(server, &key).await;
    watcher.subscribe("b", BALANCE, json!({})).await;
    server.cli(&["key", "revoke", "--key", &id]).await;
    let (code, reason) = watcher.closed().await;
    assert_eq!((code, reason.as_str()), (4401, "Unauthorized: the API key is not valid"));
}

async fn a_stopping_server_closes_its_subscriptions(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(1).await;
    let mut watcher = Socket::with_key(&server, &db.scoped_key(&account, "read").await).await;
    watcher.subscribe("b", BALANCE, json!({})).await;
    let (ended, closed) = tokio::join!(server.terminate(), watcher.closed());
    assert!(ended.success());
    assert_eq!(closed, (1001, "Going away".to_owned()));
}

/// Subscribers at one replica receive what the other commits.
async fn subscribers_receive_changes_of_other_replicas(db: Db) {
    let one = &Server::start(&db).await;
    let other = &one.replica().await;
    let account = one.account(10).await;
    let key = db.scoped_key(&account, "read").await;
    let mut at_one = Socket::with_key(one, &key).await;
    let mut at_other = Socket::with_key(other, &key).await;
    at_one.subscribe("1", BALANCE, json!({})).await;
    at_other.subscribe("2", BALANCE, json!({})).await;
    spend_until_heard(one, &account, &mut at_other, "2").await;
    let left = other.moderate(&account.key, "a message to the other one").send().await.remaining();
    hear_of(&mut at_one, "1", left).await;
}

const SAMPLES: &str =
    "subscription($judge: ID!) { sampleRecorded(judgeId: $judge) { id state judge { name version } } }";

async fn only_an_account_receives_its_samples(db: Db) {
    let upstream = Upstream::start().await;
    let server = &Server::with_model(&db, &upstream).start().await;
    let account = server.account(10).await;
    let other = server.account(10).await;
    let key = db.scoped_key(&account, "infer,manage").await;
    let input = json!({ "name": "Red", "instructions": ["Is it red?"], "storeContent": true });
    let judge = server.create_judge(&key, input).await;
    let of = json!({ "judge": judge });

    // A stranger gets the same error for this Judge as for one that does not exist.
    let mut stranger = Socket::with_key(server, &db.scoped_key(&other, "read").await).await;
    stranger.subscribe("1", SAMPLES, of.clone()).await;
    let refused = stranger.hear().await["payload"]["errors"][0].clone();
    assert_eq!(refused["extensions"]["code"], "NOT_FOUND", "{refused}");
    assert_eq!(stranger.hear().await, json!({ "type": "complete", "id": "1" }));
    stranger.subscribe("2", SAMPLES, json!({ "judge": "judge_01kahd7f3ye9pvsk8h0a5m5x2e" })).await;
    assert_eq!(stranger.hear().await["payload"]["errors"][0]["message"], refused["message"]);

    let mut watcher = Socket::with_key(server, &key).await;
    watcher.subscribe("s", SAMPLES, of).await;
    let path = &format!("/api/v1/judges/{judge}/inference");
    let mut heard = None;
    for i in 0..50 {
        server.post(path).key(&key).json(json!({ "state": format!("asked {i}") })).send().await.ok();
        heard = watcher.within(Duration::from_millis(500)).await;
        if heard.is_some() {
            break;
        }
    }
    let sample = heard.expect("a sample")["payload"]["data"]["sampleRecorded"].clone();
    assert!(sample["state"].as_str().unwrap().starts_with("asked "), "{sample}");
    assert_eq!(sample["judge"], json!({ "name": "Red", "version": 1 }));

    // Related data is read anew for each sample.
    let update = "mutation($id: ID!) { updateJudge(input: { id: $id, name: \"Blue\" }) { judge { id } } }";
    server.ask(&key, update, json!({ "id": judge })).await;
    server.post(path).key(&key).json(json!({ "state": "the last one" })).send().await.ok();
    let mut sample = Value::Null;
    while sample["state"] != "the last one" {
        sample = watcher.given("s").await["sampleRecorded"].clone();
    }
    assert_eq!(sample["judge"]["name"], "Blue");
}

async fn guests_are_refused(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    for payload in [
        json!({}),
        json!({ "apiKey": "svc_live_wrong" }),
        json!({ "apiKey": account.key }),
        json!({ "authorization": "Basic dTpw" }),
    ] {
        let mut guest =
            Socket::open(server, &[("cookie", "gavel_session=unknown")]).await.expect("the connection opens");
        guest.say(json!({ "type": "connection_init", "payload": payload })).await;
        let (code, reason) = guest.closed().await;
        assert_eq!(code, 4403, "{payload}");
        assert!(reason.starts_with("Forbidden: "), "{reason}");
    }
    let (_, key) = db.key(&account, &["--scopes", "read"]).await;
    let mut known = Socket::open(server, &[]).await.expect("the connection opens");
    let authorization = format!("Bearer {key}");
    known.say(json!({ "type": "connection_init", "payload": { "Authorization": authorization } })).await;
    assert_eq!(known.hear().await, json!({ "type": "connection_ack" }));
}

async fn pages_of_other_origins_cannot_connect(db: Db) {
    let server = Server::with(&db).env("GAVEL_ALLOWED_ORIGINS", "https://app.example.com").start().await;
    let own = server.base_url.clone();
    for (origin, opens) in [
        (own.as_str(), true),
        ("https://app.example.com", true),
        ("https://evil.example.com", false),
        ("http://app.example.com", false),
        ("null", false),
    ] {
        match Socket::open(&server, &[("origin", origin)]).await {
            Ok(_) => assert!(opens, "{origin}"),
            Err((status, body)) => {
                assert_eq!((status, opens), (403, false), "{origin}: {body}");
                assert_eq!(body["errors"][0]["extensions"]["code"], "FORBIDDEN", "{body}");
            }
        }
    }
    let old = Socket::open(&server, &[("sec-websocket-protocol", "graphql-ws")]).await;
    assert_eq!(old.err().map(|(status, _)| status), Some(400));
    server.get("/graphql/ws").send().await.request_error(400, "MALFORMED_BODY");
    server.post("/graphql/ws").json(json!({})).send().await.request_error(405, "METHOD_NOT_ALLOWED");
}

async fn connections_are_limited(db: Db) {
    let server = &Server::with(&db).env("GAVEL_WEBSOCKETS", 1).start().await;
    let account = server.account(1).await;
    let (_, key) = db.key(&account, &["--scopes", "read"]).await;
    let first = Socket::with_key(server, &key).await;
    let (status, body) = Socket::open(server, &[]).await.err().expect("one connection is the maximum");
    assert_eq!((status, &body["errors"][0]["extensions"]["code"]), (503, &json!("OVERLOADED")));
    drop(first);
    eventually("there is room for a connection", || async { Socket::open(server, &[]).await.ok() }).await;
}

async fn protocol_violations_close_the_connection(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let (_, key) = db.key(&account, &["--scopes", "read"]).await;
    let init = json!({ "type": "connection_init", "payload": { "apiKey": key } }).to_string();
    let subscribe = json!({ "type": "subscribe", "id": "1", "payload": { "query": BALANCE } }).to_string();
    for (messages, code) in [
        (vec!["not JSON"], 4400),
        (vec![r#"{"type":"start"}"#], 4400),
        (vec![subscribe.as_str()], 4401),
        (vec![init.as_str(), init.as_str()], 4429),
        (vec![init.as_str(), r#"{"type":"subscribe","id":"1","payload":{"query":5}}"#], 4400),
        (vec![init.as_str(), subscribe.as_str(), subscribe.as_str()], 4409),
    ] {
        let mut socket = Socket::open(server, &[]).await.expect("the connection opens");
        for message in &messages {
            socket.say_text(message).await;
        }
        assert_eq!(socket.closed().await.0, code, "{messages:?}");
    }
}

async fn a_subscription_has_exactly_one_field(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(100).await;
    let mut watcher = Socket::with_key(server, &db.scoped_key(&account, "read").await).await;
    let fragments = "subscription { ...A ... { balanceChanged { balance } } } fragment A on Subscription { \
        balanceChanged { id } }";
    watcher.subscribe("f", fragments, json!({})).await;
    let data = spend_until_heard(server, &account, &mut watcher, "f").await;
    assert_eq!(data["balanceChanged"]["id"], account.id);
    assert!(data["balanceChanged"]["balance"].is_number(), "{data}");
    for query in [
        "subscription { a: balanceChanged { id } b: balanceChanged { id } }",
        "subscription { ...A @include(if: true) } fragment A on Subscription { balanceChanged { id } }",
        "subscription($judge: ID!) { sampleRecorded(judgeId: $judge) { id } }",
    ] {
        let mut socket = Socket::with_key(server, &db.scoped_key(&account, "read").await).await;
        socket.subscribe("1", query, json!({})).await;
        let message = socket.hear().await;
        assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")), "{message}");
        assert_eq!(message["payload"][0]["extensions"]["code"], "VALIDATION_FAILED", "{message}");
    }
}

async fn a_client_that_closes_is_answered(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let (_, key) = db.key(&account, &["--scopes", "read"]).await;
    let greeted = Socket::with_key(server, &key).await;
    assert_eq!(greeted.leave().await, (1000, String::new()));
    let silent = Socket::open(server, &[]).await.expect("the connection opens");
    assert_eq!(silent.leave().await, (1000, String::new()));
}

async fn operations_other_than_subscriptions_are_errors(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let mut socket = Socket::with_key(server, &db.scoped_key(&account, "read").await).await;
    let aliases: String = (0..1_000).map(|i| format!("a{i}: balanceChanged {{ id }} ")).collect();
    let subscriptions = format!("subscription {{ {aliases} }}");
    for (query, code) in [
        ("{ account { id } }", "VALIDATION_FAILED"),
        ("mutation { __typename }", "VALIDATION_FAILED"),
        ("subscription { nothingOfThisName }", "VALIDATION_FAILED"),
        ("subscription {", "MALFORMED_BODY"),
        (&subscriptions, "VALIDATION_FAILED"),
    ] {
        socket.subscribe("1", query, json!({})).await;
        let message = socket.hear().await;
        assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")), "{message}");
        assert_eq!(message["payload"][0]["extensions"]["code"], code, "{message}");
        assert!(message["payload"][0]["extensions"]["request_id"].is_string(), "{message}");
    }
    for id in 0..32 {
        socket.subscribe(&id.to_string(), BALANCE, json!({})).await;
    }
    socket.subscribe("one more", BALANCE, json!({})).await;
    let message = socket.hear().await;
    assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("one more")), "{message}");
    socket.say(json!({ "type": "ping" })).await;
    assert_eq!(socket.hear().await, json!({ "type": "pong" }));
}

on_both!(
    only_an_account_receives_its_samples,
    balance_changes_are_received,
    sessions_can_subscribe,
    a_revoked_key_is_disconnected
);
on_postgres!(subscribers_receive_changes_of_other_replicas);
on_sqlite!(
    a_stopping_server_closes_its_subscriptions,
    guests_are_refused,
    pages_of_other_origins_cannot_connect,
    connections_are_limited,
    protocol_violations_close_the_connection,
    operations_other_than_subscriptions_are_errors,
    a_subscription_has_exactly_one_field,
    a_client_that_closes_is_answered,
);
