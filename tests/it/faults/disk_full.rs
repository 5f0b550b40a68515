//! A full disk under a server on SQLite: errors cost nothing, and the server recovers when there is space again.
//!
//! A limit on the size of files (`prlimit`) simulates the full disk, which needs no privileges and affects no
//! other process.

use std::{process::Command, time::Duration};

use serde_json::json;

use super::{
    load::Load,
    settled::{check, no_log_holds_content, report},
};
use crate::{
    batches::{ended, submitted, text},
    graphql::checkpoints::Trained,
    harness::{Account, Db, Server, eventually, ignoring, inv, on_sqlite},
};

/// The error for what cannot be stored.
const FULL: &str = "nothing can be stored now, because the disk is full or fails; nothing was charged";

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

/// Waits until the server says that it is ready; it remembers its state for a second.
async fn ready(server: &Server) {
    eventually("it is ready", async || (server.get("/readyz").send().await.status == 200).then_some(()))
        .await;
}

/// Waits until the server says that it is not ready, and why.
async fn not_ready(server: &Server) {
    let ready = eventually("it is not ready", async || {
        let ready = server.get("/readyz").send().await;
        (ready.status == 503).then_some(ready.body)
    })
    .await;
    let reason = "nothing can be stored, because the disk is full or fails";
    assert_eq!((&ready["ready"], &ready["reason"]), (&json!(false), &json!(reason)));
    assert_eq!((&ready["database"], &ready["storage"]), (&json!(true), &json!(false)));
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
            assert_eq!(refused.fails(503, "OVERLOADED"), FULL);
            assert_eq!(refused.header("retry-after"), Some("1"));
            not_ready(&server).await;
        }
        assert_eq!(server.get("/livez").send().await.status, 200);
        limit_files(&server, "unlimited");
        recovers(&server, &bystander).await;
        ready(&server).await;
    }
    let figures = check(&db, &account, &load.stop().await).await;
    report("2 x disk full, SQLite", &figures);
    assert_eq!(figures.by_status.keys().copied().collect::<Vec<_>>(), [200, 503]);
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

async fn a_start_on_a_full_disk_serves_what_needs_no_write(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "read,moderate").await;
    server.moderate(&key, "there is room").send().await.ok();
    server.kill9();
    // SQLite needs 32 KiB for the memory that its processes share, and each charge some in its log.
    let server = Server::with(&db).with_files_of(32_768).start().await;
    eventually("charges are refused", async || {
        let answer = server.moderate(&key, "is there any room?").send().await;
        (answer.status != 200).then(|| assert_eq!(answer.fails(503, "OVERLOADED"), FULL))
    })
    .await;
    not_ready(&server).await;
    let balance = server.ask(&key, "{ viewer { account { balance } } }", json!({})).await;
    assert!(balance["viewer"]["account"]["balance"].is_number(), "{balance}");
    server.get("/api/pricing").send().await.ok();
    limit_files(&server, "unlimited");
    recovers(&server, &account).await;
    ready(&server).await;
    inv::check(&db).await;
}

/// SQLite cannot make the memory that its processes share, and so cannot open its file even for reading.
async fn the_reserve_is_released_to_open_the_database(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(100).await;
    let reserve = db.data_dir().join("reserve");
    assert_eq!(reserve.metadata().unwrap().len(), 256 * 1024);
    server.kill9();
    std::fs::remove_file(db.data_dir().join("gavel.sqlite-shm")).unwrap();
    let failed = ignoring("XFSZ", Some(1), &db.command(&["api"])).output().unwrap();
    let log = String::from_utf8([failed.stdout, failed.stderr].concat()).unwrap();
    assert!(!failed.status.success() && log.contains("released the reserve of space"), "{log}");
    assert!(!reserve.exists());
    let server = Server::start(&db).await;
    recovers(&server, &account).await;
    assert_eq!(reserve.metadata().unwrap().len(), 256 * 1024);
}

/// The queue's file cannot be opened, and jobs run all the same.
async fn a_queue_without_its_file_delivers_from_memory(db: Db) {
    std::fs::create_dir_all(db.data_dir().join("queue.sqlite")).unwrap();
    let server = Server::start(&db).await;
    assert!(server.log().contains("jobs are delivered from memory"), "{}", server.log());
    let account = server.account(100).await;
    let id = submitted(&server, &account.key, &[text("a", "hello"), text("b", "there")]).await;
    let done = ended(&server, &account.key, &id).await;
    assert_eq!(done["status"], "completed");
    assert_eq!(done["counts"], json!({ "completed": 2, "failed": 0 }));
    assert_eq!(server.get("/readyz").send().await.ok()["queue"], true);
}

on_sqlite!(
    a_full_disk_costs_nothing,
    a_start_on_a_full_disk_serves_what_needs_no_write,
    the_reserve_is_released_to_open_the_database,
    a_queue_without_its_file_delivers_from_memory,
    a_checkpoint_is_stored_once_there_is_room,
);
