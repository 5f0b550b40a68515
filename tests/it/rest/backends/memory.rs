//! Memory while servers answer with more than they may.

use super::asking::{asked, local};
use crate::harness::{Db, Fault, Server, Upstream, inv, on_sqlite};

/// MiB in use now, and at most so far.
fn memory(server: &Server) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("its status");
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line of the status");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("kilobytes") / 1024
    };
    (of("VmRSS:"), of("VmHWM:"))
}

async fn a_gigabyte_for_an_answer_is_not_kept(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_BACKEND_BREAKER_FAILURES", 1000).start().await;
    let account = server.account(10).await;
    asked(&server, &account).await.ok();
    let (before, _) = memory(&server);
    for fault in [Fault::Endless, Fault::Huge, Fault::Endless] {
        upstream.breaks(fault);
        for _ in 0..15 {
            asked(&server, &account).await.fails(500, "UPSTREAM_FAILED");
        }
    }
    let (after, peak) = memory(&server);
    assert!(after < before + 40 && peak < before + 80, "{before} MiB before, {after} after, {peak} at most");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

on_sqlite!(a_gigabyte_for_an_answer_is_not_kept);
