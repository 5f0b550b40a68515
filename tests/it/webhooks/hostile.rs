//! Receivers that stall, and endpoints that lead to private addresses.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{
    asking::*,
    receiver::{Receiver, Reply},
};
use crate::harness::{Db, Origin, on_both, response};

/// Longer than the victim waits, even on a busy machine.
const STALL: Duration = Duration::from_secs(30);

#[expect(clippy::print_stderr, reason = "figures for people who run the suite")]
async fn stalling_receivers_do_not_delay_other_accounts(db: Db) {
    let server = allowing(&db, "127.0.0.1").env("GAVEL_WEBHOOK_TIMEOUT_S", 30).start().await;
    let attacker = tenant(&db).await;
    let victim = tenant(&db).await;
    let stalls = Receiver::start("127.0.0.1", |_| Reply::Late(STALL)).await;
    let fine = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let (slow, _) = endpoint(&server, &attacker, &stalls.url(), &[]).await;
    let (quick, _) = endpoint(&server, &victim, &fine.url(), &[]).await;
    // Many more than there are slots.
    for _ in 0..40 {
        ping(&server, &attacker, &slow).await;
    }
    has_received(&stalls, 2).await;
    let begin = Instant::now();
    for sent in 1..=3 {
        ping(&server, &victim, &quick).await;
        has_received(&fine, sent).await;
    }
    let waited = begin.elapsed();
    eprintln!("three deliveries of the victim beside 40 that stall: {waited:?}");
    assert!(waited < STALL / 2, "the victim waited {waited:?}");
    assert_eq!(stalls.most_at_once(), 2, "a quarter of 8 slots");
    // Deliveries without a slot have lost no attempt.
    let waiting = state(&server, &attacker, &slow).await;
    assert_eq!(waiting["deliveries"]["totalCount"], 40);
    assert_eq!(waiting["deliveries"]["nodes"][0]["attempts"], 0);
}

async fn a_failing_endpoint_does_not_delay_the_others_of_its_account(db: Db) {
    let server = allowing(&db, "127.0.0.1").env("GAVEL_WEBHOOK_TIMEOUT_S", 30).start().await;
    let mine = tenant(&db).await;
    let stalls = Receiver::start("127.0.0.1", |_| Reply::Late(STALL)).await;
    let fine = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let (slow, _) = endpoint(&server, &mine, &stalls.url(), &[]).await;
    let (quick, _) = endpoint(&server, &mine, &fine.url(), &[]).await;
    // As after a first attempt that failed.
    db.execute(&format!("UPDATE webhook_endpoint SET failing_since = created_at WHERE id = '{slow}'")).await;
    for _ in 0..10 {
        ping(&server, &mine, &slow).await;
    }
    has_received(&stalls, 1).await;
    let begin = Instant::now();
    for sent in 1..=3 {
        ping(&server, &mine, &quick).await;
        has_received(&fine, sent).await;
    }
    assert!(begin.elapsed() < STALL / 2, "{:?}", begin.elapsed());
    assert_eq!(stalls.most_at_once(), 1);
}

async fn redirects_and_private_addresses_are_not_followed(db: Db) {
    let canary = Origin::start("127.0.0.1:0", |_: &str| response(200, &[], b"secret")).await;
    let inward = format!("Location: {}", canary.url("/"));
    let redirects = Receiver::start("127.0.0.9", move |_| Reply::With(307, inward.clone())).await;
    let server = allowing(&db, "127.0.0.9").start().await;
    let mine = tenant(&db).await;
    let (id, _) = endpoint(&server, &mine, &redirects.url(), &[]).await;
    ping(&server, &mine, &id).await;
    let failed = newest_is(&server, &mine, &id, |delivery| delivery["attempts"] == 1).await;
    let delivery = &failed["deliveries"]["nodes"][0];
    assert_eq!((&delivery["status"], &delivery["error"]), (&json!(307), &json!("the endpoint answered 307")));

    // Such URLs are refused when an endpoint is created or changed.
    let port = canary.address.port();
    for (url, why) in [
        (format!("http://127.0.0.1:{port}/"), "url must be an https URL"),
        (format!("https://127.0.0.1:{port}/"), "url must name a public host"),
        (format!("https://0x7f.1:{port}/"), "url must name a public host"),
        (format!("https://[::1]:{port}/"), "url must name a public host"),
        ("https://169.254.169.254/latest/meta-data".to_owned(), "url must name a public host"),
        ("https://me:secret@example.com/".to_owned(), "url must not contain a user name"),
        ("http://example.com/hooks".to_owned(), "url must be an https URL"),
        ("some words".to_owned(), "url must be a URL with a host"),
    ] {
        let refused = create(&server, &mine.key, json!({ "url": url })).await;
        let error = &refused["userErrors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("url"), &json!("VALIDATION_FAILED")), "{url}");
        assert!(error["message"].as_str().unwrap().starts_with(why), "{url}: {error}");
        let change = json!({ "input": { "id": id, "url": url } });
        let query = "mutation($input: UpdateWebhookEndpointInput!) { payload: updateWebhookEndpoint(input: \
            $input) { userErrors { field } } }";
        let refused = server.ask(&mine.key, query, change).await;
        assert_eq!(refused["payload"]["userErrors"][0]["field"], "url", "{url}");
    }
    // Names are resolved at each delivery; this one leads to this machine.
    for url in [format!("https://localhost:{port}/"), canary.url("/")] {
        let set = format!("UPDATE webhook_endpoint SET url = '{url}' WHERE id = '{id}'");
        db.execute(&set).await;
        ping(&server, &mine, &id).await;
        let failed = newest_is(&server, &mine, &id, |delivery| delivery["attempts"] == 1).await;
        let error = failed["deliveries"]["nodes"][0]["error"].as_str().unwrap();
        assert!(error.starts_with("the URL must "), "{url}: {error}");
    }
    assert!(canary.heads().is_empty(), "{:?}", canary.heads());
}

on_both!(
    a_failing_endpoint_does_not_delay_the_others_of_its_account,
    stalling_receivers_do_not_delay_other_accounts,
    redirects_and_private_addresses_are_not_followed
);
