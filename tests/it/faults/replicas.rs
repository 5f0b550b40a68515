//! Several servers on one PostgreSQL: one dies and the others continue; all start at once on an empty database.

use futures_util::future::join_all;
use std::time::Duration;

use super::{
    api_killed::end_leases,
    load::Load,
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Db, Server, from_environment, inv, on_postgres};

/// How long a replica is frozen: much longer than it may delay others.
const FROZEN: Duration = Duration::from_secs(12);

async fn one_of_two_replicas_dies_and_the_other_continues(db: Db) {
    let mut dies = Server::start(&db).await;
    let lives = dies.replica().await;
    let once = lives.account(100_000).await;
    let keyed = lives.account(100_000).await;
    let load = Load::start(&once, &[&dies, &lives], 16);
    let stubborn = Load::stubborn(&keyed, &[&dies, &lives], 16);
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(700)).await;
        dies.kill9();
        tokio::time::sleep(Duration::from_millis(300)).await;
        end_leases(&db).await;
        dies.restart().await;
        // Again: PostgreSQL may have committed a statement of the killed server meanwhile.
        end_leases(&db).await;
        load.aim(&[&dies, &lives]);
        stubborn.aim(&[&dies, &lives]);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let figures = check(&db, &once, &load.stop().await).await;
    report("3 x kill -9 of one of two replicas", &figures);
    assert!(figures.by_status[&0] > 0 && figures.refunds == 0, "{figures:?}");
    let figures = check(&db, &keyed, &stubborn.stop().await).await;
    report("3 x kill -9 of one of two replicas, keys", &figures);
    assert!(figures.by_status[&0] > 0 && figures.refunds == 0, "{figures:?}");
    no_log_holds_content(&db);
}

async fn a_frozen_replica_does_not_delay_the_other(db: Db) {
    let freezes = Server::start(&db).await;
    let lives = freezes.replica().await;
    let account = lives.account(100_000).await;
    let held = Load::start(&account, &[&freezes], 8);
    let free = Load::start(&account, &[&lives], 8);
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        // Sometimes in the middle of a transaction, with the account's row locked.
        freezes.signal("STOP");
        tokio::time::sleep(FROZEN).await;
        freezes.signal("CONT");
    }
    let mut sent = held.stop().await;
    let free = free.stop().await;
    let slowest = free.iter().map(|one| one.took).max().unwrap();
    // PostgreSQL ends a transaction that is idle for 3 s; the rest is a margin for a busy machine.
    assert!(slowest < FROZEN * 3 / 4, "held up for {slowest:?}");
    assert!(free.iter().all(|one| one.answer.as_ref().is_some_and(|answer| answer.status == 200)));
    sent.extend(free);
    report("2 x 12 s of SIGSTOP to one of two replicas", &check(&db, &account, &sent).await);
    no_log_holds_content(&db);
}

async fn four_replicas_start_at_once_on_an_empty_database(_: Db) {
    let db = Db::postgres_at(&from_environment("GAVEL_TEST_POSTGRES_URL")).await;
    let replica = Server::with(&db).args(&["api"]);
    let servers = join_all((0..4).map(|_| replica.clone().start())).await;
    let account = db.account(100).await;
    for (server, left) in servers.iter().zip([99_500, 99_000, 98_500, 98_000]) {
        assert_eq!(server.moderate(&account.key, "who of you is up?").send().await.remaining(), left);
    }
    inv::check(&db).await;
}

on_postgres!(
    one_of_two_replicas_dies_and_the_other_continues,
    a_frozen_replica_does_not_delay_the_other,
    four_replicas_start_at_once_on_an_empty_database,
);
