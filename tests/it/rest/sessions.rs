//! Signed-in people use the REST endpoints with their session's cookie and the header against cross-site
//! requests, within their role. The ledger records who spent what.

use crate::harness::{Answer, Request};
use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use crate::{
    graphql::client::Session,
    harness::{
        Account, Db, Server, Upstream, inv, on_both, on_sqlite,
        picture::{FORM, IMAGE, fixture, form},
    },
};

const PASSWORD: &str = "a pass phrase";
const TEXT: &str = "/api/v1/moderate/text";
const INFERENCE: &str = "/api/v1/inference";

/// A charge and its payer.
#[derive(Debug, FromQueryResult)]
struct ChargeRow {
    endpoint: String,
    user_id: Option<String>,
    api_key_id: Option<String>,
}

async fn paid_by(db: &Db) -> Vec<ChargeRow> {
    inv::rows(db, "SELECT endpoint, user_id, api_key_id FROM ledger WHERE kind = 'charge' ORDER BY seq").await
}

async fn start(db: &Db) -> (Server, Upstream, Account) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(db, &upstream).start().await;
    let account = server.account(100).await;
    (server, upstream, account)
}

/// Adds a person to an account and signs them in; returns their id and session.
async fn person<'a>(server: &'a Server, account: &Account, role: &str) -> (String, Session<'a>) {
    let email = format!("{role}-of-{}", account.email);
    let args = ["user", "create", "--account", &account.id, "--email", &email, "--role", role];
    let made = server.cli(&[&args[..], &["--password", PASSWORD]].concat()).await;
    let session = Session::sign_in(server, &email, PASSWORD).await;
    server.db.record().key(session.cookie.split_once('=').expect("a cookie").1);
    (made["user_id"].as_str().expect("an id").to_owned(), session)
}

fn question() -> Value {
    json!({ "state": "my parcel is late", "instructions": { "team": ["billing", "shipping"] } })
}

async fn a_person_can_do_what_a_key_can_and_is_named_in_the_ledger(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let (id, editor) = person(&server, &account, "editor").await;
    let judge = editor
        .created_judge(
            json!({ "name": "Triage", "instructions": { "team": ["a", "b"] }, "storeContent": true }),
        )
        .await;
    let through = format!("/api/v1/judges/{judge}/inference");
    let requests = [
        (TEXT, json!({ "content": "hello", "mode": "native" })),
        ("/api/v1/moderate/text/batch", json!({ "messages": [{ "content": "hello" }], "mode": "native" })),
        (INFERENCE, question()),
        (&through, json!({ "state": "my parcel is late" })),
        ("/v1/decisions", json!({ "input": "x", "questions": [] })),
    ];
    for (path, body) in &requests[..4] {
        let body = editor.rest(server.post(path)).json(body.clone()).send().await.ok();
        assert!(body["credits_deducted"].as_f64().is_some_and(|credits| credits > 0.0), "{path}: {body}");
    }
    let picture = form(&[("image", &fixture("rgb8.png"))]);
    editor.rest(server.post(IMAGE)).body(FORM, picture).send().await.ok();
    let paid = paid_by(&db).await;
    assert_eq!(paid.len(), 5);
    for row in &paid {
        assert_eq!((row.user_id.as_deref(), &row.api_key_id), (Some(&*id), &None), "{row:?}");
    }
    assert_eq!(paid[3].endpoint, INFERENCE);
    let samples = editor.query(&format!("{{ judge(id: \"{judge}\") {{ samples {{ totalCount }} }} }}")).await;
    assert_eq!(samples["judge"]["samples"]["totalCount"], 1);
    // An invalid body is refused as for a key.
    let (path, body) = &requests[4];
    assert_eq!(editor.rest(server.post(path)).json(body.clone()).send().await.status, 422);
}

async fn a_person_submits_sees_and_cancels_batches(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let (id, editor) = person(&server, &account, "editor").await;
    let (_, analyst) = person(&server, &account, "analyst").await;
    let item = json!({ "custom_id": "one", "url": INFERENCE, "body": question() });
    let items = json!({ "items": [item] });
    let refused = analyst.rest(server.post("/api/v1/batches")).json(items.clone()).send().await;
    refused.fails(403, "FORBIDDEN");
    let batch = editor.rest(server.post("/api/v1/batches")).json(items).send().await;
    assert_eq!(batch.status, 202, "{}", batch.text);
    let path = format!("/api/v1/batches/{}", batch.body["id"].as_str().expect("an id"));
    for who in [&editor, &analyst] {
        assert_eq!(who.rest(server.get(&path)).send().await.ok()["id"], batch.body["id"]);
        let list = who.rest(server.get("/api/v1/batches")).send().await.ok();
        assert_eq!(list["data"].as_array().expect("batches").len(), 1);
    }
    analyst.rest(server.post(&format!("{path}/cancel"))).send().await.fails(403, "FORBIDDEN");
    // It may have ended already.
    assert_ne!(editor.rest(server.post(&format!("{path}/cancel"))).send().await.status, 403);
    #[derive(FromQueryResult)]
    struct BatchRow {
        submitted_by: String,
    }
    let batches: Vec<BatchRow> = inv::rows(&db, "SELECT submitted_by FROM batch").await;
    assert_eq!(batches[0].submitted_by, id);
}

async fn analysts_can_read_but_not_spend(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let (_, editor) = person(&server, &account, "editor").await;
    let (_, analyst) = person(&server, &account, "analyst").await;
    let judge =
        editor.created_judge(json!({ "name": "Triage", "instructions": { "team": ["a", "b"] } })).await;
    let message = json!({ "content": "hello", "mode": "native" });
    for (path, body) in [(TEXT, message), (INFERENCE, question())] {
        let refused = analyst.rest(server.post(path)).json(body).send().await;
        assert_eq!(refused.fails(403, "FORBIDDEN"), "this needs the role editor, and yours is analyst");
    }
    let export = format!("/api/v1/judges/{judge}/dataset?format=jsonl");
    assert_eq!(analyst.rest(server.get(&export)).send().await.status, 200);
    let import = format!("/api/v1/judges/{judge}/dataset?format=jsonl");
    analyst.rest(server.post(&import)).body("application/x-ndjson", "").send().await.fails(403, "FORBIDDEN");
    assert!(paid_by(&db).await.is_empty());
}

/// A request with the session's cookie, but without its header.
fn cookie_only(server: &Server, session: &Session<'_>) -> Request {
    server.post(TEXT).header("cookie", &session.cookie)
}

async fn a_cookie_needs_its_header_and_a_live_session(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let (_, editor) = person(&server, &account, "editor").await;
    let message = json!({ "content": "hello", "mode": "native" });
    for refused in [
        cookie_only(&server, &editor),
        cookie_only(&server, &editor).header("x-gavel-csrf", ""),
        cookie_only(&server, &editor).header("origin", "https://evil.example"),
        cookie_only(&server, &editor).header("sec-fetch-site", "cross-site"),
        cookie_only(&server, &editor).header("sec-fetch-site", "same-site"),
        cookie_only(&server, &editor).header("sec-fetch-site", "none"),
    ] {
        let refused = refused.json(message.clone()).send().await;
        assert!(refused.fails(403, "FORBIDDEN").contains("X-Gavel-CSRF"), "{}", refused.text);
    }
    // Forms of another site, which a browser sends with the cookie unless SameSite prevents it.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"] {
        cookie_only(&server, &editor).body(kind, "content=x").send().await.fails(403, "FORBIDDEN");
    }
    // A key takes precedence over a cookie and needs no header.
    cookie_only(&server, &editor).key(&account.key).json(message.clone()).send().await.ok();
    let wrong = cookie_only(&server, &editor).key("svc_live_wrong").json(message.clone()).send().await;
    wrong.fails(401, "UNAUTHORIZED");
    assert_eq!(paid_by(&db).await[0].api_key_id.as_deref(), Some(&*account.key_id));

    editor.rest(server.post(TEXT)).json(message.clone()).send().await.ok();
    // Pages of this origin, such as the API reference, are known by the browser's word.
    let own_page = cookie_only(&server, &editor).header("sec-fetch-site", "same-origin");
    own_page.json(message.clone()).send().await.ok();
    db.execute("UPDATE session SET expires_at = '2020-01-01 00:00:00+00:00'").await;
    let over = editor.rest(server.post(TEXT)).json(message.clone()).send().await;
    assert!(over.fails(401, "UNAUTHORIZED").contains("the session is over"), "{}", over.text);
    let made_up = server.post(TEXT).header("cookie", "gavel_session=made-up").header("x-gavel-csrf", "1");
    made_up.json(message).send().await.fails(401, "UNAUTHORIZED");
    assert_eq!(paid_by(&db).await.len(), 3);
}

async fn the_repeated_request_of_a_person_is_charged_once(db: Db) {
    let (server, _upstream, account) = start(&db).await;
    let (id, editor) = person(&server, &account, "editor").await;
    let requests =
        (0..3).map(|_| editor.rest(server.post(INFERENCE)).idempotent("once").json(question()).send());
    let answers = futures_util::future::join_all(requests).await;
    let bodies: Vec<Value> = answers.into_iter().map(Answer::ok).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    let again = editor.rest(server.post(INFERENCE)).idempotent("once").json(question()).send().await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let paid = paid_by(&db).await;
    assert_eq!((paid.len(), paid[0].user_id.as_deref()), (1, Some(&*id)));
}

async fn people_have_one_rate_limit_and_only_their_credits(db: Db) {
    let server = Server::with(&db).env("GAVEL_RATE_LIMIT_PER_MINUTE", 4).start().await;
    let account = server.account("0.5").await;
    let (_, editor) = person(&server, &account, "editor").await;
    let message = json!({ "content": "hello", "mode": "native" });
    editor.rest(server.post(TEXT)).json(message.clone()).send().await.ok();
    for (status, code) in
        [(402, "INSUFFICIENT_CREDITS"), (402, "INSUFFICIENT_CREDITS"), (429, "RATE_LIMITED")]
    {
        editor.rest(server.post(TEXT)).json(message.clone()).send().await.fails(status, code);
    }
    // Signing in was the first of the four. The account's limit counts three requests, and one more of its key.
    server.moderate(&account.key, "hello").send().await.fails(402, "INSUFFICIENT_CREDITS");
    server.moderate(&account.key, "hello").send().await.fails(429, "RATE_LIMITED");
}

on_both!(
    a_person_can_do_what_a_key_can_and_is_named_in_the_ledger,
    a_person_submits_sees_and_cancels_batches,
    a_cookie_needs_its_header_and_a_live_session,
    the_repeated_request_of_a_person_is_charged_once,
);
on_sqlite!(analysts_can_read_but_not_spend, people_have_one_rate_limit_and_only_their_credits);
