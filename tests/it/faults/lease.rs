//! A process dies in the middle of an idempotent request: a retry takes over, and one charge is made.

use sea_orm::FromQueryResult;

use crate::harness::{Account, Db, Server, inv, on_both};

const KEY: &str = "order-66";

#[derive(FromQueryResult)]
struct IdempotencyRow {
    request_id: String,
    answer: Option<String>,
}

async fn row(db: &Db) -> IdempotencyRow {
    let mut rows: Vec<IdempotencyRow> = inv::rows(db, "SELECT request_id, answer FROM idempotency").await;
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

/// Leaves what a server leaves that dies during a request under a key: the row without an answer. Made from an answered
/// row, so that it has the request's fingerprint.
async fn die_in_mid_run(server: &mut Server, account: &Account) -> IdempotencyRow {
    let db = server.db.clone();
    let helper = server.account(1).await;
    let request = server.moderate(&helper.key, "a request that outlives its server").idempotent(KEY);
    request.send().await.ok();
    server.kill9();
    let sql = format!(
        "UPDATE idempotency SET account_id = '{}', request_id = 'req_of_the_dead', answer = NULL",
        account.id
    );
    assert_eq!(db.execute(&sql).await, 1);
    let left = row(&db).await;
    server.restart().await;
    left
}

async fn the_request_of_a_dead_process_is_taken_over_and_charged_once(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(10).await;
    let left = die_in_mid_run(&mut server, &account).await;
    assert_eq!((left.request_id.as_str(), &left.answer), ("req_of_the_dead", &None));

    // Until the lease ends, the dead process may still be working: all retries wait.
    let asking: Vec<_> = (0..8)
        .map(|_| server.moderate(&account.key, "a request that outlives its server").idempotent(KEY))
        .map(|request| tokio::spawn(request.send()))
        .collect();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(asking.iter().all(|one| !one.is_finished()), "the lease was not respected");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
    assert_eq!(db.execute("UPDATE idempotency SET lease_until = 0").await, 1);
    let mut texts = Vec::new();
    let mut replayed = 0;
    for one in asking {
        let answer = one.await.unwrap();
        assert_eq!(answer.remaining(), 9_500);
        replayed += usize::from(answer.header("idempotent-replayed").is_some());
        texts.push(answer.text);
    }
    texts.dedup();
    assert_eq!((texts.len(), replayed), (1, 7), "one takes over, all receive the same answer");
    let charges = inv::charges(&db, &account.id).await;
    assert_eq!(charges.len(), 1);
    assert_eq!(charges[0].request_id, "req_of_the_dead", "the charge carries the id that the row had");
    assert!(row(&db).await.answer.is_some());
}

on_both!(the_request_of_a_dead_process_is_taken_over_and_charged_once);
