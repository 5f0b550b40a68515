//! Documents as front ends write them: conditions, defaults, omitted variables, fragments, fields selected twice.

use serde_json::{Value, json};

use crate::harness::{Db, Server, on_both, on_sqlite};

const INSTRUCTIONS: &str = r#"instructions: { team: ["billing", "tech"] }"#;

async fn conditions_respect_defaults_and_may_leave_empty_objects(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = &db.scoped_key(&account, "manage,read").await;
    let role = json!({ "viewer": { "role": "EDITOR" } });
    let empty = json!({ "viewer": {} });
    for (query, given, expected) in [
        ("query($show: Boolean = true) { viewer { role @include(if: $show) } }", json!({}), role.clone()),
        (
            "query($show: Boolean = true) { viewer { role @include(if: $show) } }",
            json!({ "show": false }),
            empty.clone(),
        ),
        ("query($hide: Boolean! = true) { viewer { role @skip(if: $hide) } }", json!({}), empty.clone()),
        (
            "query($hide: Boolean!) { viewer { ... @skip(if: $hide) { role } } }",
            json!({ "hide": true }),
            empty.clone(),
        ),
        (
            "query($show: Boolean!) { viewer { ...Role @include(if: $show) } } fragment Role on Viewer { role }",
            json!({ "show": true }),
            role,
        ),
        (
            "query($show: Boolean!) { viewer @include(if: $show) { role } }",
            json!({ "show": false }),
            json!({}),
        ),
        (
            "query($hide: Boolean!) { __typename @skip(if: $hide) }",
            json!({ "hide": false }),
            json!({ "__typename": "Query" }),
        ),
        (
            "query($hide: Boolean!) { viewer { apiKey { __typename @skip(if: $hide) } } }",
            json!({ "hide": true }),
            json!({ "viewer": { "apiKey": {} } }),
        ),
        ("{ viewer { user { id @skip(if: true) } } }", json!({}), json!({ "viewer": { "user": null } })),
    ] {
        assert_eq!(server.ask(key, query, given).await, expected, "{query}");
    }
    // A fragment on another type selects nothing, in a list too.
    let query = "query($id: ID!) { node(id: $id) { ... on Judge { name } } account { apiKeys { nodes { ... \
        on Node @skip(if: true) { id } } } } }";
    let found = server.ask(key, query, json!({ "id": account.id })).await;
    assert_eq!(found["node"], json!({}));
    assert_eq!(found["account"]["apiKeys"]["nodes"], json!([{}, {}]));
}

async fn strings_escape_characters_beyond_the_basic_plane(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = &db.scoped_key(&account, "manage,read").await;
    for (escaped, name) in
        [(r"\u{1F600} mail", "😀 mail"), (r"\uD83D\uDE00 post", "😀 post"), (r"caf\u{e9}", "café")]
    {
        let create = format!(
            r#"mutation {{ createJudge(input: {{ name: "{escaped}", {INSTRUCTIONS} }}) {{
            judge {{ name }} userErrors {{ message }} }} }}"#
        );
        let made = server.ask(key, &create, json!({})).await;
        assert_eq!(made["createJudge"]["judge"]["name"], name, "{made}");
    }
}

async fn omitted_variables_count_as_omitted(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = &db.scoped_key(&account, "manage,read").await;
    let make = format!(
        "mutation($name: String!, $store: Boolean, $about: String) {{ createJudge(input: {{ name: $name, \
         storeContent: $store, description: $about, {INSTRUCTIONS} }}) {{ judge {{ id storeContent \
         description }} }} }}"
    );
    let made = server.ask(key, &make, json!({ "name": "one" })).await;
    let judge = &made["createJudge"]["judge"];
    assert_eq!((&judge["storeContent"], &judge["description"]), (&json!(false), &json!("")));
    let made = server.ask(key, &make, json!({ "name": "two", "store": true })).await;
    assert_eq!(made["createJudge"]["judge"]["storeContent"], true);

    let list = "query($id: ID!, $order: SampleOrder, $all: Boolean, $first: Int) { judge(id: $id) { \
        samples(order: $order, first: $first) { totalCount } } account { ...Judges } } fragment Judges on \
        Account { judges(includeArchived: $all) { totalCount } }";
    let found = server.ask(key, list, json!({ "id": judge["id"] })).await;
    assert_eq!(found["account"]["judges"]["totalCount"], 2);
    server
        .ask(key, list, json!({ "id": judge["id"], "order": "OLDEST_FIRST", "all": true, "first": null }))
        .await;
}

async fn missing_variables_are_reported_before_anything_runs(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = &db.scoped_key(&account, "manage,read").await;
    for (query, given, said) in [
        (
            "query($id: ID!) { judge(id: $id) { id } }",
            json!({}),
            r#"Variable "$id" of required type "ID!" was not provided."#,
        ),
        (
            "query($id: ID!) { judge(id: $id) { id } }",
            json!({ "id": null }),
            r#"Variable "$id" of required type "ID!" must not be null."#,
        ),
        ("query($show: Boolean!) { viewer { role @include(if: $show) } }", json!({}), "\"$show\""),
        ("query($unused: Int) { viewer { role } }", json!({}), "not used"),
        ("query($id: ID) { judge(id: $id) { id } }", json!({}), "required but not provided"),
        (
            "query($since: DateTime) { account { ledger(since: $since) { totalCount } } }",
            json!({ "since": "yesterday" }),
            "\"DateTime\"",
        ),
    ] {
        let answer = server.graphql(query, given).key(key).send().await;
        assert!(answer.request_error(400, "VALIDATION_FAILED").contains(said), "{query}: {}", answer.text);
    }
}

async fn count_judges(server: &Server, key: &str) -> u64 {
    let found = server.ask(key, "{ account { judges { totalCount } } }", json!({})).await;
    found["account"]["judges"]["totalCount"].as_u64().unwrap()
}

async fn a_mutation_selected_twice_runs_once(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let key = &db.scoped_key(&account, "manage,read").await;
    let make = format!("createJudge(input: {{ name: \"one\", {INSTRUCTIONS} }})");

    for (made, query) in [
        format!("mutation {{ {make} {{ judge {{ name }} }} {make} {{ judge {{ version }} userErrors {{ code }} }} }}"),
        format!("mutation {{ ...A ...B }} fragment A on Mutation {{ {make} {{ judge {{ name }} }} }} \
            fragment B on Mutation {{ ... {{ {make} {{ judge {{ version }} userErrors {{ code }} }} }} }}"),
    ]
    .iter()
    .enumerate()
    {
        let data = server.ask(key, query, json!({})).await;
        let judge = json!({ "name": "one", "version": 1 });
        assert_eq!(data, json!({ "createJudge": { "judge": judge, "userErrors": [] } }), "{query}");
        assert_eq!(count_judges(server, key).await, made as u64 + 1, "{query}");
    }
    // Two aliases are two mutations, and conflicting selections are refused.
    let two = format!("mutation {{ a: {make} {{ judge {{ id }} }} b: {make} {{ judge {{ id }} }} }}");
    let data = server.ask(key, &two, json!({})).await;
    assert_ne!(data["a"], data["b"]);
    for query in [
        format!(
            "mutation {{ {make} {{ judge {{ id }} }} createJudge(input: {{ name: \
             \"two\", {INSTRUCTIONS} }}) {{ judge {{ id }} }} }}"
        ),
        format!("mutation {{ {make} {{ judge {{ id }} }} {make} @include(if: true) {{ judge {{ id }} }} }}"),
    ] {
        let answer = server.graphql(&query, json!({})).key(key).send().await;
        answer.request_error(400, "VALIDATION_FAILED");
    }
    assert_eq!(count_judges(server, key).await, 4);
}

async fn persisted_queries_are_refused_with_an_explanation(db: Db) {
    let server = &Server::start(&db).await;
    let hash = json!({ "persistedQuery": { "version": 1, "sha256Hash": "0".repeat(64) } });
    let answer = server.post("/graphql").json(json!({ "extensions": hash })).send().await;
    assert_eq!(answer.request_error(400, "MALFORMED_BODY"), "PersistedQueryNotSupported");
    let with = json!({ "query": "{ viewer { role } }", "extensions": hash });
    assert_eq!(server.post("/graphql").json(with).send().await.data(), json!({ "viewer": Value::Null }));
}

on_both!(a_mutation_selected_twice_runs_once);
on_sqlite!(
    conditions_respect_defaults_and_may_leave_empty_objects,
    omitted_variables_count_as_omitted,
    missing_variables_are_reported_before_anything_runs,
    strings_escape_characters_beyond_the_basic_plane,
    persisted_queries_are_refused_with_an_explanation,
);
