//! A full disk under a server on SQLite: errors cost nothing, and the server recovers when there is space again.
//!
//! A limit on the size of files (`prlimit`) simulates the full disk, which needs no privileges and affects no
//! other process.

use std::{process::Command, time::Duration};

use super::{
    load::Load,
    settled::{check, no_log_holds_content, report},
};
use crate::{
    graphql::checkpoints::Trained,
    harness::{Account, Db, Server, eventually, inv, on_sqlite},
};

/// Limits the files of the process to this many bytes; `unlimited` lifts the limit.
fn limit_files(server: &Server, bytes: &str) {
    // Only the soft limit, which its owner may raise again.
    let pid = format!("--pid={}", server.pid());
    let limit = format!("--fsize={bytes}:");
    let done = Command::new("prlimit").args([pid, limit]).status().expect("prlimit, of util-linux");
    assert!(done.success());
}

async fn recovers(server: &Server, account: &Account) {
    eventually("requests succeed again", async || {
        (server.moderate(&account.key, "is there room again?").send().await.status == 200).then_some(())
    })
    .await;
}

async fn a_full_disk_costs_nothing(db: Db) {
    let server = Server::with(&db).ignoring("XFSZ").start().await;
    let account = server.account(100_000).await;
    let bystander = server.account(100).await;
    let load = Load::start(&account, &[&server], 16);
    // First there is a little space, which varies with checkpoints of the file, and none for the log; then
    // there is none.
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

/// The disk is full when a Checkpoint should be stored: once there is space, it is stored completely and charged once.
async fn a_checkpoint_is_stored_once_there_is_room(db: Db) {
    let server = Server::with(&db).ignoring("XFSZ").start().await;
    let made = Trained::on(server, 6_000).await;
    made.import(12).await;
    let id = made.submit(false).await["checkpoint"]["id"].clone();
    eventually("it is trained", async || (made.checkpoint(&id).await["state"] == "RUNNING").then_some(()))
        .await;
    limit_files(&made.server, "1");
    // Longer than the training takes on an idle machine.
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(made.checkpoint(&id).await["state"], "RUNNING");
    assert_eq!(inv::charges(&db, &made.account.id).await.len(), 0);
    limit_files(&made.server, "unlimited");
    assert_eq!(made.ended(&id).await["state"], "SUCCEEDED");
    let charges: Vec<i64> = inv::charges(&db, &made.account.id).await.iter().map(|row| row.delta).collect();
    assert_eq!(charges, [-5_000_000]);
    let activate =
        format!("mutation {{ activateCheckpoint(input: {{ id: {id} }}) {{ userErrors {{ code }} }} }}");
    made.server.ask(&made.key, &activate, serde_json::json!({})).await;
    let answer = made.infer("A cat.").await.body;
    assert!(
        answer["model"].as_str().unwrap().ends_with(id.as_str().unwrap()),
        "its head is intact: {answer}"
    );
}

on_sqlite!(a_full_disk_costs_nothing, a_checkpoint_is_stored_once_there_is_room);
