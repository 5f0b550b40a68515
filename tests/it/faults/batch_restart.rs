//! PostgreSQL dies of SIGKILL in the middle of a batch, and comes back soon or late: the batch goes on by itself, and every item
//! is run and charged once.

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
    harness::{Db, Fault, Server, Upstream, eventually, inv},
};

const ITEMS: usize = 400;

async fn a_batch_outlives_its_database(mut postgres: PostgresServer) {
    let db = Db::postgres_at(postgres.url()).await;
    let upstream = Upstream::start().await;
    upstream.breaks(Fault::Late(Duration::from_millis(150)));
    let start = Server::with(&db).env("GAVEL_LOCAL_URL", upstream.url()).env("GAVEL_WORKER_BULK_JOBS", 1);
    let server = start.start().await;
    let account = server.account(1_000).await;
    let id = submitted(&server, &account.key, &questions(ITEMS)).await;
    let path = format!("{BATCHES}/{id}");
    // More items than `before` are done; requests may fail for a moment.
    let more = async |before: i64| {
        eventually("the batch goes on", async || {
            let answer = server.get(&path).key(&account.key).send().await;
            let done = answer.body["counts"]["completed"].as_i64()?;
            (done > before).then_some(done)
        })
        .await
    };
    let mut done = more(0).await;
    for away in [100, 3_000] {
        postgres.kill9().await;
        tokio::time::sleep(Duration::from_millis(away)).await;
        postgres.start_again().await;
        report(&format!("PostgreSQL killed with {done} of {ITEMS} items done, away for {away} ms"));
        done = more(done).await;
    }
    assert!((done as usize) < ITEMS, "the batch was over before the end of the test: {done}");
    let batch = ended(&server, &account.key, &id).await;
    assert_eq!(
        (&batch["status"], &batch["counts"]),
        (&json!("completed"), &json!({ "completed": ITEMS, "failed": 0 }))
    );
    settled(&db, &server, &account, &batch, 1_000_000).await;
    inv::check(&db).await;
}

on_own_postgres!(a_batch_outlives_its_database);
