//! Checks a load's answers against the ledger once all charges are settled.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};

use super::load::{MARKER, Sent};
use crate::harness::{Account, Db, eventually, inv, inv::LedgerRow};

/// The price of a text in milli-credits.
const PRICE: i64 = 500;

/// The totals of a load.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) requests: usize,
    /// The number of answers by status; 0 stands for no answer.
    pub(super) by_status: BTreeMap<u16, usize>,
    pub(super) charges: usize,
    pub(super) refunds: usize,
    pub(super) slowest: Duration,
}

/// Waits until no error is charged, then checks every answer against the ledger. `sent` must contain every
/// request of the account.
pub(super) async fn check(db: &Db, account: &Account, sent: &[Sent]) -> Figures {
    let failed: HashSet<&str> = sent
        .iter()
        .filter(|one| one.key.is_none())
        .filter_map(|one| one.answer.as_ref().filter(|answer| answer.status != 200))
        .map(|answer| {
            answer.error();
            answer.request_id()
        })
        .collect();
    let ledger = eventually("nothing answered with an error stays charged", async || {
        let ledger = ledger_of(db, account).await;
        let kept = kept(&ledger);
        (!kept.iter().any(|row| failed.contains(row.request_id.as_str()))).then_some(ledger)
    })
    .await;
    let kept = kept(&ledger);
    assert!(kept.iter().all(|row| row.delta == -PRICE), "a text should cost {PRICE}");

    let by_reference: HashMap<&str, &LedgerRow> =
        kept.iter().filter_map(|row| Some((row.reference.as_deref()?, *row))).collect();
    let refunds = ledger.iter().filter(|row| row.kind == "refund").count();
    let mut paid = HashSet::new();
    let mut remaining = HashSet::new();
    let mut answers: HashMap<&str, &str> = HashMap::new();
    for one in sent {
        let Some(answer) = one.answer.as_ref().filter(|answer| answer.status == 200) else { continue };
        let id = answer.body["id"].as_str().unwrap();
        let row =
            by_reference.get(id).unwrap_or_else(|| panic!("answered 200 but not charged: {}", answer.text));
        assert_eq!(answer.remaining(), row.balance_after, "{}", answer.text);
        if let Some(key) = &one.key {
            let first = *answers.entry(key).or_insert(&answer.text);
            assert_eq!(answer.text, first, "two answers under one key");
        }
        if paid.insert(id) {
            // After a refund, the same balance may occur again.
            assert!(remaining.insert(answer.remaining()) || refunds > 0, "a balance twice: {}", answer.text);
        }
    }
    let keys: HashSet<&str> = sent.iter().filter_map(|one| one.key.as_deref()).collect();
    assert_eq!(answers.len(), keys.len(), "a key was never answered");
    // A client without an answer may or may not have paid, unless it retried under a key.
    let unanswered = sent.iter().filter(|one| one.key.is_none() && one.answer.is_none()).count();
    let most = paid.len() + unanswered;
    assert!((paid.len()..=most).contains(&kept.len()), "{} charges for {} answers", kept.len(), paid.len());

    let mut by_status = BTreeMap::new();
    for one in sent {
        *by_status.entry(one.answer.as_ref().map_or(0, |answer| answer.status)).or_default() += 1;
    }
    let slowest = sent.iter().map(|one| one.took).max().unwrap_or_default();
    Figures { requests: sent.len(), by_status, charges: kept.len(), refunds, slowest }
}

/// Asserts that no log of any process on a database contains what the clients sent.
pub(super) fn no_log_holds_content(db: &Db) {
    let mut lines = 0;
    for file in std::fs::read_dir(db.log_dir()).unwrap() {
        let log = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!log.contains(MARKER), "{log}");
        lines += log.lines().count();
    }
    assert!(lines > 0, "there are no logs to look at");
}

/// Prints the totals of a load, for `--nocapture`.
#[expect(clippy::print_stderr, reason = "figures for people who run the suite")]
pub(super) fn report(fault: &str, figures: &Figures) {
    let Figures { requests, by_status, charges, refunds, slowest } = figures;
    eprintln!(
        "{fault}: {requests} requests, by status {by_status:?}, {charges} charged, {refunds} refunded, \
         the slowest {slowest:?}"
    );
}

async fn ledger_of(db: &Db, account: &Account) -> Vec<LedgerRow> {
    inv::ledger(db).await.into_iter().filter(|row| row.account_id == account.id).collect()
}

/// The charges that were not refunded.
fn kept(ledger: &[LedgerRow]) -> Vec<&LedgerRow> {
    let refunded: HashSet<&str> =
        ledger.iter().filter(|row| row.kind == "refund").filter_map(|row| row.reference.as_deref()).collect();
    ledger.iter().filter(|row| row.kind == "charge" && !refunded.contains(row.request_id.as_str())).collect()
}
