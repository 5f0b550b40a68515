//! E-mail: invitations, forgotten passwords, low balances and weekly summaries, through a mail server.

use serde_json::{Value, json};

use super::{
    PASSWORD, Session, mutation, person,
    sessions::{owner, user_error},
};
use crate::harness::{Db, MailServer, Server, eventually, inv, on_both, on_sqlite};

const NEW_PASSWORD: &str = "a new and better password";

async fn server_with(db: &Db, mail: &MailServer) -> Server {
    Server::with(db)
        .env("GAVEL_SMTP_URL", mail.url())
        .env("GAVEL_MAIL_FROM", "Gavel <gavel@example.test>")
        .env("GAVEL_PUBLIC_URL", "https://gavel.example.test/")
        .env("GAVEL_SIGN_UP", "invite")
        .env("GAVEL_WEEKLY_SUMMARY", "true")
        .start()
        .await
}

fn request_reset(email: &str) -> Value {
    let query = mutation("requestPasswordReset", "userErrors { field code message }");
    json!({ "query": query, "variables": { "input": { "email": email } } })
}

fn reset(token: &str, password: &str) -> Value {
    let query = mutation("resetPassword", "viewer { user { email } } userErrors { field code message }");
    json!({ "query": query, "variables": { "input": { "token": token, "password": password } } })
}

async fn an_invited_person_gets_a_link(db: Db) {
    let mail = MailServer::start().await;
    let server = server_with(&db, &mail).await;
    let account = server.account(1).await;
    let boss = owner(&server, &account).await;
    assert_eq!(boss.query("{ sendsEmail }").await["sendsEmail"], true);
    let invite = "inviteUser(input: { email: \"new@example.test\", role: MODERATOR }) { mailed token \
                  userErrors { code } }";
    let invited = boss.payload(invite).await;
    assert_eq!(invited["mailed"], true);
    let mail = mail.mail_with("invited").await;
    assert_eq!(mail.to, "new@example.test");
    let text = mail.text.replace("=\r\n", "");
    assert!(text.contains("https://gavel.example.test/sign-up?token"), "{text}");
    assert_eq!(mail.parameter("token"), invited["token"].as_str().unwrap());
}

async fn an_account_floods_nobody_with_invitations(db: Db) {
    let mail = MailServer::start().await;
    let server = server_with(&db, &mail).await;
    let account = server.account(1).await;
    let victim = server.account(1).await;
    let boss = owner(&server, &account).await;
    for number in 0..21 {
        let invite = format!(
            "inviteUser(input: {{ email: \"new{number}@example.test\", role: ANALYST }}) {{ mailed \
             userErrors {{ code }} }}"
        );
        assert_eq!(boss.payload(&invite).await["mailed"], number < 20, "{number}");
    }
    let boss = owner(&server, &victim).await;
    let invite =
        "inviteUser(input: { email: \"mine@example.test\", role: EDITOR }) { mailed userErrors { code } }";
    assert_eq!(boss.payload(invite).await["mailed"], true, "others are not disturbed");
}

async fn a_forgotten_password_is_replaced_by_a_link(db: Db) {
    let mail = MailServer::start().await;
    let server = server_with(&db, &mail).await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "editor").await;
    let elsewhere = Session::sign_in(&server, &email, PASSWORD).await;
    // Nobody learns who signs in here.
    for address in ["nobody@example.test", &email] {
        let answer = server.post("/graphql").json(request_reset(address)).send().await.data();
        assert_eq!(answer["payload"]["userErrors"], json!([]));
    }
    let link = mail.mail_with("new password").await;
    assert_eq!(link.to, email);
    assert!(!server.log().contains(&link.parameter("token")));
    let token = link.parameter("token");
    let short = server.post("/graphql").json(reset(&token, "short")).send().await;
    assert_eq!(user_error(&short), (Some("password"), "VALIDATION_FAILED"));
    let done = server.post("/graphql").json(reset(&token, NEW_PASSWORD)).send().await;
    assert!(done.header("set-cookie").is_some_and(|cookie| cookie.contains("gavel_session")));
    assert_eq!(done.data()["payload"]["viewer"]["user"]["email"], email.as_str());
    let again = server.post("/graphql").json(reset(&token, NEW_PASSWORD)).send().await;
    assert_eq!(user_error(&again), (Some("token"), "VALIDATION_FAILED"), "a link is valid once");
    let signed_out = elsewhere.send(json!({ "query": "{ viewer { role } }" })).await;
    assert_eq!(signed_out.data()["viewer"], Value::Null, "all sessions have ended");
    Session::sign_in(&server, &email, NEW_PASSWORD).await;
    assert_eq!(mail.delivered().len(), 1);
}

async fn a_link_expires_and_requests_are_limited(db: Db) {
    let mail = MailServer::start().await;
    let server = server_with(&db, &mail).await;
    let account = server.account(1).await;
    let (_, email) = person(&db, &account, "editor").await;
    server.post("/graphql").json(request_reset(&email)).send().await.data();
    let token = mail.mail_with("new password").await.parameter("token");
    db.execute("UPDATE password_reset SET expires_at = '2020-01-01 00:00:00+00:00'").await;
    let late = server.post("/graphql").json(reset(&token, NEW_PASSWORD)).send().await;
    assert_eq!(user_error(&late), (Some("token"), "VALIDATION_FAILED"));
    for _ in 0..4 {
        server.post("/graphql").json(request_reset(&email)).send().await.data();
    }
    let refused = server.post("/graphql").json(request_reset(&email)).send().await;
    assert_eq!(user_error(&refused).1, "RATE_LIMITED");
    let other = person(&db, &account, "analyst").await.1;
    let answer = server.post("/graphql").json(request_reset(&other)).send().await.data();
    assert_eq!(answer["payload"]["userErrors"], json!([]), "others are not disturbed");
}

async fn owners_learn_of_a_low_balance_once_and_of_their_week(db: Db) {
    let mail = MailServer::start().await;
    // The server is busy at first.
    mail.refuse(true);
    let mut server = server_with(&db, &mail).await;
    let account = server.account(50).await;
    let key = db.scoped_key(&account, "moderate").await;
    server.moderate(&key, "hello").send().await.ok();
    server.terminate().await;
    // A week later.
    db.execute("UPDATE account SET created_at = '2020-01-01 00:00:00+00:00'").await;
    db.execute("UPDATE schedule SET due_at = 0").await;
    server.restart().await;
    eventually("the owners are told", async || {
        let told = inv::count(&db, "account WHERE low_balance_told AND summary_at IS NOT NULL").await;
        (told == 1).then_some(())
    })
    .await;
    mail.refuse(false);
    let low = mail.mail_with("credits left").await;
    assert_eq!(low.to, account.email);
    assert!(low.text.contains("49.5 credits left"), "{}", low.text);
    let week = mail.mail_with("your week on Gavel").await;
    assert!(week.text.contains("1 charge, 0.5 credits spent"), "{}", week.text);
    assert_eq!(mail.delivered().len(), 2, "each once");
}

/// The value of a header of an e-mail, without its folds.
fn header<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

async fn a_link_ends_one_kind_of_e_mail_without_a_session(db: Db) {
    let mail = MailServer::start().await;
    let mut server = server_with(&db, &mail).await;
    let account = server.account(50).await;
    let key = db.scoped_key(&account, "moderate").await;
    server.moderate(&key, "hello").send().await.ok();
    server.terminate().await;
    db.execute("UPDATE account SET created_at = '2020-01-01 00:00:00+00:00'").await;
    db.execute("UPDATE schedule SET due_at = 0").await;
    server.restart().await;
    let week = mail.mail_with("your week on Gavel").await.text.replace("\r\n ", " ");
    assert_eq!(header(&week, "List-Unsubscribe-Post"), Some("List-Unsubscribe=One-Click"));
    let link = header(&week, "List-Unsubscribe").unwrap().trim();
    let token = link
        .strip_prefix("<https://gavel.example.test/api/v1/unsubscribe?token=")
        .and_then(|rest| rest.strip_suffix('>'))
        .unwrap_or_else(|| panic!("{link}"));
    let path = format!("/api/v1/unsubscribe?token={token}");

    // A program that checks links only opens them, which changes nothing.
    server.get(&path).send().await;
    let boss = owner(&server, &account).await;
    const WANTED: &str = "{ viewer { mailPreferences { weeklySummary lowBalance } } }";
    let both = json!({ "weeklySummary": true, "lowBalance": true });
    assert_eq!(boss.query(WANTED).await["viewer"]["mailPreferences"], both);
    let forged = path.replace("weekly_summary", "low_balance");
    server.post(&forged).send().await.fails(422, "VALIDATION_FAILED");
    server.post("/api/v1/unsubscribe").send().await.fails(422, "VALIDATION_FAILED");
    for _ in 0..2 {
        let form = server.post(&path).body("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click");
        assert_eq!(form.send().await.ok(), json!({ "unsubscribed": true, "kind": "weekly_summary" }));
    }
    let one = json!({ "weeklySummary": false, "lowBalance": true });
    assert_eq!(boss.query(WANTED).await["viewer"]["mailPreferences"], one);

    // The next week comes without a summary, and the low balance is told nevertheless.
    server.terminate().await;
    db.execute("UPDATE account SET summary_at = '2020-01-01 00:00:00+00:00', low_balance_told = FALSE").await;
    db.execute("UPDATE schedule SET due_at = 0").await;
    let before = mail.delivered().len();
    server.restart().await;
    eventually("the week is over", async || {
        let due = inv::count(&db, "account WHERE summary_at < '2021-01-01 00:00:00+00:00'").await;
        (due == 0 && mail.delivered().len() > before).then_some(())
    })
    .await;
    let later = mail.delivered().split_off(before);
    assert!(later.iter().all(|mail| mail.text.contains("credits left")), "{later:?}");

    let boss = owner(&server, &account).await;
    let again = "setMailPreferences(input: { weeklySummary: true, lowBalance: false }) \
        { viewer { mailPreferences { weeklySummary lowBalance } } userErrors { code } }";
    let wanted = &boss.payload(again).await["viewer"]["mailPreferences"];
    assert_eq!(*wanted, json!({ "weeklySummary": true, "lowBalance": false }));
}

async fn without_a_mail_server_nothing_is_promised(db: Db) {
    let server = Server::with(&db).env("GAVEL_SIGN_UP", "invite").start().await;
    let account = server.account(1).await;
    let boss = owner(&server, &account).await;
    assert_eq!(boss.query("{ sendsEmail }").await["sendsEmail"], false);
    let refused = server.post("/graphql").json(request_reset(&account.email)).send().await;
    refused.refused("FORBIDDEN");
    let invite =
        "inviteUser(input: { email: \"new@example.test\", role: ANALYST }) { mailed userErrors { code } }";
    let invited = boss.payload(invite).await;
    assert_eq!(invited["mailed"], false);
    for (name, value, setting) in [
        ("GAVEL_SMTP_URL", "mail.example.test", "smtp_url"),
        ("GAVEL_SMTP_URL", "smtp://localhost", "mail_from"),
    ] {
        let ran = db.run(&["serve"], &[(name, value), ("GAVEL_LISTEN", "127.0.0.1:0")], "").await;
        assert!(!ran.status.success() && ran.stderr.contains(setting), "{}", ran.stderr);
    }
}

on_both!(
    a_forgotten_password_is_replaced_by_a_link,
    a_link_ends_one_kind_of_e_mail_without_a_session,
    owners_learn_of_a_low_balance_once_and_of_their_week
);
on_sqlite!(
    an_invited_person_gets_a_link,
    an_account_floods_nobody_with_invitations,
    a_link_expires_and_requests_are_limited,
    without_a_mail_server_nothing_is_promised,
);
