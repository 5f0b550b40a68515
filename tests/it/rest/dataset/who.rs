//! The scopes for export and import, and the isolation of accounts.

use serde_json::json;

use super::asking::{count, counts, import, judge, path, sending, start};
use crate::harness::{Db, on_both, on_sqlite};

const FILE: &str = "{\"state\":\"a stranger's words\"}\n";

async fn scopes_permit_exports_and_imports(db: Db) {
    let (server, account, all) = start(&db).await;
    let judge = judge(&server, &all).await;
    for (scopes, out, into) in
        [("read", 200, 403), ("manage", 200, 200), ("infer,moderate", 403, 403), ("read,manage", 200, 200)]
    {
        let key = db.scoped_key(&account, scopes).await;
        let exported = server.get(&path(&judge, "")).key(&key).send().await;
        assert_eq!(exported.status, out, "{scopes}: {}", exported.text);
        if out == 403 {
            assert!(exported.fails(403, "FORBIDDEN").contains("`read`"), "{}", exported.text);
        }
        let imported = sending(&server, &key, &judge, "application/x-ndjson", FILE).send().await;
        assert_eq!(imported.status, into, "{scopes}: {}", imported.text);
        if into == 403 {
            assert!(imported.fails(403, "FORBIDDEN").contains("`manage`"), "{}", imported.text);
        }
    }
    server.get(&path(&judge, "")).send().await.fails(401, "UNAUTHORIZED");
    server.post(&path(&judge, "")).send().await.fails(401, "UNAUTHORIZED");
}

async fn the_dataset_of_another_account_is_not_found(db: Db) {
    let (server, _, key) = start(&db).await;
    let judge = judge(&server, &key).await;
    counts(import(&server, &key, &judge, &[json!({ "state": "the zebra's own words" })]).await);
    let stranger = server.account(10).await;
    let stranger = db.scoped_key(&stranger, "manage,read").await;
    let missing = "judge_01kahd7f3ye9pvsk8h0a5m5x2e";
    for id in [judge.as_str(), missing, "x", "judge_%00", "sample_1"] {
        for query in ["", "?format=csv", "?format=parquet", "?format=csv&labelled=true"] {
            let answer = server.get(&path(id, query)).key(&stranger).send().await;
            assert_eq!(answer.fails(404, "NOT_FOUND"), "there is no such Judge", "{id}{query}");
            assert_eq!(answer.header("content-disposition"), None);
        }
        let answer = sending(&server, &stranger, id, "application/x-ndjson", FILE).send().await;
        assert_eq!(answer.fails(404, "NOT_FOUND"), "there is no such Judge", "{id}");
    }
    assert_eq!(count(&db, "sample").await, 1);
    // Without a Judge, the file is not checked.
    let answer = sending(&server, &stranger, &judge, "text/csv", "nonsense").send().await;
    answer.fails(404, "NOT_FOUND");
}

on_both!(the_dataset_of_another_account_is_not_found);
on_sqlite!(scopes_permit_exports_and_imports);
