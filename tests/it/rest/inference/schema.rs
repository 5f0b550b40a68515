//! Questions as a JSON Schema, and the object that answers them.

use serde_json::{Map, Value, json};

use super::asking::{INFERENCE, ask, body, start, with};
use crate::harness::{Account, Db, Server, Upstream, inv, on_sqlite};

/// Made by pydantic 2.14.4, zod 4.6.7 (also for draft 7, with shared definitions) and zod-to-json-schema 3.25.2.
const PYDANTIC: &str = include_str!("schemas/pydantic.json");
const ZOD: &str = include_str!("schemas/zod.json");
const ZOD_DRAFT_7: &str = include_str!("schemas/zod_draft_7.json");
const ZOD_TO_JSON_SCHEMA: &str = include_str!("schemas/zod_to_json_schema.json");

fn parse(schema: &str) -> Value {
    serde_json::from_str(schema).expect("a schema")
}

/// A schema of an object with these properties, all required.
fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().expect("properties").keys().collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// The questions that the model server was asked last.
fn asked(upstream: &Upstream) -> Map<String, Value> {
    let body = upstream.asked().pop().expect("a question").body;
    body["questions"].as_object().expect("questions").clone()
}

/// The most probable of a choice's options or a score's levels.
fn most_probable(answer: &Value) -> String {
    let probabilities = answer["probabilities"].as_object().expect("probabilities");
    let best = probabilities.iter().max_by(|a, b| a.1.as_f64().unwrap().total_cmp(&b.1.as_f64().unwrap()));
    best.expect("an option").0.clone()
}

fn applies(answer: &Value) -> bool {
    answer["noul"].as_f64().expect("a probability") >= 0.5
}

async fn each_kind_of_property_is_a_question_and_a_member_of_the_output(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(100).await;
    let schema = object(json!({
        "team": { "enum": ["billing", "technical"], "description": "Which team?",
            "x-enum-descriptions": ["Payments", "Faults"] },
        "plan": { "oneOf": [
            { "const": 1, "description": "The free plan" }, { "const": 2, "title": "The paid plan" } ] },
        "isUrgent": { "type": "boolean", "x-enum-descriptions": { "true": "today", "false": "later" } },
        "anger": { "type": "integer", "minimum": 3, "maximum": 5, "x-enum-descriptions": ["calm", "cross", "furious"] },
        "topics": { "type": "array", "description": "Topics", "items": { "enum": ["refund", "delivery"],
            "x-enum-descriptions": { "refund": "Money back" } } },
        "order": { "type": "object", "properties": { "is_paid": { "type": "boolean" } }, "required": ["is_paid"] },
        "version": { "const": 7 },
    }));
    let answer = ask(&server, &account.key, with("instructions", schema)).await;
    let questions = asked(&upstream);
    assert_eq!(
        Value::Object(questions.clone()),
        json!({
            "team": { "type": "choice", "instructions": "Which team?",
                "criteria": { "billing": "Payments", "technical": "Faults" } },
            "plan": { "type": "choice", "instructions": "plan",
                "criteria": { "1": "The free plan", "2": "The paid plan" } },
            "isUrgent": { "type": "noul", "instructions": "is urgent",
                "criteria": { "true": "today", "false": "later" } },
            "anger": { "type": "score", "instructions": "anger", "criteria": ["calm", "cross", "furious"] },
            "topics.refund": { "type": "noul", "instructions": "Topics: does \"refund\" apply?",
                "criteria": { "true": "Money back", "false": null } },
            "topics.delivery": { "type": "noul", "instructions": "Topics: does \"delivery\" apply?" },
            "order.is_paid": { "type": "noul", "instructions": "order is paid" },
        })
    );
    let answers = answer["answers"].as_object().unwrap();
    assert!(answers.keys().eq(questions.keys()), "{answer}");
    let topics: Vec<&str> = ["refund", "delivery"]
        .into_iter()
        .filter(|topic| applies(&answers[&format!("topics.{topic}")]))
        .collect();
    let expected = json!({
        "team": answers["team"]["choice"],
        "plan": most_probable(&answers["plan"]).parse::<u64>().unwrap(),
        "isUrgent": applies(&answers["isUrgent"]),
        "anger": 3 + most_probable(&answers["anger"]).parse::<u64>().unwrap(),
        "topics": topics,
        "order": { "is_paid": applies(&answers["order.is_paid"]) },
        "version": 7,
    });
    assert_eq!(answer["output"], expected);
    assert!(answer["output"].as_object().unwrap().keys().eq(expected.as_object().unwrap().keys()));
    assert_eq!(answer["credits_deducted"], 0.5);
    assert!(ask(&server, &account.key, body()).await.get("output").is_none(), "only for a schema");
}

async fn schemas_of_pydantic_and_zod_are_answered(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(100).await;
    let topics = ["topics.refund", "topics.delivery", "topics.account"];
    let of_zod = [
        &["team", "fallback", "urgent", "anger", "stars"][..],
        &topics,
        &["order.paid", "order.channel", "priority", "reply"],
    ];
    let keys_of_pydantic = [
        &["team", "fallback", "urgent", "anger", "stars"][..],
        &topics,
        &["tags.billing", "tags.technical", "tags.sales", "order.paid", "order.channel", "language", "reply"],
    ];
    let of_zod_to_json_schema = [
        &["team", "other", "urgent", "anger"][..],
        &["topics.billing", "topics.technical", "topics.sales", "channel", "order.paid"],
    ];
    for (schema, keys) in [
        (PYDANTIC, keys_of_pydantic.concat()),
        (ZOD, of_zod.concat()),
        (ZOD_DRAFT_7, of_zod.concat()),
        (ZOD_TO_JSON_SCHEMA, of_zod_to_json_schema.concat()),
    ] {
        let least = usize::from(schema.contains("minItems"));
        let schema = parse(schema);
        for state in ["I was charged twice", "Where is my parcel?", "Thanks a lot"] {
            let mut request = with("instructions", schema.clone());
            request["state"] = json!(state);
            let answer = ask(&server, &account.key, request).await;
            assert!(answer["answers"].as_object().unwrap().keys().eq(&keys), "{answer}");
            let output = answer["output"].as_object().unwrap();
            assert_eq!(output["kind"], "ticket");
            assert!((1..=5).contains(&output["anger"].as_i64().unwrap()), "{answer}");
            assert!(output["topics"].as_array().unwrap().len() >= least, "{answer}");
            assert!(output.get("tags").is_none_or(|tags| tags.as_array().unwrap().len() <= 2), "{answer}");
            assert!(output["order"]["paid"].is_boolean());
        }
    }
    // Titles that pydantic makes of names say nothing, and what is said at the property comes first.
    let mut request = with("instructions", parse(PYDANTIC));
    request["state"] = json!("hello");
    ask(&server, &account.key, request).await;
    let questions = asked(&upstream);
    for (key, words) in [
        ("team", "The team that answers."),
        ("fallback", "Which other team could answer?"),
        ("stars", "stars"),
        ("order.paid", "Is the order paid?"),
        ("order.channel", "order channel"),
        ("topics.refund", "What is it about? Does \"refund\" apply?"),
    ] {
        assert_eq!(questions[key]["instructions"], words);
    }
}

async fn what_abstains_is_null_or_left_out_where_the_schema_allows_it(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let team = json!({ "enum": ["a", "b", "c", "d"] });
    let schema = json!({
        "type": "object",
        "properties": {
            "sure": team, "maybe": { "anyOf": [team, { "type": "null" }] }, "optional": team,
            "yes": { "type": ["boolean", "null"] },
            "level": { "anyOf": [{ "type": "integer", "minimum": 1, "maximum": 4 }, { "type": "null" }] },
            "listed": { "enum": ["a", "b", null] },
            "some": { "type": "array", "items": team, "minItems": 2 },
            "tags": { "type": ["array", "null"], "items": team },
            "optional_tags": { "type": "array", "items": team },
        },
        "required": ["sure", "maybe", "yes", "level", "listed", "some", "tags"],
    });
    let mut request = with("instructions", schema);
    let certain = ask(&server, &account.key, request.clone()).await;
    let output = certain["output"].as_object().unwrap();
    assert!(output.values().all(|value| !value.is_null()) && output.len() == 9, "{certain}");
    request["parameters"] = json!({ "abstain_below": 1 });
    let answer = ask(&server, &account.key, request).await;
    assert_eq!(answer["answers"]["sure"]["choice"], "none_of_these");
    assert_eq!(
        answer["output"]["sure"], certain["answers"]["sure"]["choice"],
        "required, so the most probable"
    );
    assert!(
        ["optional", "optional_tags"].iter().all(|name| answer["output"].get(name).is_none()),
        "{answer}"
    );
    for null in ["maybe", "yes", "level", "listed", "tags"] {
        assert_eq!(answer["output"][null], Value::Null, "{null}");
    }
    assert_eq!(answer["output"]["some"], certain["output"]["some"], "required, so what is probable");
}

/// OpenAI's form of a schema.
fn openai(schema: &Value) -> Value {
    json!({ "type": "json_schema", "json_schema": { "name": "ticket", "schema": schema, "strict": true } })
}

async fn openais_response_format_means_the_same(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(100).await;
    let schema = object(json!({ "urgent": { "type": "boolean" }, "team": { "enum": ["a", "b"] } }));
    let direct = json!({ "state": "hello", "instructions": schema });
    let direct = server.post(INFERENCE).key(&account.key).idempotent("k").json(direct).send().await;
    let same = json!({ "state": "hello", "response_format": openai(&schema), "instructions": null });
    let same = server.post(INFERENCE).key(&account.key).idempotent("k").json(same).send().await;
    assert_eq!((same.status, &same.text), (200, &direct.text), "one request");
    assert!(same.body["output"]["urgent"].is_boolean());

    // There it is a schema although it does not look like one, and needs no name.
    let bare =
        json!({ "$ref": "#/$defs/t", "$defs": { "t": { "properties": { "late": { "type": "boolean" } } } } });
    let response_format = json!({ "type": "json_schema", "json_schema": { "schema": bare } });
    let bare = json!({ "state": "hello", "response_format": response_format });
    let answer = ask(&server, &account.key, bare).await;
    assert!(answer["output"]["late"].is_boolean(), "{answer}");

    let text = object(json!({ "name": { "type": "string" } }));
    let mut text_format = openai(&schema);
    text_format["type"] = json!("text");
    let both = json!({ "state": "x", "instructions": ["is it?"], "response_format": openai(&schema) });
    let table = vec![
        (both, "response_format", "must be left out"),
        (json!({ "response_format": text_format }), "response_format.type", "must be one of: json_schema"),
        (
            json!({ "response_format": { "type": "json_schema" } }),
            "response_format.json_schema",
            "is required",
        ),
        (
            json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "t" } } }),
            "response_format.json_schema.schema",
            "is required",
        ),
        (
            json!({ "response_format": openai(&json!("text")) }),
            "response_format.json_schema.schema",
            "an object",
        ),
        (
            json!({ "response_format": openai(&text) }),
            "response_format.json_schema.schema#/properties/name",
            "must be an enum",
        ),
    ];
    refuse(&server, &upstream, &account, table).await;
}

/// Sends each request, with a state, and asserts that it is refused for this field with a message with these words;
/// that nothing was asked or charged, and that the next question is answered.
async fn refuse(server: &Server, upstream: &Upstream, account: &Account, table: Vec<(Value, &str, &str)>) {
    let before = inv::balance(&server.db, &account.id).await;
    let asked = upstream.asked().len();
    for (mut request, field, words) in table {
        request["state"] = json!("something");
        let answer = server.post(INFERENCE).key(&account.key).json_text(request.to_string()).send().await;
        let message = answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), field, "{request}: {message}");
        assert!(message.contains(words), "{request}: {message}");
    }
    assert_eq!(upstream.asked().len(), asked, "no model was asked");
    let next = server.post(INFERENCE).key(&account.key).json(body()).send().await;
    assert_eq!(next.remaining(), before - 500, "{}", next.text);
}

/// A request with one property, whose pointer is `#/properties/p`.
fn property(schema: Value) -> Value {
    json!({ "instructions": object(json!({ "p": schema })) })
}

/// What the message says of a property of another kind.
const KINDS: &str = "must be an enum, a boolean, an integer from a minimum to a maximum, an array of an enum";

async fn a_property_that_is_no_question_is_refused_by_its_pointer(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let p = "instructions#/properties/p";
    let table = vec![
        (property(json!({ "type": "string" })), p, KINDS),
        (property(json!({ "type": "number", "minimum": 1, "maximum": 2 })), p, KINDS),
        (property(json!({})), p, KINDS),
        (property(json!({ "type": ["boolean", "string"] })), p, KINDS),
        (property(json!(true)), p, "must be an object"),
        (
            property(json!({ "type": "boolean", "not": { "const": true } })),
            "instructions#/properties/p/not",
            "not supported",
        ),
        (property(json!({ "type": "integer", "minimum": 1 })), p, "1 to 10 numbers"),
        (property(json!({ "type": "integer", "minimum": 1, "maximum": 11 })), p, "1 to 10 numbers"),
        (
            property(json!({ "allOf": [{ "type": "boolean" }, { "const": true }] })),
            "instructions#/properties/p/allOf",
            "only one",
        ),
        (property(json!({ "type": "array" })), p, "must have `items`"),
        (
            property(json!({ "type": "array", "items": { "type": "string" } })),
            "instructions#/properties/p/items",
            "an enum",
        ),
        (
            property(json!({ "type": "array", "items": { "enum": ["a", "b"] }, "minItems": 3 })),
            "instructions#/properties/p/minItems",
            "at most 2",
        ),
        (
            property(json!({ "type": "object", "properties": { "q": { "type": "string" } } })),
            "instructions#/properties/p/properties/q",
            KINDS,
        ),
    ];
    refuse(&server, &upstream, &account, table).await;
}

async fn values_that_are_no_choices_are_refused_by_their_pointers(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let p = "instructions#/properties/p";
    let options: Vec<String> = (0..256).map(|n| format!("o{n}")).collect();
    let table = vec![
        (
            property(json!({ "enum": ["a", "b"], "minLength": 1 })),
            "instructions#/properties/p/minLength",
            "not supported",
        ),
        (
            property(json!({ "enum": ["a", { "b": 1 }] })),
            "instructions#/properties/p/enum/1",
            "must be a string",
        ),
        (
            property(json!({ "type": "string", "enum": ["a", 1] })),
            "instructions#/properties/p/enum/1",
            "of the type string",
        ),
        (property(json!({ "enum": ["a", " "] })), p, "without a name"),
        (property(json!({ "enum": [1, "1"] })), p, "twice"),
        (property(json!({ "enum": [] })), "instructions#/properties/p/enum", "at least one value"),
        (property(json!({ "enum": [2, 1, 1.0] })), "instructions#/properties/p/enum/2", "equals 1"),
        (
            property(json!({ "oneOf": [{ "enum": [1, 2] }, { "enum": [2.0, 3] }] })),
            "instructions#/properties/p/oneOf/1",
            "must not allow 2",
        ),
        (
            property(json!({ "oneOf": [{ "enum": ["a", null] }, { "const": "b" }, { "type": "null" }] })),
            "instructions#/properties/p/oneOf/2",
            "must not allow null",
        ),
        (property(json!({ "enum": options })), p, "must have 2 to 255 choices, not 256"),
        (
            property(json!({ "enum": ["a", "b"], "x-enum-descriptions": "c" })),
            "instructions#/properties/p/x-enum-descriptions",
            "descriptions",
        ),
        (
            property(json!({ "anyOf": [{ "type": "boolean" }, { "const": "a" }] })),
            "instructions#/properties/p/anyOf/0",
            "must list its values",
        ),
        (property(json!({ "enum": ["a", "\u{0}"] })), "instructions", "NUL"),
    ];
    refuse(&server, &upstream, &account, table).await;
}

async fn a_schema_that_is_no_object_of_questions_is_refused(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let many: Map<String, Value> = (0..65).map(|n| (format!("p{n}"), json!({ "type": "boolean" }))).collect();
    let table = vec![
        (
            json!({ "instructions": { "type": "object", "properties": { "a/b": { "$ref": "#/$defs/t" } },
                "$defs": { "t": { "type": "string" } } } }),
            "instructions#/$defs/t",
            KINDS,
        ),
        (
            json!({ "instructions": {
                "type": "object", "properties": { "a": { "type": "boolean" } }, "required": ["b"],
            } }),
            "instructions#/required/0",
            "one of the `properties`",
        ),
        (
            json!({ "instructions": { "type": "object", "properties": { "a": { "type": "boolean" } },
                "patternProperties": { "x": true } } }),
            "instructions#/patternProperties",
            "not supported",
        ),
        (
            json!({ "instructions": object(json!({ "a.b": { "type": "boolean" },
                "a": { "type": "object", "properties": { "b": { "type": "boolean" } } } })) }),
            "instructions",
            "has the key \"a.b\" twice",
        ),
        (property(json!({ "const": "only" })), "instructions", "more than one possible value"),
        (
            json!({ "instructions": object(many.into()) }),
            "instructions",
            "must have 1 to 64 questions, not 65",
        ),
        (
            json!({ "instructions": { "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array" } }),
            "instructions",
            "must be a schema of an object",
        ),
    ];
    refuse(&server, &upstream, &account, table).await;
}

fn reference(to: &str) -> Value {
    property(json!({ "$ref": to }))
}

/// A request whose property refers to one of these definitions.
fn defined(to: &str, definitions: Value) -> Value {
    json!({ "instructions": { "type": "object", "properties": { "p": { "$ref": to } }, "$defs": definitions } })
}

async fn schemas_are_bounded_and_refer_to_themselves_alone(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let node = json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } });
    let mut doubling = Map::from_iter([("d0".to_owned(), json!({ "type": "boolean" }))]);
    for n in 1..=25 {
        let below = json!({ "$ref": format!("#/$defs/d{}", n - 1) });
        doubling
            .insert(format!("d{n}"), json!({ "type": "object", "properties": { "a": below, "b": below } }));
    }
    let deep = (0..70).fold(json!({ "type": "boolean" }), |inner, _| json!({ "items": inner }));
    let at = "instructions#/properties/p/$ref";
    let table = vec![
        (reference("https://example.com/s.json"), at, "a part of this schema"),
        (reference("http://169.254.169.254/"), at, "a part of this schema"),
        (reference("file:///etc/passwd"), at, "a part of this schema"),
        (reference("#/$defs/none"), at, "that exists"),
        (reference("#anchor"), at, "a part of this schema"),
        (reference("#"), at, "lead back to itself"),
        (
            defined("#/$defs/node", json!({ "node": node })),
            "instructions#/$defs/node/properties/next/$ref",
            "lead back",
        ),
        (
            defined("#/$defs/a", json!({ "a": { "$ref": "#/$defs/a" } })),
            "instructions#/$defs/a/$ref",
            "lead back",
        ),
        (defined("#/$defs/d25", doubling.clone().into()), "instructions", "at most 10000 values"),
        (
            property(json!({ "type": "boolean", "$id": "x" })),
            "instructions#/properties/p/$id",
            "only at the top",
        ),
        (property(json!({ "$dynamicRef": "#x" })), "instructions#/properties/p/$dynamicRef", "use `$ref`"),
        (
            property(json!({ "type": "boolean", "description": "x".repeat(70_000) })),
            "instructions",
            "at most 65536 bytes",
        ),
        (
            json!({ "instructions": { "$schema": "https://json-schema.org/draft-04/schema#", "type": "object" } }),
            "instructions#/$schema",
            "must be one of",
        ),
        (property(json!({ "type": "bool" })), "instructions#/properties/p/type", "must"),
    ];
    refuse(&server, &upstream, &account, table).await;
    let mut nested = property(deep);
    nested["state"] = json!("something");
    let answer = server.post(INFERENCE).key(&account.key).json(nested).send().await;
    assert!(answer.fails(422, "VALIDATION_FAILED").contains("at most 64 schemas deep"), "{}", answer.text);
    // Parts may be shared.
    let mut shared = defined("#/$defs/d3", doubling.into_iter().take(4).collect());
    shared["state"] = json!("something");
    assert_eq!(ask(&server, &account.key, shared).await["answers"].as_object().unwrap().len(), 8);
}

async fn a_typed_question_that_looks_like_a_schema_is_still_one(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(10).await;
    let questions =
        json!({ "type": "object", "properties": { "type": "noul", "instructions": "Has it any?" } });
    let answer = ask(&server, &account.key, with("instructions", questions)).await;
    assert!(answer["answers"].as_object().unwrap().keys().eq(["type", "properties"]), "{answer}");
    assert!(answer.get("output").is_none());
    let schema = object(json!({ "type": { "enum": ["noul", "choice"] } }));
    let answer = ask(&server, &account.key, with("instructions", schema)).await;
    assert_eq!(answer["output"]["type"], answer["answers"]["type"]["choice"]);
}

on_sqlite!(
    each_kind_of_property_is_a_question_and_a_member_of_the_output,
    schemas_of_pydantic_and_zod_are_answered,
    what_abstains_is_null_or_left_out_where_the_schema_allows_it,
    openais_response_format_means_the_same,
    a_property_that_is_no_question_is_refused_by_its_pointer,
    values_that_are_no_choices_are_refused_by_their_pointers,
    a_schema_that_is_no_object_of_questions_is_refused,
    schemas_are_bounded_and_refer_to_themselves_alone,
    a_typed_question_that_looks_like_a_schema_is_still_one,
);
