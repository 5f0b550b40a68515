//! A session's cookie is valid only with a header that a page of another origin cannot send.

use serde_json::json;

use crate::harness::{Answer, Db, Request, Server, on_both};

const ACCOUNT: &str = "{ account { id } }";
const SIGN_IN: &str = "mutation($input: SignInInput!) { signIn(input: $input) { userErrors { message } } }";

/// Signs in; returns the cookie as a browser would send it back, and the whole `Set-Cookie` header.
pub(super) async fn sign_in(server: &Server, account: &str, secure: bool) -> (String, String) {
    let password = server.cli(&["user", "reset-password", "--email", account]).await;
    let password = password["password"].as_str().expect("a password").to_owned();
    let input = json!({ "input": { "email": account, "password": password } });
    let request = server.graphql(SIGN_IN, input);
    let request = if secure { request.header("x-forwarded-proto", "https") } else { request };
    let answer = request.send().await;
    let set = answer.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {}", answer.text)).to_owned();
    (set.split(';').next().unwrap().to_owned(), set)
}

fn with_cookie(server: &Server, cookie: &str) -> Request {
    server.graphql(ACCOUNT, json!({})).header("cookie", cookie)
}

/// Asserts that the request was refused because it lacks the header.
#[track_caller]
fn needs_header(answer: &Answer) {
    assert!(answer.request_error(403, "FORBIDDEN").contains("X-Gavel-CSRF"), "{}", answer.text);
}

async fn a_cookie_needs_its_header(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let (_, set) = sign_in(server, &account.email, true).await;
    assert!(set.contains("Secure"), "{set}");
    let (cookie, set) = sign_in(server, &account.email, false).await;
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(set.contains(attribute), "{set}");
    }
    assert!(!set.contains("Secure"), "{set}");

    let answer = with_cookie(server, &cookie).header("x-gavel-csrf", "1").send().await;
    assert_eq!(answer.data(), json!({ "account": { "id": account.id } }));
    needs_header(&with_cookie(server, &cookie).send().await);
    needs_header(&with_cookie(server, &cookie).header("x-gavel-csrf", "").send().await);
    needs_header(&server.get("/graphql?query=%7B__typename%7D").header("cookie", &cookie).send().await);

    // A form of another site, which a browser sends with the cookie unless SameSite prevents it.
    for kind in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain"] {
        let form =
            server.post("/graphql").header("cookie", &cookie).body(kind, "query=mutation%7B__typename%7D");
        needs_header(&form.send().await);
        let form = server.post("/graphql").header("cookie", &cookie).header("x-gavel-csrf", "1");
        form.body(kind, "query=x").send().await.request_error(415, "UNSUPPORTED_MEDIA_TYPE");
    }
}

async fn an_ended_session_is_treated_as_a_guest(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let (cookie, _) = sign_in(server, &account.email, false).await;
    with_cookie(server, &cookie).header("x-gavel-csrf", "1").send().await.data();
    let past = "UPDATE session SET expires_at = '2020-01-01 00:00:00+00:00'";
    db.execute(past).await;
    with_cookie(server, &cookie).header("x-gavel-csrf", "1").send().await.refused("UNAUTHORIZED");
    // It does not need the header either: signing in again must be possible.
    server.graphql(ACCOUNT, json!({})).header("cookie", &cookie).send().await.refused("UNAUTHORIZED");
}

async fn a_key_takes_precedence_over_a_cookie(db: Db) {
    let server = &Server::start(&db).await;
    let one = server.account(1).await;
    let other = server.account(1).await;
    let (cookie, _) = sign_in(server, &one.email, false).await;
    let key = db.scoped_key(&other, "read").await;
    let answer = server.graphql(ACCOUNT, json!({})).header("cookie", &cookie).key(&key).send().await;
    assert_eq!(answer.data(), json!({ "account": { "id": other.id } }));
    let wrong =
        server.graphql(ACCOUNT, json!({})).header("cookie", &cookie).key("svc_live_wrong").send().await;
    wrong.request_error(401, "UNAUTHORIZED");
}

on_both!(
    a_cookie_needs_its_header,
    an_ended_session_is_treated_as_a_guest,
    a_key_takes_precedence_over_a_cookie
);
