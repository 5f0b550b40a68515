//! The people of an account: sign-up, invitations, roles and their permissions.

use serde_json::{Value, json};

use super::{
    client::Session,
    sessions::{PASSWORD, owner, person, user_error},
};
use crate::harness::{Answer, Db, Server, inv, on_both, on_sqlite};

async fn sign_up(server: &Server, email: &str, token: Option<&str>) -> Answer {
    let query = "mutation($input: SignUpInput!) { payload: signUp(input: $input) { viewer { role account { \
        id name balance } } userErrors { field code message } } }";
    let input = json!({ "email": email, "password": PASSWORD, "inviteToken": token });
    server.graphql(query, json!({ "input": input })).send().await
}

/// Invites somebody; returns the invitation's id and token.
async fn invite(session: &Session<'_>, email: &str, role: &str) -> (String, String) {
    let mutation = format!(
        "inviteUser(input: {{ email: \"{email}\", role: {role} }}) {{ token invite {{ id email role \
         expiresAt }} userErrors {{ code }} }}"
    );
    let made = session.payload(&mutation).await;
    assert_eq!((&made["invite"]["email"], &made["invite"]["role"]), (&json!(email), &json!(role)));
    let id = made["invite"]["id"].as_str().expect("an id").to_owned();
    (id, made["token"].as_str().expect("a token").to_owned())
}

async fn everyone_can_sign_up_where_it_is_open(db: Db) {
    let start = Server::with(&db).env("GAVEL_SIGN_UP", "open").env("GAVEL_SIGN_UP_CREDITS", "2.5");
    let server = &start.start().await;
    let answer = sign_up(server, " New@Example.Test", None).await;
    let cookie = answer.header("set-cookie").expect("a session").split(';').next().unwrap().to_owned();
    let viewer = answer.data()["payload"]["viewer"].clone();
    assert_eq!((&viewer["role"], &viewer["account"]["balance"]), (&json!("OWNER"), &json!(2.5)));
    assert_eq!(viewer["account"]["name"], "new@example.test");
    let seen = server.graphql("{ viewer { user { email } } }", json!({})).header("cookie", cookie);
    let seen = seen.header("x-gavel-csrf", "1").send().await.data();
    assert_eq!(seen["viewer"]["user"]["email"], "new@example.test");
    let ledger = inv::ledger(&db).await;
    assert_eq!((ledger.len(), ledger[0].kind.as_str(), ledger[0].delta), (1, "grant", 2_500));

    let again = sign_up(server, "NEW@example.test", None).await;
    assert_eq!(user_error(&again), (None, "CONFLICT"));
    assert_eq!(user_error(&sign_up(server, "nobody", None).await), (Some("email"), "VALIDATION_FAILED"));
    let token = sign_up(server, "b@example.test", Some("made up")).await;
    assert_eq!(user_error(&token), (Some("inviteToken"), "VALIDATION_FAILED"));
    assert_eq!(inv::accounts(&db).await.len(), 1, "refused sign-ups leave nothing behind");
}

async fn sign_up_is_closed_by_default(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    sign_up(server, "new@example.test", None).await.refused("FORBIDDEN");
    sign_up(server, "new@example.test", Some("token")).await.refused("FORBIDDEN");
    let invite = json!({ "query": "mutation { inviteUser(input: { email: \"n@example.test\", role: \
        OWNER }) { token } }" });
    let refused = owner(server, &account).await.send(invite).await;
    assert!(refused.refused("FORBIDDEN").contains("`sign_up`"));
}

async fn invited_people_join_the_account(db: Db) {
    let server = &Server::with(&db).env("GAVEL_SIGN_UP", "invite").start().await;
    let account = server.account(1).await;
    let session = &owner(server, &account).await;
    sign_up(server, "new@example.test", None).await.refused("FORBIDDEN");

    let (_, first) = invite(session, "new@example.test", "ANALYST").await;
    let (id, token) = invite(session, "new@example.test", "EDITOR").await;
    let listed = session
        .query("{ account { invites { totalCount nodes { id email role createdBy { id } } } } }")
        .await;
    let invites = &listed["account"]["invites"];
    assert_eq!(
        (&invites["totalCount"], &invites["nodes"][0]["id"]),
        (&json!(1), &json!(id)),
        "the first invitation has ended"
    );
    assert!(!listed.to_string().contains(&token));
    for (email, token) in [("new@example.test", &first), ("other@example.test", &token)] {
        let refused = sign_up(server, email, Some(token)).await;
        assert_eq!(user_error(&refused), (Some("inviteToken"), "VALIDATION_FAILED"), "{email}");
    }
    let joined = sign_up(server, "New@Example.test", Some(&token)).await.data();
    let viewer = &joined["payload"]["viewer"];
    assert_eq!((&viewer["role"], &viewer["account"]["id"]), (&json!("EDITOR"), &json!(account.id)));
    let again = sign_up(server, "new@example.test", Some(&token)).await;
    assert_eq!(user_error(&again).1, "VALIDATION_FAILED", "an invitation is accepted once");
    let member = json!({ "query": "mutation { payload: inviteUser(input: { email: \"new@example.test\", \
        role: OWNER }) { userErrors { field code } } }" });
    assert_eq!(user_error(&session.send(member).await), (None, "CONFLICT"));

    // Revoked, or expired.
    let (id, token) = invite(session, "late@example.test", "ANALYST").await;
    let revoke =
        format!("revokeInvite(input: {{ id: \"{id}\" }}) {{ revokedInviteId userErrors {{ code }} }}");
    assert_eq!(session.payload(&revoke).await["revokedInviteId"], id);
    assert_eq!(user_error(&sign_up(server, "late@example.test", Some(&token)).await).1, "VALIDATION_FAILED");
    let (_, token) = invite(session, "late@example.test", "ANALYST").await;
    let past = "UPDATE invite SET expires_at = '2020-01-01T00:00:00+00:00'";
    db.execute(past).await;
    assert_eq!(user_error(&sign_up(server, "late@example.test", Some(&token)).await).1, "VALIDATION_FAILED");

    let log = session
        .query("{ account { auditLog(first: 100) { nodes { action actor { id } target detail } } } }")
        .await;
    let entries = log["account"]["auditLog"]["nodes"].as_array().unwrap();
    for (action, count) in [("USER_INVITE", 4), ("INVITE_REVOKE", 1), ("USER_SIGN_UP", 1)] {
        assert_eq!(entries.iter().filter(|entry| entry["action"] == action).count(), count, "{log}");
    }
    assert!(!log.to_string().contains("@example.test"), "the audit log contains an address: {log}");
}

async fn people(session: &Session<'_>) -> Vec<Value> {
    let seen = session.query("{ account { users { totalCount nodes { id email role } } } }").await;
    seen["account"]["users"]["nodes"].as_array().unwrap().clone()
}

fn set_role(id: &str, role: &str) -> Value {
    let input = format!("userId: \"{id}\", role: {role}");
    let fields = "user { role } userErrors { field code }";
    json!({ "query": format!("mutation {{ payload: setRole(input: {{ {input} }}) {{ {fields} }} }}") })
}

fn remove_user(id: &str) -> Value {
    let fields = "removedUserId userErrors { field code }";
    json!({ "query": format!("mutation {{ payload: removeUser(input: {{ id: \"{id}\" }}) {{ {fields} }} }}") })
}

async fn an_account_keeps_an_owner(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    let me = people(&session).await[0]["id"].as_str().unwrap().to_owned();

    assert_eq!(user_error(&session.send(set_role(&me, "EDITOR")).await), (None, "CONFLICT"));
    assert_eq!(user_error(&session.send(remove_user(&me)).await), (None, "CONFLICT"));

    // A new role takes effect with the next request.
    let (id, email) = person(&db, &account, "editor").await;
    let other = Session::sign_in(server, &email, PASSWORD).await;
    other.created_judge(json!({ "name": "j", "instructions": { "a": ["x", "y"] } })).await;
    assert_eq!(session.send(set_role(&id, "ANALYST")).await.data()["payload"]["user"]["role"], "ANALYST");
    let rename =
        json!({ "query": "mutation { updateAccount(input: { name: \"new name\" }) { account { name } } }" });
    other.send(rename.clone()).await.refused("FORBIDDEN");
    assert_eq!(session.send(set_role(&id, "OWNER")).await.data()["payload"]["user"]["role"], "OWNER");
    assert_eq!(other.send(rename).await.data()["updateAccount"]["account"]["name"], "new name");

    // Two owners demote each other at once: one of them stays.
    let requests = [other.send(set_role(&me, "EDITOR")), session.send(set_role(&id, "EDITOR"))];
    futures_util::future::join_all(requests).await;
    let owners = people(&session).await.iter().filter(|person| person["role"] == "OWNER").count();
    assert_eq!(owners, 1);
    for (id, session) in [(&me, &other), (&id, &session)] {
        session.send(set_role(id, "OWNER")).await;
    }

    // A removed person is signed out.
    let (id, email) = person(&db, &account, "analyst").await;
    let gone = Session::sign_in(server, &email, PASSWORD).await;
    let by = if people(&session)
        .await
        .iter()
        .any(|person| person["id"] == me.as_str() && person["role"] == "OWNER")
    {
        &session
    } else {
        &other
    };
    assert_eq!(by.send(remove_user(&id)).await.data()["payload"]["removedUserId"], id);
    assert_eq!(gone.query("{ viewer { role } }").await["viewer"], Value::Null);
    assert_eq!(user_error(&by.send(remove_user(&id)).await), (None, "NOT_FOUND"));
}

async fn the_people_of_other_accounts_are_out_of_reach(db: Db) {
    let server = &Server::with(&db).env("GAVEL_SIGN_UP", "invite").start().await;
    let one = server.account(1).await;
    let other = server.account(1).await;
    let mine = &owner(server, &one).await;
    let theirs = &owner(server, &other).await;
    let (user, _) = person(&db, &other, "editor").await;
    let (invitation, _) = invite(theirs, "zebra@example.test", "EDITOR").await;
    let session = theirs.query("{ viewer { sessions { id } } }").await["viewer"]["sessions"][0]["id"].clone();
    for mutation in [
        format!("setRole(input: {{ userId: \"{user}\", role: OWNER }})"),
        format!("removeUser(input: {{ id: \"{user}\" }})"),
        format!("revokeInvite(input: {{ id: \"{invitation}\" }})"),
        format!("endSessions(input: {{ ids: [{session}] }})"),
        format!("revokeApiKey(input: {{ id: \"{}\" }})", other.key_id),
    ] {
        let query = format!("mutation {{ payload: {mutation} {{ userErrors {{ field code message }} }} }}");
        let answer = mine.send(json!({ "query": query })).await;
        assert_eq!(user_error(&answer), (None, "NOT_FOUND"), "{mutation}");
        assert!(!answer.text.contains("zebra") && !answer.text.contains(&other.email), "{}", answer.text);
        // The same answer as for an unknown or an invalid id.
        for id in ["key_01kahd7f3ye9pvsk8h0a5m5x2e", "\\u0000", ""] {
            let ids = [&user, &invitation, session.as_str().unwrap(), &other.key_id];
            let query = ids.iter().fold(query.clone(), |query, theirs| query.replace(*theirs, id));
            assert_eq!(mine.send(json!({ "query": query })).await.body, answer.body, "{query}");
        }
    }
    for (id, field) in [(user.as_str(), "email"), (&other.key_id, "hint")] {
        let node =
            format!("{{ node(id: \"{id}\") {{ id ... on User {{ email }} ... on ApiKey {{ hint }} }} }}");
        assert!(theirs.query(&node).await["node"][field].is_string());
        let refused = mine.send(json!({ "query": node })).await;
        refused.refused("NOT_FOUND");
        assert!(!refused.text.contains("example.test"), "{}", refused.text);
    }
    let cursor = theirs.query("{ account { users { pageInfo { endCursor } } } }").await;
    let cursor = cursor["account"]["users"]["pageInfo"]["endCursor"].as_str().unwrap();
    for list in ["users", "invites", "apiKeys", "auditLog", "ledger"] {
        let query = format!("{{ account {{ {list}(after: \"{cursor}\") {{ nodes {{ __typename }} }} }} }}");
        mine.send(json!({ "query": query })).await.refused("VALIDATION_FAILED");
    }
}

async fn analysts_and_read_keys_change_nothing(db: Db) {
    let server = &Server::with(&db).env("GAVEL_SIGN_UP", "open").start().await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "analyst").await;
    let analyst = Session::sign_in(server, &email, PASSWORD).await;
    let key = db.scoped_key(&account, "read").await;
    let judge = json!({ "name": "j", "instructions": { "a": ["x", "y"] } });
    let judge = owner(server, &account).await.created_judge(judge).await;
    // Mutations that everybody may run for themselves.
    let own = [
        "signIn",
        "signUp",
        "signOut",
        "endSessions",
        "changePassword",
        "requestPasswordReset",
        "resetPassword",
        "setMailPreferences",
        "saveView",
        "removeView",
    ];
    let types = analyst
        .query(
            "{ __schema { types { name enumValues { name } inputFields { name type { kind \
        name ofType { kind name ofType { kind name ofType { name } } } } } fields { name args { type { kind \
        name ofType { name } } } } } } }",
        )
        .await;
    let types = types["__schema"]["types"].as_array().unwrap();
    let mut refused = 0;
    for field in type_named(types, "Mutation")["fields"].as_array().unwrap() {
        let name = field["name"].as_str().unwrap();
        let Some(input) = field["args"][0]["type"]["ofType"]["name"].as_str() else { continue };
        if own.contains(&name) {
            continue;
        }
        let query = format!("mutation($input: {input}!) {{ {name}(input: $input) {{ __typename }} }}");
        let input = Example { types, mutation: name, judge: &judge }.input(input);
        let body = json!({ "query": query, "variables": { "input": input } });
        analyst.send(body.clone()).await.refused("FORBIDDEN");
        server.post("/graphql").key(&key).json(body.clone()).send().await.refused("FORBIDDEN");
        server.post("/graphql").json(body).send().await.refused("UNAUTHORIZED");
        refused += 1;
    }
    assert!(refused >= 12, "{refused}");
}

fn type_named<'a>(types: &'a [Value], name: &str) -> &'a Value {
    types.iter().find(|one| one["name"] == name).unwrap()
}

/// Makes valid inputs of a mutation from the schema: the required fields, with values of the right types.
struct Example<'a> {
    types: &'a [Value],
    mutation: &'a str,
    judge: &'a str,
}

impl Example<'_> {
    fn input(&self, name: &str) -> Value {
        let fields = type_named(self.types, name)["inputFields"].as_array().unwrap().iter();
        // Where one of several fields must select the samples, their ids.
        let required = fields.filter(|field| {
            field["type"]["kind"] == "NON_NULL" || field["name"] == "sampleIds" || field["name"] == "judgeId"
        });
        required.map(|field| (field["name"].as_str().unwrap().to_owned(), self.value(field))).collect()
    }

    fn value(&self, field: &Value) -> Value {
        let mut kind = &field["type"];
        let mut list = false;
        while kind["name"].is_null() {
            list |= kind["kind"] == "LIST";
            kind = &kind["ofType"];
        }
        let one = match kind["name"].as_str().unwrap() {
            "ID" => self.id(field),
            "String" => json!("something"),
            "Int" => json!(1),
            "Float" => json!(0.5),
            "Boolean" => json!(true),
            "JSON" => json!({ "a": ["x", "y"] }),
            "DateTime" => json!("2030-01-01T00:00:00Z"),
            other => match type_named(self.types, other)["enumValues"].as_array() {
                Some(values) => values[0]["name"].clone(),
                None => self.input(other),
            },
        };
        if list { json!([one]) } else { one }
    }

    fn id(&self, field: &Value) -> Value {
        let about = field["name"].as_str().unwrap().to_lowercase() + self.mutation.to_lowercase().as_str();
        let prefix = ["judge", "sample", "change", "user", "invite", "key", "policy"]
            .iter()
            .find(|prefix| about.contains(**prefix));
        match prefix {
            Some(&"judge") => json!(self.judge),
            Some(prefix) => json!(format!("{prefix}_01kahd7f3ye9pvsk8h0a5m5x2e")),
            None => json!("acc_01kahd7f3ye9pvsk8h0a5m5x2e"),
        }
    }
}

async fn everyone_can_sign_up_in_the_demo(db: Db) {
    let server = Server::with(&db).args(&["serve", "--demo"]).start().await;
    let answer = sign_up(&server, "new@example.test", None).await.data();
    assert_eq!(answer["payload"]["viewer"]["role"], "OWNER");
}

async fn an_invalid_setting_is_named(db: Db) {
    for (name, value) in
        [("GAVEL_SIGN_UP", "yes"), ("GAVEL_SIGN_UP_CREDITS", "-1"), ("GAVEL_SIGN_UP_CREDITS", "0.0001")]
    {
        let ran = db.run(&["serve"], &[(name, value), ("GAVEL_LISTEN", "127.0.0.1:0")], "").await;
        assert!(!ran.status.success() && ran.stderr.contains("sign_up"), "{name}={value}: {}", ran.stderr);
    }
}

on_both!(
    everyone_can_sign_up_where_it_is_open,
    sign_up_is_closed_by_default,
    invited_people_join_the_account,
    an_account_keeps_an_owner,
    the_people_of_other_accounts_are_out_of_reach,
    analysts_and_read_keys_change_nothing,
);
on_sqlite!(everyone_can_sign_up_in_the_demo, an_invalid_setting_is_named);
