//! SIGTERM under load: requests in progress are answered, and the server exits with success.

use std::time::{Duration, Instant};

use super::{
    load::Load,
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Db, Server, on_both};

async fn a_server_stopped_under_load_finishes_its_requests(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(100_000).await;
    let load = Load::start(&account, &[&server], 32);
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(600)).await;
        let told = Instant::now();
        let status = server.terminate().await;
        assert_eq!(status.code(), Some(0));
        assert!(told.elapsed() < Duration::from_secs(5), "{:?} to end", told.elapsed());
        server.restart().await;
        load.aim(&[&server]);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let figures = check(&db, &account, &load.stop().await).await;
    report("2 x SIGTERM", &figures);
    assert_eq!(figures.by_status.keys().copied().collect::<Vec<_>>(), [0, 200]);
    // Requests without an answer reached no server: nobody was charged without an answer.
    assert_eq!(figures.charges, figures.by_status[&200], "{figures:?}");
    no_log_holds_content(&db);
}

on_both!(a_server_stopped_under_load_finishes_its_requests);
