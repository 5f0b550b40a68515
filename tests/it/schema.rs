//! The interface description: it is checked in, documents every error, and matches the answers.

use serde_json::{Value, json};

use crate::harness::{Db, Server, Upstream, on_sqlite, picture};

const CHECKED_IN: &str = include_str!("../../openapi.json");

fn document() -> Value {
    serde_json::from_str(CHECKED_IN).unwrap()
}

async fn the_checked_in_printed_and_served_descriptions_are_the_same(db: Db) {
    let printed = db.run(&["openapi"], &[], "").await;
    assert!(printed.stdout == CHECKED_IN, "stale: run `cargo run -- openapi > openapi.json`");
    let server = Server::start(&db).await;
    assert_eq!(server.get("/openapi.json").send().await.ok(), document());
}

async fn the_description_is_openapi_3_1_0_with_three_key_schemes(_: Db) {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.0.0", "the version of the API");
    let description = document["info"]["description"].as_str().unwrap();
    assert!(description.ends_with(&format!("Gavel {}.", env!("CARGO_PKG_VERSION"))), "{description}");
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    assert_eq!(schemes.len(), 5);
    assert_eq!(
        (&schemes["bearer"]["type"], &schemes["bearer"]["scheme"]),
        (&json!("http"), &json!("bearer"))
    );
    for header in ["x-api-key", "api-key"] {
        let scheme = &schemes[header];
        let parts = (&scheme["type"], &scheme["in"], &scheme["name"]);
        assert_eq!(parts, (&json!("apiKey"), &json!("header"), &json!(header)));
    }
    let session = (&schemes["session"]["in"], &schemes["session"]["name"], &schemes["csrf"]["name"]);
    assert_eq!(session, (&json!("cookie"), &json!("gavel_session"), &json!("x-gavel-csrf")));
    // One of the three, or a session with its header.
    let any =
        json!([{ "bearer": [] }, { "x-api-key": [] }, { "api-key": [] }, { "csrf": [], "session": [] }]);
    assert_eq!(document["security"], any);
}

async fn every_endpoint_is_described_with_its_errors(_: Db) {
    let document = document();
    for (path, method, statuses) in [
        ("/api/v1/moderate/text", "post", &["200", "400", "401", "402", "404", "422", "500"][..]),
        ("/api/v1/moderate/text/batch", "post", &["200", "400", "401", "402", "404", "422", "500"]),
        ("/api/v1/moderate/image", "post", &["200", "400", "401", "402", "413", "415", "422", "500", "503"]),
        ("/api/v1/inference", "post", &["200", "400", "401", "402", "404", "422", "500"]),
        ("/v1/inference", "post", &["200", "400", "401", "402", "404", "422", "500"]),
        ("/v1/custom", "post", &["200", "400", "401", "402", "404", "422", "500"]),
        ("/api/inference", "post", &["200", "400", "401", "402", "404", "422", "500"]),
        ("/api/v1/judges/{id}/inference", "post", &["200", "400", "401", "402", "404", "422", "500"]),
        ("/v1/judges/{id}/inference", "post", &["200", "400", "401", "402", "404", "422", "500"]),
        ("/v1/systemone", "post", &["200", "400", "401", "402", "413", "415", "422", "429", "500", "503"]),
        ("/v1/decisions", "post", &["200", "400", "401", "402", "413", "415", "422", "429", "500", "503"]),
        (
            "/v1/moderations",
            "post",
            &["200", "400", "401", "402", "404", "413", "415", "422", "429", "500", "503"],
        ),
        ("/v1/models", "get", &["200", "401", "403", "429", "503"]),
        ("/api/v1/judges/{id}/dataset", "get", &["200", "401", "403", "404", "422", "429", "500", "503"]),
        (
            "/api/v1/judges/{id}/dataset",
            "post",
            &["200", "400", "401", "403", "404", "409", "413", "415", "422", "503"],
        ),
        ("/api/pricing", "get", &["200"]),
        ("/api/v1/moderate/health", "get", &["200"]),
    ] {
        let errors = match path {
            "/v1/systemone" => "#/components/schemas/SystemOneErrorResponse",
            "/v1/decisions" | "/v1/moderations" | "/v1/models" => "#/components/schemas/OpenAiErrorResponse",
            _ => "#/components/schemas/ErrorResponse",
        };
        let responses = document["paths"][path][method]["responses"].as_object().unwrap();
        for status in statuses {
            // There a body that is not JSON is 422.
            if (path, *status) == ("/v1/systemone", "400") {
                continue;
            }
            let response =
                responses.get(*status).unwrap_or_else(|| panic!("{path} does not document {status}"));
            // An export is a file, whose lines may be JSON.
            let kind = match (path, method, *status) {
                ("/api/v1/judges/{id}/dataset", "get", "200") => "application/x-ndjson",
                _ => "application/json",
            };
            let schema = &response["content"][kind]["schema"];
            assert!(schema.is_object(), "{path} {status} has no schema");
            if *status != "200" {
                assert_eq!(schema["$ref"], errors, "{path} {status}");
            }
        }
    }
}

fn resolve<'a>(document: &'a Value, schema: &Value) -> &'a Value {
    let path = schema["$ref"].as_str().unwrap_or_else(|| panic!("not a reference: {schema}"));
    document.pointer(path.trim_start_matches('#')).unwrap_or_else(|| panic!("no {path}"))
}

async fn a_picture_is_described_as_one_of_two_json_forms_or_a_file(_: Db) {
    let document = document();
    let content = &document["paths"]["/api/v1/moderate/image"]["post"]["requestBody"]["content"];
    assert_eq!(content.as_object().unwrap().len(), 2, "{content}");
    let json = resolve(&document, &content["application/json"]["schema"]);
    let forms = json["oneOf"].as_array().unwrap().iter();
    let forms: Vec<&Value> = forms.map(|form| resolve(&document, form)).collect();
    for (form, field) in forms.iter().zip(["image_url", "image_base64"]) {
        assert_eq!(
            (&form["required"], &form["properties"][field]["type"]),
            (&json!([field]), &json!("string"))
        );
    }
    let upload = resolve(&document, &content["multipart/form-data"]["schema"]);
    assert_eq!((forms.len(), &upload["required"]), (2, &json!(["image"])));
    assert_eq!(upload["properties"]["image"]["format"], "binary");
}

async fn answers_match_the_description(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let lure = "free nitro: dlscord-gift.com/nitro";
    for body in [
        json!({ "content": lure }),
        json!({ "content": lure, "explain": true }),
        json!({}),
        json!({ "content": "" }),
    ] {
        let answer = server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await;
        check(&answer, "/api/v1/moderate/text", "post");
    }
    for body in [json!({ "messages": [{ "content": lure }], "explain": true }), json!({ "messages": [] })] {
        let answer = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await;
        check(&answer, "/api/v1/moderate/text/batch", "post");
    }
    for picture in [&picture::fixture("rgb.jpg")[..], b"no picture"] {
        check(&server.upload(&account.key, picture).send().await, picture::IMAGE, "post");
        let answer = server.upload_base64(&account.key, &picture::base64(picture)).send().await;
        check(&answer, picture::IMAGE, "post");
    }
    check(&server.post("/api/v1/moderate/text").send().await, "/api/v1/moderate/text", "post");
    for path in ["/api/pricing", "/api/v1/moderate/health", "/livez", "/readyz"] {
        check(&server.get(path).send().await, path, "get");
    }
}

async fn answers_to_questions_match_the_description(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(100).await;
    let instructions = json!({
        "team": ["billing", "other"],
        "urgency": { "type": "score", "criteria": ["low", "high"] },
        "angry": { "type": "noul" },
    });
    let own =
        json!({ "state": { "a": 1 }, "instructions": instructions, "parameters": { "abstain_below": 0.5 } });
    let system_one = json!({
        "team": { "type": "choice", "criteria": { "billing": null, "other": "the rest" } },
        "urgency": { "type": "score", "criteria": ["low", { "high": true }] },
        "angry": { "type": "noul", "instructions": "is it?" },
    });
    let decisions = json!([
        { "type": "predicate", "instructions": "it is" },
        { "type": "choice", "name": "team", "instructions": "which?",
            "choices": [{ "value": true }, { "value": "b" }] },
        { "type": "score", "instructions": "how?", "levels": [{ "label": "low" }, { "label": "high" }] },
    ]);
    for (path, good) in [
        ("/api/v1/inference", own.clone()),
        ("/v1/inference", own.clone()),
        ("/v1/custom", own.clone()),
        ("/api/inference", own),
        ("/v1/systemone", json!({ "state": "s", "questions": system_one })),
        ("/v1/decisions", json!({ "model": "m", "input": "s", "questions": decisions })),
        ("/v1/moderations", json!({ "input": ["one", "two"] })),
    ] {
        for body in [good, json!({})] {
            let refused = body == json!({});
            let answer = server.post(path).key(&account.key).json(body).send().await;
            assert_eq!(answer.status, if refused { 422 } else { 200 }, "{path}: {}", answer.text);
            check(&answer, path, "post");
        }
        check(&server.post(path).send().await, path, "post");
    }
    check(&server.get("/v1/models").key(&account.key).send().await, "/v1/models", "get");
    check(&server.get("/v1/models").send().await, "/v1/models", "get");
}

#[track_caller]
fn check(answer: &crate::harness::Answer, path: &str, method: &str) {
    let document = document();
    let response = &document["paths"][path][method]["responses"][answer.status.to_string()];
    let schema = &response["content"]["application/json"]["schema"];
    let mut wrong = Vec::new();
    conform(&document, schema, &answer.body, "body", &mut wrong);
    assert!(wrong.is_empty(), "{method} {path}: {wrong:?} in {}", answer.text);
}

/// Checks a value against the subset of JSON Schema that the description uses. Fields that are not described
/// are errors.
fn conform(document: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(path) = schema["$ref"].as_str() {
        let schema = document.pointer(path.trim_start_matches('#')).unwrap_or_else(|| panic!("no {path}"));
        return conform(document, schema, value, at, wrong);
    }
    // Any value.
    if schema
        .as_object()
        .is_some_and(|schema| !["type", "oneOf", "allOf"].iter().any(|key| schema.contains_key(*key)))
    {
        return;
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return parts.iter().for_each(|schema| conform(document, schema, value, at, wrong));
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let faults = choices.iter().map(|schema| {
            let mut wrong = Vec::new();
            conform(document, schema, value, at, &mut wrong);
            wrong
        });
        return wrong.extend(faults.min_by_key(Vec::len).unwrap_or_default());
    }
    if let Some(types) = schema["type"].as_array() {
        let mut plain = schema.clone();
        plain["type"] = types.iter().find(|kind| *kind != "null").expect("a type").clone();
        if value.is_null() {
            return;
        }
        return conform(document, &plain, value, at, wrong);
    }
    if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value)) {
        wrong.push(format!("{at} is {value}, not of {}", schema["enum"]));
    }
    let right = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        other => panic!("{at} has a type that this test does not know: {other:?} in {schema}"),
    };
    if !right {
        return wrong.push(format!("{at} is {value}, not {}", schema["type"]));
    }
    for item in value.as_array().into_iter().flatten() {
        conform(document, &schema["items"], item, &format!("{at}[]"), wrong);
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    wrong.extend(
        required.filter(|name| value.get(name).is_none()).map(|name| format!("{at}.{name} is missing")),
    );
    for (name, value) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => conform(document, schema, value, &format!("{at}.{name}"), wrong),
            None if schema["additionalProperties"].is_object() => {
                conform(document, &schema["additionalProperties"], value, &format!("{at}.{name}"), wrong);
            }
            None if schema["additionalProperties"] == json!(true) => {}
            None => wrong.push(format!("{at}.{name} is not described")),
        }
    }
}

on_sqlite!(
    the_checked_in_printed_and_served_descriptions_are_the_same,
    the_description_is_openapi_3_1_0_with_three_key_schemes,
    every_endpoint_is_described_with_its_errors,
    a_picture_is_described_as_one_of_two_json_forms_or_a_file,
    answers_match_the_description,
    answers_to_questions_match_the_description,
);
