//! Proofs of work: where the setting asks for them, strangers solve a challenge before their passwords are verified.

use altcha::{Challenge, CreateChallengeOptions, Payload, SolveChallengeOptions};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use sea_orm::FromQueryResult;
use serde_json::{Value, json};
use sha2::Sha256;

use super::sessions::{PASSWORD, person};
use crate::harness::{Answer, Db, Server, ServerOptions, inv, on_both, on_sqlite};

const REFUSED: Option<(&str, &str)> = Some(("proofOfWork", "VALIDATION_FAILED"));

/// A server that asks for proofs.
pub(crate) fn asking(db: &Db, bits: u32) -> ServerOptions {
    Server::with(db).env("GAVEL_PROOF_OF_WORK_BITS", bits)
}

/// The challenge for an address; null where none is needed.
async fn challenge(server: &Server, email: &str) -> Value {
    let query = "query($email: String!) { proofOfWorkChallenge(email: $email) }";
    let data = server.graphql(query, json!({ "email": email })).send().await.data();
    data["proofOfWorkChallenge"].clone()
}

/// Solves a challenge as any of ALTCHA's clients does; returns the proof.
fn solve(challenge: &Value) -> String {
    let challenge: Challenge = serde_json::from_value(challenge.clone()).unwrap();
    let solution = altcha::solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap();
    let solution = solution.expect("it can be solved in time");
    BASE64_STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap())
}

/// A proof for an attempt with an address.
pub(crate) async fn solved(server: &Server, email: &str) -> String {
    solve(&challenge(server, email).await)
}

/// What somebody tries to sign in with.
#[derive(Clone, Copy)]
struct Try<'a> {
    email: &'a str,
    password: &'a str,
    proof: Option<&'a str>,
    device: Option<&'a str>,
}

impl<'a> Try<'a> {
    fn new(email: &'a str) -> Self {
        Self { email, password: PASSWORD, proof: None, device: None }
    }

    fn with(self, proof: &'a str) -> Self {
        Self { proof: Some(proof), ..self }
    }

    async fn send(self, server: &Server) -> Answer {
        let query = "mutation($input: SignInInput!) { payload: signIn(input: $input) { viewer { role } \
            userErrors { field code message } } }";
        let input = json!({ "email": self.email, "password": self.password, "proofOfWork": self.proof });
        let request = server.graphql(query, json!({ "input": input }));
        match self.device {
            Some(device) => request.header("cookie", device).send().await,
            None => request.send().await,
        }
    }
}

async fn sign_up(server: &Server, email: &str, password: &str, proof: Option<&str>) -> Answer {
    let query = "mutation($input: SignUpInput!) { payload: signUp(input: $input) { viewer { role } userErrors { \
        field code message } } }";
    let input = json!({ "email": email, "password": password, "proofOfWork": proof });
    server.graphql(query, json!({ "input": input })).send().await
}

/// The field and the code of the only user error; none after a success.
#[track_caller]
fn refusal(answer: &Answer) -> Option<(&str, &str)> {
    let payload = &answer.body["data"]["payload"];
    let errors = payload["userErrors"].as_array().unwrap_or_else(|| panic!("no payload: {}", answer.text));
    assert!(errors.len() <= 1 && errors.is_empty() != payload["viewer"].is_null(), "{}", answer.text);
    let error = errors.first()?;
    Some((error["field"].as_str().unwrap_or_default(), error["code"].as_str().unwrap()))
}

#[track_caller]
fn message(answer: &Answer) -> &str {
    answer.body["data"]["payload"]["userErrors"][0]["message"].as_str().unwrap_or_default()
}

fn device(answer: &Answer) -> String {
    let cookies = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    let mut cookies = cookies.filter_map(|cookie| cookie.split(';').next());
    cookies.find(|cookie| cookie.starts_with("gavel_device=")).expect("a device").to_owned()
}

async fn a_stranger_solves_a_challenge_before_signing_in(db: Db) {
    let server = &asking(&db, 10).start().await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "analyst").await;
    // More tries than wrong passwords are allowed: none of them has been verified or counted.
    for password in [PASSWORD, "a wrong phrase"].repeat(4) {
        let refused = Try { password, ..Try::new(&email) }.send(server).await;
        assert_eq!(refusal(&refused), REFUSED, "{}", refused.text);
        assert!(message(&refused).starts_with("proofOfWork is needed"), "{}", refused.text);
    }
    let nobody = Try::new("nobody@example.test").send(server).await;
    assert_eq!(refusal(&nobody), REFUSED, "addresses are not told apart");
    assert_eq!(server.metric("gavel_sign_ins_refused_total").await, 0.0);
    assert_eq!(server.metric("gavel_proofs_of_work_refused_total").await, 9.0);

    let proof = solved(server, &email).await;
    assert_eq!(refusal(&Try::new(&email).with(&proof).send(server).await), None);
    let again = Try::new(&email).with(&proof).send(server).await;
    assert_eq!(refusal(&again), REFUSED);
    assert!(message(&again).contains("used before"), "{}", again.text);
    let wrong = Try { password: "a wrong phrase", ..Try::new(&email) };
    let wrong = wrong.with(&solved(server, &email).await).send(server).await;
    assert_eq!(refusal(&wrong), Some(("", "UNAUTHORIZED")));
}

async fn a_known_device_needs_no_proof(db: Db) {
    let server = &asking(&db, 8).start().await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "analyst").await;
    let (_, other) = person(&db, &account, "editor").await;
    let own = device(&Try::new(&email).with(&solved(server, &email).await).send(server).await);
    let known = Try { device: Some(&own), ..Try::new(&email) };
    assert_eq!(refusal(&known.send(server).await), None);
    assert_eq!(refusal(&known.with("no proof").send(server).await), None, "nobody looks at it");
    // It is one person's.
    let others = Try { device: Some(&own), ..Try::new(&other) };
    assert_eq!(refusal(&others.send(server).await), REFUSED);
    let proof = solved(server, &other).await;
    assert_eq!(refusal(&others.with(&proof).send(server).await), None);
    let made_up = Try { device: Some("gavel_device=user_1.AAAA"), ..Try::new(&email) };
    assert_eq!(refusal(&made_up.send(server).await), REFUSED);
}

async fn forged_and_expired_challenges_are_refused(db: Db) {
    let server = &asking(&db, 8).start().await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "analyst").await;
    let fresh = challenge(server, &email).await;
    let mut easy = fresh.clone();
    easy["parameters"]["keyPrefix"] = json!("00");
    let mut longer = fresh.clone();
    longer["parameters"]["expiresAt"] = json!(4_000_000_000_u64);
    let unsigned = json!({ "parameters": fresh["parameters"] });
    let unsolved = json!({ "challenge": fresh, "solution": { "counter": 1, "derivedKey": "00".repeat(32) } });
    for (proof, why) in [
        (solve(&easy), "this server issued"),
        (solve(&longer), "this server issued"),
        (solve(&unsigned), "this server issued"),
        (solved(server, "other@example.test").await, "same e-mail address"),
        (solve(&expired(&db, &email).await), "has expired"),
        (BASE64_STANDARD.encode(unsolved.to_string()), "does not solve"),
        ("no proof".to_owned(), "base64"),
        (String::new(), "base64"),
    ] {
        let refused = Try::new(&email).with(&proof).send(server).await;
        assert_eq!(refusal(&refused), REFUSED, "{}", refused.text);
        assert!(message(&refused).contains(why), "{why}: {}", refused.text);
    }
    let right = solve(&fresh);
    assert_eq!(refusal(&Try::new(&email).with(&right).send(server).await), None, "refusals use up nothing");
    let long = server.graphql(
        "query($email: String!) { proofOfWorkChallenge(email: $email) }",
        json!({
            "email": "x".repeat(2_000),
        }),
    );
    long.send().await.refused("VALIDATION_FAILED");
}

/// A challenge as this deployment would have signed it, long ago.
async fn expired(db: &Db, email: &str) -> Value {
    #[derive(FromQueryResult)]
    struct SecretRow {
        value: String,
    }
    let secret: Vec<SecretRow> = inv::rows(db, "SELECT value FROM secret WHERE name = 'proof_of_work'").await;
    let code = Hmac::<Sha256>::new_from_slice(&BASE64_STANDARD.decode(&secret[0].value).unwrap()).unwrap();
    let key = code.chain_update(b"gavel proof of work").chain_update(email).finalize().into_bytes();
    let options = CreateChallengeOptions {
        algorithm: "SHA-256".to_owned(),
        cost: 1,
        counter: Some(7),
        expires_at: Some(1_700_000_000),
        hmac_signature_secret: Some(BASE64_STANDARD.encode(key)),
        ..CreateChallengeOptions::default()
    };
    serde_json::to_value(altcha::create_challenge(options).unwrap()).unwrap()
}

async fn signing_up_takes_a_proof(db: Db) {
    let server = &asking(&db, 8).env("GAVEL_SIGN_UP", "open").start().await;
    let email = "new@example.test";
    assert_eq!(refusal(&sign_up(server, email, PASSWORD, None).await), REFUSED);
    let proof = solved(server, email).await;
    let short = sign_up(server, email, "short", Some(&proof)).await;
    assert_eq!(refusal(&short), Some(("password", "VALIDATION_FAILED")));
    assert_eq!(
        refusal(&sign_up(server, email, PASSWORD, Some(&proof)).await),
        None,
        "the proof was not used"
    );
    assert_eq!(refusal(&sign_up(server, email, PASSWORD, Some(&proof)).await), REFUSED);
}

async fn challenges_outlive_a_restart_and_are_those_of_all_replicas(db: Db) {
    let mut server = asking(&db, 8).start().await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "analyst").await;
    let proof = solved(&server, &email).await;
    let replica = server.replica().await;
    assert_eq!(refusal(&Try::new(&email).with(&proof).send(&replica).await), None);
    let proof = solved(&replica, &email).await;
    server.restart().await;
    assert_eq!(refusal(&Try::new(&email).with(&proof).send(&server).await), None);
}

async fn nobody_needs_a_proof_by_default(db: Db) {
    let server = &Server::with(&db).env("GAVEL_SIGN_UP", "open").start().await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "analyst").await;
    assert_eq!(challenge(server, &email).await, Value::Null);
    assert_eq!(refusal(&Try::new(&email).send(server).await), None);
    assert_eq!(refusal(&Try::new(&email).with("no proof").send(server).await), None);
    assert_eq!(refusal(&sign_up(server, "new@example.test", PASSWORD, None).await), None);
}

async fn the_setting_has_a_range(db: Db) {
    for value in ["25", "-1", "many"] {
        let settings = [("GAVEL_PROOF_OF_WORK_BITS", value), ("GAVEL_LISTEN", "127.0.0.1:0")];
        let ran = db.run(&["serve"], &settings, "").await;
        let named = ran.stderr.to_lowercase().contains("proof_of_work_bits");
        assert!(!ran.status.success() && named, "{value}: {}", ran.stderr);
    }
    let ran = db.run(&["serve"], &[("GAVEL_PROOF_OF_WORK_BITS", "25")], "").await;
    assert!(ran.stderr.contains("proof_of_work_bits must be from 0 to 24, not 25"), "{}", ran.stderr);
}

on_both!(
    a_stranger_solves_a_challenge_before_signing_in,
    a_known_device_needs_no_proof,
    forged_and_expired_challenges_are_refused,
    signing_up_takes_a_proof,
    challenges_outlive_a_restart_and_are_those_of_all_replicas,
    nobody_needs_a_proof_by_default,
);
on_sqlite!(the_setting_has_a_range);
