//! The whole URL table: documented paths answer and check keys, everything else is a JSON error.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Db, Family, Server, on_sqlite};

/// Every documented operation: method, path and whether it needs a key.
fn documented() -> Vec<(Method, String, bool)> {
    let document: Value = serde_json::from_str(include_str!("../../../openapi.json")).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let guarded = operation["security"] != json!([{}]);
            operations.push((method.to_uppercase().parse().unwrap(), path.clone(), guarded));
        }
    }
    operations
}

async fn every_documented_path_exists_and_only_public_ones_need_no_key(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let key = db.scoped_key(&account, "moderate,infer,manage,read").await;
    let mut public = Vec::new();
    for (method, path, guarded) in documented() {
        let without = server.request(method.clone(), &path).send().await;
        if path == "/api/v1/unsubscribe" {
            without.fails_in(Family::of(&path), 422, "VALIDATION_FAILED");
            continue;
        }
        if !guarded {
            assert_eq!(without.status, 200, "{method} {path}: {}", without.text);
            public.push(path);
            continue;
        }
        let family = Family::of(&path);
        without.fails_in(family, 401, "UNAUTHORIZED");
        let wrong = server.request(method.clone(), &path).key("svc_live_wrong").json(json!({})).send().await;
        wrong.fails_in(family, 401, "UNAUTHORIZED");
        // With a key the request is read, and is not valid.
        let with = server.request(method.clone(), &path).key(&key).json(json!({})).send().await;
        if path.ends_with("/dataset") {
            let (status, code) = match method {
                Method::GET => (404, "NOT_FOUND"),
                _ => (415, "UNSUPPORTED_MEDIA_TYPE"),
            };
            with.fails_in(family, status, code);
            continue;
        }
        let nouns =
            ["/batches/{id}", "/batches/{batch_id}", "/files/{file_id}", "/checkpoints", "/evaluations"];
        if nouns.iter().any(|noun| path.contains(noun)) {
            with.fails_in(family, 404, "NOT_FOUND");
            continue;
        }
        if method == Method::POST && path == "/v1/files" {
            with.fails_in(family, 415, "UNSUPPORTED_MEDIA_TYPE");
            continue;
        }
        if path == "/v1/models/{model}" {
            with.fails_in(family, 404, "NOT_FOUND");
            continue;
        }
        if method == Method::GET {
            assert_eq!(with.status, 200, "{method} {path}: {}", with.text);
            continue;
        }
        let code = if path.ends_with("/image") { "INVALID_IMAGE" } else { "VALIDATION_FAILED" };
        with.fails_in(family, 422, code);
    }
    public.sort_unstable();
    let expected =
        ["/api/pricing", "/api/v1/moderate/health", "/api/v1/presets", "/livez", "/metrics", "/readyz"];
    assert_eq!(public, expected);
}

/// Served but not documented: the dashboard and its files, unknown paths below `/v1/`, and MCP and the two paths of
/// GraphQL, which describe themselves.
const UNDOCUMENTED: usize = 6;

async fn every_path_of_the_url_table_is_documented(_: Db) {
    let table = include_str!("../../../api/src/routes/table.rs");
    assert_eq!(table.matches("routes!(").count(), documented().len(), "documented routes");
    assert_eq!(table.matches(".route(\"").count(), UNDOCUMENTED, "undocumented routes");
}

async fn unknown_paths_are_not_found(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let long = format!("/{}", "a".repeat(8_000));
    for path in [
        "/api",
        "/api/v1/moderate",
        "/api/v1/moderate/text/batch/more",
        "/API/V1/MODERATE/TEXT",
        "/api/v2/moderate/text",
        "/api/v1/moderate/text%2Fbatch",
        "/api/v1/moderate/../../../etc/passwd",
        "/%00",
        "/%ff%fe",
        "/.env",
        "/v1",
        "/v1/chat/completions",
        "//metrics",
        "/v1/inference/more",
        &long,
    ] {
        let family = Family::of(path);
        for method in [Method::GET, Method::POST, Method::DELETE] {
            server.request(method.clone(), path).send().await.fails_in(family, 404, "NOT_FOUND");
            let with_body =
                server.request(method, path).key(&account.key).json(json!({ "content": "hello" }));
            with_body.send().await.fails_in(family, 404, "NOT_FOUND");
        }
    }
}

async fn a_slash_too_many_is_passed_over(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let hello = json!({ "content": "hello" });
    for path in ["/api/v1/moderate/text/", "//api/v1//moderate/text", "/api/v1/moderate/text//?a=//"] {
        server.post(path).send().await.fails(401, "UNAUTHORIZED");
        server.post(path).key(&account.key).json(hello.clone()).send().await.ok();
    }
    assert_eq!(server.get("/v1/models/").key(&account.key).send().await.ok()["object"], "list");
    assert_eq!(
        server.post("/graphql/").json(json!({ "query": "{ viewer { role } }" })).send().await.status,
        200
    );
    // Pages keep their addresses, and nothing is redirected.
    for path in ["//evil.example/", "/judges//", "/metrics/"] {
        let answer = server.get(path).send().await;
        assert_eq!((answer.status, answer.header("location")), (404, None), "{path}");
    }
}

async fn other_methods_are_refused_and_the_allowed_ones_are_named(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let all = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::TRACE,
    ];
    let mut by_path: BTreeMap<String, Vec<Method>> = BTreeMap::new();
    for (method, path, _) in documented() {
        by_path.entry(path).or_default().push(method);
    }
    for (path, allowed) in by_path {
        for method in all.iter().filter(|method| !allowed.contains(method)) {
            let answer = server.request(method.clone(), &path).key(&account.key).send().await;
            answer.fails_in(Family::of(&path), 405, "METHOD_NOT_ALLOWED");
            let allow = answer.header("allow").unwrap_or_default();
            for allowed in &allowed {
                assert!(
                    allow.split(',').any(|name| name.trim() == allowed.as_str()),
                    "{method} {path}: {allow:?}"
                );
            }
        }
    }
}

async fn a_head_request_is_answered_without_a_body(db: Db) {
    let server = Server::start(&db).await;
    for (path, status) in [("/api/pricing", 200), ("/api/v1/moderate/health", 200), ("/nowhere", 404)] {
        let answer = server.request(Method::HEAD, path).send().await;
        assert_eq!((answer.status, answer.text.as_str()), (status, ""), "{path}");
        assert!(answer.request_id().starts_with("req_"));
    }
}

async fn every_answer_has_a_unique_id_and_security_headers(db: Db) {
    let server = Server::start(&db).await;
    let mut ids = std::collections::HashSet::new();
    for path in ["/api/pricing", "/livez", "/nowhere", "/openapi.json", "/api/v1/moderate/text"] {
        let answer = server.get(path).header("x-request-id", "req_of_my_own").send().await;
        assert!(
            ids.insert(answer.request_id().to_owned()) && answer.request_id().starts_with("req_0"),
            "{ids:?}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
        assert!(answer.header("cache-control").is_some(), "{path}");
    }
    // A page of another site may not use a browser's credentials.
    let preflight =
        server.request(Method::OPTIONS, "/api/v1/moderate/text").header("origin", "https://evil.example");
    let preflight = preflight.header("access-control-request-method", "POST").send().await;
    assert_eq!(preflight.header("access-control-allow-origin"), None);
}

/// A browser gets the dashboard's page at each of its paths, and the same page with 404 at others, which says so.
async fn browsers_get_404_where_the_dashboard_has_no_page(db: Db) {
    let server = Server::start(&db).await;
    for path in ["/", "/judges", "/judges/judge_1/dataset", "/sign-in?next=%2Fjudges"] {
        let page = server.get(path).header("accept", "text/html").send().await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").unwrap().starts_with("text/html"), "{path}");
    }
    let paths =
        ["/.git/config", "//etc/passwd", "/etc/passwd", "/admin", "/wp-login.php", "/judges/judge_1/unknown"];
    for path in paths {
        let page = server.get(path).header("accept", "text/html").send().await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.header("content-type").unwrap().starts_with("text/html"), "{path}");
        assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"), "{path}");
        server.get(path).send().await.fails(404, "NOT_FOUND");
    }
    server.get("/api/v2").header("accept", "text/html").send().await.fails(404, "NOT_FOUND");
}

async fn the_documentation_works_without_the_internet(db: Db) {
    let server = Server::start(&db).await;
    let page = server.get("/docs/").send().await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
    let mut assets = 0;
    for part in page.text.split(['"', '\'']).filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
        assert!(!part.contains("//"), "{part} is from elsewhere");
        let path = format!("/docs/{}", part.trim_start_matches("./"));
        assert_eq!(server.get(&path).send().await.status, 200, "{path}");
        assets += 1;
    }
    assert!(assets > 0, "{}", page.text);
}

on_sqlite!(
    every_path_of_the_url_table_is_documented,
    every_documented_path_exists_and_only_public_ones_need_no_key,
    a_slash_too_many_is_passed_over,
    unknown_paths_are_not_found,
    other_methods_are_refused_and_the_allowed_ones_are_named,
    a_head_request_is_answered_without_a_body,
    every_answer_has_a_unique_id_and_security_headers,
    browsers_get_404_where_the_dashboard_has_no_page,
    the_documentation_works_without_the_internet,
);
