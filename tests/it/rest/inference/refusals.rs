//! Invalid questions: a 422 that names the field, no charge, no request to a model, and the next question works.

use serde_json::{Map, Value, json};

use super::asking::{INFERENCE, PATHS, ask, body, start, with};
use crate::harness::{Account, Db, Server, Upstream, inv, on_both, on_sqlite};

/// Sends each body and asserts that it is refused for this field with a message with these words; then that nothing was
/// asked or charged, and that the next question is answered.
async fn refuse(server: &Server, upstream: &Upstream, account: &Account, table: Vec<(Value, &str, &str)>) {
    let before = inv::balance(&server.db, &account.id).await;
    let asked = upstream.asked().len();
    let mut wrong = Vec::new();
    for (index, (body, field, words)) in table.iter().enumerate() {
        let path = PATHS[index % PATHS.len()];
        let answer = server.post(path).key(&account.key).json_text(body.to_string()).send().await;
        let message = answer.body["error"].as_str().unwrap_or_default();
        let right = (answer.status, &answer.body["code"]) == (422, &json!("VALIDATION_FAILED"))
            && answer.body["details"][0]["field"] == *field
            && message.starts_with(field)
            && message.contains(words);
        if !right {
            let shown: String = body.to_string().chars().take(200).collect();
            wrong.push(format!("{shown}\n  should be 422: {field} … {words}\n  but: {}", answer.text));
            continue;
        }
        answer.error();
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.len(), wrong.join("\n"));
    assert_eq!(upstream.asked().len(), asked, "no model was asked");
    let next = server.post(INFERENCE).key(&account.key).json(body()).send().await;
    assert_eq!(next.remaining(), before - 500, "{}", next.text);
}

fn instructions(value: Value) -> Value {
    with("instructions", value)
}

/// A typed question under the key `q`.
fn typed(kind: &str, criteria: Value) -> Value {
    instructions(json!({ "q": { "type": kind, "instructions": "which?", "criteria": criteria } }))
}

/// Fields with valid instructions.
fn instructed(mut fields: Value) -> Value {
    fields["instructions"] = json!({ "team": ["billing", "other"] });
    fields
}

/// Choices under the key `q`, without a type.
fn shorthand(choices: Value) -> Value {
    instructions(json!({ "q": choices }))
}

fn options(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("option {n}")).collect()
}

fn described(count: usize) -> Value {
    options(count).into_iter().map(|option| (option, Value::Null)).collect()
}

fn questions(count: usize) -> Value {
    instructions((0..count).map(|n| (format!("q{n}"), json!(["a", "b"]))).collect())
}

/// A valid request with a state of this many bytes.
fn state_of(bytes: usize) -> Value {
    with("state", json!("x".repeat(bytes - r#""""#.len())))
}

/// A request that is nested this deeply.
fn nested(depth: usize) -> String {
    let state = format!("{}{}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    format!(r#"{{"state":{state},"instructions":["is it?"]}}"#)
}

async fn a_missing_state_is_refused(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;

    let mut table = vec![(instructed(json!({})), "state", "is required")];
    for absent in
        [json!({ "state": null }), json!({ "content": null }), json!({ "state": null, "content": null })]
    {
        table.push((instructed(absent), "state", "is required"));
    }
    for blank in [json!(""), json!(" \n\t"), json!("\u{a0}\u{3000}"), json!([]), json!({})] {
        table.push((instructed(json!({ "state": blank })), "state", "must not be empty"));
        // A blank state still wins over content.
        table.push((
            instructed(json!({ "state": blank, "content": "something" })),
            "state",
            "must not be empty",
        ));
    }
    for blank in ["", "  "] {
        table.push((instructed(json!({ "content": blank })), "content", "must not be empty"));
    }
    for wrong in [json!(5), json!(["a"]), json!({ "a": 1 })] {
        table.push((instructed(json!({ "content": wrong })), "content", "must be a string"));
    }
    for wrong in [json!([]), json!("text"), json!(5), Value::Null] {
        table.push((wrong, "body", "must be an object"));
    }
    refuse(&server, &upstream, &account, table).await;
}

async fn missing_instructions_are_refused(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let mut table = vec![(json!({ "state": "something" }), "instructions", "is required")];
    table.push((instructions(Value::Null), "instructions", "is required"));
    for empty in [json!(""), json!("  "), json!([]), json!({})] {
        table.push((instructions(empty), "instructions", "must not be empty"));
    }
    for wrong in [json!(5), json!(true)] {
        table.push((instructions(wrong), "instructions", "must be an object of questions by key"));
    }
    for wrong in [Value::Null, json!(5), json!(""), json!(true)] {
        table.push((instructions(json!({ "q": wrong })), "instructions.q", "must be an array of choices"));
    }
    table.extend([
        (instructions(json!({ " ": ["a", "b"] })), "instructions. ", "a key that is not empty"),
        (instructions(json!([5])), "instructions[0]", "must be a typed question"),
        (instructions(json!(["is it?", ""])), "instructions[1]", "must be"),
        (instructions(json!([{ "type": "noul" }])), "instructions[0].key", "is required"),
        (instructions(json!([{ "key": 5, "type": "noul" }])), "instructions[0].key", "must be a string"),
        (
            instructions(json!([{ "key": "a", "type": "noul" }, { "key": "a", "type": "noul" }])),
            "instructions",
            "has the key \"a\" twice",
        ),
        (instructions(json!(["is it?", { "key": "q1", "type": "noul" }])), "instructions", "twice"),
    ]);
    refuse(&server, &upstream, &account, table).await;
}

async fn a_question_needs_distinct_options(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;

    let mut table = vec![
        (shorthand(json!([])), "instructions.q", "must have 2 to 255 choices, not 0"),
        (shorthand(json!(["only"])), "instructions.q", "must have 2 to 255 choices, not 1"),
        (shorthand(json!(options(256))), "instructions.q", "must have 2 to 255 choices, not 256"),
        (shorthand(json!(["a", "b", "a"])), "instructions.q", "has the choice \"a\" twice"),
        (shorthand(json!(["a", ""])), "instructions.q", "without a name"),
        (shorthand(json!(["a", 5])), "instructions.q[1]", "must be a string"),
        (shorthand(json!(["a", null])), "instructions.q[1]", "must be a string"),
        (typed("choice", described(1)), "instructions.q.criteria", "must have 2 to 255 choices, not 1"),
        (typed("choice", described(256)), "instructions.q.criteria", "must have 2 to 255 choices, not 256"),
        (typed("choice", json!({ "a": 5, "b": null })), "instructions.q.criteria.a", "in words, or null"),
        (typed("score", json!(["low"])), "instructions.q.criteria", "must have 2 to 10 levels, not 1"),
        (typed("score", json!(options(11))), "instructions.q.criteria", "must have 2 to 10 levels, not 11"),
        (typed("score", json!(["low", ""])), "instructions.q.criteria[1]", "must be a level in words"),
        (typed("score", json!(["low", 5])), "instructions.q.criteria[1]", "must be a level in words"),
        (typed("noul", json!({ "maybe": "?" })), "instructions.q.criteria", "with the keys true and false"),
        (typed("noul", json!({ "true": 5 })), "instructions.q.criteria.true", "in words, or null"),
    ];
    for wrong in [json!(["a", "b"]), json!("a"), json!(5), Value::Null] {
        table.push((typed("choice", wrong), "instructions.q.criteria", "must be an object"));
    }
    for wrong in [json!({ "0": "low" }), json!("low"), json!(5), Value::Null] {
        table.push((typed("score", wrong), "instructions.q.criteria", "must be an array of levels"));
    }
    for wrong in [json!(["yes", "no"]), json!("yes"), json!(5), json!(true)] {
        table.push((typed("noul", wrong), "instructions.q.criteria", "must be an object"));
    }
    for wrong in [json!("Choice"), json!("bool"), json!(""), json!(5), Value::Null] {
        let question = json!({ "q": { "type": wrong, "criteria": { "a": null, "b": null } } });
        table.push((instructions(question), "instructions.q.type", "must be one of: choice, score, noul"));
    }
    table.push((
        instructions(json!({ "q": { "criteria": { "a": null, "b": null } } })),
        "instructions.q.type",
        "is required and must be one of: choice, score, noul",
    ));
    for wrong in [json!(5), json!(true), json!(" ")] {
        let question = json!({ "q": { "type": "noul", "instructions": wrong } });
        table.push((instructions(question), "instructions.q.instructions", "must"));
    }
    refuse(&server, &upstream, &account, table).await;
}

async fn requests_are_limited_in_size(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;

    let over = "and instructions must be at most 262144 bytes together";
    refuse(
        &server,
        &upstream,
        &account,
        vec![
            (questions(65), "instructions", "must have 1 to 64 questions, not 65"),
            (with("state", json!("x".repeat(300 * 1024))), "state", over),
            (instructions(json!("x".repeat(300 * 1024))), "state", over),
            (with("state", json!({ "a": ["x".repeat(200_000), "y".repeat(100_000)] })), "state", over),
        ],
    )
    .await;
    let most = ask(&server, &account.key, questions(64)).await;
    assert_eq!(most["answers"].as_object().unwrap().len(), 64);
    let instructions_bytes = body()["instructions"].to_string().len();

    ask(&server, &account.key, state_of(262_144 - instructions_bytes)).await;
    refuse(&server, &upstream, &account, vec![(state_of(262_145 - instructions_bytes), "state", over)]).await;
    // The sent size counts, not the size of the questions that it stands for.
    let options: Vec<String> = (0..255).map(|n| format!("o{n}")).collect();
    let full: Map<String, Value> = (0..64).map(|n| (format!("q{n}"), json!(options))).collect();
    assert_eq!(ask(&server, &account.key, instructions(full.into())).await["usage"]["output_tokens"], 64);
    let padded = format!("{}{}", body(), " ".repeat(512 * 1024));
    for path in PATHS {
        let answer = server.post(path).key(&account.key).json_text(padded.clone()).send().await;
        answer.fails(413, "PAYLOAD_TOO_LARGE");
    }
}

async fn nul_characters_are_refused_everywhere(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let nul = "must not contain a NUL character";
    let table = vec![
        (with("state", json!("a\0b")), "state", nul),
        (with("state", json!({ "a": [{ "b": "\0" }] })), "state", nul),
        (with("state", json!({ "a\0": 1 })), "state", nul),
        (json!({ "content": "\0", "instructions": ["is it?"] }), "content", nul),
        (instructions(json!("is\0it?")), "instructions", nul),
        (instructions(json!({ "q": ["a", "b\0"] })), "instructions", nul),
        (instructions(json!({ "q\0": ["a", "b"] })), "instructions", nul),
        (with("parameters", json!({ "note": "\0" })), "parameters.note", nul),
    ];
    refuse(&server, &upstream, &account, table).await;
}

async fn unknown_names_are_refused_with_the_known_ones(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let mut table = vec![(with("backend", json!("openrouter")), "backend", "GAVEL_OPENROUTER_API_KEY")];
    for wrong in [json!("remote"), json!("Local"), json!(""), json!(5), json!({ "local": null })] {
        table.push((with("backend", wrong), "backend", "must be one of: auto, local, openrouter"));
    }
    for wrong in [json!("fast"), json!("NATIVE"), json!(5), json!({ "native": null })] {
        table.push((with("mode", wrong), "mode", "must be one of: native, hybrid"));
    }
    for wrong in [json!(5), json!([])] {
        table.push((with("model", wrong.clone()), "model", "must be a string"));
        table.push((with("judge_id", wrong), "judge_id", "must be a string"));
    }
    for wrong in [json!(5), json!([]), json!("temperature")] {
        table.push((with("parameters", wrong), "parameters", "must be a"));
    }
    for (name, wrong, words) in [
        ("temperature", json!(0), "must be a number from 0.05 to 20"),
        ("temperature", json!(20.5), "must be a number from 0.05 to 20"),
        ("temperature", json!("1"), "must be a number from 0.05 to 20"),
        ("abstain_below", json!(-0.1), "must be a number from 0 to 1"),
        ("abstain_below", json!(1.1), "must be a number from 0 to 1"),
        ("steps", json!(0), "must be a whole number from 1 to 8"),
        ("steps", json!(9), "must be a whole number from 1 to 8"),
        ("steps", json!(1.5), "must be a whole number from 1 to 8"),
    ] {
        let field: &'static str = match name {
            "temperature" => "parameters.temperature",
            "abstain_below" => "parameters.abstain_below",
            _ => "parameters.steps",
        };
        table.push((with("parameters", json!({ name: wrong })), field, words));
    }
    refuse(&server, &upstream, &account, table).await;
}

async fn unknown_judges_are_not_found(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    for id in ["judge_01kahd7f3ye9pvsk8h0a5m5x2e", "", "of somebody else"] {
        for path in PATHS {
            let answer = server.post(path).key(&account.key).json(with("judge_id", json!(id))).send().await;
            answer.fails(404, "NOT_FOUND");
        }
        // The Judge would have supplied the instructions.
        let body = json!({ "state": "something", "judge_id": id });
        server.post(INFERENCE).key(&account.key).json(body).send().await.fails(404, "NOT_FOUND");
        // Faults of the request itself come first.
        let body = json!({ "state": "", "judge_id": id });
        server.post(INFERENCE).key(&account.key).json(body).send().await.fails(422, "VALIDATION_FAILED");
    }
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
}

async fn bodies_that_are_not_json_are_malformed(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;

    for path in PATHS {
        for body in ["", "{", "{'state':1}", r#"{"state":"\ud800"}"#, &nested(129), &nested(100_000)] {
            let answer = server.post(path).key(&account.key).json_text(body.to_owned()).send().await;
            answer.fails(400, "MALFORMED_BODY");
        }
        let answer = server.post(path).key(&account.key).body("text/plain", body().to_string()).send().await;
        answer.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    assert!(upstream.asked().is_empty() && inv::charges(&db, &account.id).await.is_empty());
    server.post(INFERENCE).key(&account.key).json_text(nested(128)).send().await.ok();
}

async fn without_a_model_everything_else_works(db: Db) {
    let empty = tempfile::tempdir().unwrap();
    let server = Server::with(&db).env("GAVEL_MODELS_DIR", empty.path().display()).start().await;
    let account = server.account(10).await;
    assert_eq!(server.get("/readyz").send().await.ok()["decision_engine"], false);
    for path in PATHS {
        let answer = server.post(path).key(&account.key).json(body()).send().await;
        let message = answer.fails(500, "ENGINE_UNAVAILABLE");
        assert_eq!(message, "the decision engine could not answer; nothing was charged");
    }
    server
        .post(INFERENCE)
        .key(&account.key)
        .json(json!({ "state": "" }))
        .send()
        .await
        .fails(422, "VALIDATION_FAILED");
    assert!(inv::charges(&db, &account.id).await.is_empty());
    server.moderate(&account.key, "text still works").send().await.ok();
}

on_both!(nul_characters_are_refused_everywhere);
on_sqlite!(
    a_missing_state_is_refused,
    missing_instructions_are_refused,
    a_question_needs_distinct_options,
    requests_are_limited_in_size,
    unknown_names_are_refused_with_the_known_ones,
    unknown_judges_are_not_found,
    bodies_that_are_not_json_are_malformed,
    without_a_model_everything_else_works,
);
