//! Backends that the operator has named: how requests name them, what they cost, and where content may go.

use serde_json::{Value, json};

use super::asking::{INFERENCE, ask, local};
use crate::{
    graphql::mutation,
    harness::{Account, Db, Server, ServerOptions, UPSTREAM_MODEL, Upstream, inv, on_sqlite},
};

/// Options for a server with its own local model and two backends: `near` at 2 credits and `far`, which is external.
pub(super) fn two(db: &Db, local_model: &Upstream, near: &Upstream, far: &Upstream) -> ServerOptions {
    local(db, local_model)
        .env("GAVEL_BACKENDS__NEAR__KIND", "openai_chat")
        .env("GAVEL_BACKENDS__NEAR__URL", near.url())
        .env("GAVEL_BACKENDS__NEAR__PRICE", 2)
        .env("GAVEL_BACKENDS__NEAR__RETRIES", 0)
        .env("GAVEL_BACKENDS__FAR__KIND", "system_one")
        .env("GAVEL_BACKENDS__FAR__URL", far.url())
        .env("GAVEL_BACKENDS__FAR__API_KEY", "far-secret")
        .env("GAVEL_BACKENDS__FAR__EXTERNAL", true)
        .env("GAVEL_BACKENDS__FAR__RETRIES", 0)
}

/// A Judge with these parameters.
pub(super) async fn judge(server: &Server, account: &Account, parameters: Value) -> String {
    let input = json!({
        "name": "Team", "instructions": { "team": ["billing", "shipping", "returns"] }, "parameters": parameters,
    });
    let key = server.db.scoped_key(account, "infer,manage").await;
    let query = mutation("createJudge", "judge { id } userErrors { message }");
    let made = server.ask(&key, &query, json!({ "input": input })).await;
    made["payload"]["judge"]["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

async fn a_backend_is_named_by_its_name_or_with_a_model(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).start().await;
    let account = server.account(10).await;
    let told = ask(&server, &account, json!({ "model": "near" })).send().await.ok();
    assert_eq!((&told["backend"], &told["model"]), (&json!("local"), &json!(UPSTREAM_MODEL)));
    assert_eq!(told["credits_deducted"], 2.0);
    let step = &told["routing"]["steps"][0];
    assert_eq!(
        (&step["backend"], &step["outcome"], &step["credits"]),
        (&json!("near"), &json!("answered"), &json!(2.0))
    );
    assert_eq!((&step["calibrated"], &step["questions"]), (&json!(false), &json!(["team"])));
    assert!(told["routing"]["reason"].as_str().unwrap().contains("not calibrated"), "{told}");
    let told = ask(&server, &account, json!({ "model": "far/scripted-2" })).send().await.ok();
    assert_eq!(told["credits_deducted"], 0.5, "the usual price");
    let sent = far.asked().remove(0);
    assert_eq!((&sent.body["model"], sent.head.contains("bearer far-secret")), (&json!("scripted-2"), true));
    assert!(own.asked().is_empty());
    // Requests that name no backend, and those of other routes, stay as they were.
    assert!(ask(&server, &account, json!({})).send().await.ok()["routing"]["steps"].is_null());
    let question = json!({ "type": "noul", "instructions": "Is it?" });
    let body = json!({ "model": "near", "state": "x", "questions": { "q": question } });
    server.post("/v1/systemone").key(&account.key).json(body).send().await.ok();
    assert_eq!((own.asked().len(), near.asked().len()), (1, 2 + 2));
    let charges: Vec<i64> = inv::charges(&db, &account.id).await.iter().map(|charge| charge.delta).collect();
    assert_eq!(charges, [-2_000, -500, -500, -2_000]);
    assert!(!server.log().contains("far-secret"));
}

async fn the_list_of_models_has_the_backends(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).env("GAVEL_BACKENDS__NEAR__MODEL", "a/b").start().await;
    let account = server.account(0).await;
    let models = server.get("/v1/models").key(&account.key).send().await.ok();
    let names: Vec<&str> =
        models["data"].as_array().unwrap().iter().filter_map(|model| model["id"].as_str()).collect();
    for name in ["near", "near/a/b", "far"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

async fn an_unknown_backend_is_refused_with_the_names_there_are(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).start().await;
    let account = server.account(10).await;
    for (parameters, field) in [
        (json!({ "cascade": [{ "backend": "nowhere" }] }), "parameters.cascade[0].backend"),
        (json!({ "cascade": [{ "backend": "near", "below": 2 }] }), "parameters.cascade[0].below"),
        (json!({ "cascade": [{ "backend": "near" }, { "backend": "far" }] }), "parameters.cascade[0].below"),
        (
            json!({ "cascade": [{ "backend": "near", "below": 0.5 }, { "backend": "near" }] }),
            "parameters.cascade[1].backend",
        ),
        (
            json!({ "cascade": [{ "backend": "local", "below": 0.5 }, { "backend": "near/" }] }),
            "parameters.cascade[1].backend",
        ),
        (json!({ "model": "" }), "parameters.model"),
        (json!({ "model": "near", "cascade": [{ "backend": "far" }] }), "parameters.cascade"),
        (json!({ "data_boundary": "moon" }), "parameters.data_boundary"),
    ] {
        let answer = ask(&server, &account, json!({ "parameters": parameters })).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), field, "{}", answer.text);
    }
    let answer = ask(&server, &account, json!({ "parameters": { "cascade": [{ "backend": "nowhere" }] } }))
        .send()
        .await;
    assert!(answer.error().contains("these are: local, far, near"), "{}", answer.text);
    assert!(near.asked().is_empty() && far.asked().is_empty() && own.asked().is_empty());
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
}

async fn a_judge_names_its_backend_and_keeps_content_at_home(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).start().await;
    let account = server.account(20).await;
    let named = judge(&server, &account, json!({ "model": "near" })).await;
    let body = json!({ "state": "Where is my parcel?", "judge_id": named });
    let told = server.post(INFERENCE).key(&account.key).json(body.clone()).send().await.ok();
    assert_eq!(told["routing"]["steps"][0]["backend"], "near");
    let home = judge(&server, &account, json!({ "data_boundary": "local" })).await;
    for widened in [json!({}), json!({ "data_boundary": "any" })] {
        let body = json!({ "state": "Where is my parcel?", "judge_id": home, "model": "far", "parameters": widened });
        let refused = server.post(INFERENCE).key(&account.key).json(body).send().await;
        assert!(
            refused.fails(422, "VALIDATION_FAILED").contains("data_boundary is local"),
            "{}",
            refused.text
        );
    }
    // A backend that is removed while a Judge names it.
    let alone = local(&db, &own).start().await;
    own.lists_after(std::time::Duration::ZERO);
    let told = alone.post(INFERENCE).key(&account.key).json(body).send().await;
    assert_eq!(told.status, 200, "a server that takes any model is asked for it: {}", told.text);
    assert_eq!(own.asked().last().unwrap().body["model"], "near");
    let in_process = Server::start(&db).await;
    let body = json!({ "state": "Where is my parcel?", "judge_id": named });
    let refused = in_process.post(INFERENCE).key(&account.key).json(body).send().await;
    assert!(refused.fails(422, "VALIDATION_FAILED").contains("must be one of: auto"), "{}", refused.text);
    assert_eq!(refused.field(), "parameters.model");
    assert!(far.asked().is_empty());
}

async fn a_state_that_is_too_large_for_a_backend_is_refused(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    let server = two(&db, &own, &near, &far).env("GAVEL_BACKENDS__NEAR__MAX_STATE_BYTES", 100).start().await;
    let account = server.account(10).await;
    let long = json!({ "state": "x".repeat(200), "model": "near" });
    let refused = ask(&server, &account, long.clone()).send().await;
    assert!(refused.fails(422, "VALIDATION_FAILED").contains("at most 100 bytes"), "{}", refused.text);
    assert_eq!(refused.field(), "state");
    let steps = json!([{ "backend": "near", "below": 1 }, { "backend": "far" }]);
    let cascade = json!({ "state": "x".repeat(200), "parameters": { "cascade": steps } });
    let told = ask(&server, &account, cascade).send().await.ok();
    let steps = told["routing"]["steps"].as_array().unwrap();
    assert_eq!((&steps[0]["outcome"], &steps[1]["outcome"]), (&json!("skipped"), &json!("answered")));
    assert!(near.asked().is_empty());
}

async fn a_setting_that_is_wrong_stops_the_start_and_is_named(db: Db) {
    for (name, value, says) in [
        ("GAVEL_BACKENDS__NEAR__TIMEOUT_S", "99", "backends.near.timeout_s must be from 1 to 25"),
        ("GAVEL_BACKENDS__NEAR__TIMEOUT", "9", "timeout"),
        ("GAVEL_BACKENDS__LOCAL__KIND", "openai_chat", "must not be one of"),
        ("GAVEL_CASCADE", "[{backend=\"gavel\",below=0.7},{backend=\"nowhere\"}]", "nowhere"),
        ("GAVEL_CASCADE", "[{backend=\"gavel\"},{backend=\"near\"}]", "cascade[0].below"),
        ("GAVEL_DATA_BOUNDARY", "moon", "moon"),
    ] {
        let mut command = db.command(&["decide", "x", "--noul", "Is it?"]);
        command
            .env("GAVEL_BACKENDS__NEAR__KIND", "openai_chat")
            .env("GAVEL_BACKENDS__NEAR__URL", "http://127.0.0.1:1");
        command.env("GAVEL_BACKENDS__LOCAL__URL", "http://127.0.0.1:1");
        if !name.contains("LOCAL") {
            command.env_remove("GAVEL_BACKENDS__LOCAL__URL");
        }
        let ended = command.env(name, value).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && said.contains(says), "{name}: {said}");
    }
}

on_sqlite!(
    a_backend_is_named_by_its_name_or_with_a_model,
    the_list_of_models_has_the_backends,
    an_unknown_backend_is_refused_with_the_names_there_are,
    a_judge_names_its_backend_and_keeps_content_at_home,
    a_state_that_is_too_large_for_a_backend_is_refused,
    a_setting_that_is_wrong_stops_the_start_and_is_named,
);
