//! A process dies between an event and its delivery, or during the delivery: the event still arrives.

use std::time::Duration;

use super::{
    asking::*,
    receiver::{Receiver, Reply},
};
use crate::{
    batches::{cancel, submitted, text},
    harness::{Db, eventually, on_both},
};

async fn events_survive_the_processes_that_handled_them(db: Db) {
    // The first request is never answered, since its sender is killed before.
    let late = Duration::from_secs(60);
    let receiver = Receiver::start("127.0.0.1", move |before| match before {
        0 => Reply::Late(late),
        _ => Reply::Status(200),
    })
    .await;
    // Without a worker.
    let mut api = allowing(&db, "127.0.0.1").args(&["api"]).start().await;
    let mine = tenant(&db).await;
    let (id, secret) = endpoint(&api, &mine, &receiver.url(), &[]).await;
    let batch = submitted(&api, &mine.key, &[text("a", "hello there")]).await;
    assert_eq!(cancel(&api, &mine.key, &batch).await.status, 200);
    api.kill9();
    assert!(receiver.received().is_empty());
    let mut server = allowing(&db, "127.0.0.1").env("GAVEL_WEBHOOK_TIMEOUT_S", 30).start().await;
    has_received(&receiver, 1).await;
    server.kill9();
    server.restart().await;
    // The lease of the killed process must end first.
    eventually("it is sent again", async || (receiver.received().len() >= 2).then_some(())).await;
    let done = newest_is(&server, &mine, &id, |delivery| delivery["state"] == "DELIVERED").await;
    assert_eq!(done["deliveries"]["totalCount"], 1);
    let received = receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert!(received.iter().all(|one| one.signatures_by(&secret) == 1));
    assert_eq!(received[1].json()["data"]["id"], batch);
}

on_both!(events_survive_the_processes_that_handled_them);
