//! A network partition between Gavel and PostgreSQL: connections stay open but nothing arrives, until the network heals
//! and everything in transit arrives.

use std::time::{Duration, Instant};

use super::{
    load::Load,
    proxy::Proxy,
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Db, Server, eventually, on_postgres};

async fn a_network_split_leaves_no_trace(db: Db) {
    let proxy = Proxy::start(&db).await;
    let server = Server::with(&db).env("GAVEL_DATABASE_URL", proxy.url(&db)).start().await;
    let account = server.account(100_000).await;
    let bystander = server.account(100).await;
    let load = Load::start(&account, &[&server], 16);
    for silence in [2, 10] {
        tokio::time::sleep(Duration::from_secs(1)).await;
        proxy.freeze();
        let start = Instant::now();
        let unknown = server.moderate(&bystander.key, "does anybody hear me?").send();
        let (unknown, ()) = tokio::join!(unknown, tokio::time::sleep(Duration::from_secs(silence)));
        assert!(start.elapsed() < Duration::from_secs(15), "answered after {:?}", start.elapsed());
        assert!([200, 500].contains(&unknown.status), "{}", unknown.text);
        assert_eq!(server.get("/livez").send().await.status, 200);
        assert_eq!(server.get("/readyz").send().await.status, 503);
        proxy.revive();
        eventually("requests succeed again", async || {
            let answer = server.moderate(&bystander.key, "and now?").send().await;
            (answer.status == 200).then_some(())
        })
        .await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let sent = load.stop().await;
    let figures = check(&db, &account, &sent).await;
    report("2 s and 10 s of silence from Postgres", &figures);
    // Whether any request fails depends on what was being committed when the silence began.
    assert!(figures.by_status.keys().all(|status| [200, 500].contains(status)), "{figures:?}");
    assert!(figures.slowest < Duration::from_secs(20), "{figures:?}");
    no_log_holds_content(&db);
}

on_postgres!(a_network_split_leaves_no_trace);
