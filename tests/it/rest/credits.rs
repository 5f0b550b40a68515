//! The price of requests, charged once.

use serde_json::{Value, json};

use crate::harness::{Account, Answer, Db, Server, eventually, inv, on_both, on_postgres};

async fn batch(server: &Server, account: &Account, size: usize) -> Answer {
    let body = json!({ "messages": vec![json!({ "content": "hello" }); size] });
    server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await
}

async fn a_message_costs_half_a_credit(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let bystander = server.account(7).await;
    for spent in 1..=20 {
        let verdict = server.moderate(&account.key, "good morning, everyone").send().await;
        assert_eq!(verdict.remaining(), 10_000 - spent * 500);
        let charges = inv::charges(&db, &account.id).await;
        let row = charges.last().unwrap();
        assert_eq!((charges.len() as i64, row.delta, row.balance_after), (spent, -500, 10_000 - spent * 500));
        assert_eq!(row.request_id, verdict.request_id());
        assert_eq!(row.reference.as_deref(), verdict.body["id"].as_str());
        assert_eq!(row.endpoint.as_deref(), Some("/api/v1/moderate/text"));
        assert_eq!(row.api_key_id.as_deref(), Some(account.key_id.as_str()));
    }
    server.moderate(&account.key, "one too many").send().await.fails(402, "INSUFFICIENT_CREDITS");
    assert_eq!(inv::balance(&db, &bystander.id).await, 7_000);
}

async fn a_batch_is_charged_in_one_deduction(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(30).await;
    let answer = batch(&server, &account, 3).await;
    assert_eq!((&answer.body["credits_deducted"], answer.remaining()), (&json!(1.5), 28_500));
    let charges = inv::charges(&db, &account.id).await;
    assert_eq!((charges.len(), charges[0].delta), (1, -1_500));
    assert_eq!(charges[0].endpoint.as_deref(), Some("/api/v1/moderate/text/batch"));
    let answer = batch(&server, &account, 50).await;
    assert_eq!((&answer.body["credits_deducted"], answer.remaining()), (&json!(25.0), 3_500));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

async fn a_request_with_insufficient_credits_costs_nothing(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account("1.4").await;
    let refused = batch(&server, &account, 3).await;
    assert_eq!(refused.fails(402, "INSUFFICIENT_CREDITS"), "this costs 1.5 credits, but the account has 1.4");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
    assert_eq!(batch(&server, &account, 2).await.remaining(), 400);
    let refused = server.moderate(&account.key, "hello").send().await;
    assert_eq!(refused.fails(402, "INSUFFICIENT_CREDITS"), "this costs 0.5 credits, but the account has 0.4");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn the_last_half_credit_can_be_spent(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account("0.5").await;
    assert_eq!(server.moderate(&account.key, "hello").send().await.remaining(), 0);
    let empty = server.account(0).await;
    server.moderate(&empty.key, "hello").send().await.fails(402, "INSUFFICIENT_CREDITS");
}

async fn grant(server: &Server, account: &Account, amount: &str) -> Value {
    server.cli(&["credits", "grant", "--account", &account.id, "--amount", amount]).await
}

async fn shown(server: &Server) -> Value {
    server.get("/api/pricing").send().await.ok()["pricing"].clone()
}

/// The price list.
fn prices(image: f64, text: f64, inference: f64, checkpoint: f64) -> Value {
    json!({
        "imageCreditCost": image,
        "textCreditCost": text,
        "plainRulesCreditCost": 0.5,
        "inferenceCreditCost": inference,
        "checkpointCreditCost": checkpoint,
    })
}

/// Waits until a text is charged at this price.
async fn charged(server: &Server, account: &Account, price: f64) {
    eventually("the new price is charged", async || {
        let verdict = server.moderate(&account.key, "hello").send().await.ok();
        (verdict["credits_deducted"] == price).then_some(())
    })
    .await;
}

async fn granted_credits_can_be_spent_immediately(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(0).await;

    for round in 0..5 {
        server.moderate(&account.key, "too poor").send().await.fails(402, "INSUFFICIENT_CREDITS");
        let granted = grant(&server, &account, "1").await;
        assert_eq!(granted["remaining_credits"], 1.0, "round {round}");
        assert_eq!(server.moderate(&account.key, "first").send().await.remaining(), 500);
        assert_eq!(server.moderate(&account.key, "second").send().await.remaining(), 0);
    }
    // Credits that are taken back cannot be spent, although the server has just cached them.
    grant(&server, &account, "10").await;
    assert_eq!(server.moderate(&account.key, "rich").send().await.remaining(), 9_500);
    grant(&server, &account, "-9.5").await;
    server.moderate(&account.key, "poor again").send().await.fails(402, "INSUFFICIENT_CREDITS");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 11);
}

async fn a_price_changes_without_a_restart(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    charged(&server, &account, 0.5).await;
    for price in ["0.25", "0.001", "2", "0"] {
        let set = server.cli(&["price", "set", "text", price]).await;
        let price: f64 = price.parse().unwrap();
        assert_eq!(set["prices"]["text"], price);
        assert_eq!(shown(&server).await, prices(1.0, price, 0.5, 5_000.0));
        charged(&server, &account, price).await;
        assert_eq!(batch(&server, &account, 3).await.ok()["credits_deducted"], price * 3.0);
    }
    server.cli(&["price", "set", "image", "1.75"]).await;
    assert_eq!(shown(&server).await, prices(1.75, 0.0, 0.5, 5_000.0));
    server.cli(&["price", "set", "inference", "0.75"]).await;
    server.cli(&["price", "set", "checkpoint", "1234.5"]).await;
    assert_eq!(shown(&server).await, prices(1.75, 0.0, 0.75, 1_234.5));
    // A free request needs no credits.
    let poor = server.account(0).await;
    assert_eq!(server.moderate(&poor.key, "hello").send().await.ok()["credits_deducted"], Value::from(0.0));
}

async fn a_new_price_is_charged_by_every_replica_within_a_second(db: Db) {
    let server = Server::start(&db).await;
    let replica = server.replica().await;
    let account = server.account(100).await;
    for price in ["0.75", "0.1"] {
        for server in [&server, &replica] {
            server.moderate(&account.key, "at the old price").send().await.ok();
        }
        server.cli(&["price", "set", "text", price]).await;
        // The documented delay.
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        for server in [&server, &replica] {
            let verdict = server.moderate(&account.key, "at the new price").send().await.ok();
            assert_eq!(verdict["credits_deducted"], price.parse::<f64>().unwrap());
        }
    }
}

async fn each_account_pays_for_itself(db: Db) {
    let server = Server::start(&db).await;
    let one = server.account(1).await;
    let other = server.account(5).await;
    let (_, second_key) = db.key(&one, &["--name", "second"]).await;
    assert_eq!(server.moderate(&one.key, "hello").send().await.remaining(), 500);
    assert_eq!(server.moderate(&second_key, "hello").send().await.remaining(), 0);
    for key in [&one.key, &second_key] {
        server.moderate(key, "hello").send().await.fails(402, "INSUFFICIENT_CREDITS");
    }
    assert_eq!(server.moderate(&other.key, "hello").send().await.remaining(), 4_500);
}

async fn balances_survive_a_crash(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(10).await;
    assert_eq!(server.moderate(&account.key, "before").send().await.remaining(), 9_500);
    server.kill9();
    server.restart().await;
    assert_eq!(server.moderate(&account.key, "after").send().await.remaining(), 9_000);
}

on_both!(
    a_message_costs_half_a_credit,
    a_batch_is_charged_in_one_deduction,
    a_request_with_insufficient_credits_costs_nothing,
    the_last_half_credit_can_be_spent,
    granted_credits_can_be_spent_immediately,
    a_price_changes_without_a_restart,
    each_account_pays_for_itself,
    balances_survive_a_crash,
);
on_postgres!(a_new_price_is_charged_by_every_replica_within_a_second);
