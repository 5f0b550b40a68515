//! Limits of one operation. An operation over a limit is refused before it runs.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::{Db, Server, eventually, on_both, on_postgres, on_sqlite};

/// A document with a chain of `count` fragments, each of which spreads the next one `spreads` times.
fn fragments(count: usize, spreads: usize) -> String {
    let links: String = (0..count)
        .map(|i: usize| {
            format!(" fragment F{i} on Query {{ {} }}", format!("...F{} ", i + 1).repeat(spreads))
        })
        .collect();
    format!("{{ ...F0 }}{links} fragment F{count} on Query {{ __typename }}")
}

async fn documents_that_are_too_large_are_refused(db: Db) {
    let server = &Server::start(&db).await;
    let aliases: String = (0..1_000).map(|i| format!("a{i}: __typename ")).collect();
    let deep = format!("{{ {}", "account { ".repeat(1_000));
    let lists = format!("{{ node(id: {}", "[".repeat(50_000));
    let named: String = (0..300).map(|i| format!("query Q{i} {{ a: __typename }} ")).collect();
    for (document, said) in [
        (format!("{{ {aliases} }}"), "aliases"),
        (named, "aliases"),
        (deep, "levels deep"),
        (lists, "levels deep"),
        (format!("{{ {} }}", "__typename ".repeat(20_000)), "bytes"),
        (format!("{{ {} }}", "a ".repeat(6_000)), "tokens"),
        (fragments(100, 1), "levels deep"),
        (fragments(40, 10), "fields"),
        ("{ ...A } fragment A on Query { ...A }".to_owned(), "contains itself"),
        ("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }".to_owned(), "contains itself"),
        (format!("{{ __typename {} }}", "@skip(if: false) ".repeat(17)), "directives"),
    ] {
        let answer = server.graphql(&document, json!({})).send().await;
        assert!(answer.request_error(400, "VALIDATION_FAILED").contains(said), "{said}: {}", answer.text);
    }
    let fine: String = (0..50).map(|i| format!("a{i}: __typename ")).collect();
    assert_eq!(server.graphql(&format!("{{ {fine} }}"), json!({})).send().await.status, 200);
}

/// The introspection query of common tools, with their nesting.
const TOOLS: &str = "query IntrospectionQuery { __schema { queryType { name } types { ...FullType } } }
    fragment FullType on __Type { kind name
        fields(includeDeprecated: true) { name args { ...InputValue } type { ...TypeRef } } }
    fragment InputValue on __InputValue { name type { ...TypeRef } defaultValue }
    fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
        ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
        } } } } } } } } } }";

async fn depth_and_cost_are_limited(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "read").await;
    assert!(server.ask(&key, TOOLS, json!({})).await["__schema"].is_object());

    let strict = Server::with(&db).env("GAVEL_GRAPHQL_DEPTH", 3).env("GAVEL_GRAPHQL_COMPLEXITY", 100);
    let strict = strict.start().await;
    let shallow = "{ account { judges(first: 5) { totalCount } } }";
    strict.ask(&key, shallow, json!({})).await;
    let deep = "{ account { judges { nodes { id } } } }";
    let answer = strict.graphql(deep, json!({})).key(&key).send().await;
    assert!(answer.request_error(400, "VALIDATION_FAILED").contains("nested too deep"), "{}", answer.text);

    let strict = Server::with(&db).env("GAVEL_GRAPHQL_COMPLEXITY", 100).start().await;
    let rows = "query($first: Int, $last: Int) { account { judges(first: $first, last: $last) { nodes { id \
        name } } } }";
    strict.ask(&key, rows, json!({ "first": 20 })).await;
    for variables in [json!({ "first": 100 }), json!({ "last": 100 })] {
        let answer = strict.graphql(rows, variables).key(&key).send().await;
        assert!(answer.request_error(400, "VALIDATION_FAILED").contains("too complex"), "{}", answer.text);
    }
}

/// Every list declares its cost.
#[test]
fn every_list_multiplies_the_cost_of_its_rows() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("api/src/graphql");
    let mut lists = 0;
    for file in rust_files(&sources) {
        let text = std::fs::read_to_string(&file).unwrap();
        // What precedes a method's arguments: its documentation and attributes.
        for (before, after) in text.match_indices("async fn ").map(|(at, _)| text.split_at(at)) {
            let arguments = after.split(") ->").next().unwrap();
            if arguments.contains("first: Option<i32>") {
                let own = before.rsplit("\n\n").next().unwrap();
                assert!(
                    own.contains("complexity = \"cost(first, last, child_complexity"),
                    "{own} in {file:?}"
                );
                lists += 1;
            }
        }
    }
    assert!(lists > 3, "{lists}");
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|kind| kind == "rs")).collect()
}

async fn a_page_has_100_rows_at_most(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "read").await;
    for arguments in ["first: 101", "first: 10000", "last: 101", "first: -1", "first: 5, last: 5"] {
        let query = format!("{{ account {{ judges({arguments}) {{ nodes {{ id }} }} }} }}");
        let answer = server.graphql(&query, json!({})).key(&key).send().await;
        answer.refused("VALIDATION_FAILED");
    }
}

/// Another transaction locks the table for longer than the timeout.
async fn an_operation_that_takes_too_long_is_cancelled(db: Db) {
    use sea_orm::{ConnectionTrait, TransactionTrait};
    let server = Server::with(&db).env("GAVEL_GRAPHQL_TIMEOUT_S", 1).start().await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "manage").await;
    let connection = db.connect().await;
    let held = connection.begin().await.unwrap();
    let lock = if db.is_sqlite() { "DELETE FROM judge" } else { "LOCK TABLE judge" };
    held.execute_unprepared(lock).await.unwrap();
    let create =
        r#"mutation { createJudge(input: { name: "n", instructions: ["Is it red?"] }) { judge { id } } }"#;
    let answer = server.graphql(create, json!({})).key(&key).send().await;
    assert!(answer.request_error(503, "OVERLOADED").contains("too long"), "{}", answer.text);
    held.rollback().await.unwrap();
    let made = server.ask(&key, create, json!({})).await;
    assert!(made["createJudge"]["judge"]["id"].is_string(), "{made}");
    let judges = server.ask(&key, "{ account { judges { totalCount } } }", json!({})).await;
    assert_eq!(judges["account"]["judges"]["totalCount"], 1);
}

/// An account whose operations are slow does not block others.
async fn one_account_cannot_occupy_all_slots(db: Db) {
    use sea_orm::{ConnectionTrait, TransactionTrait};
    let server = &Server::start(&db).await;
    let busy = server.account(1).await;
    let other = server.account(1).await;
    let key = db.scoped_key(&busy, "manage").await;
    let others = db.scoped_key(&other, "read").await;
    let ask = "{ account { id } }";
    // The last use of a key is recorded now, and not again within the minute.
    server.ask(&key, ask, json!({})).await;
    server.ask(&others, ask, json!({})).await;
    let connection = db.connect().await;
    let held = connection.begin().await.unwrap();
    held.execute_unprepared("LOCK TABLE judge").await.unwrap();
    let create =
        r#"mutation { createJudge(input: { name: "n", instructions: ["Is it red?"] }) { judge { id } } }"#;

    let refused = async {
        let refused = eventually("a refusal", || async {
            let answer = server.graphql(ask, json!({})).key(&key).send().await;
            (answer.status == 503).then_some(answer)
        });
        refused.await.request_error(503, "OVERLOADED");
        server.ask(&others, ask, json!({})).await;
        held.rollback().await.unwrap();
    };
    let eight =
        futures_util::future::join_all((0..8).map(|_| server.graphql(create, json!({})).key(&key).send()));
    let (made, ()) = tokio::join!(eight, refused);
    for answer in made {
        assert!(answer.data()["createJudge"]["judge"]["id"].is_string());
    }
    server.ask(&key, ask, json!({})).await;
}

on_postgres!(one_account_cannot_occupy_all_slots);
on_both!(an_operation_that_takes_too_long_is_cancelled);
on_sqlite!(documents_that_are_too_large_are_refused, depth_and_cost_are_limited, a_page_has_100_rows_at_most);
