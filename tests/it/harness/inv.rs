//! Invariants (INV) checked after every test: amounts add up, every charge reported to a client is in the
//! ledger, and the logs contain neither keys nor content. Reads the database directly.

use std::collections::{HashMap, HashSet};

use sea_orm::{FromQueryResult, Statement};

use super::Db;

/// A row of `account`.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct AccountRow {
    pub(crate) id: String,
    pub(crate) balance: i64,
    pub(crate) held: i64,
    pub(crate) ledger_seq: i64,
    pub(crate) erased: bool,
}

/// A row of `hold`.
#[derive(Clone, Debug, FromQueryResult)]
struct HoldRow {
    account_id: String,
    amount: i64,
}

/// A row of `ledger`.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct LedgerRow {
    pub(crate) account_id: String,
    pub(crate) seq: i64,
    pub(crate) request_id: String,
    pub(crate) kind: String,
    pub(crate) delta: i64,
    pub(crate) balance_after: i64,
    pub(crate) reference: Option<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) api_key_id: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) job_id: Option<String>,
    pub(crate) items: i64,
}

/// A recorded inference, as a row of `sample`.
#[derive(Clone, Debug, FromQueryResult)]
struct RecordedRow {
    request_id: Option<String>,
}

/// Checks all invariants on a database and on the logs of its processes.
pub(crate) async fn check(db: &Db) {
    if !db.is_sqlite() || db.data_dir().join("gavel.sqlite").exists() {
        let accounts = accounts(db).await;
        let ledger = ledger(db).await;
        check_money(&accounts, &ledger);
        check_held(&accounts, &rows(db, "SELECT account_id, amount FROM hold").await);
        check_acknowledged(db, &accounts, &ledger);
        check_samples(&rows(db, "SELECT request_id FROM sample WHERE source = 'inference'").await, &ledger);
    }
    check_logs(db);
}

/// All accounts.
pub(crate) async fn accounts(db: &Db) -> Vec<AccountRow> {
    rows(db, "SELECT id, balance, held, ledger_seq, erased_at IS NOT NULL AS erased FROM account ORDER BY id")
        .await
}

/// The whole ledger, ordered by account and `seq`.
pub(crate) async fn ledger(db: &Db) -> Vec<LedgerRow> {
    let columns = "account_id, seq, request_id, kind, delta, balance_after, reference, endpoint, api_key_id, \
        note, job_id, items";
    rows(db, &format!("SELECT {columns} FROM ledger ORDER BY account_id, seq")).await
}

/// The charges of one account, in order.
pub(crate) async fn charges(db: &Db, account: &str) -> Vec<LedgerRow> {
    let ledger = ledger(db).await.into_iter();
    ledger.filter(|row| row.account_id == account && row.kind == "charge").collect()
}

/// One account's balance, in milli-credits.
pub(crate) async fn balance(db: &Db, account: &str) -> i64 {
    accounts(db).await.into_iter().find(|row| row.id == account).expect("the account").balance
}

/// The rows that a statement selects.
pub(crate) async fn rows<T: FromQueryResult + Send + Sync>(db: &Db, sql: &str) -> Vec<T> {
    let connection = db.connect().await;
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let rows = T::find_by_statement(statement).all(&connection).await.expect("rows");
    connection.close().await.expect("a closed connection");
    rows
}

/// How many rows of a table there are.
pub(crate) async fn count(db: &Db, table: &str) -> i64 {
    #[derive(FromQueryResult)]
    struct Count {
        n: i64,
    }
    rows::<Count>(db, &format!("SELECT COUNT(*) AS n FROM {table}")).await[0].n
}

fn check_money(accounts: &[AccountRow], ledger: &[LedgerRow]) {
    let mut ends: HashMap<&str, (i64, i64)> = HashMap::new();
    for row in ledger {
        let (seq, sum) = ends.entry(&row.account_id).or_default();
        assert_eq!(row.seq, *seq + 1, "a gap in the ledger at {row:?}");
        assert_eq!(row.balance_after, *sum + row.delta, "the running sum is wrong at {row:?}");
        assert!(row.balance_after >= 0, "a negative balance at {row:?}");
        assert!(row.kind != "charge" || row.delta <= 0, "a charge that adds credits at {row:?}");
        (*seq, *sum) = (row.seq, row.balance_after);
    }
    let requests: HashSet<&str> = ledger.iter().map(|row| row.request_id.as_str()).collect();
    assert_eq!(requests.len(), ledger.len(), "a request moved money twice");
    for account in accounts {
        let (seq, sum) = ends.get(account.id.as_str()).copied().unwrap_or_default();
        assert_eq!(
            (account.ledger_seq, account.balance),
            (seq, sum),
            "ledger and balance differ: {account:?}"
        );
        assert!(account.balance >= 0 && (0..=account.balance).contains(&account.held), "{account:?}");
    }
}

fn check_held(accounts: &[AccountRow], holds: &[HoldRow]) {
    let mut sums: HashMap<&str, i64> = HashMap::new();
    for hold in holds {
        *sums.entry(&hold.account_id).or_default() += hold.amount;
    }
    for account in accounts {
        let sum = sums.get(account.id.as_str()).copied().unwrap_or_default();
        assert_eq!(account.held, sum, "`held` is not the sum of the open holds: {account:?}");
    }
}

fn check_acknowledged(db: &Db, accounts: &[AccountRow], ledger: &[LedgerRow]) {
    let by_request: HashMap<&str, &LedgerRow> =
        of_kind(ledger, "charge").map(|row| (row.request_id.as_str(), row)).collect();
    let by_reference: HashMap<&str, &LedgerRow> =
        of_kind(ledger, "charge").filter_map(|row| Some((row.reference.as_deref()?, row))).collect();
    // The ledger of an erased account has no references.
    let erased: HashSet<&str> =
        accounts.iter().filter(|account| account.erased).map(|account| account.id.as_str()).collect();
    let blank = of_kind(ledger, "charge")
        .filter(|row| row.reference.is_none() && erased.contains(row.account_id.as_str()));
    assert_eq!(by_reference.len() + blank.count(), by_request.len(), "two charges refer to one result");
    for answer in db.record().acknowledged() {
        if !answer.idempotent {
            let row = by_request.get(answer.request_id.as_str());
            let row = row.unwrap_or_else(|| panic!("acknowledged but not in the ledger: {answer:?}"));
            assert_eq!(-row.delta, answer.deducted, "{answer:?} and {row:?}");
        }
        if let Some(reference) = &answer.reference {
            let row = by_reference.get(reference.as_str());
            if row.is_none() && !erased.is_empty() {
                continue;
            }
            let row = row.unwrap_or_else(|| panic!("acknowledged but not in the ledger: {answer:?}"));
            assert_eq!(-row.delta, answer.deducted, "{answer:?} and {row:?}");
        }
    }
}

fn of_kind<'a>(ledger: &'a [LedgerRow], kind: &'a str) -> impl Iterator<Item = &'a LedgerRow> {
    ledger.iter().filter(move |row| row.kind == kind)
}

/// Whether the charge pays for several samples: that of a job, or of messages or states that are sent together.
fn pays_for_several(row: &LedgerRow) -> bool {
    row.job_id.is_some() || row.items > 1
}

/// Every recorded sample was charged, and is removed when its charge is refunded.
fn check_samples(recorded: &[RecordedRow], ledger: &[LedgerRow]) {
    let charged: HashSet<&str> = of_kind(ledger, "charge").map(|row| row.request_id.as_str()).collect();
    let refunded: HashSet<&str> =
        of_kind(ledger, "refund").filter_map(|row| row.reference.as_deref()).collect();
    let of_several: HashSet<&str> = of_kind(ledger, "charge")
        .filter(|row| pays_for_several(row))
        .map(|row| row.request_id.as_str())
        .collect();
    let mut seen = HashSet::new();
    for row in recorded {
        let request = row.request_id.as_deref().unwrap_or_else(|| panic!("no request: {row:?}"));
        assert!(
            charged.contains(request) && !refunded.contains(request),
            "recorded but not charged: {row:?}"
        );
        assert!(seen.insert(request) || of_several.contains(request), "recorded twice: {row:?}");
    }
}

fn check_logs(db: &Db) {
    let secrets = db.record().secrets();
    for file in std::fs::read_dir(db.log_dir()).expect("the logs") {
        let file = file.expect("a log").path();
        if file.extension().is_some_and(|extension| extension != "log") {
            continue;
        }
        let log = std::fs::read_to_string(&file).expect("a log in UTF-8");
        for secret in &secrets {
            let escaped = serde_json::to_string(secret).expect("a string");
            let shown = log.contains(secret) || log.contains(escaped.trim_matches('"'));
            assert!(!shown, "{} contains a key or content: {secret:?}", file.display());
        }
        if let Some((_, after)) = log.split_once("svc_live_") {
            let key = after.chars().take_while(char::is_ascii_alphanumeric).count() >= 36;
            assert!(!key, "{} contains a key", file.display());
        }
    }
}
