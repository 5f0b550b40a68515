//! Somebody asks for the most expensive statistics again and again and waits for none of them: the database ends them, and
//! other tenants' requests never wait for their connections.

use std::time::Duration;

use sea_orm::FromQueryResult;
use serde_json::json;

use super::{
    large_dataset::large_dataset,
    victim::{FLOOR, beside},
};
use crate::harness::{Db, Server, client, eventually, inv, on_both};

/// Samples with a ground truth. One statement about all of them takes many seconds.
const SAMPLES: usize = 8_000;
/// How long the victim may wait on two busy cores. Before, the readers were all taken and it got a 500 after 5 s.
const LONGEST: Duration = Duration::from_secs(3);

async fn statistics_that_nobody_waits_for_end(db: Db) {
    let server = Server::with(&db).env("GAVEL_DATABASE_POOL", 4).start().await;
    let account = server.account(10).await;
    let victim = server.account(1_000).await;
    let (_, key) = db.key(&account, &["--scopes", "manage,read"]).await;
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
    let of_victim = || server.moderate(&victim.key, "a message of somebody else");
    let (_, fared) = beside("statistics that nobody waits for", of_victim, attack).await;
    fared.well(1, FLOOR, LONGEST);
    assert!(fared.slowest < LONGEST, "{fared}");
    // Nothing of it goes on.
    let start = std::time::Instant::now();
    eventually("the statements have ended", async || (running(&db, &server).await == 0).then_some(())).await;
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    // And statistics still work.
    let few = json!({ "query": "query($id: ID!) { judge(id: $id) { stats { count } } }", "variables": { "id": judge } });
    let stats = server.post("/graphql").key(&key).json(few).send().await.data();
    assert_eq!(stats["judge"]["stats"]["count"], SAMPLES);
}

/// Statements that run: as PostgreSQL says, or on SQLite whether the process uses half a core.
async fn running(db: &Db, server: &Server) -> i64 {
    #[derive(FromQueryResult)]
    struct Active {
        n: i64,
    }
    if db.is_sqlite() {
        let ticks = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).expect("its figures");
            let after = stat.rsplit_once(')').expect("a name").1.to_owned();
            // The third field of all is the first here; utime and stime are the 14th and 15th.
            let time = |field: usize| {
                after.split_whitespace().nth(field - 3).and_then(|time| time.parse::<u64>().ok())
            };
            time(14).expect("utime") + time(15).expect("stime")
        };
        let before = ticks();
        tokio::time::sleep(Duration::from_secs(1)).await;
        return i64::from(ticks() - before > 50);
    }
    let sql = "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE state = 'active' AND datname = current_database() \
               AND query LIKE '%least_precision%' AND pid <> pg_backend_pid()";
    inv::rows::<Active>(db, sql).await[0].n
}

on_both!(statistics_that_nobody_waits_for_end);
