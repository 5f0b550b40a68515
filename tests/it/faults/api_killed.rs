//! The server is killed under load several times and restarted on the same database.

use std::time::Duration;

use sea_orm::FromQueryResult;

use super::{
    load::Load,
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Db, Server, inv, on_both, on_sqlite};

const KILLS: usize = 4;

/// A request under a key that has no answer yet.
#[derive(FromQueryResult)]
struct UnansweredRow {
    request_id: String,
}

/// Ends the leases of killed servers now instead of 30 seconds later. One row per statement: a single statement could
/// deadlock with the commit of a living server.
pub(super) async fn end_leases(db: &Db) {
    let unanswered: Vec<UnansweredRow> =
        inv::rows(db, "SELECT request_id FROM idempotency WHERE answer IS NULL").await;
    for UnansweredRow { request_id } in unanswered {
        let sql = format!(
            "UPDATE idempotency SET lease_until = 0 WHERE request_id = '{request_id}' AND answer IS NULL"
        );
        db.execute(&sql).await;
    }
}

async fn kill_again_and_again(db: &Db, server: &mut Server, loads: &[&Load]) {
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(700)).await;
        server.kill9();
        end_leases(db).await;
        server.restart().await;
        for load in loads {
            load.aim(&[server]);
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
}

async fn a_killed_server_charges_each_idempotency_key_once(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(100_000).await;
    let load = Load::stubborn(&account, &[&server], 32);
    kill_again_and_again(&db, &mut server, &[&load]).await;
    let figures = check(&db, &account, &load.stop().await).await;
    report(&format!("{KILLS} x kill -9 of the API, keys, {}", name(&db)), &figures);
    assert!(figures.by_status[&0] > 0, "no request was in progress when the server died: {figures:?}");
    assert_eq!(figures.by_status.keys().copied().collect::<Vec<_>>(), [0, 200]);
    assert_eq!(figures.refunds, 0);
    no_log_holds_content(&db);
}

async fn a_killed_server_loses_no_charge_it_has_acknowledged(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(100_000).await;
    let load = Load::start(&account, &[&server], 32);
    kill_again_and_again(&db, &mut server, &[&load]).await;
    let figures = check(&db, &account, &load.stop().await).await;
    report(&format!("{KILLS} x kill -9 of the API, {}", name(&db)), &figures);
    assert!(figures.by_status[&0] > 0, "no request was in progress when the server died: {figures:?}");
    assert_eq!(figures.by_status.keys().copied().collect::<Vec<_>>(), [0, 200]);
    no_log_holds_content(&db);
}

/// One line of `PRAGMA integrity_check`.
#[derive(FromQueryResult)]
struct Integrity {
    integrity_check: String,
}

async fn a_database_file_survives_killed_servers(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(100_000).await;
    let load = Load::start(&account, &[&server], 16);
    let stubborn = Load::stubborn(&account, &[&server], 16);
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        server.kill9();
        let found: Vec<Integrity> = inv::rows(&db, "PRAGMA integrity_check").await;
        assert_eq!(found.iter().map(|line| line.integrity_check.as_str()).collect::<Vec<_>>(), ["ok"]);
        inv::check(&db).await;
        end_leases(&db).await;
        server.restart().await;
        load.aim(&[&server]);
        stubborn.aim(&[&server]);
    }
    let mut sent = load.stop().await;
    sent.extend(stubborn.stop().await);
    report(
        "3 x kill -9 of the API on SQLite, the file checked each time",
        &check(&db, &account, &sent).await,
    );
}

fn name(db: &Db) -> &'static str {
    if db.is_sqlite() { "SQLite" } else { "Postgres" }
}

on_both!(
    a_killed_server_charges_each_idempotency_key_once,
    a_killed_server_loses_no_charge_it_has_acknowledged,
);
on_sqlite!(a_database_file_survives_killed_servers);
