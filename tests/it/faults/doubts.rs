//! A charge that was answered with a 500 is refunded even if the process ends before the database is back.

use std::io::Write as _;

use super::{
    commit_cut::behind,
    load::MARKER,
    proxy::{Fate, Proxy},
    settled::no_log_holds_content,
};
use crate::harness::{Account, Answer, Db, Server, eventually, inv, inv::LedgerRow, on_postgres};

/// Leaves a charge in the ledger that was answered with a 500, and an unreachable database.
async fn leave_a_doubt(proxy: &Proxy, server: &Server, account: &Account) -> Answer {
    server.moderate(&account.key, "all is well").send().await.ok();
    proxy.next_commit(Fate::AnswerLost, true);
    let answer = server.moderate(&account.key, MARKER).send().await;
    answer.fails(500, "INTERNAL_ERROR");
    let charges = inv::charges(&server.db, &account.id).await;
    assert!(charges.iter().any(|row| row.request_id == answer.request_id()), "there is nothing to undo");
    answer
}

async fn refunds(db: &Db) -> Vec<LedgerRow> {
    inv::ledger(db).await.into_iter().filter(|row| row.kind == "refund").collect()
}

async fn doubts_survive_their_process_and_other_doubts_that_fail(db: Db) {
    let proxy = Proxy::start(&db).await;
    let mut server = behind(&proxy, &db).await;
    let account = server.account(10).await;
    let answer = leave_a_doubt(&proxy, &server, &account).await;
    server.kill9();
    // Left by another process that died. PostgreSQL accepts no text with a NUL.
    let mut other = std::fs::File::create(db.data_dir().join("doubts-0.jsonl")).unwrap();
    let doubt = serde_json::json!({ "account": account.id, "request_id": "req_\0", "delta": -500 });
    writeln!(other, "{doubt}").unwrap();
    drop(other);
    proxy.revive();
    server.restart().await;
    let refund = eventually("the charge is refunded", async || refunds(&db).await.pop()).await;
    assert_eq!((refund.delta, refund.reference.as_deref()), (500, Some(answer.request_id())));
    assert_eq!(refund.api_key_id.as_deref(), Some(account.key_id.as_str()));
    assert_eq!(server.moderate(&account.key, "all is well again").send().await.remaining(), 9_000);
    server.restart().await;
    server.moderate(&account.key, "all is well again").send().await.ok();
    assert_eq!(refunds(&db).await.len(), 1);
    no_log_holds_content(&db);
}

async fn doubts_are_resolved_before_the_process_ends(db: Db) {
    let proxy = Proxy::start(&db).await;
    let mut server = behind(&proxy, &db).await;
    let account = server.account(10).await;
    let answer = leave_a_doubt(&proxy, &server, &account).await;
    server.signal("TERM");
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(refunds(&db).await.is_empty(), "the database is still away");
    proxy.revive();
    assert!(server.ended().await.success());
    let refunds = refunds(&db).await;
    assert_eq!((refunds.len(), refunds[0].reference.as_deref()), (1, Some(answer.request_id())));
    let journals = std::fs::read_dir(db.data_dir()).unwrap();
    let journals =
        journals.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with("doubts-"));
    assert_eq!(journals.count(), 0, "a journal without doubts is removed");
}

on_postgres!(
    doubts_survive_their_process_and_other_doubts_that_fail,
    doubts_are_resolved_before_the_process_ends,
);
