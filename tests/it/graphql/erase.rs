//! Erasing an account: nothing is left of it but its ledger's amounts.

use std::time::Duration;

use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use super::{
    client::Session,
    sessions::{PASSWORD, owner, person, user_error},
};
use crate::harness::{Account, Db, Fault, Server, Upstream, eventually, inv, on_both};

/// Part of everything that the account has. No id can contain it, since ids have no letter o.
const SECRET: &str = "okapi";

fn erase(confirm: &str) -> Value {
    let query = "mutation($input: EraseAccountInput!) { payload: eraseAccount(input: $input) { \
        erasedAccountId userErrors { field code } } }";
    json!({ "query": query, "variables": { "input": { "confirm": confirm } } })
}

/// An account with one of everything, its signed-in owner, and a key for all of it.
struct FullAccount<'a> {
    account: Account,
    session: Session<'a>,
    key: String,
    judge: String,
}

async fn full<'a>(db: &Db, server: &'a Server) -> FullAccount<'a> {
    let mut account = server.account(20).await;
    let session = owner(server, &account).await;
    session.payload("updateAccount(input: { name: \"okapi crossing\" }) { userErrors { code } }").await;
    let email = format!("{SECRET}@example.test");
    let moved = format!("UPDATE app_user SET email = '{email}' WHERE account_id = '{}'", account.id);
    db.execute(&moved).await;
    account.email = email;
    person(db, &account, "editor").await;
    session
        .payload(
            "inviteUser(input: { email: \"okapi-two@example.test\", role: EDITOR }) { userErrors { code } }",
        )
        .await;
    let (_, key) = db.key(&account, &["--scopes", "infer,moderate,manage", "--name", "okapi key"]).await;
    db.cli(&["credits", "grant", "--account", &account.id, "--amount", "5", "--note", "okapi note"]).await;
    let hook = session
        .payload(
            "createWebhookEndpoint(input: { url: \"https://okapi.example/\" }) { webhookEndpoint { id } \
            userErrors { code } }",
        )
        .await;
    let hook = hook["webhookEndpoint"]["id"].as_str().unwrap();
    session
        .payload(&format!("testWebhookEndpoint(input: {{ id: \"{hook}\" }}) {{ userErrors {{ code }} }}"))
        .await;
    session
        .payload(
            "createModerationPolicy(input: { name: \"okapi rules\", rules: {} }) { userErrors { code } }",
        )
        .await;
    session.payload("setModerationLog(input: { enabled: true }) { userErrors { code } }").await;
    server.moderate(&key, "a okapi in the moderation log").send().await.ok();
    let input = json!({
        "name": "okapi judge", "description": "okapi words", "storeContent": true,
        "instructions": { "team": ["okapi-one", "okapi-two"] }, "parameters": { "tone": "okapi" },
    });
    let judge = session.created_judge(input).await;
    let path = format!("/api/v1/judges/{judge}/inference");
    for n in 0..3 {
        let request = server.post(&path).key(&key).json(json!({ "state": format!("okapi stripes {n}") }));
        request.idempotent(&format!("okapi-idempotency-{n}")).send().await.ok();
    }
    let samples = format!("{{ judge(id: \"{judge}\") {{ samples {{ nodes {{ id }} }} }} }}");
    let samples = session.query(&samples).await;
    let sample = samples["judge"]["samples"]["nodes"][0]["id"].as_str().unwrap();
    let label = format!(
        "reclassifySample(input: {{ sampleId: \"{sample}\", key: \"team\", value: \"okapi-one\" }}) {{ \
         userErrors {{ code }} }}"
    );
    session.payload(&label).await;
    FullAccount { account, session, key, judge }
}

/// The names of all tables.
async fn tables(db: &Db) -> Vec<String> {
    #[derive(FromQueryResult)]
    struct Name {
        name: String,
    }
    let sql = match db.is_sqlite() {
        true => "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        false => "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'",
    };
    inv::rows::<Name>(db, sql).await.into_iter().map(|table| table.name).collect()
}

/// All rows of all tables, as text.
async fn everything(db: &Db) -> Vec<String> {
    #[derive(FromQueryResult)]
    struct Text {
        text: String,
    }
    let mut all = Vec::new();
    for table in tables(db).await {
        let sql = match db.is_sqlite() {
            false => format!("SELECT CAST(row_to_json(t) AS TEXT) AS text FROM \"{table}\" t"),
            true => {
                #[derive(FromQueryResult)]
                struct Name {
                    name: String,
                }
                let columns: Vec<Name> =
                    inv::rows(db, &format!("SELECT name FROM pragma_table_info('{table}')")).await;
                let columns = columns.iter().map(|column| format!("coalesce(\"{}\", '')", column.name));
                format!("SELECT {} AS text FROM \"{table}\"", columns.collect::<Vec<_>>().join(" || ' ' || "))
            }
        };
        all.extend(inv::rows::<Text>(db, &sql).await.into_iter().map(|row| format!("{table}: {}", row.text)));
    }
    all
}

async fn only_amounts_remain_after_an_erasure(db: Db) {
    let upstream = Upstream::start().await;
    let start = Server::with(&db).env("GAVEL_SIGN_UP", "invite").env("GAVEL_LOCAL_URL", upstream.url());
    let server = &start.start().await;
    let other = server.account(1).await;
    let FullAccount { account, session, key, judge } = full(&db, server).await;
    let editor = Session::sign_in(server, &format!("editor-of-{}", account.email), PASSWORD).await;
    let before = inv::ledger(&db).await;

    assert!(traces(&everything(&db).await) > 15, "the test has traces to look for");

    editor.send(erase("okapi crossing")).await.refused("FORBIDDEN");
    server.post("/graphql").key(&key).json(erase("okapi crossing")).send().await.refused("FORBIDDEN");
    for wrong in ["", "okapi", "Zebra crossing", "erased"] {
        assert_eq!(user_error(&session.send(erase(wrong)).await), (Some("confirm"), "VALIDATION_FAILED"));
    }
    let answer = session.send(erase("okapi crossing")).await;
    assert!(answer.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(answer.data()["payload"]["erasedAccountId"], account.id);

    let left = everything(&db).await;
    assert_eq!(traces(&left), 0, "{left:#?}");
    let mine: Vec<_> = left
        .iter()
        .filter(|row| row.contains(&account.id))
        .map(|row| row.split(':').next().unwrap())
        .collect();
    assert_eq!(mine.iter().filter(|table| **table == "account").count(), 1);
    assert_eq!(mine.iter().filter(|table| **table == "audit").count(), 1, "the record of the erasure");
    assert!(mine.iter().all(|table| ["account", "audit", "ledger"].contains(table)), "{mine:?}");
    if db.is_sqlite() {
        no_trace_in_the_file(&db).await;
    }
    // The amounts are unchanged, without what they were for.
    let ledger = inv::ledger(&db).await;
    assert_eq!(ledger.len(), before.len());
    for (row, before) in ledger.iter().zip(&before) {
        assert_eq!((&row.account_id, row.seq), (&before.account_id, before.seq));
        assert_eq!((row.delta, row.balance_after), (before.delta, before.balance_after));
        assert_eq!(row.endpoint, before.endpoint);
        if row.account_id == account.id {
            assert_eq!((&row.reference, &row.note, &row.api_key_id), (&None, &None, &None));
        }
    }
    // Acknowledged charges are still in the ledger, without their reference.
    assert_eq!(inv::charges(&db, &account.id).await.len(), 4);

    // Nobody can sign in any more, and the ledger does not change.
    for session in [&session, &editor] {
        assert_eq!(session.query("{ viewer { role } }").await["viewer"], Value::Null);
    }
    eventually("the key is refused", || async {
        let path = format!("/api/v1/judges/{judge}/inference");
        let answer = server.post(&path).key(&key).json(json!({ "state": "x" })).send().await;
        assert_ne!(answer.status, 200, "{}", answer.text);
        (answer.status == 401).then_some(())
    })
    .await;
    let grant = db.cli_fails(&["credits", "grant", "--account", &account.id, "--amount", "1"]).await;
    assert_eq!(grant["code"], "NOT_FOUND");
    server.moderate(&other.key, "hello").send().await.ok();
    assert_eq!(inv::ledger(&db).await.len(), before.len() + 1);
}

/// The number of rows that contain the secret.
fn traces(rows: &[String]) -> usize {
    rows.iter().filter(|row| row.contains(SECRET)).count()
}

/// Asserts that the deleted data is not in the file either, nor in its write-ahead log.
async fn no_trace_in_the_file(db: &Db) {
    assert!(db.is_sqlite());
    for sql in ["PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"] {
        db.execute(sql).await;
    }
    for file in std::fs::read_dir(db.data_dir()).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "{} still contains it", path.display());
    }
}

async fn running_requests_fail_without_a_charge(db: Db) {
    let upstream = Upstream::start().await;
    let start = Server::with(&db).env("GAVEL_SIGN_UP", "invite").env("GAVEL_LOCAL_URL", upstream.url());
    let server = &start.start().await;
    let FullAccount { account, session, key, judge } = full(&db, server).await;
    let before = inv::ledger(&db).await.len();
    upstream.next([Some(Fault::Late(Duration::from_secs(3)))]);
    let asked = upstream.asked().len();
    let path = format!("/api/v1/judges/{judge}/inference");
    let request =
        server.post(&path).key(&key).idempotent("okapi-late").json(json!({ "state": "okapi late" }));
    let (answer, ()) = tokio::join!(request.send(), async {
        eventually("the model server receives the request", || async {
            (upstream.asked().len() > asked).then_some(())
        })
        .await;
        session.send(erase("okapi crossing")).await.data();
    });
    assert!([404, 500].contains(&answer.status), "{}", answer.text);
    assert_eq!(inv::ledger(&db).await.len(), before, "nothing was charged");
    let left = everything(&db).await;
    let content: Vec<_> =
        left.iter().filter(|row| row.contains("okapi late") || row.contains("stripes")).collect();
    assert!(content.is_empty(), "{content:?}");
    assert_eq!(inv::accounts(&db).await.iter().find(|row| row.id == account.id).unwrap().held, 0);
}

async fn the_command_line_erases_accounts(db: Db) {
    let account = db.account(2).await;
    // More samples than fit into one commit.
    let now = "'2026-01-01T00:00:00+00:00'";
    let judge = format!(
        "INSERT INTO judge (id, account_id, kind, name, description, store_content, version, created_at, updated_at) \
         VALUES ('judge_a', '{}', 'decision', 'okapi', '', true, 1, {now}, {now})",
        account.id
    );
    let samples = format!(
        "INSERT INTO sample (id, account_id, judge_id, judge_version, source, content_hash, state, credits, \
         labels, created_at) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2300) \
         SELECT 'sample_' || i, '{}', 'judge_a', 1, 'import', 'hash', '\"okapi\"', 0, 0, {now} FROM n",
        account.id
    );
    for sql in [&judge, &samples] {
        db.execute(sql).await;
    }
    let args = ["account", "erase", "--account", &account.id, "--confirm"];
    let wrong = db.cli_fails(&[&args[..], &["else"]].concat()).await;
    assert_eq!(wrong["code"], "VALIDATION_FAILED");
    let done = db.cli(&[&args[..], &[account.email.as_str()]].concat()).await;
    assert_eq!(done, json!({ "account_id": account.id, "erased": true }));
    assert!(!everything(&db).await.iter().any(|row| row.contains(SECRET) || row.contains(&account.email)));
    let again = db.cli_fails(&[&args[..], &[account.email.as_str()]].concat()).await;
    assert_eq!(again["code"], "NOT_FOUND");
    // The address is free again.
    db.cli(&["account", "create", "--email", &account.email]).await;
    // What a concurrent request may have written after the erasure is removed later.
    db.execute(&judge).await;
    let _server = Server::start(&db).await;
    eventually("the Judge is gone", || async {
        (!everything(&db).await.iter().any(|row| row.contains("judge_a"))).then_some(())
    })
    .await;
    assert!(everything(&db).await.iter().any(|row| row.contains("account.erase")), "the audit record stays");
}

on_both!(
    only_amounts_remain_after_an_erasure,
    running_requests_fail_without_a_charge,
    the_command_line_erases_accounts
);
