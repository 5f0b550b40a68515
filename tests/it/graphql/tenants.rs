//! The tenant matrix: every field and route that takes an id is given every kind of id of another account, and must answer
//! as it does for an id that nothing has. What takes an id is read from the schema and from the interface description, so
//! that a new one is in the matrix from its first day.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{Socket, client::Session, sessions::owner};
use crate::harness::{Db, Server, Upstream, inv, on_both};

/// In everything that belongs to the other account, and by chance in no id, whose letters are neither i nor o.
const SECRET: &str = "okapi";
/// Operators see all accounts; these are refused to others before an id is looked at.
const OPERATORS: [&str; 1] = ["grantCredits"];

/// Somebody else's ids, by their prefix, and one of each kind that nothing has.
struct Ids {
    theirs: Vec<String>,
    missing: HashMap<String, String>,
}

impl Ids {
    fn new(theirs: Vec<String>) -> Self {
        let none = "01kahd7f3ye9pvsk8h0a5m5x2e";
        let prefix = |id: &String| id.split_once('_').expect("an id").0.to_owned();
        let missing = theirs.iter().map(|id| (id.clone(), prefix(id) + "_" + none)).collect();
        Self { theirs, missing }
    }
}

/// The other account, with one of everything.
async fn another_account(db: &Db, server: &Server) -> Ids {
    let email = format!("{SECRET}@example.org");
    let owner = db
        .cli(&["account", "create", "--email", &email, "--password", "correct horse", "--credits", "10"])
        .await;
    let session = Session::sign_in(server, &email, "correct horse").await;
    let key = session
        .payload("createApiKey(input: { name: \"okapi\", scopes: [INFER, MANAGE] }) { apiKey { id } secret userErrors { code } }")
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
        { "custom_id": "okapi", "url": "/api/v1/inference", "body": { "state": "okapi", "instructions": { "okapi": ["a", "b"] } } }
    ] }));
    let batch = batch.send().await.body["id"].as_str().expect("a batch").to_owned();
    let label = format!(
        "reclassifySample(input: {{ sampleId: \"{sample}\", key: \"team\", value: \"okapi-one\" }}) {{ changeId userErrors {{ code }} }}"
    );
    let change = session.payload(&label).await["changeId"].as_str().expect("a change").to_owned();
    let invite = session
        .payload("inviteUser(input: { email: \"okapi-two@example.org\", role: EDITOR }) { invite { id } userErrors { code } }")
        .await;
    let sessions = session.query("{ viewer { sessions { id } } }").await;
    let hook = session
        .payload("createWebhookEndpoint(input: { url: \"https://okapi.example/\", eventTypes: [\"batch.expired\"] }) { webhookEndpoint { id } userErrors { code } }")
        .await;
    let hook = hook["webhookEndpoint"]["id"].as_str().expect("an endpoint").to_owned();
    let ping = format!(
        "testWebhookEndpoint(input: {{ id: \"{hook}\" }}) {{ webhookDelivery {{ id }} userErrors {{ code }} }}"
    );
    let delivery =
        session.payload(&ping).await["webhookDelivery"]["id"].as_str().expect("a delivery").to_owned();
    let policy = session
        .payload("createModerationPolicy(input: { name: \"okapi\", rules: {} }) { moderationPolicy { id } userErrors { code } }")
        .await;
    let policy = policy["moderationPolicy"]["id"].as_str().expect("a policy").to_owned();
    // Trained and evaluated by nobody: there is no model in process here.
    let checkpoint = "ckpt_01kahd7f3ye9pvsk8h0a5m5x30";
    let evaluation = "eval_01kahd7f3ye9pvsk8h0a5m5x31";
    let of = format!("'{}', '{judge}', 1, 'cancelled'", owner["account_id"].as_str().expect("an account"));
    db.execute(&format!(
        "INSERT INTO checkpoint (id, account_id, judge_id, judge_version, state, job_id, price, last_sample, last_label, \
         seed, auto_activate, error, created_by, created_at) VALUES ('{checkpoint}', {of}, 'job_1', 0, 0, 0, 0, FALSE, \
         '{SECRET}', '{SECRET}', '2026-11-22 12:00:00+00:00')"
    ))
    .await;
    db.execute(&format!(
        "INSERT INTO evaluation (id, account_id, judge_id, judge_version, state, job_id, price, samples, last_sample, \
         last_label, filter, error, created_by, created_at) VALUES ('{evaluation}', {of}, 'job_2', 0, 1, 0, 0, '{{}}', \
         '{SECRET}', '{SECRET}', '2026-11-22 12:00:00+00:00')"
    ))
    .await;
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
        checkpoint.to_owned(),
        evaluation.to_owned(),
    ])
}

/// The schema, by the names of its types.
struct SchemaTypes(HashMap<String, Value>);

impl SchemaTypes {
    async fn read(session: &Session<'_>) -> Self {
        let kind =
            "kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";
        let input = format!("name defaultValue type {{ {kind} }}");
        let query = format!(
            "{{ __schema {{ types {{ kind name enumValues {{ name }} inputFields {{ {input} }} fields {{ name type {{ {kind} }} args {{ {input} }} }} }} }} }}"
        );
        let schema = session.query(&query).await;
        let types = schema["__schema"]["types"].as_array().expect("types").clone();
        Self(types.into_iter().map(|one| (one["name"].as_str().expect("a name").to_owned(), one)).collect())
    }

    fn fields(&self, of: &str) -> Vec<Value> {
        self.0[of]["fields"].as_array().cloned().unwrap_or_default()
    }

    /// The name of what is in lists and behind exclamation marks.
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

    /// Some value of a type, with `id` for every id in it.
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

    /// Some input of a type: what is required, and the fields named.
    fn input(&self, name: &str, id: &str, also: &[&str]) -> Value {
        let fields = self.0[name]["inputFields"].as_array().cloned().unwrap_or_default();
        let wanted = fields
            .iter()
            .filter(|field| Self::required(field) || also.contains(&field["name"].as_str().expect("a name")));
        let members =
            wanted.map(|field| (field["name"].as_str().expect("a name").to_owned(), self.example(field, id)));
        Value::Object(members.collect::<Map<_, _>>())
    }

    /// The names of an input's fields that are ids.
    fn ids(&self, name: &str) -> Vec<String> {
        let fields = self.0[name]["inputFields"].as_array().cloned().unwrap_or_default();
        let ids = fields.iter().filter(|field| Self::inner(&field["type"]) == "ID");
        ids.map(|field| field["name"].as_str().expect("a name").to_owned()).collect()
    }
}

/// An answer without the id that was asked for and the id of the request.
fn plain(text: &str, id: &str) -> String {
    assert!(!text.contains(SECRET), "{text}");
    let text = text.replace(id, "ID");
    match text.split_once("\"request_id\":\"") {
        Some((before, after)) => before.to_owned() + after.split_once('"').expect("its end").1,
        None => text,
    }
}

/// Sends an operation with their id and with one that nothing has: both must be told the same.
async fn compare(session: &Session<'_>, ids: &Ids, what: &str, body: impl Fn(&str) -> Value) {
    for theirs in &ids.theirs {
        let missing = &ids.missing[theirs];
        let one = plain(&session.send(body(theirs)).await.text, theirs);
        let other = plain(&session.send(body(missing)).await.text, missing);
        assert_eq!(one, other, "{what} tells {theirs} from an id that nothing has");
        let refused = ["NOT_FOUND", "FORBIDDEN", "VALIDATION_FAILED", "UNAUTHORIZED"];
        assert!(refused.iter().any(|code| one.contains(code)), "{what} with {theirs}: {one}");
    }
}

async fn no_field_tells_another_account_s_ids_from_none(db: Db) {
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
    let mut compared = Vec::new();
    for field in types.fields("Query").iter().chain(&types.fields("Account")).chain(&types.fields("Viewer")) {
        let name = field["name"].as_str().expect("a name");
        let args = field["args"].as_array().expect("arguments");
        let ids_of = args.iter().filter(|arg| SchemaTypes::inner(&arg["type"]) == "ID");
        let given: Vec<String> =
            ids_of.map(|arg| format!("{}: $id", arg["name"].as_str().expect("a name"))).collect();
        if !given.is_empty() {
            let query = format!("query($id: ID!) {{ {name}({}) {{ __typename }} }}", given.join(", "));
            let body = |id: &str| json!({ "query": query, "variables": { "id": id } });
            compare(&session, &ids, name, body).await;
            compared.push(name.to_owned());
        }
    }
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
            let body = |id: &str| json!({ "query": query, "variables": { "input": types.input(input, id, &[&id_field]) } });
            compare(&session, &ids, &format!("{name}.{id_field}"), body).await;
            compared.push(format!("{name}.{id_field}"));
        }
    }
    assert!(compared.len() >= 20, "what takes an id was not found: {compared:?}");
    let mut socket = Socket::with_key(&server, key["secret"].as_str().expect("a key")).await;
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
                assert_eq!(told[0], told[1], "{name} tells {theirs} from an id that nothing has");
                assert!(
                    told[0].contains("NOT_FOUND") || told[0].contains("VALIDATION_FAILED"),
                    "{name} with {theirs}: {}",
                    told[0]
                );
            }
            compared.push(name.to_owned());
        }
    }
    assert!(compared.iter().any(|name| name == "evaluationProgress"), "{compared:?}");
    assert_eq!(everything(&db).await, before, "the other account is as it was");
}

async fn no_route_tells_another_account_s_ids_from_none(db: Db) {
    let (server, _upstream) = start(&db).await;
    let ids = another_account(&db, &server).await;
    let other = server.account(10).await;
    let (_, key) = db.key(&other, &["--scopes", "moderate,infer,manage,read"]).await;
    let session = owner(&server, &other).await;
    let description: Value = serde_json::from_str(include_str!("../../../openapi.json")).expect("JSON");
    let paths = description["paths"].as_object().expect("paths");
    let mut compared = 0;
    for (path, methods) in paths.iter().filter(|(path, _)| path.contains("{id}")) {
        for method in methods.as_object().expect("methods").keys().filter(|method| *method != "parameters") {
            for theirs in &ids.theirs {
                let send = |id: &str, signed_in: bool| {
                    let path = path.replace("{id}", id)
                        + if path.contains("dataset") { "?format=jsonl" } else { "" };
                    let method = method.to_uppercase().parse().expect("a method");
                    let request = server.request(method, &path).json(json!({ "state": "x" }));
                    if signed_in { session.rest(request).send() } else { request.key(&key).send() }
                };
                for signed_in in [false, true] {
                    let one = send(theirs, signed_in).await;
                    let none = send(&ids.missing[theirs], signed_in).await;
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
    let server =
        Server::with(db).env("GAVEL_LOCAL_URL", upstream.url()).env("GAVEL_SIGN_UP", "invite").start().await;
    (server, upstream)
}

/// What the other account has, as far as anybody could change it.
async fn everything(db: &Db) -> Vec<String> {
    #[derive(sea_orm::FromQueryResult)]
    struct Text {
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
        let rows: Vec<Text> = inv::rows(db, &format!("SELECT {column} AS text FROM {table}")).await;
        all.extend(rows.into_iter().map(|row| format!("{table}: {}", row.text)));
    }
    all.sort_unstable();
    all
}

on_both!(no_field_tells_another_account_s_ids_from_none, no_route_tells_another_account_s_ids_from_none);
