//! Each subscribed endpoint receives the end of a batch once, signed. For Checkpoints and evaluations see
//! `checkpoints`.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};

use super::{
    asking::*,
    receiver::{Receiver, Reply},
};
use crate::{
    batches::{cancel, ended, questions, submitted, text},
    harness::{Db, Fault, Upstream, on_both},
};

async fn each_subscribed_endpoint_receives_the_end_of_a_batch_once(db: Db) {
    let upstream = Upstream::start().await;
    let server = allowing(&db, "127.0.0.1").env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    let mine = tenant(&db).await;
    let other = tenant(&db).await;
    let all = Receiver::start("127.0.0.1", |_| Reply::Status(204)).await;
    let some = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let none = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let (_, secret) = endpoint(&server, &mine, &all.url(), &[]).await;
    let (_, other_secret) = endpoint(&server, &mine, &some.url(), &["batch.cancelled"]).await;
    let (disabled, _) = endpoint(&server, &mine, &none.url(), &[]).await;
    endpoint(&server, &other, &none.url(), &[]).await;
    let disable = format!(
        "mutation {{ updateWebhookEndpoint(input: {{ id: \"{disabled}\", enabled: false }}) {{ userErrors {{ \
         code }} }} }}"
    );
    server.ask(&mine.key, &disable, json!({})).await;

    let first = submitted(&server, &mine.key, &[text("a", "hello there"), text("b", "good bye")]).await;
    ended(&server, &mine.key, &first).await;
    has_received(&all, 1).await;
    upstream.breaks(Fault::Late(Duration::from_secs(2)));
    let second = submitted(&server, &mine.key, &questions(60)).await;
    assert_eq!(cancel(&server, &mine.key, &second).await.status, 200);
    has_received(&all, 2).await;
    has_received(&some, 1).await;
    // Long enough for the outbox to deliver something again.
    tokio::time::sleep(Duration::from_secs(3)).await;

    let received = all.received();
    assert_eq!((received.len(), some.received().len(), none.received().len()), (2, 1, 0));
    for (received, kind, id) in
        [(&received[0], "batch.completed", &first), (&received[1], "batch.cancelled", &second)]
    {
        assert_eq!(received.signatures_by(&secret), 1);
        assert_eq!(received.signatures_by(&other_secret), 0);
        assert_eq!(received.header("content-type"), "application/json");
        assert!(received.header("user-agent").starts_with("gavel/"));
        let body = received.json();
        let names: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(names, ["type", "timestamp", "data"]);
        assert_eq!((&body["type"], &body["data"]["id"]), (&json!(kind), &json!(id)));
        assert_eq!(body["data"]["status"], kind.strip_prefix("batch.").unwrap());
        assert!(body["timestamp"].as_str().unwrap().ends_with('Z'), "{body}");
    }
    let completed = received[0].json();
    assert_eq!(completed["data"]["counts"], json!({ "completed": 2, "failed": 0 }));
    assert_eq!(completed["data"]["credits_charged"], 1.0);
    assert_ne!(completed["data"]["finished_at"], Value::Null);
    // An event has the same id at every endpoint.
    let at_other = &some.received()[0];
    assert_eq!(at_other.signatures_by(&other_secret), 1);
    assert_eq!(at_other.header("webhook-id"), received[1].header("webhook-id"));
    let ids: BTreeSet<String> = received.iter().map(|one| one.header("webhook-id")).collect();
    assert!(ids.len() == 2 && ids.iter().all(|id| id.starts_with("event_")), "{ids:?}");
}

on_both!(each_subscribed_endpoint_receives_the_end_of_a_batch_once);
