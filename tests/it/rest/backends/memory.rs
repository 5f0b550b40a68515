//! Memory while servers answer with more than they may.

use super::asking::{asked, local};
use crate::harness::{Db, Fault, Upstream, inv, on_sqlite};

async fn a_gigabyte_for_an_answer_is_not_kept(db: Db) {
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
    assert!(after < before + 40 && peak < before + 80, "{before} MiB before, {after} after, {peak} at most");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

on_sqlite!(a_gigabyte_for_an_answer_is_not_kept);
