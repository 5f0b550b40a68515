//! E-mail addresses have one form, by which they are unique.

use serde_json::json;

use super::{PASSWORD, sessions::user_error};
use crate::harness::{Answer, Db, Server, inv, on_both};

async fn send(server: &Server, mutation: &str, email: &str) -> Answer {
    let input = format!("{}{}Input!", mutation[..1].to_uppercase(), &mutation[1..]);
    let query = format!(
        "mutation($input: {input}) {{ payload: {mutation}(input: $input) {{ viewer {{ user {{ email }} }} userErrors \
         {{ field code message }} }} }}"
    );
    let input = json!({ "email": email, "password": PASSWORD });
    server.graphql(&query, json!({ "input": input })).send().await
}

/// The address of the person whom a mutation has signed in.
#[track_caller]
fn signed_in(answer: &Answer) -> &str {
    let user = &answer.body["data"]["payload"]["viewer"]["user"];
    user["email"].as_str().unwrap_or_else(|| panic!("{}", answer.text))
}

async fn an_address_is_one_person_however_it_is_written(db: Db) {
    let server = &Server::with(&db).env("GAVEL_SIGN_UP", "open").start().await;
    assert_eq!(signed_in(&send(server, "signUp", "Own@Example.test").await), "own@example.test");
    for same in [
        " OWN@EXAMPLE.TEST",
        "ｏｗｎ@example.test",
        "own@ｅｘａｍｐｌｅ．ｔｅｓｔ",
        "oWn@ex\u{24d0}mple.test",
    ] {
        assert_eq!(user_error(&send(server, "signUp", same).await).1, "CONFLICT", "{same}");
        assert_eq!(signed_in(&send(server, "signIn", same).await), "own@example.test", "{same}");
    }
    for wrong in [
        "own@example.test\u{200b}",
        "own\u{2060}@example.test",
        "own@exa\u{ad}mple.test",
        "own@[127.0.0.1]",
        "own@127.0.0.1",
        "\"own\"@example.test",
        "Own <own@example.test>",
        "own@example.test.",
    ] {
        let refused = send(server, "signUp", wrong).await;
        assert_eq!(user_error(&refused), (Some("email"), "VALIDATION_FAILED"), "{wrong:?}");
    }
    assert_eq!(inv::count(&db, "account").await, 1);
    // An address that only looks the same is shown as what it is.
    let other = send(server, "signUp", "own@\u{435}xample.test").await;
    assert_eq!(signed_in(&other), "own@xn--xample-2of.test");
}

async fn an_operator_may_use_any_syntax(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    for address in ["own@[192.0.2.7]", "\"own name\"@example.test"] {
        let args = ["user", "create", "--account", &account.id, "--email", address, "--role", "analyst"];
        db.cli(&[&args[..], &["--password", PASSWORD]].concat()).await;
        assert_eq!(signed_in(&send(server, "signIn", address).await), address);
    }
}

on_both!(an_address_is_one_person_however_it_is_written, an_operator_may_use_any_syntax,);
