//! Judges with a schema of states: what does not fit is refused, nothing charged.

use serde_json::{Value, json};

use super::making::{paths, start, update};
use crate::{
    batches::asking::{batch, ended, results, submitted},
    graphql::mutation,
    harness::{Db, Server, inv, on_both, on_sqlite},
};

fn ticket() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "maxLength": 40 },
            "order": { "$ref": "#/$defs/order" },
        },
        "required": ["text"],
        "$defs": { "order": {
            "type": "object",
            "properties": {
                "id": { "type": "string", "pattern": "^[A-Z]{2}\\d+$" },
                "total": { "type": "number", "minimum": 0 },
            },
            "additionalProperties": false,
        } },
    })
}

/// Creates a Judge with a schema of states; returns its id.
async fn judge(server: &Server, key: &str, schema: Value) -> String {
    let instructions = json!({ "team": ["billing", "shipping"] });
    let input = json!({ "name": "Triage", "instructions": instructions, "stateSchema": schema, "storeContent": true });
    server.create_judge(key, input).await
}

/// The `userErrors` of a mutation.
async fn errors(server: &Server, key: &str, name: &str, input: Value) -> Value {
    let payload =
        server.ask(key, &mutation(name, "userErrors { field message }"), json!({ "input": input })).await;
    payload["payload"]["userErrors"].clone()
}

async fn a_state_that_does_not_fit_is_refused_with_its_place_and_the_rule(db: Db) {
    let (server, upstream, account, key) = start(&db).await;
    let id = judge(&server, &key, ticket()).await;
    let fitting = json!({ "text": "Where is it?", "order": { "id": "AB1", "total": 9.5 } });
    let refused = [
        (json!("Where is it?"), "state", "must be of the type object (rule #/type)"),
        (json!({ "subject": "x" }), "state", "must have the member \"text\" (rule #/required)"),
        (
            json!({ "text": "x".repeat(41) }),
            "state#/text",
            "at most 40 characters (rule #/properties/text/maxLength)",
        ),
        (
            json!({ "text": "x", "order": { "id": "ab1" } }),
            "state#/order/id",
            "(rule #/$defs/order/properties/id/pattern)",
        ),
        (json!({ "text": "x", "order": { "total": -1 } }), "state#/order/total", "must be at least 0"),
        (json!({ "text": "x", "order": { "sum": 1 } }), "state#/order", "must not have the member \"sum\""),
    ];
    for (state, field, words) in refused {
        for path in paths(&id) {
            let answer = server.post(&path).key(&key).json(json!({ "state": state })).send().await;
            let message = answer.fails(422, "VALIDATION_FAILED");
            assert!(message.starts_with(field) && message.contains(words), "{state}: {message}");
            assert_eq!(answer.field(), field);
        }
        // Also with other questions, and by its id in the body.
        let body = json!({ "state": state, "judge_id": id, "instructions": ["is it late?"] });
        server.post("/v1/inference").key(&key).json(body).send().await.fails(422, "VALIDATION_FAILED");
    }
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
    let answer = server.post(&paths(&id)[0]).key(&key).json(json!({ "state": fitting })).send().await.ok();
    assert_eq!((&answer["logged"], upstream.asked().len()), (&json!(true), 1));
    // The Judge is compiled once, whatever its requests.
    assert_eq!(server.metric("gavel_schemas_compiled_total").await, 1.0);
}

async fn a_schema_is_part_of_a_version(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let text = json!({ "type": "string" });
    let id = judge(&server, &key, text.clone()).await;
    let ask = |state: Value| {
        server.post(&paths(&id)[0]).key(&key).idempotent("k").json(json!({ "state": state })).send()
    };
    let first = ask(json!("hello")).await;
    assert_eq!(first.status, 200, "{}", first.text);
    // What stays the same makes no version; null takes the schema away.
    assert_eq!(update(&server, &key, &id, json!({ "stateSchema": text })).await, 1);
    assert_eq!(update(&server, &key, &id, json!({ "stateSchema": { "type": "object" } })).await, 2);
    assert_eq!(ask(json!("hello")).await.text, first.text, "answered before the change");
    let body = json!({ "state": "hello" });
    server.post(&paths(&id)[0]).key(&key).json(body.clone()).send().await.fails(422, "VALIDATION_FAILED");
    assert_eq!(update(&server, &key, &id, json!({ "instructions": { "team": ["a", "b"] } })).await, 3);
    assert_eq!(update(&server, &key, &id, json!({ "stateSchema": null })).await, 4);
    server.post(&paths(&id)[0]).key(&key).json(body).send().await.ok();
    let query = "query($id: ID!) { judge(id: $id) { stateSchema versions { version stateSchema } } }";
    let shown = server.ask(&key, query, json!({ "id": id })).await;
    let object = json!({ "type": "object" });
    assert_eq!(
        shown["judge"],
        json!({ "stateSchema": null, "versions": [
            { "version": 4, "stateSchema": null }, { "version": 3, "stateSchema": object },
            { "version": 2, "stateSchema": object }, { "version": 1, "stateSchema": text },
        ] })
    );
    let query = "query($id: ID!) { judge(id: $id) { versions(before: 3) { version } } }";
    let older = server.ask(&key, query, json!({ "id": id })).await;
    assert_eq!(older["judge"]["versions"], json!([{ "version": 2 }, { "version": 1 }]));
}

async fn a_schema_that_is_none_is_refused_by_its_pointer(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, ticket()).await;
    for (schema, field) in [
        (json!("text"), "stateSchema"),
        (json!({ "type": "text" }), "stateSchema#/type"),
        (
            json!({ "properties": { "a": { "$ref": "https://example.com/" } } }),
            "stateSchema#/properties/a/$ref",
        ),
        (json!({ "properties": { "a": { "$ref": "#" } } }), "stateSchema#/properties/a/$ref"),
        (json!({ "properties": { "a": { "pattern": "(a+)+\\1" } } }), "stateSchema#/properties/a/pattern"),
        (json!({ "description": "x".repeat(70_000) }), "stateSchema"),
    ] {
        let new = json!({ "name": "n", "instructions": ["is it?"], "stateSchema": schema });
        let change = json!({ "id": id, "stateSchema": schema });
        for (name, input) in [("createJudge", new), ("updateJudge", change)] {
            let errors = errors(&server, &key, name, input).await;
            assert_eq!(
                (&errors[0]["field"], errors.as_array().unwrap().len()),
                (&json!(field), 1),
                "{errors}"
            );
        }
    }
}

async fn imports_report_states_that_do_not_fit_by_line(db: Db) {
    let (server, _upstream, _, key) = start(&db).await;
    let id = judge(&server, &key, ticket()).await;
    let path = format!("/api/v1/judges/{id}/dataset");
    let fine = r#"{"state":{"text":"fine"}}"#;
    let file = format!("{fine}\n{{\"state\":{{\"text\":5}}}}\n{{\"content\":\"text\"}}\n");
    let answer = server.post(&path).key(&key).body("application/x-ndjson", file).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(
        answer.body["details"],
        json!([
            { "field": "line 2: state#/text", "message": "must be of the type string (rule #/properties/text/type)" },
            { "field": "line 3: content", "message": "must be of the type object (rule #/type)" },
        ])
    );
    let csv = "state\n\"{\"\"text\"\":5}\"\n";
    let answer = server.post(&path).key(&key).body("text/csv", csv).send().await;
    answer.fails(422, "VALIDATION_FAILED");
    assert_eq!(answer.field(), "line 2: state#/text");
    assert_eq!(inv::count(&db, "sample").await, 0);
    server.post(&path).key(&key).body("application/x-ndjson", fine).send().await.ok();
    assert_eq!(inv::count(&db, "sample").await, 1);
}

/// An item of a batch that asks a Judge.
fn item(name: &str, judge: &str, state: Value) -> Value {
    json!({ "custom_id": name, "url": "/api/v1/inference", "body": { "state": state, "judge_id": judge } })
}

async fn items_of_a_batch_that_do_not_fit_fail_alone_and_are_free(db: Db) {
    let (server, upstream, account, _) = start(&db).await;
    let key = db.scoped_key(&account, "infer,manage,read").await;
    let id = judge(&server, &key, ticket()).await;
    let items = [item("a", &id, json!({ "text": "fine" })), item("b", &id, json!({ "text": 5 }))];
    let submitted = submitted(&server, &key, &items).await;
    ended(&server, &key, &submitted).await;
    let results = results(&server, &key, &submitted).await;
    let refused = results.iter().find(|result| result["custom_id"] == "b").expect("a result");
    assert!(refused.to_string().contains("state#/text must be of the type string"), "{refused}");
    assert_eq!(upstream.asked().len(), 1);
    assert!(batch(&server, &key, &submitted).await.is_object());
}

async fn a_judge_may_ask_by_a_schema(db: Db) {
    let (server, _upstream, account, _) = start(&db).await;
    let key = db.scoped_key(&account, "infer,manage,read").await;
    let instructions = json!({
        "type": "object",
        "properties": {
            "team": { "enum": ["a", "b"] },
            "order": { "type": "object", "properties": { "paid": { "type": "boolean" } } },
        },
    });
    let input = json!({ "name": "Schema", "instructions": instructions, "storeContent": true });
    let id = server.create_judge(&key, input).await;
    for state in ["hello", "good bye"] {
        let answer = server.post(&paths(&id)[0]).key(&key).json(json!({ "state": state })).send().await.ok();
        assert_eq!(answer["output"]["team"], answer["answers"]["team"]["choice"]);
        assert!(answer["output"]["order"]["paid"].is_boolean(), "{answer}");
    }
    assert_eq!(server.metric("gavel_schemas_compiled_total").await, 1.0);
    let query =
        "query($id: ID!) { judge(id: $id) { questions { key type } samples { nodes { answers { key } } } } }";
    let shown = server.ask(&key, query, json!({ "id": id })).await;
    assert_eq!(
        shown["judge"]["questions"],
        json!([{ "key": "team", "type": "CHOICE" }, { "key": "order.paid", "type": "NOUL" }])
    );
    assert_eq!(
        shown["judge"]["samples"]["nodes"][0]["answers"],
        json!([{ "key": "team" }, { "key": "order.paid" }])
    );
    // A request's own schema is recorded, and can be imported again.
    let own = json!({ "properties": { "late": { "type": "boolean" } } });
    let response_format = json!({ "type": "json_schema", "json_schema": { "name": "n", "schema": own } });
    let body = json!({ "state": "x", "response_format": response_format });
    let answer = server.post(&paths(&id)[0]).key(&key).json(body).send().await.ok();
    assert!(answer["output"]["late"].is_boolean() && answer["logged"] == true, "{answer}");
    let path = format!("/api/v1/judges/{id}/dataset");
    let exporting = server.get(&path).key(&key).send().await;
    assert_eq!(exporting.status, 200, "{}", exporting.text);
    let counts = server.post(&path).key(&key).body("application/x-ndjson", exporting.text).send().await.ok();
    assert_eq!((&counts["lines"], &counts["duplicates"]), (&json!(3), &json!(3)));
    // A schema that asks for nothing is no instructions.
    let asks_nothing = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let input = json!({ "name": "n", "instructions": asks_nothing });
    let errors = errors(&server, &key, "createJudge", input).await;
    assert_eq!(errors[0]["field"], "instructions#/properties/a");
}

on_both!(a_schema_is_part_of_a_version);
on_sqlite!(
    a_state_that_does_not_fit_is_refused_with_its_place_and_the_rule,
    a_schema_that_is_none_is_refused_by_its_pointer,
    imports_report_states_that_do_not_fit_by_line,
    items_of_a_batch_that_do_not_fit_fail_alone_and_are_free,
    a_judge_may_ask_by_a_schema,
);
