//! Strangers try passwords without a proof of work: they are refused before anything is hashed for them. Somebody with
//! a proof can sign in meanwhile, even from the same network.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{FLOOR, beside, report};
use crate::{
    graphql::{
        PASSWORD, person,
        proof_of_work::{asking, solved},
    },
    harness::{Answer, Db, Server, on_sqlite},
};

/// The pause of a stranger between two tries. They are answered at once, and would keep the test's own process busy.
const PAUSE: Duration = Duration::from_secs(2);

async fn sign_in(server: &Server, from: &str, email: &str, proof: Option<&str>) -> Answer {
    let query = "mutation($input: SignInInput!) { signIn(input: $input) { viewer { role } userErrors { field code \
        message } } }";
    let input = json!({ "input": { "email": email, "password": PASSWORD, "proofOfWork": proof } });
    server.graphql(query, input).header("x-forwarded-for", from).send().await
}

/// Tries to sign in to different accounts until `end`; returns how often.
async fn try_without_proof(server: &Server, number: usize, end: Instant) -> usize {
    let mut tries = 0;
    // Not all at the same moment.
    tokio::time::sleep(PAUSE * number as u32 / 240).await;
    while Instant::now() < end {
        let email = format!("{number}-{tries}@example.test");
        let answer = sign_in(server, &format!("10.1.{number}.1"), &email, None).await;
        let payload = &answer.body["data"]["signIn"];
        let overloaded = answer.body["errors"][0]["extensions"]["code"] == "OVERLOADED";
        assert!(payload["userErrors"][0]["field"] == "proofOfWork" || overloaded, "{}", answer.text);
        tries += 1;
        tokio::time::sleep(PAUSE).await;
    }
    tries
}

/// 240 strangers, each from a network of its own, who try different accounts and solve nothing.
async fn strangers_without_proofs_keep_nobody_from_signing_in(db: Db) {
    let server = &asking(&db, 12).env("GAVEL_TRUSTED_PROXIES", "127.0.0.0/8").start().await;
    let account = server.account(1_000).await;
    let (_, email) = person(&db, &account, "analyst").await;
    let own = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let mut slowest = Duration::ZERO;
        for number in 0..10 {
            let start = Instant::now();
            let proof = solved(server, &email).await;
            // The strangers' networks have tried nothing that counts.
            let answer = sign_in(server, &format!("10.1.{number}.1"), &email, Some(&proof)).await;
            assert_eq!(answer.data()["signIn"]["userErrors"], json!([]), "sign-in {number}");
            slowest = slowest.max(start.elapsed());
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        slowest
    };
    let attack = async {
        let end = Instant::now() + Duration::from_secs(12);
        let strangers = (0..240).map(|number| try_without_proof(server, number, end));
        futures_util::join!(join_all(strangers), own)
    };
    let ((tries, slowest), fared) = beside(
        "240 networks that sign in without proofs",
        || server.moderate(&account.key, "a message of somebody else"),
        attack,
    )
    .await;
    let tries: usize = tries.iter().sum();
    report(&format!("{tries} tries without proofs: the slowest sign-in with one took {slowest:?}"));
    assert!(slowest < Duration::from_secs(3), "{slowest:?}");
    assert_eq!(
        server.metric("gavel_sign_ins_refused_total").await,
        0.0,
        "no stranger's password was verified"
    );
    fared.well(1, FLOOR, Duration::from_secs(3));
}

on_sqlite!(strangers_without_proofs_keep_nobody_from_signing_in);
