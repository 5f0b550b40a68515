//! Signing in and out: sessions, their end, passwords, and the limit on attempts.

use serde_json::{Value, json};

use super::client::Session;
use crate::harness::{Account, Answer, Db, Server, eventually, inv, on_both};

pub(crate) const PASSWORD: &str = "a pass phrase";
const SIGN_IN: &str = "mutation($input: SignInInput!) { payload: signIn(input: $input) { viewer { user { id \
    email role } account { id } } userErrors { field code message } } }";

/// Adds a person to an account, who can sign in with [`PASSWORD`]; returns their id and address.
pub(crate) async fn person(db: &Db, account: &Account, role: &str) -> (String, String) {
    let email = format!("{role}-of-{}", account.email);
    let args = ["user", "create", "--account", &account.id, "--email", &email, "--role", role];
    let made = db.cli(&[&args[..], &["--password", PASSWORD]].concat()).await;
    assert_eq!((&made["role"], &made["email"]), (&json!(role), &json!(email)));
    (made["user_id"].as_str().expect("an id").to_owned(), email)
}

/// Signs in the owner of an account.
pub(crate) async fn owner<'a>(server: &'a Server, account: &Account) -> Session<'a> {
    server.cli(&["user", "reset-password", "--email", &account.email, "--password", PASSWORD]).await;
    Session::sign_in(server, &account.email, PASSWORD).await
}

/// The only user error of a mutation: its field and its code.
#[track_caller]
pub(super) fn user_error(answer: &Answer) -> (Option<&str>, &str) {
    let errors = answer.body["data"]["payload"]["userErrors"].as_array();
    let errors = errors.unwrap_or_else(|| panic!("no payload: {}", answer.text));
    assert_eq!(errors.len(), 1, "{}", answer.text);
    (errors[0]["field"].as_str(), errors[0]["code"].as_str().expect("a code"))
}

async fn try_to_sign_in(server: &Server, email: &str, password: &str) -> Answer {
    let variables = json!({ "input": { "email": email, "password": password } });
    server.graphql(SIGN_IN, variables).header("user-agent", "A browser/1.0").send().await
}

async fn a_person_signs_in_and_is_the_viewer(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let (id, email) = person(&db, &account, "analyst").await;
    let guest = server.graphql("{ viewer { role } }", json!({})).send().await.data();
    assert_eq!(guest, json!({ "viewer": null }));

    let answer = try_to_sign_in(server, &format!(" {} ", email.to_uppercase()), PASSWORD).await;
    let cookie = answer.header("set-cookie").unwrap();
    let secret = cookie.strip_prefix("gavel_session=").unwrap().split(';').next().unwrap().to_owned();
    db.record().key(&secret);
    assert_eq!(secret.len(), 43, "256 bits");
    let viewer = json!({
        "user": { "id": id, "email": email, "role": "ANALYST" }, "account": { "id": account.id },
    });
    assert_eq!(answer.data()["payload"], json!({ "viewer": viewer, "userErrors": [] }));

    let session = Session::sign_in(server, &email, PASSWORD).await;
    let seen = session
        .query(
            "{ viewer { role operator apiKey { id } user { email operator } sessions { current userAgent \
            createdAt expiresAt } } }",
        )
        .await;
    let viewer = &seen["viewer"];
    assert_eq!((&viewer["role"], &viewer["operator"]), (&json!("ANALYST"), &json!(false)));
    assert_eq!((&viewer["apiKey"], &viewer["user"]["email"]), (&Value::Null, &json!(email)));
    let sessions = viewer["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    assert_eq!((&sessions[0]["current"], &sessions[1]["current"]), (&json!(true), &json!(false)));
    assert_eq!(sessions[1]["userAgent"], "A browser/1.0");
    let [created, expires] = ["createdAt", "expiresAt"]
        .map(|field| chrono::DateTime::parse_from_rfc3339(sessions[0][field].as_str().unwrap()).unwrap());
    assert_eq!((expires - created).num_days(), 30);
    // The database stores a hash of the cookie's secret.
    #[derive(sea_orm::FromQueryResult)]
    struct SessionRow {
        hash: String,
    }
    let sessions: Vec<SessionRow> = inv::rows(&db, "SELECT hash FROM session").await;
    assert!(sessions.iter().all(|row| row.hash.len() == 64 && row.hash != secret));
}

async fn a_sign_in_can_read_its_account_in_the_same_operation(db: Db) {
    let server = &Server::with(&db).env("GAVEL_SIGN_UP", "open").start().await;
    let account = server.account(1).await;
    let other = server.account(1).await;
    for account in [&account, &other] {
        let owner = owner(server, account).await;
        let instructions = json!({ "team": ["billing", "tech"] });
        owner.created_judge(json!({ "name": account.email, "instructions": instructions })).await;
    }
    let theirs = "viewer { account { id judges { totalCount nodes { name versions { version } stats { \
        count } samples(first: 1) { totalCount } reviewQueue(first: 1) { nodes { id } } } } } } userErrors { \
        code }";
    let [one, two] = [&account, &other].map(|account| {
        let input = format!("email: \"{}\", password: \"{PASSWORD}\"", account.email);
        format!("signIn(input: {{ {input} }}) {{ {theirs} }}")
    });
    let make = "createJudge(input: { name: \"second\", instructions: { a: [\"b\", \"c\"] } }) { judge { \
        name } userErrors { code } }";
    // Two sign-ins, each with its own data; the rest of the operation runs as the last person.
    let query = format!("mutation {{ one: {one} two: {two} made: {make} }}");
    let data = server.graphql(&query, json!({})).send().await.data();
    for (name, account) in [("one", &account), ("two", &other)] {
        let judge = json!({
            "name": account.email, "versions": [{ "version": 1 }], "stats": { "count": 0 },
            "samples": { "totalCount": 0 }, "reviewQueue": { "nodes": [] },
        });
        let judges = json!({ "totalCount": 1, "nodes": [judge] });
        assert_eq!(data[name]["viewer"]["account"], json!({ "id": account.id, "judges": judges }), "{data}");
    }
    let theirs = owner(server, &other).await.query("{ account { judges { nodes { name } } } }").await;
    assert_eq!(theirs["account"]["judges"]["nodes"], json!([{ "name": "second" }, { "name": other.email }]));

    let sign_up = "mutation { payload: signUp(input: { email: \"new@example.test\", password: \"a pass \
        phrase\" }) { viewer { sessions { current } account { judges { nodes { id stats { count } } } } } \
        userErrors { code } } }";
    let data = server.graphql(sign_up, json!({})).send().await.data();
    let viewer = json!({ "sessions": [{ "current": true }], "account": { "judges": { "nodes": [] } } });
    assert_eq!(data["payload"], json!({ "viewer": viewer, "userErrors": [] }));
}

async fn view(session: &Session<'_>) -> Answer {
    session.send(json!({ "query": "{ viewer { role } }" })).await
}

async fn is_alive(session: &Session<'_>) -> bool {
    session.query("{ viewer { role } }").await["viewer"] != Value::Null
}

/// The id of a session.
async fn current(session: &Session<'_>) -> String {
    let seen = session.query("{ viewer { sessions { id current } } }").await;
    let mut sessions = seen["viewer"]["sessions"].as_array().unwrap().iter();
    sessions.find(|session| session["current"] == true).unwrap()["id"].as_str().unwrap().to_owned()
}

async fn the_sessions_of_a_person_share_one_rate_limit(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let one = owner(server, &account).await;
    let two = Session::sign_in(server, &account.email, PASSWORD).await;
    let (_, colleague) = person(&db, &account, "analyst").await;
    let colleague = Session::sign_in(server, &colleague, PASSWORD).await;

    for _ in 0..3 {
        assert_eq!(view(&one).await.header("ratelimit"), None, "no limit yet");
    }
    db.cli(&["account", "set-rate-limit", "--account", &account.id, "--per-minute", "2"]).await;
    let allowed = view(&one).await;
    assert_eq!(allowed.header("ratelimit-policy"), Some("\"person\";q=2;w=60"));
    assert!(allowed.header("ratelimit").unwrap().starts_with("\"person\";r=1;"), "{:?}", allowed.headers);
    allowed.data();
    view(&two).await.data();
    for session in [&one, &two] {
        let refused = view(session).await;
        refused.request_error(429, "RATE_LIMITED");
        assert!(refused.header("retry-after").is_some());
    }
    view(&colleague).await.data();
    db.cli(&["account", "set-rate-limit", "--account", &account.id]).await;
    view(&one).await.data();
}

async fn sessions_end_singly_together_and_by_expiry(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let one = owner(server, &account).await;
    let two = Session::sign_in(server, &account.email, PASSWORD).await;
    let three = Session::sign_in(server, &account.email, PASSWORD).await;
    // One of three is ended by its id. With an unknown id in the list, none is.
    let second = current(&two).await;
    let unknown = "session_01kahd7f3ye9pvsk8h0a5m5x2e";
    let both = format!(
        "mutation {{ payload: endSessions(input: {{ ids: [\"{second}\", \"{unknown}\"] }}) {{ ended \
         userErrors {{ field code }} }} }}"
    );
    assert_eq!(user_error(&one.send(json!({ "query": both })).await), (None, "NOT_FOUND"));
    assert!(is_alive(&two).await, "all or none");
    let one_of_them =
        format!("endSessions(input: {{ ids: [\"{second}\"] }}) {{ ended userErrors {{ code }} }}");
    assert_eq!(one.payload(&one_of_them).await["ended"], 1);
    assert!(!is_alive(&two).await && is_alive(&three).await);
    let neither = "mutation { payload: endSessions(input: {}) { ended userErrors { field code } } }";
    assert_eq!(user_error(&one.send(json!({ "query": neither })).await), (Some("ids"), "VALIDATION_FAILED"));
    let ended = one.payload("endSessions(input: { others: true }) { ended userErrors { code } }").await;
    assert_eq!(ended["ended"], 1);
    assert!(!is_alive(&three).await && is_alive(&one).await);

    // A session expires.
    let four = Session::sign_in(server, &account.email, PASSWORD).await;
    let fourth = current(&four).await;
    let past = format!("UPDATE session SET expires_at = '2020-01-01T00:00:00+00:00' WHERE id = '{fourth}'");
    db.execute(&past).await;
    assert!(!is_alive(&four).await);
    let listed = one.query("{ viewer { sessions { id } } }").await;
    assert_eq!(listed["viewer"]["sessions"].as_array().unwrap().len(), 1);

    // Signing out clears the cookie, and is no error the second time.
    let sign_out = json!({ "query": "mutation { payload: signOut { signedOut userErrors { code } } }" });
    let answer = one.send(sign_out.clone()).await;
    assert!(answer.header("set-cookie").unwrap().contains("gavel_session=; "), "{:?}", answer.headers);
    assert!(answer.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(answer.data()["payload"]["signedOut"], true);
    assert!(!is_alive(&one).await);
    assert_eq!(one.send(sign_out).await.data()["payload"]["signedOut"], false);
}

async fn sign_in_reveals_no_addresses_and_limits_attempts(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    owner(server, &account).await;
    let known = try_to_sign_in(server, &account.email, "a wrong phrase").await;
    let unknown = try_to_sign_in(server, "nobody@example.test", "a wrong phrase").await;
    assert_eq!(user_error(&known), (None, "UNAUTHORIZED"));
    assert_eq!(known.body, unknown.body);
    assert_eq!((known.header("set-cookie"), unknown.header("set-cookie")), (None, None));

    // All at once, so that they race for the count.
    for email in [account.email.as_str(), "nobody@example.test"] {
        let tries =
            futures_util::future::join_all((0..7).map(|_| try_to_sign_in(server, email, "wrong again")));
        let mut codes: Vec<_> = tries.await.iter().map(|answer| user_error(answer).1.to_owned()).collect();
        codes.sort_unstable();
        let limited = codes.iter().filter(|code| *code == "RATE_LIMITED").count();
        assert_eq!((limited, codes.len()), (3, 7), "one attempt came before: {codes:?}");
    }
    let right = try_to_sign_in(server, &account.email, PASSWORD).await;
    assert_eq!(user_error(&right), (None, "RATE_LIMITED"), "the correct password is refused too");
    assert!(
        right.text.contains("try again in 15 min") || right.text.contains("try again in 14 min"),
        "{}",
        right.text
    );
    let other = server.account(1).await;
    owner(server, &other).await;
}

fn change_password(password: &str, new: &str) -> Value {
    let query = "mutation($input: ChangePasswordInput!) { payload: changePassword(input: $input) { viewer { \
        role } userErrors { field code } } }";
    json!({ "query": query, "variables": { "input": { "password": password, "newPassword": new } } })
}

async fn a_new_password_ends_the_other_sessions(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let one = owner(server, &account).await;
    let two = Session::sign_in(server, &account.email, PASSWORD).await;

    let wrong = one.send(change_password("not this one", "a new pass phrase")).await;
    assert_eq!(user_error(&wrong), (Some("password"), "VALIDATION_FAILED"));
    let short = one.send(change_password(PASSWORD, "short")).await;
    assert_eq!(user_error(&short), (Some("newPassword"), "VALIDATION_FAILED"));
    assert_eq!(
        one.send(change_password(PASSWORD, "a new pass phrase")).await.data()["payload"]["viewer"]["role"],
        "OWNER"
    );
    assert_eq!(two.query("{ viewer { role } }").await["viewer"], Value::Null);
    assert_eq!(one.query("{ viewer { role } }").await["viewer"]["role"], "OWNER");
    assert_eq!(user_error(&try_to_sign_in(server, &account.email, PASSWORD).await).1, "UNAUTHORIZED");
    Session::sign_in(server, &account.email, "a new pass phrase").await;
    // An operator's reset ends all sessions.
    server.cli(&["user", "reset-password", "--email", &account.email]).await;
    assert_eq!(one.query("{ viewer { role } }").await["viewer"], Value::Null);
    // An API key is not a person.
    let key = db.scoped_key(&account, "manage").await;
    let answer =
        server.post("/graphql").key(&key).json(change_password(PASSWORD, "a new pass phrase")).send().await;
    answer.refused("FORBIDDEN");
}

async fn sessions_are_valid_on_every_replica_and_after_a_restart(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    let replica = server.replica().await;
    let at_replica = Session { server: &replica, cookie: session.cookie.clone() };
    assert_eq!(view(&at_replica).await.data()["viewer"]["role"], "OWNER");
    session.payload("signOut { userErrors { code } }").await;
    eventually("the session has ended on the other replica", || async {
        (view(&at_replica).await.data()["viewer"] == Value::Null).then_some(())
    })
    .await;
}

on_both!(
    a_person_signs_in_and_is_the_viewer,
    a_sign_in_can_read_its_account_in_the_same_operation,
    the_sessions_of_a_person_share_one_rate_limit,
    sessions_end_singly_together_and_by_expiry,
    sign_in_reveals_no_addresses_and_limits_attempts,
    a_new_password_ends_the_other_sessions,
    sessions_are_valid_on_every_replica_and_after_a_restart,
);
