//! Guests who introspect repeatedly: the cost of an operation is known before it runs, and few run at once.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use super::victim::{FLOOR, moderating_beside};
use crate::harness::{Db, Server, on_sqlite};

/// A selection on the type of every field of every type.
fn of_each(inner: &str) -> String {
    format!("{{ __schema {{ types {{ fields {{ type {{ {inner} }} }} }} }} }}")
}

/// The same field in many fragments, which cannot be merged.
fn in_fragments(count: usize) -> String {
    let spreads: String = (0..count).map(|i| format!("...F{i} ")).collect();
    let fragments: String = (0..count).map(|i| format!(" fragment F{i} on __Type {{ name }}")).collect();
    of_each(&spreads) + fragments.as_str()
}

/// A selection on each field's type and the types that it wraps.
fn nested(inner: &str) -> String {
    format!("fields {{ type {{ ofType {{ ofType {{ ofType {{ {inner} }} }} {inner} }} }} }}")
}

async fn the_cost_of_introspection_is_counted_before_it_runs(db: Db) {
    let server = &Server::start(&db).await;
    let roots: String =
        (0..50).map(|i| format!("s{i}: __schema {{ types {{ fields {{ name }} }} }} ")).collect();
    for document in [
        in_fragments(200),
        format!("{{ {roots} }}"),
        format!("{{ ...R }} fragment R on Query {{ ... {{ {roots} }} }}"),
    ] {
        let answer = server.graphql(&document, json!({})).send().await;
        let message = answer.request_error(400, "VALIDATION_FAILED");
        assert!(message.contains("100000 fields of the schema"), "{document}: {message}");
    }
    // Nested selections: what is not refused is answered quickly.

    for deep in
        [nested("name"), nested(&nested("name")), nested("interfaces { possibleTypes { fields { name } } }")]
    {
        let start = Instant::now();
        let answer =
            server.graphql(&format!("{{ __schema {{ types {{ {deep} }} }} }}"), json!({})).send().await;
        assert!([200, 400].contains(&answer.status), "{deep}: {}", &answer.text[..200]);
        assert!(start.elapsed() < Duration::from_secs(5), "{deep}: {:?}", start.elapsed());
    }
    // A field selected repeatedly is one selection.
    let repeated = server.graphql(&of_each(&"name ".repeat(1_200)), json!({})).send().await.data();
    let once = server.graphql(&of_each("name"), json!({})).send().await.data();
    assert_eq!(repeated, once);
    let one = "query($name: String!) { __type(name: $name) { name fields { name } } }";
    let sample = server.graphql(one, json!({ "name": "Sample" })).send().await.data();
    assert_eq!(sample["__type"]["name"], "Sample");
    let nothing = server.graphql(one, json!({ "name": "Nothing" })).send().await.data();
    assert_eq!(nothing, json!({ "__type": null }));
}

/// The introspection query of graphql-js with all options, which GraphiQL, graphql-codegen and Apollo's tools send.
const TOOLS: &str = "query IntrospectionQuery { __schema { description queryType { name kind }
    mutationType { name kind } subscriptionType { name kind } types { ...FullType }
    directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } } } }
    fragment FullType on __Type { kind name description specifiedByURL isOneOf
        fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue }
            type { ...TypeRef } isDeprecated deprecationReason }
        inputFields(includeDeprecated: true) { ...InputValue } interfaces { ...TypeRef }
        enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
        possibleTypes { ...TypeRef } }
    fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated
        deprecationReason }
    fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
        ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
        } } } } } } } } } }";

async fn tools_get_the_schema(db: Db) {
    let server = &Server::start(&db).await;
    let data = server.graphql(TOOLS, json!({})).send().await.data();
    assert!(data["__schema"]["types"].as_array().unwrap().len() > 50);
    // Three times as much fits too, so the schema may grow.
    let body = TOOLS.split_once("{ __schema").unwrap();
    let (selection, fragments) = body.1.split_once("\n    fragment").unwrap();
    let selection = selection.trim_end().strip_suffix('}').unwrap();
    let thrice = format!(
        "query {{ a: __schema{selection} b: __schema{selection} c: __schema{selection} }}\n fragment{fragments}"
    );
    let answer = server.graphql(&thrice, json!({})).send().await.data();
    assert_eq!(answer["c"], data["__schema"]);
}

/// Introspects until `end`; returns the number of answers.
async fn introspect(server: &Server, document: &str, end: Instant) -> i32 {
    let mut answered = 0;
    while Instant::now() < end {
        let answer = server.graphql(document, json!({})).send().await;
        assert!([200, 400, 503].contains(&answer.status), "{}", answer.text);
        answered += 1;
    }
    answered
}

/// Probes `/livez` until `end`; returns the slowest answer's time.
async fn slowest_probe(server: &Server, end: Instant) -> Duration {
    let mut slowest = Duration::ZERO;
    while Instant::now() < end {
        let start = Instant::now();
        server.get("/livez").send().await.ok();
        slowest = slowest.max(start.elapsed());
    }
    slowest
}

/// Four guests, each of which sends one request after the other.
async fn introspection_by_guests_delays_nobody(db: Db) {
    let server = &Server::start(&db).await;
    let victim = server.account(1_000).await;
    let attacks = [of_each(&"name ".repeat(1_200)), in_fragments(40), TOOLS.to_owned(), in_fragments(300)];

    let attack = async {
        let end = Instant::now() + Duration::from_secs(6);
        let guests = join_all(attacks.iter().map(|document| introspect(server, document, end)));
        futures_util::join!(guests, slowest_probe(server, end))
    };
    let ((answered, slowest), fared) =
        moderating_beside("guests who introspect", server, &victim, attack).await;
    assert!(answered.iter().sum::<i32>() > 0);
    fared.well(20, FLOOR, Duration::from_secs(2));
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
}

on_sqlite!(
    the_cost_of_introspection_is_counted_before_it_runs,
    tools_get_the_schema,
    introspection_by_guests_delays_nobody,
);
