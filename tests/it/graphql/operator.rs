//! The operator's fields: all accounts, grants and prices, for people whom the command line made operators.

use serde_json::{Value, json};

use super::{
    client::Session,
    sessions::{PASSWORD, owner, person, user_error},
};
use crate::harness::{Db, Server, eventually, inv, on_both};

const ACCOUNTS: &str =
    "{ operator { accounts { totalCount nodes { id name owners balance held available } } } }";

fn grant(account: &str, amount: Value, note: Option<&str>) -> Value {
    let query = "mutation($input: GrantCreditsInput!) { payload: grantCredits(input: $input) { account { id \
        balance owners } userErrors { field code } } }";
    json!({ "query": query, "variables": { "input": { "accountId": account, "amount": amount, "note": note } } })
}

fn price(operation: &str, credits: f64) -> Value {
    let query = "mutation($input: SetPriceInput!) { payload: setPrice(input: $input) { price { operation \
        credits } userErrors { field code } } }";
    json!({ "query": query, "variables": { "input": { "operation": operation, "credits": credits } } })
}

/// Signs in an operator.
pub(super) async fn operator<'a>(db: &Db, server: &'a Server) -> Session<'a> {
    let account = server.account(0).await;
    let session = owner(server, &account).await;
    let made = db.cli(&["user", "operator", "--email", &account.email]).await;
    assert_eq!((&made["operator"], &made["email"]), (&json!(true), &json!(account.email)));
    session
}

async fn operator_fields_need_a_signed_in_operator(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    let key = db.scoped_key(&account, "manage,read,infer,moderate").await;
    db.cli(&["user", "operator", "--email", &account.email]).await;
    let (_, editor) = person(&db, &account, "editor").await;
    let editor = Session::sign_in(server, &editor, PASSWORD).await;
    let bodies = [json!({ "query": ACCOUNTS }), grant(&account.id, json!(1), None), price("TEXT", 0.0)];
    for body in &bodies {
        editor.send(body.clone()).await.refused("FORBIDDEN");
        server.post("/graphql").key(&key).json(body.clone()).send().await.refused("FORBIDDEN");
        server.post("/graphql").json(body.clone()).send().await.refused("UNAUTHORIZED");
    }
    assert_eq!(session.query("{ viewer { operator } }").await["viewer"]["operator"], true);
    session.send(bodies[0].clone()).await.data();
    db.cli(&["user", "operator", "--email", &account.email, "--revoke"]).await;
    for body in bodies {
        session.send(body).await.refused("FORBIDDEN");
    }
    assert_eq!(inv::balance(&db, &account.id).await, 1_000);
    let nobody = db.cli_fails(&["user", "operator", "--email", "nobody@example.test"]).await;
    assert_eq!(nobody["code"], "NOT_FOUND");
}

async fn workers_are_listed_while_they_run(db: Db) {
    const WORKERS: &str =
        "{ operator { version workers { id name version startedAt seenAt lost jobs { id } } } }";
    let mut server = Server::start(&db).await;
    let first = eventually("the worker has reported", async || {
        let session = operator(&db, &server).await;
        let operator = session.query(WORKERS).await["operator"].clone();
        let workers = operator["workers"].as_array().unwrap().clone();
        (workers.len() == 1).then(|| (operator["version"].clone(), workers[0].clone()))
    })
    .await;
    let (version, worker) = first;
    assert_eq!((&worker["version"], &worker["lost"], &worker["jobs"]), (&version, &json!(false), &json!([])));
    assert!(worker["name"].as_str().unwrap().contains(':'), "{worker}");
    // One that is killed is listed as lost; one that is stopped is not listed.
    db.execute(
        "INSERT INTO worker (id, name, version, started_at, seen_at, jobs) \
         VALUES ('worker_dead', 'elsewhere:1', '0', '2020-01-01 00:00:00+00:00', 0, '')",
    )
    .await;
    db.execute(
        "UPDATE worker SET seen_at = (SELECT MAX(seen_at) FROM worker) - 30000 WHERE id = 'worker_dead'",
    )
    .await;
    let session = operator(&db, &server).await;
    let workers = session.query(WORKERS).await["operator"]["workers"].clone();
    let lost: Vec<_> =
        workers.as_array().unwrap().iter().map(|one| json!([one["name"], one["lost"]])).collect();
    assert_eq!(json!(lost), json!([[worker["name"], false], ["elsewhere:1", true]]));
    drop(session);
    server.terminate().await;
    assert_eq!(inv::count(&db, "worker WHERE id <> 'worker_dead'").await, 0);
    server.restart().await;
}

async fn accounts_are_listed_and_found(db: Db) {
    let server = &Server::start(&db).await;
    let session = operator(&db, server).await;
    let account = server.account("12.5").await;
    let (_, second) = person(&db, &account, "owner").await;
    let second_owner = Session::sign_in(server, &second, PASSWORD).await;
    let renamed =
        "updateAccount(input: { name: \"Ärger & Söhne\" }) { account { name } userErrors { code } }";
    second_owner.payload(renamed).await;
    server.moderate(&account.key, "hello").send().await.ok();
    let all = session.query(ACCOUNTS).await["operator"]["accounts"].clone();
    assert_eq!(all["totalCount"], 2);
    let first = &all["nodes"][0];
    assert_eq!((&first["id"], &first["name"]), (&json!(account.id), &json!("Ärger & Söhne")));
    assert_eq!(
        (&first["balance"], &first["held"], &first["available"]),
        (&json!(12.0), &json!(0.0), &json!(12.0))
    );
    let mut owners: Vec<&str> =
        first["owners"].as_array().unwrap().iter().map(|o| o.as_str().unwrap()).collect();
    owners.sort_unstable();
    assert_eq!(owners, [account.email.as_str(), second.as_str()]);
    for (query, found) in [
        (account.id.as_str(), 1),
        (&account.email.to_uppercase(), 1),
        ("owner-of-", 1),
        ("EXAMPLE.test", 2),
        ("%", 0),
        ("Ärger", 1),
        ("ärger", 1),
        ("nul\0", 0),
        ("_wner", 0),
        (" ", 2),
    ] {
        let variables = json!({ "query": query });
        let body = json!({ "query": "query($query: String) { operator { accounts(query: $query) { totalCount \
            nodes { id } } } }", "variables": variables });
        let accounts = session.send(body).await.data()["operator"]["accounts"].clone();
        assert_eq!(
            (&accounts["totalCount"], accounts["nodes"].as_array().unwrap().len()),
            (&json!(found), found),
            "{query}"
        );
    }
    let page = session
        .query("{ operator { accounts(last: 1) { nodes { id } pageInfo { hasPreviousPage } } } }")
        .await;
    assert_ne!(page["operator"]["accounts"]["nodes"][0]["id"], json!(account.id));
    assert_eq!(page["operator"]["accounts"]["pageInfo"]["hasPreviousPage"], true);
}

async fn credits_are_granted_with_a_note_in_the_accounts_audit_log(db: Db) {
    let server = &Server::start(&db).await;
    let session = operator(&db, server).await;
    let account = server.account(1).await;
    let given = session.send(grant(&account.id, json!(2.125), Some("welcome"))).await.data();
    assert_eq!(given["payload"]["account"]["balance"], 3.125);
    assert_eq!(given["payload"]["account"]["owners"], json!([account.email]));
    let taken = session.send(grant(&account.id, json!(-0.125), None)).await.data();
    assert_eq!(taken["payload"]["account"]["balance"], 3.0);
    let ledger = inv::ledger(&db).await;
    let kinds: Vec<_> =
        ledger.iter().map(|row| (row.kind.as_str(), row.delta, row.note.as_deref())).collect();
    assert_eq!(
        kinds,
        [("grant", 1_000, None), ("grant", 2_125, Some("welcome")), ("adjustment", -125, None)]
    );
    for (account, amount, note, error) in [
        (account.id.as_str(), json!(0), None, (Some("amount"), "VALIDATION_FAILED")),
        (&account.id, json!(0.0001), None, (Some("amount"), "VALIDATION_FAILED")),
        (&account.id, json!(1e300), None, (Some("amount"), "VALIDATION_FAILED")),
        (&account.id, json!(-3.001), None, (None, "INSUFFICIENT_CREDITS")),
        (&account.id, json!(1), Some("two\nlines"), (Some("note"), "VALIDATION_FAILED")),
        ("acc_01kahd7f3ye9pvsk8h0a5m5x2e", json!(1), None, (None, "NOT_FOUND")),
        ("\0", json!(1), None, (None, "NOT_FOUND")),
    ] {
        assert_eq!(user_error(&session.send(grant(account, amount.clone(), note)).await), error, "{amount}");
    }
    let rich = server.account(1).await;
    session.send(grant(&rich.id, json!(9e15), None)).await.data();
    let more = session.send(grant(&rich.id, json!(9e15), None)).await;
    assert_eq!(user_error(&more), (Some("amount"), "VALIDATION_FAILED"));
    let key = db.scoped_key(&account, "read").await;
    let log = server
        .ask(
            &key,
            "{ account { auditLog { nodes { action actor { id name user { id } } detail } } } }",
            json!({}),
        )
        .await;
    let mine = session.query("{ viewer { user { id } } }").await["viewer"]["user"]["id"].clone();
    let grants = log["account"]["auditLog"]["nodes"].as_array().unwrap().iter();
    let grants: Vec<_> =
        grants.filter(|entry| entry["action"] == "CREDITS_GRANT" && entry["actor"]["id"] == mine).collect();
    assert_eq!(grants.len(), 2, "{log}");
    // The other account does not learn who they are.
    assert_eq!(grants[0]["actor"], json!({ "id": mine, "name": null, "user": null }));
    assert_eq!(grants[1]["detail"], json!({ "credits": 2.125, "seq": 2 }));
}

async fn a_new_price_applies_on_every_replica_immediately(db: Db) {
    let server = &Server::start(&db).await;
    let replica = server.replica().await;
    let session = operator(&db, server).await;
    let account = server.account(1).await;
    assert_eq!(
        session.send(price("TEXT", 0.125)).await.data()["payload"]["price"],
        json!({ "operation": "TEXT", "credits": 0.125 })
    );
    eventually("the price is known to the other replica", || async {
        let answer = replica.moderate(&account.key, "hello").send().await.ok();
        (answer["credits_deducted"] == 0.125).then_some(())
    })
    .await;
    let listed = session.query("{ operator { prices { operation credits updatedAt } } }").await;
    let prices = listed["operator"]["prices"].as_array().unwrap();
    let operations: Vec<_> = prices.iter().map(|price| price["operation"].as_str().unwrap()).collect();
    assert_eq!(operations, ["TEXT", "IMAGE", "INFERENCE", "CHECKPOINT"]);
    for wrong in [-1.0, 0.0001] {
        let refused = session.send(price("TEXT", wrong)).await;
        assert_eq!(user_error(&refused), (Some("credits"), "VALIDATION_FAILED"));
    }
}

on_both!(
    workers_are_listed_while_they_run,
    operator_fields_need_a_signed_in_operator,
    accounts_are_listed_and_found,
    credits_are_granted_with_a_note_in_the_accounts_audit_log,
    a_new_price_applies_on_every_replica_immediately,
);
