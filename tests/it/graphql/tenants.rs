//! The tenant matrix: every field and route that takes an id is given every kind of id of another account,
//! and must answer as for an unknown id. The fields and routes are read from the schema and the interface
//! description, so that new ones are covered automatically.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{Socket, client::Session, sessions::owner};
use crate::harness::{Db, Server, Upstream, inv, on_both};

/// Part of everything that belongs to the other account. No id can contain it, since ids have no letter o.
const SECRET: &str = "okapi";
/// Operator mutations, which are refused to others before the id is read.
const OPERATORS: [&str; 1] = ["grantCredits"];

/// The other account's ids, and an unknown id for each.
struct Ids {
    theirs: Vec<String>,
    missing: HashMap<String, String>,
}

impl Ids {
    fn new(theirs: Vec<String>) -> Self {
        let mut missing = HashMap::new();
        for id in &theirs {
            let (prefix, _) = id.split_once('_').expect("an id");
            missing.insert(id.clone(), format!("{prefix}_01kahd7f3ye9pvsk8h0a5m5x2e"));
        }
        Self { theirs, missing }
    }
}

/// The id of the object that a mutation creates.
async fn created_id(session: &Session<'_>, object: &str, mutation: &str) -> String {
    let payload = session.payload(&format!("{mutation} {{ {object} {{ id }} userErrors {{ code }} }}")).await;
    payload[object]["id"].as_str().expect("an id").to_owned()
}

/// The other account, with one of everything.
async fn another_account(db: &Db, server: &Server) -> Ids {
    let email = format!("{SECRET}@example.org");
    let owner = db
        .cli(&["account", "create", "--email", &email, "--password", "correct horse", "--credits", "10"])
        .await;
    let session = Session::sign_in(server, &email, "correct horse").await;
    let key = session
        .payload(
            "createApiKey(input: { name: \"okapi\", scopes: [INFER, MANAGE] }) { apiKey { id } secret \
            userErrors { code } }",
        )
        .await;
    let secret = key["secret"].as_str().expect("a key").to_owned();
    let input = json!({ "name": SECRET, "instructions": { "team": ["okapi-one", "okapi-two"] }, "storeContent": true });
    let judge = session.created_judge(input).await;
    let path = format!("/api/v1/judges/{judge}/inference");
    server.post(&path).key(&secret).json(json!({ "state": "okapi stripes" })).send().await.ok();
    let samples =
        session.query(&format!("{{ judge(id: \"{judge}\") {{ samples {{ nodes {{ id }} }} }} }}")).await;
    let sample = samples["judge"]["samples"]["nodes"][0]["id"].as_str().expect("a sample").to_owned();
    let batch = server.post("/api/v1/batches").key(&secret).json(json!({ "items": [
        { "custom_id": "okapi", "url": "/api/v1/inference",
            "body": { "state": "okapi", "instructions": { "okapi": ["a", "b"] } } }
    ] }));
    let batch = batch.send().await.body["id"].as_str().expect("a batch").to_owned();
    let label = format!(
        "reclassifySample(input: {{ sampleId: \"{sample}\", key: \"team\", value: \"okapi-one\" }}) {{ \
         changeId userErrors {{ code }} }}"
    );
    let change = session.payload(&label).await["changeId"].as_str().expect("a change").to_owned();
    let invite = session
        .payload(
            "inviteUser(input: { email: \"okapi-two@example.org\", role: EDITOR }) { invite { id } \
            userErrors { code } }",
        )
        .await;
    let sessions = session.query("{ viewer { sessions { id } } }").await;
    let hook = created_id(
        &session,
        "webhookEndpoint",
        "createWebhookEndpoint(input: { url: \"https://okapi.example/\", eventTypes: [\"batch.expired\"] })",
    )
    .await;
    let ping = format!("testWebhookEndpoint(input: {{ id: \"{hook}\" }})");
    let delivery = created_id(&session, "webhookDelivery", &ping).await;
    let policy = "createModerationPolicy(input: { name: \"okapi\", rules: {} })";
    let policy = created_id(&session, "moderationPolicy", policy).await;
    let account = owner["account_id"].as_str().expect("an account");
    let [checkpoint, evaluation] = insert_training(db, account, &judge).await;
    Ids::new(vec![
        owner["account_id"].as_str().expect("an account").to_owned(),
        owner["user_id"].as_str().expect("a user").to_owned(),
        key["apiKey"]["id"].as_str().expect("a key").to_owned(),
        sessions["viewer"]["sessions"][0]["id"].as_str().expect("a session").to_owned(),
        invite["invite"]["id"].as_str().expect("an invitation").to_owned(),
        judge,
        sample,
        batch,
        change,
        hook,
        delivery,
        policy,
        checkpoint,
        evaluation,
    ])
}

/// Inserts a Checkpoint and an evaluation, since there is no model in process that could make them; returns their ids.
async fn insert_training(db: &Db, account: &str, judge: &str) -> [String; 2] {
    let checkpoint = "ckpt_01kahd7f3ye9pvsk8h0a5m5x30";
    let evaluation = "eval_01kahd7f3ye9pvsk8h0a5m5x31";
    let of = format!("'{account}', '{judge}', 1, 'cancelled'");
    db.execute(&format!(
        "INSERT INTO checkpoint (id, account_id, judge_id, judge_version, state, job_id, price, \
         last_sample, last_label, \
         seed, auto_activate, error, created_by, created_at) VALUES ('{checkpoint}', {of}, 'job_1', 0, 0, 0, 0, FALSE, \
         '{SECRET}', '{SECRET}', '2026-11-22 12:00:00+00:00')"
    ))
    .await;
    db.execute(&format!(
        "INSERT INTO evaluation (id, account_id, judge_id, judge_version, state, job_id, price, samples, last_sample, \
         last_label, filter, scope, error, created_by, created_at) VALUES ('{evaluation}', {of}, 'job_2', 0, 1, 0, 0, \
         '{{}}', 'all', '{SECRET}', '{SECRET}', '2026-11-22 12:00:00+00:00')"
    ))
    .await;
    [checkpoint, evaluation].map(str::to_owned)
}

/// The types of the schema by name.
struct SchemaTypes(HashMap<String, Value>);

impl SchemaTypes {
    async fn read(session: &Session<'_>) -> Self {
        let kind =
            "kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";
        let input = format!("name defaultValue type {{ {kind} }}");
        let query = format!(
            "{{ __schema {{ types {{ kind name enumValues {{ name }} inputFields {{ {input} }} fields {{ \
             name type {{ {kind} }} args {{ {input} }} }} }} }} }}"
        );
        let schema = session.query(&query).await;
        let types = schema["__schema"]["types"].as_array().expect("types").clone();
        Self(types.into_iter().map(|one| (one["name"].as_str().expect("a name").to_owned(), one)).collect())
    }

    fn fields(&self, of: &str) -> Vec<Value> {
        self.0[of]["fields"].as_array().cloned().unwrap_or_default()
    }

    /// The name of a type without lists and exclamation marks.
    fn inner(kind: &Value) -> &str {
        match kind["name"].as_str() {
            Some(name) => name,
            None => Self::inner(&kind["ofType"]),
        }
    }

    fn required(field: &Value) -> bool {
        field["type"]["kind"] == "NON_NULL" && field["defaultValue"].is_null()
    }

    fn is_list(kind: &Value) -> bool {
        kind["kind"] == "LIST" || (kind["kind"] == "NON_NULL" && Self::is_list(&kind["ofType"]))
    }

    /// A value of a type, with `id` for every id in it.
    fn example(&self, field: &Value, id: &str) -> Value {
        let name = Self::inner(&field["type"]);
        let one = match name {
            "ID" => json!(id),
            "String" => json!("some words"),
            "Int" => json!(1),
            "Float" => json!(0.5),
            "Boolean" => json!(true),
            "JSON" => json!({ "team": ["a", "b"] }),
            "DateTime" => json!("2030-01-01T00:00:00Z"),
            "Date" => json!("2030-01-01"),
            _ => match self.0[name]["enumValues"].as_array() {
                Some(values) => values[0]["name"].clone(),
                None => self.input(name, id, &[]),
            },
        };
        if Self::is_list(&field["type"]) { json!([one]) } else { one }
    }

    /// An input of a type: the required fields, and the fields in `also`.
    fn input(&self, name: &str, id: &str, also: &[&str]) -> Value {
        let fields = self.0[name]["inputFields"].as_array().cloned().unwrap_or_default();
        let wanted = fields
            .iter()
            .filter(|field| Self::required(field) || also.contains(&field["name"].as_str().expect("a name")));
        let members =
            wanted.map(|field| (field["name"].as_str().expect("a name").to_owned(), self.example(field, id)));
        Value::Object(members.collect::<Map<_, _>>())
    }

    /// The names of an input's id fields.
    fn ids(&self, name: &str) -> Vec<String> {
        let fields = self.0[name]["inputFields"].as_array().cloned().unwrap_or_default();
        let ids = fields.iter().filter(|field| Self::inner(&field["type"]) == "ID");
        ids.map(|field| field["name"].as_str().expect("a name").to_owned()).collect()
    }
}

/// An answer without the requested id and the request id.
fn plain(text: &str, id: &str) -> String {
    assert!(!text.contains(SECRET), "{text}");
    let text = text.replace(id, "ID");
    match text.split_once("\"request_id\":\"") {
        Some((before, after)) => before.to_owned() + after.split_once('"').expect("the end of the id").1,
        None => text,
    }
}

/// Sends an operation with each of the other account's ids and with an unknown id: both answers must be the same.
async fn compare(session: &Session<'_>, ids: &Ids, what: &str, body: impl Fn(&str) -> Value) {
    for theirs in &ids.theirs {
        let missing = &ids.missing[theirs];
        let one = plain(&session.send(body(theirs)).await.text, theirs);
        let other = plain(&session.send(body(missing)).await.text, missing);
        assert_eq!(one, other, "{what} answers differently for {theirs} and an unknown id");
        let refused = ["NOT_FOUND", "FORBIDDEN", "VALIDATION_FAILED", "UNAUTHORIZED"];
        assert!(refused.iter().any(|code| one.contains(code)), "{what} with {theirs}: {one}");
    }
}

async fn compare_queries(session: &Session<'_>, types: &SchemaTypes, ids: &Ids) -> Vec<String> {
    let mut compared = Vec::new();
    for field in types.fields("Query").iter().chain(&types.fields("Account")).chain(&types.fields("Viewer")) {
        let name = field["name"].as_str().expect("a name");
        let args = field["args"].as_array().expect("arguments");
        let ids_of = args.iter().filter(|arg| SchemaTypes::inner(&arg["type"]) == "ID");
        let given: Vec<String> =
            ids_of.map(|arg| format!("{}: $id", arg["name"].as_str().expect("a name"))).collect();
        if !given.is_empty() {
            let query = format!("query($id: ID!) {{ {name}({}) {{ __typename }} }}", given.join(", "));
            compare(session, ids, name, |id: &str| json!({ "query": query, "variables": { "id": id } }))
                .await;
            compared.push(name.to_owned());
        }
    }
    compared
}

async fn compare_mutations(session: &Session<'_>, types: &SchemaTypes, ids: &Ids) -> Vec<String> {
    let mut compared = Vec::new();
    for field in types.fields("Mutation") {
        let name = field["name"].as_str().expect("a name");
        let Some(arg) = field["args"].as_array().and_then(|args| args.first()) else { continue };
        let input = SchemaTypes::inner(&arg["type"]);
        for id_field in types.ids(input) {
            if OPERATORS.contains(&name) {
                continue;
            }
            let query = format!(
                "mutation($input: {input}!) {{ {name}(input: $input) {{ userErrors {{ field message code }} }} }}"
            );
            compare(session, ids, &format!("{name}.{id_field}"), |id: &str| {
                json!({
                    "query": query, "variables": { "input": types.input(input, id, &[&id_field]) },
                })
            })
            .await;
            compared.push(format!("{name}.{id_field}"));
        }
    }
    compared
}

async fn compare_subscriptions(socket: &mut Socket, types: &SchemaTypes, ids: &Ids) -> Vec<String> {
    let mut compared = Vec::new();
    for field in types.fields("Subscription") {
        let args = field["args"].as_array().cloned().unwrap_or_default();
        for arg in args.iter().filter(|arg| SchemaTypes::inner(&arg["type"]) == "ID") {
            let name = field["name"].as_str().expect("a name");
            let arg = arg["name"].as_str().expect("a name");
            let query = format!("subscription($id: ID!) {{ {name}({arg}: $id) {{ __typename }} }}");
            for theirs in &ids.theirs {
                let mut told = Vec::new();
                for id in [theirs, &ids.missing[theirs]] {
                    socket.subscribe(id, &query, json!({ "id": id })).await;
                    let refused = socket.hear().await;
                    if refused["type"] == "next" {
                        assert_eq!(socket.hear().await["type"], "complete");
                    }
                    told.push(plain(&refused.to_string(), id));
                }
                assert_eq!(told[0], told[1], "{name} answers differently for {theirs} and an unknown id");
                assert!(
                    told[0].contains("NOT_FOUND") || told[0].contains("VALIDATION_FAILED"),
                    "{name} with {theirs}: {}",
                    told[0]
                );
            }
            compared.push(name.to_owned());
        }
    }
    compared
}

async fn no_field_distinguishes_foreign_ids_from_unknown_ones(db: Db) {
    let (server, _upstream) = start(&db).await;
    let ids = another_account(&db, &server).await;
    db.cli(&[
        "account",
        "create",
        "--email",
        "b@example.org",
        "--password",
        "battery staple",
        "--credits",
        "10",
    ])
    .await;
    let session = Session::sign_in(&server, "b@example.org", "battery staple").await;
    let types = SchemaTypes::read(&session).await;
    let key = session
        .payload("createApiKey(input: { name: \"b\", scopes: [MANAGE] }) { secret userErrors { code } }")
        .await;
    let before = everything(&db).await;
    let mut compared = compare_queries(&session, &types, &ids).await;
    compared.extend(compare_mutations(&session, &types, &ids).await);
    assert!(compared.len() >= 20, "too few fields take an id: {compared:?}");
    let mut socket = Socket::with_key(&server, key["secret"].as_str().expect("a key")).await;
    compared.extend(compare_subscriptions(&mut socket, &types, &ids).await);
    assert!(compared.iter().any(|name| name == "evaluationProgress"), "{compared:?}");
    assert_eq!(everything(&db).await, before, "the other account is unchanged");
}

async fn no_route_distinguishes_foreign_ids_from_unknown_ones(db: Db) {
    let (server, _upstream) = start(&db).await;
    let ids = another_account(&db, &server).await;
    let other = server.account(10).await;
    let key = db.scoped_key(&other, "moderate,infer,manage,read").await;
    let session = owner(&server, &other).await;
    let description: Value = serde_json::from_str(include_str!("../../../openapi.json")).expect("JSON");
    let paths = description["paths"].as_object().expect("paths");
    let mut compared = 0;
    for (path, methods) in paths.iter().filter(|(path, _)| path.contains("{id}")) {
        for method in methods.as_object().expect("methods").keys().filter(|method| *method != "parameters") {
            for theirs in &ids.theirs {
                for signed_in in [false, true] {
                    let [one, none] = [theirs, &ids.missing[theirs]].map(|id| {
                        let query = if path.contains("dataset") {
                            "?format=jsonl".to_owned()
                        } else if path.contains("cascade") {
                            format!("?then={id}")
                        } else {
                            String::new()
                        };
                        let path = path.replace("{id}", id) + query.as_str();
                        let request = server.request(method.to_uppercase().parse().expect("a method"), &path);
                        let request = request.json(json!({ "state": "x" }));
                        if signed_in { session.rest(request) } else { request.key(&key) }
                    });
                    let one = one.send().await;
                    let none = none.send().await;
                    one.fails(404, "NOT_FOUND");
                    none.fails(404, "NOT_FOUND");
                    assert_eq!(one.body["error"], none.body["error"], "{method} {path}");
                    assert!(!one.text.contains(SECRET), "{method} {path}: {}", one.text);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 3 * ids.theirs.len(), "{compared}");
}

async fn start(db: &Db) -> (Server, Upstream) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(db, &upstream).env("GAVEL_SIGN_UP", "invite").start().await;
    (server, upstream)
}

/// The rows of the other account that a mutation could change.
async fn everything(db: &Db) -> Vec<String> {
    #[derive(sea_orm::FromQueryResult)]
    struct RowText {
        text: String,
    }
    let mut all = Vec::new();
    for (table, column) in [
        ("judge", "name || version || store_content"),
        ("judge_version", "instructions || parameters"),
        ("sample", "state || labels"),
        ("sample_answer", "coalesce(truth, '')"),
        ("label", "change_id"),
        ("api_key", "name || coalesce(cast(revoked_at AS text), '')"),
        ("invite", "email"),
        ("batch", "metadata"),
        ("checkpoint", "state"),
        ("evaluation", "state"),
        ("webhook_endpoint", "url || description || enabled || secret"),
        ("webhook_delivery", "job_id"),
    ] {
        let rows: Vec<RowText> = inv::rows(db, &format!("SELECT {column} AS text FROM {table}")).await;
        all.extend(rows.into_iter().map(|row| format!("{table}: {}", row.text)));
    }
    all.sort_unstable();
    all
}

on_both!(
    no_field_distinguishes_foreign_ids_from_unknown_ones,
    no_route_distinguishes_foreign_ids_from_unknown_ones
);
