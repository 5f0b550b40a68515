//! PostgreSQL is killed under load and restarted sooner or later; Gavel recovers without a restart.

use std::time::{Duration, Instant};

use super::{
    load::{Load, Sent},
    postgres_server::{PostgresServer, on_own_postgres},
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Account, Db, Server, eventually, inv};

/// The longest that a client may wait for a 500 while there is no database.
const LONGEST: Duration = Duration::from_secs(20);

/// Asserts that each request was answered with 200 or 500 in time.
fn served(sent: &[Sent]) {
    for one in sent {
        let answer = one.answer.as_ref().expect("a running server answers");
        assert!([200, 500].contains(&answer.status), "{}", answer.text);
        assert!(one.took < LONGEST, "{} after {:?}", answer.status, one.took);
        if answer.status == 500 {
            answer.fails(500, "INTERNAL_ERROR");
        }
    }
}

/// Waits until a request of another account succeeds; returns how long that took.
async fn recovers(server: &Server, account: &Account) -> Duration {
    let start = Instant::now();
    eventually("requests succeed again", async || {
        let answer = server.moderate(&account.key, "are you back, by yourself?").send().await;
        (answer.status == 200).then_some(())
    })
    .await;
    start.elapsed()
}

async fn a_database_killed_under_load_loses_no_charge_and_doubles_none(mut postgres: PostgresServer) {
    let db = Db::postgres_at(postgres.url()).await;
    let server = Server::start(&db).await;
    let bystander = server.account(100).await;
    let once = server.account(100_000).await;
    let keyed = server.account(100_000).await;
    let load = Load::start(&once, &[&server], 24);
    let stubborn = Load::stubborn(&keyed, &[&server], 8);
    for away in [500, 1_000, 2_000] {
        tokio::time::sleep(Duration::from_secs(1)).await;
        postgres.kill9().await;
        tokio::time::sleep(Duration::from_millis(away)).await;
        postgres.start_again().await;
        let took = recovers(&server, &bystander).await;
        assert!(took < Duration::from_secs(10), "{took:?} until it recovered");
    }
    let sent = load.stop().await;
    let sent_keyed = stubborn.stop().await;
    served(&sent);
    served(&sent_keyed);
    report("3 x kill -9 of Postgres", &check(&db, &once, &sent).await);
    report("3 x kill -9 of Postgres, keys", &check(&db, &keyed, &sent_keyed).await);
    no_log_holds_content(&db);
    inv::check(&db).await;
}

async fn a_database_that_stays_away_means_500_until_it_is_back(mut postgres: PostgresServer) {
    let db = Db::postgres_at(postgres.url()).await;
    let server = Server::start(&db).await;
    let account = server.account(100_000).await;
    let bystander = server.account(100).await;
    let load = Load::start(&account, &[&server], 16);
    tokio::time::sleep(Duration::from_secs(1)).await;
    postgres.kill9().await;
    let away = Instant::now();
    while away.elapsed() < Duration::from_secs(12) {
        assert_eq!(server.get("/livez").send().await.ok()["status"], "live");
        let ready = server.get("/readyz").send().await;
        assert_eq!((ready.status, &ready.body["database"]), (503, &false.into()), "{}", ready.text);
        let health = server.get("/api/v1/moderate/health").send().await.ok();
        assert_eq!(health["gateway_status"], "degraded");
        assert_eq!(health["services"]["text_moderation"]["healthy"], true);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    // A key that this process has not seen yet, and one whose cache entry has expired: neither is called invalid.
    for key in [&bystander.key, &account.key] {
        server.moderate(key, "is anybody there?").send().await.fails(500, "INTERNAL_ERROR");
    }
    postgres.start_again().await;
    let took = recovers(&server, &bystander).await;
    assert!(took < Duration::from_secs(10), "{took:?} until it recovered");
    eventually("it is ready", async || (server.get("/readyz").send().await.status == 200).then_some(()))
        .await;
    assert_eq!(server.get("/api/v1/moderate/health").send().await.ok()["gateway_status"], "healthy");
    let sent = load.stop().await;
    served(&sent);
    let figures = check(&db, &account, &sent).await;
    report("Postgres away for 12 s", &figures);
    assert!(figures.by_status[&500] > 0, "{figures:?}");
    no_log_holds_content(&db);
    inv::check(&db).await;
}

on_own_postgres!(
    a_database_killed_under_load_loses_no_charge_and_doubles_none,
    a_database_that_stays_away_means_500_until_it_is_back,
);
