//! Memory while model servers send answers over the limit.

use super::asking::{asked, local};
use crate::harness::{Db, Fault, Upstream, inv, on_sqlite};

async fn an_answer_of_a_gigabyte_is_not_kept_in_memory(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_BACKEND_BREAKER_FAILURES", 1000).start().await;
    let account = server.account(10).await;
    asked(&server, &account).await.ok();
    let (before, _) = server.memory();
    for fault in [Fault::Endless, Fault::Huge, Fault::Endless] {
        upstream.breaks(fault);
        for _ in 0..15 {
            asked(&server, &account).await.fails(500, "UPSTREAM_FAILED");
        }
    }
    let (after, peak) = server.memory();
    assert!(after < before + 40 && peak < before + 80, "{before} MiB before, {after} after, peak {peak}");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

on_sqlite!(an_answer_of_a_gigabyte_is_not_kept_in_memory);
