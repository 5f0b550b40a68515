//! The disk is full under a server on SQLite: errors that cost nothing, and all is well when there is room again.
//!
//! A full disk is made by a limit on the size of files (`prlimit`), which needs no rights and harms nobody else.

use std::{process::Command, time::Duration};

use super::{
    load::Load,
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Account, Db, Server, eventually, inv, on_sqlite};

/// No file of the process may grow over so many bytes; `unlimited` lifts it.
fn limit_files(server: &Server, bytes: &str) {
    // The soft limit alone, which its owner may raise again.
    let (pid, limit) = (format!("--pid={}", server.pid()), format!("--fsize={bytes}:"));
    let done = Command::new("prlimit").args([pid, limit]).status().expect("prlimit, of util-linux");
    assert!(done.success());
}

async fn recovers(server: &Server, account: &Account) {
    eventually("requests succeed again", async || {
        (server.moderate(&account.key, "is there room again?").send().await.status == 200).then_some(())
    })
    .await;
}

async fn a_full_disk_costs_nobody_anything(db: Db) {
    let server = Server::with(&db).ignoring("XFSZ").start().await;
    let (account, bystander) = (server.account(100_000).await, server.account(100).await);
    let load = Load::start(&account, &[&server], 16);
    // First there is some room, which comes and goes as the file is tidied up, and none for the log; then there is none.
    for bytes in ["65536", "1"] {
        tokio::time::sleep(Duration::from_millis(500)).await;
        limit_files(&server, bytes);
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        if bytes == "1" {
            let refused = server.moderate(&bystander.key, "is there any room?").send().await;
            refused.fails(500, "INTERNAL_ERROR");
        }
        assert_eq!(server.get("/livez").send().await.status, 200);
        limit_files(&server, "unlimited");
        recovers(&server, &bystander).await;
    }
    let figures = check(&db, &account, &load.stop().await).await;
    report("2 x disk full, SQLite", &figures);
    assert_eq!(figures.by_status.keys().copied().collect::<Vec<_>>(), [200, 500]);
    assert_eq!(figures.charges, figures.by_status[&200]);
    no_log_holds_content(&db);
    inv::check(&db).await;
}

on_sqlite!(a_full_disk_costs_nobody_anything);
