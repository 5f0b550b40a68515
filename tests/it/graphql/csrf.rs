//! A session's cookie counts only with a header that a page of another origin cannot send.

use serde_json::json;

use crate::harness::{Answer, Db, Server, on_both};

const ACCOUNT: &str = "{ account { id } }";
const SIGN_IN: &str = "mutation($input: SignInInput!) { signIn(input: $input) { userErrors { message } } }";

/// The cookie that a sign-in sets, as a browser would send it back, and all that came with it.
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

    let ask = |csrf: Option<&'static str>| {
        let request = server.graphql(ACCOUNT, json!({})).header("cookie", &cookie);
        match csrf {
            Some(csrf) => request.header("x-gavel-csrf", csrf).send(),
            None => request.send(),
        }
    };
    assert_eq!(ask(Some("1")).await.data(), json!({ "account": { "id": account.id } }));
    let is_refused = |answer: Answer| {
        assert!(answer.request_error(403, "FORBIDDEN").contains("X-Gavel-CSRF"), "{}", answer.text);
    };
    is_refused(ask(None).await);
    is_refused(ask(Some("")).await);
    is_refused(server.get("/graphql?query=%7B__typename%7D").header("cookie", &cookie).send().await);

    // A form of another site, which the browser sends with the cookie, where SameSite does not keep it from doing so.
    for kind in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain"] {
        let form =
            server.post("/graphql").header("cookie", &cookie).body(kind, "query=mutation%7B__typename%7D");
        is_refused(form.send().await);
        let form = server.post("/graphql").header("cookie", &cookie).header("x-gavel-csrf", "1");
        form.body(kind, "query=x").send().await.request_error(415, "UNSUPPORTED_MEDIA_TYPE");
    }
}

async fn a_session_that_is_over_is_a_guests(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let (cookie, _) = sign_in(server, &account.email, false).await;
    let ask =
        || server.graphql(ACCOUNT, json!({})).header("cookie", &cookie).header("x-gavel-csrf", "1").send();
    ask().await.data();
    let past = "UPDATE session SET expires_at = '2020-01-01 00:00:00+00:00'";
    db.execute(past).await;
    ask().await.refused("UNAUTHORIZED");
    // Nor does it need the header then: signing in anew must be possible.
    server.graphql(ACCOUNT, json!({})).header("cookie", &cookie).send().await.refused("UNAUTHORIZED");
}

async fn a_key_counts_before_a_cookie(db: Db) {
    let server = &Server::start(&db).await;
    let one = server.account(1).await;
    let other = server.account(1).await;
    let (cookie, _) = sign_in(server, &one.email, false).await;
    let (_, key) = db.key(&other, &["--scopes", "read"]).await;
    let answer = server.graphql(ACCOUNT, json!({})).header("cookie", &cookie).key(&key).send().await;
    assert_eq!(answer.data(), json!({ "account": { "id": other.id } }));
    let wrong =
        server.graphql(ACCOUNT, json!({})).header("cookie", &cookie).key("svc_live_wrong").send().await;
    wrong.request_error(401, "UNAUTHORIZED");
}

on_both!(a_cookie_needs_its_header, a_session_that_is_over_is_a_guests, a_key_counts_before_a_cookie);
