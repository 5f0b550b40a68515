//! `schema.graphql` is what the binary prints, with a description of every type and field.

use serde_json::{Value, json};

use crate::harness::{Db, Server, on_sqlite};

async fn the_checked_in_schema_matches_the_binary(db: Db) {
    let ran = db.run(&["schema"], &[], "").await;
    assert!(ran.status.success(), "{}", ran.stderr);
    assert!(
        ran.stdout == include_str!("../../../schema.graphql"),
        "schema.graphql is stale: run `cargo run -- schema > schema.graphql`"
    );
}

const INTROSPECTION: &str = "{ __schema { types {
    name kind description
    fields(includeDeprecated: true) { name description args { name description } }
    inputFields { name description }
    enumValues(includeDeprecated: true) { name description }
} } }";

async fn everything_is_described(db: Db) {
    let server = &Server::start(&db).await;
    let schema = server.graphql(INTROSPECTION, json!({})).send().await.data();
    let mut things: Vec<(String, &Value)> = Vec::new();

    for a_type in list(&schema["__schema"], "types") {
        let name = a_type["name"].as_str().unwrap();
        // The built-in types are not printed either.
        if name.starts_with("__") || name == "ID" {
            continue;
        }
        things.push((name.to_owned(), a_type));
        for members in ["fields", "inputFields", "enumValues"] {
            for member in list(a_type, members) {
                let place = format!("{name}.{}", member["name"].as_str().unwrap());
                for argument in list(member, "args") {
                    things.push((format!("{place}({})", argument["name"].as_str().unwrap()), argument));
                }
                things.push((place, member));
            }
        }
    }
    things.retain(|(_, thing)| thing["description"].as_str().is_none_or(|text| text.trim().is_empty()));
    let undescribed: Vec<String> = things.into_iter().map(|(place, _)| place).collect();
    assert!(undescribed.is_empty(), "without a description: {undescribed:#?}");
}

async fn inputs_are_named_after_their_mutations(db: Db) {
    let server = &Server::start(&db).await;
    let query = "{ __schema { mutationType { fields { name args { name type { ofType { name } } } } }
        types { kind name } } }";
    let schema = server.graphql(query, json!({})).send().await.data()["__schema"].clone();
    for field in list(&schema["mutationType"], "fields") {
        let name = field["name"].as_str().unwrap();
        let Some(argument) = list(field, "args").first() else { continue };
        let input = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        assert_eq!(argument["name"], "input", "{name}");
        assert_eq!(argument["type"]["ofType"]["name"], input, "{name}");
    }
    for input in list(&schema, "types").iter().filter(|one| one["kind"] == "INPUT_OBJECT") {
        assert!(input["name"].as_str().unwrap().ends_with("Input"), "{input}");
    }
}

fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

async fn introspection_can_be_turned_off(db: Db) {
    let server = Server::with(&db).env("GAVEL_GRAPHQL_INTROSPECTION", false).start().await;
    let asked = server.graphql(INTROSPECTION, json!({})).send().await;
    assert_eq!(asked.body["data"], json!({ "__schema": null }), "{}", asked.text);
    let typo = server.graphql("{ acount { id } }", json!({})).send().await;
    assert!(!typo.request_error(400, "VALIDATION_FAILED").contains("account"), "{}", typo.text);
    let data = server.graphql("{ __typename }", json!({})).send().await.data();
    assert_eq!(data, json!({ "__typename": "Query" }));

    let open = Server::start(&db).await;
    let typo = open.graphql("{ acount { id } }", json!({})).send().await;
    assert!(typo.request_error(400, "VALIDATION_FAILED").contains("\"account\""), "{}", typo.text);
}

on_sqlite!(
    the_checked_in_schema_matches_the_binary,
    everything_is_described,
    inputs_are_named_after_their_mutations,
    introspection_can_be_turned_off,
);
