//! The ledger in pages, and usage by route and time, compared with sums computed here.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, Utc};
use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use super::sessions::owner;
use crate::harness::{Account, Db, Server, Upstream, inv, milli, on_both};

const ENTRY: &str = "seq kind amount balanceAfter requestId reference endpoint apiKeyId note createdAt";

/// The nodes of one page, and the page.
async fn page(session: &super::client::Session<'_>, args: &str) -> (Vec<Value>, Value) {
    let query = format!(
        "{{ account {{ ledger({args}) {{ totalCount nodes {{ {ENTRY} }} pageInfo {{ startCursor endCursor \
         hasNextPage hasPreviousPage }} }} }} }}"
    );
    let ledger = session.query(&query).await["account"]["ledger"].clone();
    (ledger["nodes"].as_array().unwrap().clone(), ledger)
}

async fn the_ledger_is_paged_both_ways_and_filtered_by_kind_and_time(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(10).await;
    server.account(3).await;
    let session = &owner(server, &account).await;
    for _ in 0..4 {
        server.moderate(&account.key, "hello").send().await.ok();
    }
    db.cli(&["credits", "grant", "--account", &account.id, "--amount", "1.125", "--note", "for you"]).await;
    db.cli(&["credits", "grant", "--account", &account.id, "--amount=-0.125"]).await;
    let (all, ledger) = page(session, "first: 100").await;
    assert_eq!(ledger["totalCount"], 7);
    let rows = inv::ledger(&db).await.into_iter().filter(|row| row.account_id == account.id).rev();
    for (entry, row) in all.iter().zip(rows) {
        assert_eq!(entry["seq"], row.seq);
        assert_eq!(entry["kind"].as_str().unwrap().to_lowercase(), row.kind);
        assert_eq!(milli(&entry["amount"]), row.delta);
        assert_eq!(milli(&entry["balanceAfter"]), row.balance_after);
        assert_eq!((&entry["requestId"], &entry["note"]), (&json!(row.request_id), &json!(row.note)));
        let spent = (&json!(row.reference), &json!(row.endpoint), &json!(row.api_key_id));
        assert_eq!((&entry["reference"], &entry["endpoint"], &entry["apiKeyId"]), spent);
    }

    // Forwards and backwards, two at a time.
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let (nodes, ledger) = page(session, &format!("first: 2{after}")).await;
        seen.extend(nodes);
        if ledger["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = format!(", after: {}", ledger["pageInfo"]["endCursor"]);
    }
    assert_eq!(seen, all);
    let mut seen = Vec::new();
    let mut before = String::new();
    loop {
        let (nodes, ledger) = page(session, &format!("last: 2{before}")).await;
        seen.splice(0..0, nodes);
        if ledger["pageInfo"]["hasPreviousPage"] == false {
            break;
        }
        before = format!(", before: {}", ledger["pageInfo"]["startCursor"]);
    }
    assert_eq!(seen, all);

    let (charges, ledger) = page(session, "kind: CHARGE, first: 3").await;
    assert_eq!((charges.len(), &ledger["totalCount"]), (3, &json!(4)));
    assert!(charges.iter().all(|entry| entry["kind"] == "CHARGE"));
    assert_eq!(page(session, "kind: REFUND").await.0.len(), 0);
    let middle = all[3]["createdAt"].as_str().unwrap();
    let since = page(session, &format!("since: \"{middle}\"")).await.0;
    let until = page(session, &format!("until: \"{middle}\"")).await.0;
    assert_eq!(
        (since.len() + until.len(), since.contains(&all[3]), until.contains(&all[3])),
        (7, true, false)
    );
}

/// A row of the ledger, to be summed.
#[derive(FromQueryResult)]
struct SummedRow {
    seq: i64,
    kind: String,
    delta: i64,
    items: i64,
    endpoint: Option<String>,
}

fn utc(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().with_timezone(&Utc)
}

/// The sums of a group.
#[derive(Default)]
struct Sum {
    requests: i64,
    items: i64,
    milli: i64,
}

/// A request for usage.
#[derive(Clone, Copy)]
struct Period {
    bucket: &'static str,
    from: &'static str,
    to: &'static str,
}

impl Period {
    /// The expected usage of the dated rows.
    fn sums(self, rows: &[(DateTime<Utc>, &SummedRow)]) -> Vec<Value> {
        let mut sums: BTreeMap<(String, String), Sum> = BTreeMap::new();
        for (time, row) in rows {
            let Some(endpoint) = &row.endpoint else { continue };
            if *time < utc(self.from) || *time >= utc(self.to) {
                continue;
            }
            let start = match self.bucket {
                "HOUR" => time.format("%Y-%m-%dT%H:00:00Z").to_string(),
                "DAY" => time.format("%Y-%m-%dT00:00:00Z").to_string(),
                _ => format!("{}-{:02}-01T00:00:00Z", time.year(), time.month()),
            };
            let sum = sums.entry((start, endpoint.clone())).or_default();
            let sign = if row.kind == "refund" { -1 } else { 1 };
            sum.requests += sign;
            sum.items += sign * row.items;
            sum.milli -= row.delta;
        }
        sums.into_iter()
            .map(|((start, endpoint), Sum { requests, items, milli })| {
                json!({
                    "start": start, "endpoint": endpoint, "requests": requests, "items": items,
                    "credits": milli as f64 / 1e3,
                })
            })
            .collect()
    }
}

/// Refunds the third row of an account's ledger.
async fn insert_refund(db: &Db, account: &Account) {
    let of_it = format!("account_id = '{}'", account.id);
    let undone = format!(
        "INSERT INTO ledger (account_id, seq, request_id, kind, delta, balance_after, items, reference, endpoint, \
         created_at) \
         SELECT account_id, (SELECT MAX(seq) FROM ledger WHERE {of_it}) + 1, request_id || ':refund', \
         'refund', -delta, \
                (SELECT balance FROM account WHERE id = '{0}') - delta, items, request_id, endpoint, created_at \
         FROM ledger WHERE {of_it} AND seq = 3",
        account.id
    );
    db.execute(&undone).await;
    let sums = format!(
        "UPDATE account SET ledger_seq = ledger_seq + 1, balance = balance + 500 WHERE id = '{}'",
        account.id
    );
    db.execute(&sums).await;
}

async fn usage_equals_the_sums_of_the_ledger(db: Db) {
    let upstream = Upstream::start().await;
    let server = &Server::with_model(&db, &upstream).start().await;
    let account = server.account(50).await;
    let other = server.account(50).await;
    let session = &owner(server, &account).await;
    let asked = json!({ "state": "s", "instructions": { "a": ["x", "y"] } });
    for _ in 0..6 {
        server.moderate(&account.key, "hello").send().await.ok();
        server.moderate(&other.key, "hello").send().await.ok();
        server.post("/api/v1/inference").key(&account.key).json(asked.clone()).send().await.ok();
    }
    // Dates the rows to the edges of hours, days, months and years.
    let times = [
        "2024-12-31T23:59:59.999999+00:00",
        "2025-01-01T00:00:00+00:00",
        "2025-01-01T00:59:59.5+00:00",
        "2025-01-01T01:00:00+00:00",
        "2025-01-31T12:00:00+00:00",
        "2025-02-28T23:59:59.999+00:00",
        "2025-03-01T00:00:00+00:00",
    ];
    insert_refund(&db, &account).await;
    let of_it = format!("account_id = '{}'", account.id);
    let rows = format!("SELECT seq, kind, delta, items, endpoint FROM ledger WHERE {of_it} ORDER BY seq");
    let rows: Vec<SummedRow> = inv::rows(&db, &rows).await;
    assert_eq!(rows.last().map(|row| (row.kind.as_str(), row.delta)), Some(("refund", 500)));
    let mut dated = Vec::new();
    for (row, time) in rows.iter().zip(times.iter().cycle()) {
        let sql = format!("UPDATE ledger SET created_at = '{time}' WHERE {of_it} AND seq = {}", row.seq);
        db.execute(&sql).await;
        dated.push((utc(time), row));
    }
    for period in [
        Period { bucket: "HOUR", from: "2024-12-31T00:00:00Z", to: "2025-01-02T00:00:00Z" },
        Period { bucket: "DAY", from: "2024-01-01T00:00:00Z", to: "2025-03-01T00:00:00Z" },
        Period { bucket: "DAY", from: "2025-01-01T00:00:00Z", to: "2025-03-01T00:00:00.001Z" },
        Period { bucket: "MONTH", from: "2020-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
    ] {
        let Period { bucket, from, to } = period;
        let query = format!(
            "{{ account {{ usage(from: \"{from}\", to: \"{to}\", bucket: {bucket}) {{ start endpoint \
             requests items credits }} }} }}"
        );
        let answer = session.query(&query).await["account"]["usage"].clone();
        let expected = period.sums(&dated);
        assert!(expected.len() > 2);
        assert_eq!(answer, json!(expected), "{bucket} {from} {to}");
    }
    // The default: the last 30 days, by day.
    server.moderate(&account.key, "hello").send().await.ok();
    let lately = session.query("{ account { usage { start endpoint requests credits } } }").await;
    let lately = lately["account"]["usage"].as_array().unwrap();
    assert_eq!((lately.len(), &lately[0]["requests"], &lately[0]["credits"]), (1, &json!(1), &json!(0.5)));
    for wrong in [
        "from: \"2025-01-02T00:00:00Z\", to: \"2025-01-02T00:00:00Z\"",
        "from: \"2020-01-01T00:00:00Z\", to: \"2025-01-02T00:00:00Z\", bucket: HOUR",
    ] {
        let query = format!("{{ account {{ usage({wrong}) {{ start }} }} }}");
        session.send(json!({ "query": query })).await.refused("VALIDATION_FAILED");
    }
}

async fn a_charge_counts_its_items(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(50).await;
    let session = &owner(server, &account).await;
    server.moderate(&account.key, "one").send().await.ok();
    let three = json!({ "messages": [{ "content": "a" }, { "content": "b" }, { "content": "c" }] });
    server.post("/api/v1/moderate/text/batch").key(&account.key).json(three).send().await.ok();
    let two = json!({ "input": ["a", "b"] });
    server.post("/v1/moderations").key(&account.key).json(two).send().await.ok();
    let answer = session.query(
        "{ account { ledger(first: 10) { nodes { kind items } } usage(groupBy: []) { requests items } } }",
    );
    let account = answer.await["account"].clone();
    let entries = account["ledger"]["nodes"].as_array().unwrap().iter();
    let items: Vec<_> = entries.map(|entry| json!([entry["kind"], entry["items"]])).collect();
    assert_eq!(json!(items), json!([["CHARGE", 2], ["CHARGE", 3], ["CHARGE", 1], ["GRANT", 0]]));
    assert_eq!(account["usage"], json!([{ "requests": 3, "items": 6 }]));
}

on_both!(
    the_ledger_is_paged_both_ways_and_filtered_by_kind_and_time,
    usage_equals_the_sums_of_the_ledger,
    a_charge_counts_its_items,
);
