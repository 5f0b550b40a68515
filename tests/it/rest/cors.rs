//! Cross-origin requests: pages of `allowed_origins` may use the API with a session, all others nothing.

use reqwest::Method;
use serde_json::json;

use crate::{
    graphql::client::Session,
    harness::{Answer, Db, Server, on_both, on_sqlite},
};

const OURS: &str = "http://localhost:5173";
const FOREIGN: &str = "https://evil.example";
const ALLOWED: &str = "access-control-allow-origin";

async fn preflight(server: &Server, path: &str, origin: &str) -> Answer {
    server
        .request(Method::OPTIONS, path)
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type,idempotency-key,x-gavel-csrf")
        .send()
        .await
}

async fn pages_of_allowed_origins_can_use_sessions(db: Db) {
    let server =
        Server::with(&db).env("GAVEL_ALLOWED_ORIGINS", "https://app.example.com, http://LOCALHOST:5173");
    let server = &server.start().await;
    let account = server.account(10).await;
    server.cli(&["user", "reset-password", "--email", &account.email, "--password", "a pass phrase"]).await;
    let session = Session::sign_in(server, &account.email, "a pass phrase").await;
    db.record().key(session.cookie.split_once('=').expect("a cookie").1);
    for path in ["/api/v1/moderate/text", "/v1/moderations", "/v1/models", "/graphql", "/api/pricing"] {
        let answer = preflight(server, path, OURS).await;
        assert_eq!((answer.status, answer.header(ALLOWED)), (200, Some(OURS)), "{path}");
        assert_eq!(answer.header("access-control-allow-credentials"), Some("true"), "{path}");
        let headers = answer.header("access-control-allow-headers").unwrap_or_default();
        assert!(headers.contains("x-gavel-csrf") && headers.contains("idempotency-key"), "{headers}");
        assert!(answer.header("access-control-allow-methods").is_some_and(|all| all.contains("POST")));
        let foreign = preflight(server, path, FOREIGN).await;
        assert_eq!(foreign.header(ALLOWED), None, "{path}");
    }
    let body = json!({ "content": "hello", "mode": "native" });
    let [ours, foreign] = [OURS, FOREIGN].map(|origin| {
        let request = server.post("/api/v1/moderate/text").header("origin", origin);
        session.rest(request).json(body.clone())
    });
    let answer = ours.send().await;
    assert_eq!(answer.header(ALLOWED), Some(OURS));
    assert!(answer.header("access-control-expose-headers").is_some_and(|all| all.contains("x-request-id")));
    assert!(answer.header("vary").is_some_and(|vary| vary.contains("origin")), "{:?}", answer.headers);
    answer.ok();
    assert_eq!(foreign.send().await.header(ALLOWED), None);
    // Errors can be read too: without a session, and on unknown paths.
    let refused = server.post("/api/v1/inference").header("origin", OURS).json(json!({})).send().await;
    assert_eq!(refused.header(ALLOWED), Some(OURS));
    refused.fails(401, "UNAUTHORIZED");
    let unknown = server.get("/v1/nowhere").header("origin", OURS).send().await;
    assert_eq!((unknown.status, unknown.header(ALLOWED)), (404, Some(OURS)));
    let asked = server.graphql("{ viewer { role } }", json!({})).header("origin", OURS).send().await;
    assert_eq!(asked.header(ALLOWED), Some(OURS));
    // Other origins cannot read anything outside the API.
    for path in ["/metrics", "/docs/", "/openapi.json"] {
        assert_eq!(server.get(path).header("origin", OURS).send().await.header(ALLOWED), None, "{path}");
    }
}

async fn without_the_setting_no_headers_are_added(db: Db) {
    let server = &Server::start(&db).await;
    let answer = preflight(server, "/graphql", OURS).await;
    assert_eq!((answer.status, answer.header(ALLOWED), answer.header("vary")), (405, None, None));
    let page = server.get("/api/pricing").header("origin", OURS).send().await;
    assert_eq!((page.status, page.header(ALLOWED)), (200, None));
}

on_both!(pages_of_allowed_origins_can_use_sessions);
on_sqlite!(without_the_setting_no_headers_are_added);
