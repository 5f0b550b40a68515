//! `/graphql` over HTTP: methods, media types, parameters, keys, and the format of errors.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Db, Server, on_both, on_sqlite};

const ACCOUNT: &str = "{ account { id balance } }";

async fn a_key_queries_its_own_account(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(5).await;
    let read = db.scoped_key(&account, "read").await;
    let manage = db.scoped_key(&account, "manage").await;
    let expected = json!({ "account": { "id": account.id, "balance": 5.0 } });
    for key in [&read, &manage] {
        assert_eq!(server.ask(key, ACCOUNT, json!({})).await, expected);
        for header in ["x-api-key", "api-key"] {
            let answer = server.graphql(ACCOUNT, json!({})).header(header, key).send().await;
            assert_eq!(answer.data(), expected);
        }
    }
    let by_address = server.get("/graphql?query=%7Baccount%7Bid%20balance%7D%7D").key(&read).send().await;
    assert_eq!(by_address.data(), expected);

    // The default scopes, moderate and infer, manage nothing.
    let lacking = server.graphql(ACCOUNT, json!({})).key(&account.key).send().await;
    assert!(lacking.request_error(403, "FORBIDDEN").contains("`read` or `manage`"));
    let wrong = server.graphql(ACCOUNT, json!({})).key("svc_live_wrong").send().await;
    wrong.request_error(401, "UNAUTHORIZED");
    assert_eq!(wrong.header("www-authenticate"), Some("Bearer"));
}

async fn guests_can_query_only_the_schema(db: Db) {
    let server = &Server::start(&db).await;
    assert_eq!(
        server.graphql("{ __typename }", json!({})).send().await.data(),
        json!({ "__typename": "Query" })
    );
    let refused = server.graphql(ACCOUNT, json!({})).send().await;
    assert_eq!(refused.status, 200);
    refused.refused("UNAUTHORIZED");
    assert_eq!(refused.body["data"], Value::Null);
    assert_eq!(refused.body["errors"][0]["path"], json!(["account"]));
    let unknown = server.graphql(ACCOUNT, json!({})).header("cookie", "gavel_session=unknown").send().await;
    unknown.refused("UNAUTHORIZED");
}

async fn requests_that_are_not_graphql_are_refused(db: Db) {
    let server = &Server::start(&db).await;

    for (content_type, body) in [
        ("application/x-www-form-urlencoded", "query=%7B__typename%7D"),
        ("multipart/form-data; boundary=b", "--b\r\n\r\n{}\r\n--b--"),
        ("text/plain", r#"{"query":"{ __typename }"}"#),
        ("application/graphql", "{ __typename }"),
    ] {
        let answer = server.post("/graphql").body(content_type, body).send().await;
        answer.request_error(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    for (body, said) in [
        ("", "empty"),
        ("{", "not JSON"),
        ("5", "an object"),
        (r#"[{"query":"{ __typename }"}]"#, "one at a time"),
        ("[]", "one at a time"),
        ("{}", "query"),
        (r#"{"query":null}"#, "query"),
        (r#"{"query":"{ __typename }","variables":[]}"#, "variables"),
        (r#"{"query":"{ __typename }","variables":"{}"}"#, "variables"),
        (r#"{"query":"{ __typename }","operationName":5}"#, "operationName"),
        (r#"{"query":"{ __typename }","extensions":[]}"#, "extensions"),
    ] {
        let answer = server.post("/graphql").body("application/json", body).send().await;
        assert!(answer.request_error(400, "MALFORMED_BODY").contains(said), "{body}: {}", answer.text);
    }
    for (path, said) in [
        ("/graphql", "query"),
        ("/graphql?query=%7B__typename%7D&query=%7B__typename%7D", "once"),
        ("/graphql?query=%7B__typename%7D&variables=%7B", "variables"),
        ("/graphql?query=%7B__typename%7D&variables=5", "variables"),
    ] {
        let answer = server.get(path).send().await;
        assert!(answer.request_error(400, "MALFORMED_BODY").contains(said), "{path}: {}", answer.text);
    }
    let large = server.graphql(&"#".repeat(2_000_000), json!({})).send().await;
    large.request_error(413, "PAYLOAD_TOO_LARGE");
}

async fn an_invalid_document_runs_nothing(db: Db) {
    let server = &Server::start(&db).await;
    for (query, code) in [
        ("{", "MALFORMED_BODY"),
        ("", "MALFORMED_BODY"),
        ("fragment F on Query { __typename }", "MALFORMED_BODY"),
        ("{ nothingOfThisName }", "VALIDATION_FAILED"),
        ("query A { __typename } query B { __typename }", "VALIDATION_FAILED"),
        ("subscription { __typename }", "VALIDATION_FAILED"),
        ("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }", "VALIDATION_FAILED"),
    ] {
        server.graphql(query, json!({})).send().await.request_error(400, code);
        // Old clients expect 200 for every answer of a GraphQL server.
        let body = json!({ "query": query });
        let old = server.post("/graphql").header("accept", "application/json").json(body).send().await;
        assert_eq!((old.status, old.body.get("data")), (200, None), "{query}: {}", old.text);
        assert_eq!(old.header("content-type"), Some("application/json; charset=utf-8"));
        old.refused(code);
    }
    let unknown = json!({ "query": "query A { __typename }", "operationName": "B" });
    let unknown = server.post("/graphql").json(unknown).send().await;
    assert!(unknown.refused("VALIDATION_FAILED").contains("`B`"));
}

/// Section 6.4.4 of the specification: a failed field is null, or the nearest parent that may be null.
async fn failed_fields_are_null_and_fields_keep_their_order(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "manage").await;

    for (query, data) in [
        // The field may be null.
        (
            r#"{ z: __typename judge(id: "judge_1") { id } a: __typename }"#,
            r#"{"z":"Query","judge":null,"a":"Query"}"#,
        ),
        // Neither the field nor any of its parents may be null, up to the root.
        ("{ z: __typename account { id judges(first: 1000) { totalCount } } }", "null"),
        // The field may not be null, but its parent may.
        (
            "{ z: __typename viewer { role account { id judges(first: 1000) { totalCount } } } a: __typename }",
            r#"{"z":"Query","viewer":null,"a":"Query"}"#,
        ),
    ] {
        let answer = server.graphql(query, json!({})).key(&key).send().await;
        assert_eq!(answer.body["errors"].as_array().map(Vec::len), Some(1), "{query}: {}", answer.text);
        assert_eq!(answer.body["data"].to_string(), data, "{query}");
    }
    let guest = server.graphql("{ __typename account { id } }", json!({})).send().await;
    assert_eq!((guest.status, &guest.body["data"]), (200, &Value::Null), "{}", guest.text);

    let create = r#"mutation { b: createJudge(input: { name: "1", instructions: ["Is it red?"] }) { judge { name id } }
        a: createJudge(input: { name: "2", instructions: ["Is it red?"] }) { userErrors { code } judge { name } } }"#;
    let made = server.ask(&key, create, json!({})).await;
    assert_eq!(made.as_object().unwrap().keys().collect::<Vec<_>>(), ["b", "a"]);
    // A count and its rows come from different statements, in any order.
    let lists = "{ account { judges { totalCount pageInfo { hasNextPage } nodes { version name } edges { \
        node { questions { values key } name } } } balance } }";
    let data = server.ask(&key, lists, json!({})).await.to_string();
    let question = r#"{"node":{"questions":[{"values":["true","false"],"key":"q1"}],"name":"#;
    let counted = r#""totalCount":2,"pageInfo":{"hasNextPage":false}"#;
    let nodes = r#"[{"version":1,"name":"2"},{"version":1,"name":"1"}]"#;
    let edges = format!(r#"[{question}"2"}}}},{question}"1"}}}}]"#);
    let expected =
        format!(r#"{{"account":{{"judges":{{{counted},"nodes":{nodes},"edges":{edges}}},"balance":1.0}}}}"#);
    assert_eq!(data, expected);
}

async fn methods_and_media_types_are_negotiated(db: Db) {
    let server = &Server::start(&db).await;
    let mutation = "/graphql?query=mutation%7BarchiveJudge(input%3A%7Bid%3A%22x%22%7D)%7B__typename%7D%7D";
    let by_get = server.get(mutation).send().await;
    by_get.request_error(405, "METHOD_NOT_ALLOWED");
    assert_eq!(by_get.header("allow"), Some("POST"));
    for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        let answer = server.request(method, "/graphql").send().await;
        answer.request_error(405, "METHOD_NOT_ALLOWED");
        assert_eq!(answer.header("allow"), Some("GET,HEAD,POST"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let browser = server.get("/graphql?query=%7B__typename%7D").header("accept", "text/html").send().await;
    assert_eq!(browser.status, 406, "{}", browser.text);
    assert!(is_hardened(&browser));
}

async fn browsers_receive_graphiql(db: Db) {
    let server = &Server::start(&db).await;
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    // A cookie without the header, which browsers cannot add to a page request, does not matter.
    let opened = server.get("/graphql").header("accept", browser).header("cookie", "gavel_session=unknown");
    let page = opened.send().await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("vary"), Some("accept, accept-encoding"));
    assert!(page.header("content-security-policy").unwrap().contains("script-src 'self';"));
    assert!(
        page.text.contains("GraphiQL"),
        "neither the page nor a note that it is not in this build: {}",
        page.text
    );
    for path in page.text.split('"').filter(|part| part.starts_with("/assets/")) {
        assert_eq!(server.get(path).send().await.status, 200, "{path}");
    }
    // The file has no other URL.
    assert_eq!(server.get("/graphiql.html").header("accept", browser).send().await.status, 404);
    let program = server.get("/graphql").header("accept", "application/json, text/html").send().await;
    assert!(program.request_error(400, "MALFORMED_BODY").contains("query"), "{}", program.text);
}

fn is_hardened(answer: &Answer) -> bool {
    answer.header("x-content-type-options") == Some("nosniff")
        && answer.header("cache-control") == Some("no-store")
}

async fn a_key_over_its_rate_limit_is_refused(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let (_, key) = db.key(&account, &["--scopes", "read", "--rate-limit-per-minute", "2"]).await;
    let mut refused = 0;
    for _ in 0..4 {
        let answer = server.graphql(ACCOUNT, json!({})).key(&key).send().await;
        if answer.status == 429 {
            answer.request_error(429, "RATE_LIMITED");
            assert!(answer.header("retry-after").is_some());
            refused += 1;
        }
        assert!(answer.header("ratelimit").is_some());
    }
    assert!(refused >= 1);
}

on_both!(a_key_queries_its_own_account);
on_sqlite!(
    browsers_receive_graphiql,
    guests_can_query_only_the_schema,
    requests_that_are_not_graphql_are_refused,
    an_invalid_document_runs_nothing,
    failed_fields_are_null_and_fields_keep_their_order,
    methods_and_media_types_are_negotiated,
    a_key_over_its_rate_limit_is_refused,
);
