//! GraphQL operations over large samples, and clients that do not read their answers: the server counts bytes, not only
//! operations.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{BUSY_FLOOR, moderating_beside};
use crate::harness::{Account, Db, RawConnection, Request, Server, on_both};

/// The number of the attacker's samples; each state has `STATE_BYTES`.
const SAMPLES: usize = 120;
const STATE_BYTES: usize = 250_000;
/// How much a server's memory may grow while one account asks for as much as it can: twice its 128 MiB, since
/// a response is serialized from the counted values, and a margin for what allocators keep.
const GROWTH_MIB: u64 = 429;

/// Creates an account with large samples; returns a key that may read them, and the Judge.
async fn large_samples(db: &Db, server: &Server) -> (String, String) {
    let account: Account = server.account(10).await;
    let key = db.scoped_key(&account, "manage,read").await;
    let create = "mutation { createJudge(input: { name: \"large\", instructions: { a: [\"b\", \"c\"] } }) { \
        judge { id } } }";
    let made = server.ask(&key, create, json!({})).await;
    let judge = made["createJudge"]["judge"]["id"].as_str().unwrap().to_owned();
    // Inserted like an import, which would be slow in a debug build.
    for number in 0..SAMPLES {
        let state = format!("\"{number} {}\"", "x".repeat(STATE_BYTES));
        let insert = format!(
            "INSERT INTO sample (id, account_id, judge_id, judge_version, source, content_hash, state, \
             credits, labels, created_at) \
             VALUES ('sample_{judge}{number}', '{}', '{judge}', 1, 'import', '{judge}{number}', '{state}', \
             0, 0, '2026-01-01T00:00:00+00:00')",
            account.id
        );
        db.execute(&insert).await;
    }
    (key, judge)
}

/// A query with one page per alias.
fn pages(judge: &str, aliases: usize, rows: usize) -> String {
    format!(
        "{{ judge(id: \"{judge}\") {{ {} }} }}",
        (0..aliases)
            .map(|i: usize| format!("p{i}: samples(first: {rows}) {{ nodes {{ id state }} }} "))
            .collect::<String>()
    )
}

/// Sends an operation over too many bytes, which must be refused.
async fn refused(request: Request) {
    let answer = request.send().await;
    let error = &answer.body["errors"][0];
    let text = answer.text.get(..400).unwrap_or_default();
    match error["extensions"]["code"].as_str() {
        Some("VALIDATION_FAILED") => {
            assert!(error["message"].as_str().unwrap().contains("graphql_operation_bytes"), "{error}");
        }
        code => assert_eq!(code, Some("OVERLOADED"), "{text}"),
    }
}

async fn the_memory_of_an_account_is_limited(db: Db) {
    let server = &Server::start(&db).await;
    let victim = server.account(1_000).await;
    let (key, judge) = large_samples(&db, server).await;
    // One page of the largest samples fits.
    let page = server.ask(&key, &pages(&judge, 1, 100), json!({})).await;
    assert_eq!(page["judge"]["p0"]["nodes"].as_array().unwrap().len(), 100);
    let too_much = pages(&judge, 6, 100);

    let attack = async {
        let before = server.memory().0;
        let asked = join_all((0..8).map(|_| async {
            for _ in 0..2 {
                refused(server.graphql(&too_much, json!({})).key(&key)).await;
            }
        }));
        tokio::select! {
            _ = asked => before,
            () = watch(server, before) => before,
        }
    };
    let (before, fared) = moderating_beside("8 operations over large samples", server, &victim, attack).await;
    let grown = server.memory().0.saturating_sub(before);
    assert!(grown < GROWTH_MIB, "{grown} MiB more");
    fared.well(1, BUSY_FLOOR, Duration::from_secs(5));
    // Of operations that fit one at a time but not together, some are answered.
    let fits = pages(&judge, 1, 100);
    let answers = join_all((0..8).map(|_| server.graphql(&fits, json!({})).key(&key).send())).await;
    let answered = answers.iter().filter(|answer| answer.body.get("errors").is_none()).count();
    let refused = answers
        .iter()
        .filter(|answer| answer.body["errors"][0]["extensions"]["code"] == "OVERLOADED")
        .count();
    assert!(answered > 0 && answered + refused == 8, "{answered} are answered and {refused} refused");
}

/// Panics when the memory of a server has grown too much.
async fn watch(server: &Server, before: u64) {
    while server.memory().0 < before + GROWTH_MIB {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server has grown by {GROWTH_MIB} MiB");
}

async fn unread_answers_count_against_the_memory_limit(db: Db) {
    let server = &Server::start(&db).await;
    let victim = server.account(1_000).await;
    let other = large_samples(&db, server).await;
    let (key, judge) = large_samples(&db, server).await;
    let body = json!({ "query": pages(&judge, 1, 100) }).to_string();
    let request = format!(
        "POST /graphql HTTP/1.1\r\nhost: gavel\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let attack = async {
        let before = server.memory().0;
        let mut unread = Vec::new();
        // Once two are answered, there is no room for a third.
        loop {
            unread.push(RawConnection::connect(server).await);
            unread.last_mut().unwrap().send(&request).await;
            let answer = server.graphql(&pages(&judge, 1, 100), json!({})).key(&key).send().await;
            if answer.body["errors"][0]["extensions"]["code"] == "OVERLOADED" {
                break;
            }
            assert!(unread.len() < 8, "all 8 are answered");
        }
        while unread.len() < 8 {
            unread.push(RawConnection::connect(server).await);
            unread.last_mut().unwrap().send(&request).await;
        }
        // Another account is not affected.
        let page = server.ask(&other.0, &pages(&other.1, 1, 100), json!({})).await;
        assert_eq!(page["judge"]["p0"]["nodes"].as_array().unwrap().len(), 100);
        (before, unread)
    };
    let ((before, unread), fared) =
        moderating_beside("clients who do not read", server, &victim, attack).await;
    let grown = server.memory().0.saturating_sub(before);
    assert!(grown < GROWTH_MIB, "{grown} MiB more");
    fared.well(1, BUSY_FLOOR, Duration::from_secs(5));
    drop(unread);
    crate::harness::eventually("there is room again", || async {
        let answer = server.graphql(&pages(&judge, 1, 100), json!({})).key(&key).send().await;
        answer.body.get("errors").is_none().then_some(())
    })
    .await;
}

on_both!(the_memory_of_an_account_is_limited, unread_answers_count_against_the_memory_limit);
