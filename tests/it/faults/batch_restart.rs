//! PostgreSQL is killed in the middle of a batch and restarted sooner or later: the batch continues by
//! itself, and every item runs and is charged once.

use std::time::Duration;

use serde_json::json;

use super::{
    postgres_server::{PostgresServer, on_own_postgres},
    victim::report,
};
use crate::{
    batches::{
        asking::{BATCHES, ended, questions, submitted},
        interrupted::settled,
    },
    harness::{Account, Db, Fault, Server, Upstream, eventually, inv},
};

const ITEMS: usize = 400;

/// Waits until more than `before` items are completed. Requests may fail meanwhile.
async fn more_than(before: i64, server: &Server, account: &Account, path: &str) -> i64 {
    eventually("the batch continues", async || {
        let answer = server.get(path).key(&account.key).send().await;
        let done = answer.body["counts"]["completed"].as_i64()?;
        (done > before).then_some(done)
    })
    .await
}

async fn a_batch_outlives_its_database(mut postgres: PostgresServer) {
    let db = Db::postgres_at(postgres.url()).await;
    let upstream = Upstream::start().await;
    upstream.breaks(Fault::Late(Duration::from_millis(150)));
    let start = Server::with_model(&db, &upstream).env("GAVEL_WORKER_BULK_JOBS", 1);
    let server = start.start().await;
    let account = server.account(1_000).await;
    let id = submitted(&server, &account.key, &questions(ITEMS)).await;
    let path = format!("{BATCHES}/{id}");
    let mut done = more_than(0, &server, &account, &path).await;
    for away in [100, 3_000] {
        postgres.kill9().await;
        tokio::time::sleep(Duration::from_millis(away)).await;
        postgres.start_again().await;
        report(&format!("PostgreSQL killed with {done} of {ITEMS} items done, away for {away} ms"));
        done = more_than(done, &server, &account, &path).await;
    }
    assert!((done as usize) < ITEMS, "the batch ended before the test: {done}");
    let batch = ended(&server, &account.key, &id).await;
    assert_eq!(
        (&batch["status"], &batch["counts"]),
        (&json!("completed"), &json!({ "completed": ITEMS, "failed": 0 }))
    );
    settled(&db, &server, &account, &batch, 1_000_000).await;
    inv::check(&db).await;
}

on_own_postgres!(a_batch_outlives_its_database);
