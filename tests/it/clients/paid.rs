//! What an account paid according to the ledger.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{Account, Db, inv};

/// The number of charges by path.
pub(super) async fn charges(db: &Db, account: &Account) -> Value {
    let mut by_path: BTreeMap<String, u64> = BTreeMap::new();
    for row in inv::charges(db, &account.id).await {
        *by_path.entry(row.endpoint.expect("the path that was paid for")).or_default() += 1;
    }
    json!(by_path)
}

/// The charged milli-credits.
pub(super) async fn spent(db: &Db, account: &Account) -> i64 {
    -inv::charges(db, &account.id).await.iter().map(|row| row.delta).sum::<i64>()
}
