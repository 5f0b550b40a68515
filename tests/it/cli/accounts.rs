//! Accounts, people, credits and prices.

use serde_json::{Value, json};

use crate::harness::{Db, inv, on_both, on_sqlite};

fn fields(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

async fn a_new_account_comes_with_credits_and_a_key(db: Db) {
    let made = db.cli(&["account", "create", "--email", " Ann@Example.Test ", "--credits", "12.345"]).await;
    assert_eq!(fields(&made), ["account_id", "user_id", "email", "credits", "key_id", "api_key"]);
    assert_eq!(made["credits"], 12.345);
    for (field, prefix) in
        [("account_id", "acc_"), ("user_id", "user_"), ("key_id", "key_"), ("api_key", "svc_live_")]
    {
        assert!(made[field].as_str().unwrap().starts_with(prefix), "{made}");
    }
    let ledger = inv::ledger(&db).await;
    assert_eq!((ledger.len(), ledger[0].kind.as_str(), ledger[0].delta), (1, "grant", 12_345));
    let listed = db.cli(&["account", "list"]).await;
    let listed = &listed["accounts"][0];
    assert_eq!(
        fields(listed),
        ["account_id", "name", "balance", "held", "rate_limit_per_minute", "backends", "created_at"]
    );
    assert_eq!(listed["account_id"], made["account_id"]);
    assert_eq!((&listed["name"], &listed["balance"]), (&json!("ann@example.test"), &json!(12.345)));
}

async fn invalid_accounts_are_refused_without_a_trace(db: Db) {
    db.account(1).await;

    for (more, code, field) in [
        (&["--email", "owner-0@example.test"][..], "CONFLICT", "owner-0@example.test"),
        (&["--email", "OWNER-0@Example.test "], "CONFLICT", "owner-0@example.test"),
        (&["--email", "nobody"], "VALIDATION_FAILED", "email"),
        (&["--email", "@"], "VALIDATION_FAILED", "email"),
        (&["--email", "a b@example.test"], "VALIDATION_FAILED", "email"),
        (&["--email", ""], "VALIDATION_FAILED", "email"),
        (&["--email", "b@example.test", "--password", "too short"], "VALIDATION_FAILED", "password"),
        (&["--email", "b@example.test", "--credits=-1"], "VALIDATION_FAILED", "credits"),
    ] {
        let error = db.cli_fails(&[&["account", "create"], more].concat()).await;
        assert_eq!(fields(&error), ["error", "code"]);
        assert_eq!(error["code"], code, "{more:?}: {error}");
        assert!(error["error"].as_str().unwrap().contains(field), "{more:?}: {error}");
    }
    assert_eq!(db.cli(&["account", "list"]).await["accounts"].as_array().unwrap().len(), 1);
    db.cli(&["account", "create", "--email", "b@example.test", "--password", "long enough"]).await;
}

async fn credits_can_be_granted_and_revoked_but_not_below_zero(db: Db) {
    let account = db.account("0.5").await;
    let grant = ["credits", "grant", "--account", &account.id];
    assert_eq!(
        db.cli(&[&grant[..], &["--amount=1.25"]].concat()).await,
        json!({ "account_id": account.id, "granted": 1.25, "remaining_credits": 1.75 })
    );
    let taken = db.cli(&[&grant[..], &["--amount=-0.75"]].concat()).await;
    assert_eq!(taken["remaining_credits"], 1.0);
    let over = db.cli_fails(&[&grant[..], &["--amount=-1.001"]].concat()).await;
    assert_eq!(over["code"], "INSUFFICIENT_CREDITS", "{over}");
    let taken = db.cli(&[&grant[..], &["--amount=-1"]].concat()).await;
    assert_eq!(taken["remaining_credits"], 0.0);
    let by_email = ["credits", "grant", "--account", &account.email, "--amount", "3", "--note", "thanks"];
    assert_eq!(db.cli(&by_email).await["remaining_credits"], 3.0);
    let ledger = inv::ledger(&db).await;
    let kinds: Vec<&str> = ledger.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(kinds, ["grant", "grant", "adjustment", "adjustment", "grant"]);
    assert_eq!(ledger[4].note.as_deref(), Some("thanks"));
    for nobody in ["acc_01kahd7f3ye9pvsk8h0a5m5x2e", "nobody@example.test"] {
        let error = db.cli_fails(&["credits", "grant", "--account", nobody, "--amount", "1"]).await;
        assert_eq!(error["code"], "NOT_FOUND");
    }
}

async fn invalid_amounts_are_refused(db: Db) {
    let account = db.account(1).await;
    for wrong in ["", "x", "1.2345", "1e3", "NaN", "inf", "1,5", "--1", "99999999999999999999"] {
        let amount = format!("--amount={wrong}");
        let ran = db.run(&["credits", "grant", "--account", &account.id, &amount], &[], "").await;
        assert!(!ran.status.success(), "{wrong:?} was accepted as an amount");
    }
    // The maximum, and not a milli-credit more.
    let most = "--amount=9223372036854774.807";
    db.cli(&["credits", "grant", "--account", &account.id, most]).await;
    let ran = db.run(&["credits", "grant", "--account", &account.id, "--amount=1"], &[], "").await;
    assert!(!ran.status.success(), "{ran:?}");
}

async fn a_reset_shows_only_generated_passwords(db: Db) {
    let account = db.account(0).await;
    let reset = ["user", "reset-password", "--email", &account.email];
    let made = db.cli(&reset).await;
    assert_eq!(made["password"].as_str().unwrap().len(), 20);
    assert_ne!(db.cli(&reset).await["password"], made["password"]);
    let given = db.cli(&[&reset[..], &["--password", "long enough"]].concat()).await;
    assert_eq!(given, json!({ "email": account.email }));
    let short = db.cli_fails(&[&reset[..], &["--password", "short"]].concat()).await;
    assert_eq!(short["code"], "VALIDATION_FAILED");
    let nobody = db.cli_fails(&["user", "reset-password", "--email", "nobody@example.test"]).await;
    assert_eq!(nobody["code"], "NOT_FOUND");
}

async fn prices_are_listed_and_set(db: Db) {
    let listed = db.cli(&["price", "list"]).await;
    let start = json!({ "prices": { "text": 0.5, "image": 1.0, "inference": 0.5, "checkpoint": 5000.0 } });
    assert_eq!(listed, start);
    assert_eq!(db.cli(&["price", "set", "inference", "0.125"]).await["prices"]["inference"], 0.125);
    assert_eq!(db.cli(&["price", "list"]).await["prices"]["inference"], 0.125);
    let unknown = db.cli_fails(&["price", "set", "video", "1"]).await;
    assert_eq!(unknown["code"], "VALIDATION_FAILED");
    assert!(unknown["error"].as_str().unwrap().contains("text, image, inference, checkpoint"), "{unknown}");
    assert!(!db.run(&["price", "set", "text", "--", "-1"], &[], "").await.status.success());
}

on_both!(
    a_new_account_comes_with_credits_and_a_key,
    invalid_accounts_are_refused_without_a_trace,
    credits_can_be_granted_and_revoked_but_not_below_zero,
    invalid_amounts_are_refused,
    prices_are_listed_and_set,
);
on_sqlite!(a_reset_shows_only_generated_passwords);
