//! Strangers who guess passwords: their attempts count for their network, and neither their number nor their
//! wrong passwords keep others from signing in.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{FLOOR, beside, report};
use crate::harness::{Account, Answer, Db, Server, on_both, on_sqlite};

const PASSWORD: &str = "correct horse battery";
const OWNER: &str = "192.0.2.1";
const STRANGER: &str = "198.51.100.7";

async fn behind_a_proxy(db: &Db) -> Server {
    Server::with(db).env("GAVEL_TRUSTED_PROXIES", "127.0.0.0/8").start().await
}

/// Creates an account whose owner has a password.
async fn with_password(server: &Server) -> Account {
    let account = server.account(1_000).await;
    server.cli(&["user", "reset-password", "--email", &account.email, "--password", PASSWORD]).await;
    account
}

/// Tries to sign in from an address, optionally with a device's cookie.
async fn sign_in(server: &Server, from: &str, email: &str, password: &str, device: Option<&str>) -> Answer {
    let query = "mutation($input: SignInInput!) { signIn(input: $input) { viewer { role } userErrors { code \
        message } } }";
    let input = json!({ "input": { "email": email, "password": password } });
    let request = server.graphql(query, input).header("x-forwarded-for", from);
    match device {
        Some(cookie) => request.header("cookie", cookie).send().await,
        None => request.send().await,
    }
}

/// The code of the only user error or of the request error; none after a successful sign-in.
fn code(answer: &Answer) -> Option<&str> {
    let payload = &answer.body["data"]["signIn"];
    payload["userErrors"][0]["code"].as_str().or(answer.body["errors"][0]["extensions"]["code"].as_str())
}

/// The device's cookie.
fn device(answer: &Answer) -> String {
    let set = answer.headers.get_all("set-cookie").iter().map(|set| set.to_str().unwrap());
    let device =
        set.filter_map(|set| set.split(';').next()).find(|cookie| cookie.starts_with("gavel_device="));
    device.unwrap_or_else(|| panic!("no device: {:?}", answer.headers)).to_owned()
}

async fn wrong_passwords_of_strangers_lock_nobody_out(db: Db) {
    let server = &behind_a_proxy(&db).await;
    let account = with_password(server).await;
    let other = with_password(server).await;
    let email = account.email.as_str();
    let own = device(&sign_in(server, OWNER, email, PASSWORD, None).await);
    for _ in 0..5 {
        let wrong = sign_in(server, STRANGER, email, "a wrong phrase", None).await;
        assert_eq!(code(&wrong), Some("UNAUTHORIZED"), "{}", wrong.text);
    }
    // In the strangers' network sign-in is blocked, except for the owner's device; elsewhere it is not.
    assert_eq!(code(&sign_in(server, STRANGER, email, PASSWORD, None).await), Some("RATE_LIMITED"));
    assert_eq!(code(&sign_in(server, STRANGER, email, PASSWORD, Some(&own)).await), None);
    assert_eq!(code(&sign_in(server, OWNER, email, PASSWORD, None).await), None);
    assert_eq!(code(&sign_in(server, STRANGER, &other.email, PASSWORD, None).await), None);
    // A device belongs to one user, and has five attempts too.
    let others = device(&sign_in(server, OWNER, &other.email, PASSWORD, None).await);
    assert_eq!(code(&sign_in(server, STRANGER, email, PASSWORD, Some(&others)).await), Some("RATE_LIMITED"));
    for made_up in ["gavel_device=x", "gavel_device=user_1.AAAA", &own[..own.len() - 2]] {
        assert_eq!(
            code(&sign_in(server, STRANGER, email, PASSWORD, Some(made_up)).await),
            Some("RATE_LIMITED")
        );
    }
    for _ in 0..5 {
        let wrong = sign_in(server, OWNER, email, "a wrong phrase", Some(&own)).await;
        assert_eq!(code(&wrong), Some("UNAUTHORIZED"), "{}", wrong.text);
    }
    assert_eq!(code(&sign_in(server, OWNER, email, PASSWORD, Some(&own)).await), Some("RATE_LIMITED"));
    // A new password invalidates all devices.
    server.cli(&["user", "reset-password", "--email", email, "--password", "another pass phrase"]).await;
    let old = sign_in(server, STRANGER, email, "another pass phrase", Some(&own)).await;
    assert_eq!(code(&old), Some("RATE_LIMITED"));
}

async fn a_network_is_the_block_of_one_subscriber(db: Db) {
    let server = &behind_a_proxy(&db).await;
    let account = with_password(server).await;
    let email = account.email.as_str();
    for host in 1..=5 {
        let from = format!("2001:db8:1:2::{host}");
        assert_eq!(code(&sign_in(server, &from, email, "wrong phrase", None).await), Some("UNAUTHORIZED"));
    }
    let same = sign_in(server, "2001:db8:1:2:ffff::9", email, PASSWORD, None).await;
    assert_eq!(code(&same), Some("RATE_LIMITED"), "{}", same.text);
    assert_eq!(code(&sign_in(server, "2001:db8:1:3::1", email, PASSWORD, None).await), None);
    // Only the address added by the trusted proxy counts; without a trusted proxy the header is ignored.
    let spoofed = sign_in(server, "203.0.113.9, 2001:db8:1:2::7", email, PASSWORD, None).await;
    assert_eq!(code(&spoofed), Some("RATE_LIMITED"));
    let open = &Server::start(&db).await;
    for host in 1..=5 {
        let wrong = sign_in(open, &format!("203.0.113.{host}"), email, "wrong phrase", None).await;
        assert_eq!(code(&wrong), Some("UNAUTHORIZED"));
    }
    assert_eq!(code(&sign_in(open, "203.0.113.77", email, PASSWORD, None).await), Some("RATE_LIMITED"));
}

/// Tries to sign in to different accounts until `end`.
async fn guess_passwords(server: &Server, from: &str, number: usize, end: Instant) {
    let mut tries = 0;
    while Instant::now() < end {
        let email = format!("{number}-{tries}@example.test");
        let answer = sign_in(server, from, &email, "a wrong phrase", None).await;
        let known = [Some("UNAUTHORIZED"), Some("RATE_LIMITED"), Some("OVERLOADED")];
        assert!(known.contains(&code(&answer)), "{}", answer.text);
        tries += 1;
    }
}

/// 150 connections from one network that constantly try different accounts.
async fn many_strangers_keep_nobody_from_signing_in(db: Db) {
    let server = &behind_a_proxy(&db).await;
    let account = with_password(server).await;
    let email = account.email.as_str();
    let own = device(&sign_in(server, OWNER, email, PASSWORD, None).await);

    // The owner signs in from elsewhere, and on a device in the same network.
    let owner = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let mut slowest = Duration::ZERO;
        for number in 0..10 {
            let (from, device) = if number % 2 == 0 { (OWNER, None) } else { (STRANGER, Some(own.as_str())) };
            let start = Instant::now();
            let answer = sign_in(server, from, email, PASSWORD, device).await;
            assert_eq!(code(&answer), None, "sign-in {number} from {from}: {}", answer.text);
            slowest = slowest.max(start.elapsed());
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        slowest
    };
    let attack = async {
        let end = Instant::now() + Duration::from_secs(8);
        futures_util::join!(
            join_all((0..150).map(|number| guess_passwords(server, STRANGER, number, end))),
            owner
        )
        .1
    };
    let (slowest, fared) = beside(
        "150 strangers who sign in",
        || server.moderate(&account.key, "a message of somebody else"),
        attack,
    )
    .await;
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    fared.well(1, FLOOR, Duration::from_secs(3));
}

/// 240 connections, each from a network of its own, that constantly try different accounts. Who comes from a network
/// that has not tried before does not wait behind them.
async fn strangers_in_many_networks_keep_nobody_from_signing_in(db: Db) {
    let server = &behind_a_proxy(&db).await;
    let account = with_password(server).await;
    let email = account.email.as_str();
    let owner = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let mut slowest = Duration::ZERO;
        for number in 0..10 {
            let start = Instant::now();
            let answer = sign_in(server, &format!("192.0.2.{number}"), email, PASSWORD, None).await;
            assert_eq!(code(&answer), None, "sign-in {number}: {}", answer.text);
            slowest = slowest.max(start.elapsed());
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        slowest
    };
    let attack = async {
        let end = Instant::now() + Duration::from_secs(12);
        let strangers = (0..240).map(|number| async move {
            guess_passwords(server, &format!("10.1.{number}.1"), number, end).await;
        });
        futures_util::join!(join_all(strangers), owner).1
    };
    let (slowest, fared) = beside(
        "240 networks that sign in",
        || server.moderate(&account.key, "a message of somebody else"),
        attack,
    )
    .await;
    report(&format!("240 networks that sign in: the slowest sign-in from another took {slowest:?}"));
    assert!(slowest < Duration::from_secs(3), "{slowest:?}");
    fared.well(1, FLOOR, Duration::from_secs(3));
}

/// The rest of an operation with a sign-in counts for the person who has signed in.
async fn sign_ins_count_towards_the_limit_of_their_person(db: Db) {
    let server = &behind_a_proxy(&db).await;
    let account = with_password(server).await;
    db.cli(&["account", "set-rate-limit", "--account", &account.id, "--per-minute", "2"]).await;
    for _ in 0..2 {
        assert_eq!(code(&sign_in(server, OWNER, &account.email, PASSWORD, None).await), None);
    }
    let third = sign_in(server, OWNER, &account.email, PASSWORD, None).await;
    assert_eq!(code(&third), Some("RATE_LIMITED"), "{}", third.text);
    assert_eq!(third.header("set-cookie"), None);
    let sessions = crate::harness::inv::count(&db, "session").await;
    assert_eq!(sessions, 2, "the refused session has ended");
}

/// Sign-ins with the old password race its change: none of their sessions survives.
async fn a_new_password_ends_sessions_that_begin_at_the_same_time(db: Db) {
    let server = &behind_a_proxy(&db).await;
    let account = with_password(server).await;
    let first = sign_in(server, OWNER, &account.email, PASSWORD, None).await;
    let session = first.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let old = PASSWORD.to_owned();
    for round in 0..4 {
        let (password, new) = if round % 2 == 0 {
            (old.as_str(), "a new pass phrase")
        } else {
            ("a new pass phrase", old.as_str())
        };
        let query = "mutation($input: ChangePasswordInput!) { changePassword(input: $input) { userErrors { code } } }";
        let input = json!({ "input": { "password": password, "newPassword": new } });
        let change = async {
            let request = server.graphql(query, input).header("cookie", &session).header("x-gavel-csrf", "1");
            request.send().await.data()
        };
        // From many networks, so that they are verified concurrently.
        let email = account.email.as_str();
        let signing = (0..12).map(|i| async move {
            tokio::time::sleep(Duration::from_millis(20 * i)).await;
            sign_in(server, &format!("203.0.113.{i}"), email, password, None).await
        });
        let (changed, signed_in) = futures_util::join!(change, join_all(signing));
        assert_eq!(changed["changePassword"]["userErrors"], json!([]), "{changed}");
        for answer in signed_in.iter().filter(|answer| code(answer).is_none()) {
            let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap();
            let request = server.graphql("{ viewer { role } }", json!({})).header("cookie", cookie);
            let seen = request.header("x-gavel-csrf", "1").send().await.data();
            assert_eq!(seen["viewer"], json!(null), "a session of the old password is alive");
        }
    }
}

on_both!(
    wrong_passwords_of_strangers_lock_nobody_out,
    sign_ins_count_towards_the_limit_of_their_person,
    a_new_password_ends_sessions_that_begin_at_the_same_time,
);
on_sqlite!(
    a_network_is_the_block_of_one_subscriber,
    many_strangers_keep_nobody_from_signing_in,
    strangers_in_many_networks_keep_nobody_from_signing_in,
);
