//! A client repeatedly requests the most expensive statistics and disconnects: the database cancels them, and
//! requests of other tenants do not wait for their connections.

use std::time::Duration;

use serde_json::json;

use super::{
    large_dataset::large_dataset,
    victim::{FLOOR, moderating_beside},
};
use crate::harness::{Db, Server, client, eventually, inv, on_both};

/// The number of samples with a ground truth. One statement about all of them takes many seconds.
const SAMPLES: usize = 8_000;
/// How long the victim may wait on two busy cores.
const LONGEST: Duration = Duration::from_secs(3);

async fn abandoned_statistics_are_cancelled(db: Db) {
    let server = Server::with(&db).env("GAVEL_DATABASE_POOL", 4).start().await;
    let account = server.account(10).await;
    let victim = server.account(1_000).await;
    let key = db.scoped_key(&account, "manage,read").await;
    let judge = large_dataset(&server, &key, SAMPLES, 1, "a state".to_owned()).await;
    db.execute("UPDATE sample_answer SET truth = 'c' || (sample_seq % 255), truth_by = 'key_x', truth_at = created_at")
        .await;
    let thresholds: String = (0..48)
        .map(|n| format!("t{n}: threshold(value: \"c{n}\", precision: 0.{}) {{ probability }} ", n + 10))
        .collect();
    let query =
        format!("query($id: ID!) {{ judge(id: $id) {{ stats {{ key(key: \"k0\") {{ {thresholds} }} }} }} }}");
    let body = json!({ "query": query, "variables": { "id": judge } });
    let gone = client().timeout(Duration::from_millis(700)).build().expect("a client");
    let attack = async {
        let clients = (0..8).map(|_| async {
            for _ in 0..8 {
                let request = gone.post(format!("{}/graphql", server.base_url)).json(&body);
                let answer = request.header("authorization", format!("Bearer {key}")).send().await;
                assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status() != 500));
            }
        });
        futures_util::future::join_all(clients).await;
    };
    let (_, fared) = moderating_beside("statistics that nobody waits for", &server, &victim, attack).await;
    fared.well(1, FLOOR, LONGEST);
    assert!(fared.slowest < LONGEST, "{fared}");
    // None of the statements goes on.
    let start = std::time::Instant::now();
    eventually("the statements have ended", async || (running(&db, &server).await == 0).then_some(())).await;
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    // Statistics still work.
    let few = json!({ "query": "query($id: ID!) { judge(id: $id) { stats { \
        count } } }", "variables": { "id": judge } });
    let stats = server.post("/graphql").key(&key).json(few).send().await.data();
    assert_eq!(stats["judge"]["stats"]["count"], SAMPLES);
}

/// The number of running statements according to PostgreSQL; on SQLite, 1 if the process uses half a core.
async fn running(db: &Db, server: &Server) -> i64 {
    if db.is_sqlite() {
        let before = cpu_ticks(server);
        tokio::time::sleep(Duration::from_secs(1)).await;
        return i64::from(cpu_ticks(server) - before > 50);
    }
    let active = "pg_stat_activity WHERE state = 'active' AND datname = current_database() \
               AND query LIKE '%least_precision%' AND pid <> pg_backend_pid()";
    inv::count(db, active).await
}

/// The CPU time of the process so far, in ticks of 10 ms.
fn cpu_ticks(server: &Server) -> u64 {
    let stat =
        std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).expect("the figures of the process");
    let (_, after_name) = stat.rsplit_once(')').expect("a name");
    // The first field after the name is the third of all; utime and stime are the 14th and 15th.
    let times: Vec<u64> =
        after_name.split_whitespace().skip(14 - 3).take(2).filter_map(|time| time.parse().ok()).collect();
    assert_eq!(times.len(), 2, "utime and stime: {stat}");
    times.iter().sum()
}

on_both!(abandoned_statistics_are_cancelled);
