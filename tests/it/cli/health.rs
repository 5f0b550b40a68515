//! `gavel health`: what a container's health check learns.

use serde_json::json;

use crate::harness::{Db, Server, eventually, on_sqlite};

async fn a_running_server_is_healthy_until_it_stops(db: Db) {
    let mut server = Server::with(&db).env("GAVEL_DRAIN_DELAY_S", 60).start().await;
    let listen = server.address.to_string();
    let healthy = db.run(&["health", "--json"], &[("GAVEL_LISTEN", &listen)], "").await;
    assert!(healthy.status.success(), "{}", healthy.stderr);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&healthy.stdout).unwrap(), json!({ "ready": true }));

    // As containers listen: on every address, and a worker on its listener for health alone.
    let every = format!("0.0.0.0:{}", server.address.port());
    for env in [[("GAVEL_LISTEN", every.as_str())], [("GAVEL_OPERATIONS_LISTEN", listen.as_str())]] {
        let healthy = db.run(&["health"], &env, "").await;
        assert!(healthy.status.success() && healthy.stdout == "ready\n", "{env:?}: {healthy:?}");
    }

    server.signal("TERM");
    eventually("it is no longer healthy", async || {
        let stopping = db.run(&["health"], &[("GAVEL_LISTEN", &listen)], "").await;
        let says = stopping.stderr.contains(&format!("not ready: {listen} answered 503: {{"));
        (stopping.status.code() == Some(1) && says).then_some(())
    })
    .await;
    // The second ends the delay.
    server.signal("TERM");
    assert!(server.ended().await.success());
    let gone = db.run(&["health"], &[("GAVEL_LISTEN", &listen)], "").await;
    assert_eq!(gone.status.code(), Some(1));
    assert!(gone.stderr.contains(&format!("no answer from {listen}: ")), "{}", gone.stderr);
}

on_sqlite!(a_running_server_is_healthy_until_it_stops);
