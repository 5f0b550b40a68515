//! Keys and accounts that may use some backends alone: on every path, a request that names another is refused, and
//! nothing is sent to it.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    asking::{INFERENCE, ask, openrouter},
    cascade::{ask_two, half_sure, outcomes},
    naming::{judge, two},
};
use crate::{
    batches::{
        asking::{completed, lines, submit, when},
        ended, results,
    },
    graphql::{Session, owner},
    harness::{Account, Answer, Db, Family, Fault, Server, Upstream, inv, on_both, on_sqlite},
    holds::nothing_held,
    mcp::agent::Agent,
    rest::compat::files::uploaded,
};

const CREATE: &str = "mutation($input: CreateApiKeyInput!) { payload: createApiKey(input: $input) { apiKey { \
    id } secret userErrors { field message } } }";

/// A key that may moderate and ask, limited to some backends.
async fn limited_key(session: &Session<'_>, db: &Db, backends: Value) -> String {
    let input = json!({ "name": "limited", "scopes": ["MODERATE", "INFER"], "backends": backends });
    let made = session.send(json!({ "query": CREATE, "variables": { "input": input } })).await.data();
    let secret = made["payload"]["secret"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    db.record().key(&secret);
    secret
}

/// The account with another key.
fn with(account: &Account, key: &str) -> Account {
    Account { key: key.to_owned(), ..account.clone() }
}

#[track_caller]
fn forbidden(answer: &Answer, family: Family, backend: &str) {
    let message = answer.fails_in(family, 403, "FORBIDDEN");
    let says = format!("must not be {backend}: this API key or its account may use only ");
    assert!(message.contains(&says) && message.contains("near"), "{message}");
}

/// A server with five scripted models, and an account whose second key may use `near` alone.
struct Limited {
    server: Server,
    account: Account,
    /// The account with the key that is limited.
    limited: Account,
    far: Upstream,
    router: Upstream,
    opinion: Upstream,
    _others: [Upstream; 2],
}

impl Limited {
    async fn start(db: &Db) -> Self {
        let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
        let [router, opinion] = [Upstream::start().await, Upstream::start().await];
        let server = openrouter(two(db, &own, &near, &far), &router)
            .env("GAVEL_DIFFUSION_URL", opinion.url())
            .env("GAVEL_TEXT_ESCALATE_BELOW", 1)
            .start()
            .await;
        let account = server.account(100).await;
        let session = owner(&server, &account).await;
        let key = limited_key(&session, db, json!(["near", "gavel"])).await;
        let limited = with(&account, &key);
        Self { server, account, limited, far, router, opinion, _others: [own, near] }
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.server.post(path).key(&self.limited.key).json(body.clone()).send().await
    }

    /// Asserts that nothing was sent to what is not allowed, and that so many charges were made.
    async fn asked_nobody(&self, db: &Db, charges: usize) {
        assert_eq!([&self.far, &self.router, &self.opinion].map(|upstream| upstream.asked().len()), [0; 3]);
        assert_eq!(inv::charges(db, &self.account.id).await.len(), charges);
        nothing_held(db, &self.account).await;
    }
}

fn system_one() -> Value {
    let question = json!({ "type": "noul", "instructions": "Is it?" });
    json!({ "model": "far", "state": "x", "questions": { "q": question } })
}

fn openai() -> Value {
    let question = json!({ "type": "predicate", "name": "q", "instructions": "Is it?" });
    json!({ "model": "far", "input": "x", "questions": [question] })
}

/// A question for a backend.
fn question_to(model: &str) -> Value {
    json!({ "state": "x", "instructions": { "q": ["a", "b"] }, "model": model })
}

/// An item of a batch.
fn item(url: &str, body: Value) -> Value {
    json!({ "custom_id": "a", "method": "POST", "url": url, "body": body })
}

async fn no_request_leads_to_a_backend_that_its_key_may_not_use(db: Db) {
    let setup = Limited::start(&db).await;
    let Limited { server, account, limited, .. } = &setup;
    for (more, backend) in [
        (json!({ "model": "far" }), "far"),
        (json!({ "model": "far/scripted-2" }), "far"),
        (json!({ "backend": "openrouter" }), "openrouter"),
        (json!({ "backend": "openrouter", "model": "a/b" }), "openrouter"),
        (json!({ "model": "openrouter" }), "openrouter"),
        (json!({ "parameters": { "model": "far" } }), "far"),
        (json!({ "parameters": { "cascade": [{ "backend": "far" }] } }), "far"),
        (
            json!({ "parameters": { "cascade": [{ "backend": "near", "below": 1 }, { "backend": "far" }] } }),
            "far",
        ),
    ] {
        forbidden(&ask(server, limited, more).send().await, Family::Gavel, backend);
    }
    for path in ["/v1/inference", "/v1/custom", "/api/inference"] {
        forbidden(&setup.post(path, &question_to("far")).await, Family::Gavel, "far");
    }
    for path in ["/v1/systemone", "/api/v1/systemone", "/api/alpha/decisions"] {
        forbidden(&setup.post(path, &system_one()).await, Family::SystemOne, "far");
    }
    forbidden(&setup.post("/v1/decisions", &openai()).await, Family::OpenAi, "far");
    // A Judge whose backend the account has chosen.
    let judge = judge(server, account, json!({ "model": "far" })).await;
    let body = json!({ "state": "Where is my parcel?" });
    for path in [format!("/api/v1/judges/{judge}/inference"), format!("/v1/judges/{judge}/inference")] {
        forbidden(&setup.post(&path, &body).await, Family::Gavel, "far");
    }
    let through = json!({ "state": "Where is my parcel?", "judge_id": judge });
    forbidden(&setup.post(INFERENCE, &through).await, Family::Gavel, "far");
    // An agent.
    let agent = Agent::connect(server, &limited.key).await;
    agent.refusal("decide", question_to("far"), "FORBIDDEN").await;
    agent.refusal("ask_judge", through, "FORBIDDEN").await;
    setup.asked_nobody(&db, 0).await;

    // What is allowed works, and the account's other key may use all.
    setup.post(INFERENCE, &question_to("near")).await.ok();
    setup.post(INFERENCE, &question_to("local")).await.ok();
    setup.asked_nobody(&db, 2).await;
    server.post(INFERENCE).key(&account.key).json(question_to("far")).send().await.ok();
    assert_eq!(setup.far.asked().len(), 1);
}

async fn no_item_of_a_batch_leads_to_a_backend_that_its_key_may_not_use(db: Db) {
    let setup = Limited::start(&db).await;
    let Limited { server, account, limited, .. } = &setup;
    let judge = judge(server, account, json!({ "model": "far" })).await;
    let through =
        item(&format!("/api/v1/judges/{judge}/inference"), json!({ "state": "Where is my parcel?" }));
    let of_openai = item("/v1/decisions", openai());
    for one in [item(INFERENCE, question_to("far")), through, of_openai.clone()] {
        forbidden(&submit(server, &limited.key, &[one]).await, Family::Gavel, "far");
    }
    let file = uploaded(server, &limited.key, lines(&[of_openai]).as_bytes()).await;
    let batch = json!({ "input_file_id": file, "endpoint": "/v1/decisions", "completion_window": "24h" });
    forbidden(&setup.post("/v1/batches", &batch).await, Family::OpenAi, "far");
    setup.asked_nobody(&db, 0).await;
}

async fn no_message_gets_a_second_opinion_that_its_key_may_not_use(db: Db) {
    let setup = Limited::start(&db).await;
    let Limited { server, account, limited, opinion, .. } = &setup;
    let message = json!({ "content": "have a nice day, all of you" });
    let verdict = setup.post("/api/v1/moderate/text", &message).await.ok();
    assert!(!verdict["routing_model"].as_str().unwrap().contains("scripted"), "{verdict}");
    setup.post("/api/v1/moderate/text/batch", &json!({ "messages": [message] })).await.ok();
    let moderation = json!({ "input": "have a nice day, all of you" });
    setup.post("/v1/moderations", &moderation).await.ok();
    let items = [item("/api/v1/moderate/text", message.clone()), item("/v1/moderations", moderation)];
    for one in items {
        let id = submit(server, &limited.key, &[one]).await.body["id"].as_str().unwrap().to_owned();
        assert_eq!(completed(&ended(server, &limited.key, &id).await), 1);
    }
    setup.asked_nobody(&db, 5).await;
    server.post("/api/v1/moderate/text").key(&account.key).json(message).send().await.ok();
    assert_eq!(opinion.asked().len(), 1);
}

/// The names of the models that a key is shown.
async fn model_names(server: &Server, key: &str) -> Vec<String> {
    let listed = server.get("/v1/models").key(key).send().await.ok();
    let listed = listed["data"].as_array().unwrap().iter();
    listed.map(|model| model["id"].as_str().unwrap().to_owned()).collect()
}

async fn a_key_is_shown_the_models_that_it_may_use(db: Db) {
    let setup = Limited::start(&db).await;
    let Limited { server, account, limited, .. } = &setup;
    let all = model_names(server, &account.key).await;
    let own = model_names(server, &limited.key).await;
    assert!(all.iter().any(|id| id == "far") && own.iter().any(|id| id == "near"), "{all:?} {own:?}");
    assert!(!own.iter().any(|id| id.starts_with("far")), "{own:?}");
    assert_eq!(server.get("/v1/models/far").key(&limited.key).send().await.status, 404);
    server.get("/v1/models/far").key(&account.key).send().await.ok();
}

async fn a_cascade_skips_what_the_account_may_not_use(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    own.breaks(Fault::Altered(half_sure));
    let steps = "[{backend=\"local\",below=0.7},{backend=\"far\",below=0.99},{backend=\"near\"}]";
    let server = two(&db, &own, &near, &far).env("GAVEL_CASCADE", steps).start().await;
    let account = server.account(10).await;
    let all = json!({ "cascade": [
        { "backend": "local", "below": 0.7 }, { "backend": "far", "below": 0.99 }, { "backend": "near" } ] });
    let judge = judge(&server, &account, all).await;
    let session = owner(&server, &account).await;
    let key = limited_key(&session, &db, json!(["near"])).await;
    let limited = with(&account, &key);
    let skipped = ["local answered 0.5", "far skipped 0.0", "near answered 2.0"];
    let told = ask_two(&server, &limited, &json!({})).send().await.ok();
    assert_eq!(outcomes(&told), skipped);
    let reason = told["routing"]["steps"][1]["reason"].as_str().unwrap();
    assert!(reason.contains("may use only") && reason.contains("near"), "{reason}");
    let mut of_judge = json!({ "state": "The parcel broke.", "judge_id": judge, "instructions": {
        "sure": { "type": "noul", "instructions": "Is it broken?" },
        "unsure": { "type": "noul", "instructions": "Is the sender to blame?" } } });
    let told = server.post(INFERENCE).key(&key).json(of_judge.clone()).send().await.ok();
    assert_eq!(outcomes(&told), skipped);
    // A request that names the step itself is refused, whatever its Judge says.
    of_judge["parameters"] =
        json!({ "cascade": [{ "backend": "local", "below": 0.7 }, { "backend": "far" }] });
    forbidden(&server.post(INFERENCE).key(&key).json(of_judge).send().await, Family::Gavel, "far");
    assert!(far.asked().is_empty());

    // The operator limits the account, with its people and all keys.
    server.cli(&["account", "set-backends", "--account", &account.id, "--backends", "gavel"]).await;
    let body = json!({ "state": "x", "instructions": { "q": ["a", "b"] }, "model": "near" });
    let by_person = session.rest(server.post(INFERENCE)).json(body.clone()).send().await;
    assert!(by_person.fails(403, "FORBIDDEN").ends_with("may use only local"), "{}", by_person.text);
    let fresh = db.scoped_key(&account, "infer").await;
    let by_key = server.post(INFERENCE).key(&fresh).json(body.clone()).send().await;
    assert!(by_key.fails(403, "FORBIDDEN").ends_with("may use only local"), "{}", by_key.text);
    let told = ask_two(&server, &with(&account, &fresh), &json!({})).send().await.ok();
    assert_eq!(outcomes(&told), ["local answered 0.5", "far skipped 0.0", "near skipped 0.0"]);
    server.cli(&["account", "set-backends", "--account", &account.id]).await;
    session.rest(server.post(INFERENCE)).json(body).send().await.ok();
    nothing_held(&db, &account).await;
}

async fn an_unsure_answer_stands_where_openrouter_is_not_allowed(db: Db) {
    let [own, router] = [Upstream::start().await, Upstream::start().await];
    let server = openrouter(Server::with_model(&db, &own), &router).env("GAVEL_ESCALATE_BELOW", 1);
    let server = server.start().await;
    let account = server.account(10).await;
    server.cli(&["account", "set-backends", "--account", &account.id, "--backends", "gavel"]).await;
    let told = ask(&server, &account, json!({})).send().await.ok();
    let reason = told["routing"]["reason"].as_str().unwrap();
    assert!(reason.contains("unsure") && reason.contains("may use only"), "{reason}");
    assert!(router.asked().is_empty());
}

/// Items are asked by what their submitter may use when they run, and not only when they were sent.
async fn a_batch_stops_at_a_limit_that_was_set_after_it(db: Db) {
    let [own, near, far] = [Upstream::start().await, Upstream::start().await, Upstream::start().await];
    far.breaks(Fault::Late(Duration::from_millis(200)));
    let server = two(&db, &own, &near, &far)
        .env("GAVEL_BACKENDS__FAR__CONCURRENCY", 1)
        .env("GAVEL_WORKER_BULK_JOBS", 1)
        .start()
        .await;
    let account = server.account(100).await;
    let items: Vec<Value> = (0..45)
        .map(|n| {
            let body = json!({ "state": format!("Parcel {n}?"), "instructions": { "q": ["a", "b"] }, "model": "far" });
            json!({ "custom_id": format!("q{n}"), "method": "POST", "url": INFERENCE, "body": body })
        })
        .collect();
    let id = submit(&server, &account.key, &items).await.body["id"].as_str().expect("an id").to_owned();
    when(&server, &account.key, &id, |batch| completed(batch) > 0).await;
    let session = owner(&server, &account).await;
    let query = "mutation($input: SetApiKeyBackendsInput!) { payload: setApiKeyBackends(input: $input) { apiKey { \
        backends } userErrors { message } } }";
    let input = json!({ "id": account.key_id, "backends": ["near"] });
    let set = session.send(json!({ "query": query, "variables": { "input": input } })).await.data();
    assert_eq!(set["payload"]["apiKey"]["backends"], json!(["near"]), "{set}");
    let batch = ended(&server, &account.key, &id).await;
    assert_eq!(batch["status"], "completed", "{batch}");
    let results = results(&server, &account.key, &id).await;
    let refused = results.iter().filter(|line| line["response"]["status_code"] == 403).count();
    assert!(refused > 0 && refused < items.len(), "{refused} of {}: {batch}", items.len());
    assert_eq!(
        (completed(&batch) as usize + refused, far.asked().len() + refused),
        (items.len(), items.len())
    );
    let charged: i64 = inv::charges(&db, &account.id).await.iter().map(|charge| charge.delta).sum();
    assert_eq!(charged, -500 * completed(&batch));
    nothing_held(&db, &account).await;
}

on_both!(
    no_item_of_a_batch_leads_to_a_backend_that_its_key_may_not_use,
    a_batch_stops_at_a_limit_that_was_set_after_it,
);

on_sqlite!(
    no_request_leads_to_a_backend_that_its_key_may_not_use,
    no_message_gets_a_second_opinion_that_its_key_may_not_use,
    a_key_is_shown_the_models_that_it_may_use,
    a_cascade_skips_what_the_account_may_not_use,
    an_unsure_answer_stands_where_openrouter_is_not_allowed,
);
