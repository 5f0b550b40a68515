//! Accounts share a worker: a small batch does not wait for the large ones that another account submitted before.

use std::time::Duration;

use serde_json::json;

use super::asking::*;
use crate::harness::{Account, Db, Fault, Server, Upstream, inv, on_both};

/// Items of the first account, in three batches.
const ITEMS: usize = 3_000;

/// The number of completed items in all these batches.
async fn completed_in(server: &Server, account: &Account, ids: &[String]) -> i64 {
    let mut sum = 0;
    for id in ids {
        sum += completed(&batch(server, &account.key, id).await);
    }
    sum
}

async fn a_small_batch_overtakes_large_ones_of_another_account(db: Db) {
    let upstream = Upstream::start().await;
    upstream.breaks(Fault::Late(Duration::from_millis(100)));
    let start = Server::with_model(&db, &upstream).env("GAVEL_WORKER_BULK_JOBS", 2);
    let server = start.start().await;
    let large = server.account(10_000).await;
    let small = server.account(100).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(submitted(&server, &large.key, &questions(ITEMS)).await);
    }
    let before = completed_in(&server, &large, &ids).await;
    let id = submitted(&server, &small.key, &questions(20)).await;
    let done = ended(&server, &small.key, &id).await;
    assert_eq!(done["counts"], json!({ "completed": 20, "failed": 0 }), "{done}");
    let meanwhile = completed_in(&server, &large, &ids).await - before;
    // Each job slot may have started one chunk of the large batches before the small one, and another during it.
    assert!(meanwhile < 500, "{meanwhile} items of the large batches ran before the 20 of the small one");
    // The large batches continue: their delivered jobs were not lost.

    when(&server, &large.key, &ids[0], |batch| completed(batch) >= 300).await;
    for id in &ids {
        cancel(&server, &large.key, id).await.ok();
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let charged: i64 = inv::charges(&db, &large.id).await.iter().map(|row| -row.delta).sum();
    assert_eq!(charged, PRICE * completed_in(&server, &large, &ids).await);
}

/// Four accounts with equally large batches finish at about the same time, and every item runs.
async fn accounts_with_equal_work_progress_equally(db: Db) {
    let upstream = Upstream::start().await;
    upstream.breaks(Fault::Late(Duration::from_millis(50)));
    let start = Server::with_model(&db, &upstream).env("GAVEL_WORKER_BULK_JOBS", 2);
    let server = start.start().await;
    let mut batches = Vec::new();
    for _ in 0..4 {
        let account = server.account(1_000).await;
        let id = submitted(&server, &account.key, &questions(400)).await;
        batches.push((account, id));
    }
    let (first, id) = &batches[0];
    ended(&server, &first.key, id).await;
    for (account, id) in &batches[1..] {
        let done = completed(&batch(&server, &account.key, id).await);
        assert!(done >= 200, "only {done} of 400 when the first account finished");
        assert_eq!(
            ended(&server, &account.key, id).await["counts"],
            json!({ "completed": 400, "failed": 0 })
        );
    }
}

on_both!(a_small_batch_overtakes_large_ones_of_another_account, accounts_with_equal_work_progress_equally,);
