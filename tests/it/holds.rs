//! Durable holds through the domain's own interface, beside a running server: held credits cannot be spent
//! otherwise, and every end of a hold releases exactly what was not spent, whatever process dies.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use domain::{
    Code,
    foundation::{database::Database, events::Events},
    money::{
        amount::Amount,
        credits::{Credits, EntryKind, Hold, LedgerEntry, Receipt, SideTables},
    },
};
use ports::id::{AccountId, ModerationId, RequestId};
use tokio::task::JoinSet;

use crate::harness::{Account, Db, Server, eventually, inv, on_both};

/// Longer than any test.
const LONG: Duration = Duration::from_secs(3_600);
/// The environment variable with database and account of the process to be killed.
const HOLDER: &str = "GAVEL_TEST_HOLDER";

/// The credits of one process, and an account to spend from.
pub(crate) struct Payer {
    credits: Credits,
    account: AccountId,
}

/// A request and its hold.
#[derive(Debug)]
pub(crate) struct RequestHold {
    pub(crate) request: RequestId,
    pub(crate) hold: Hold,
}

impl Payer {
    /// Connects to the database at `url`, which must have been migrated.
    pub(crate) async fn start(url: &str, account: &str) -> Self {
        let db = Database::connect(url, 8).await.unwrap();
        Self {
            credits: Credits::start(db.clone(), Events::start(db), SideTables::default(), None),
            account: AccountId::from(account.to_owned()),
        }
    }

    /// Holds milli-credits for a new request.
    pub(crate) async fn hold(&self, milli: i64, ttl: Duration) -> domain::Result<RequestHold> {
        let request = RequestId::new();
        let hold = self.hold_for(&request, milli, ttl).await?;
        Ok(RequestHold { request, hold })
    }

    async fn hold_for(&self, request: &RequestId, milli: i64, ttl: Duration) -> domain::Result<Hold> {
        self.credits.hold(&self.account, Amount::from_milli(milli), request.clone(), "a test", ttl).await
    }

    fn entry(&self, request: &RequestId, milli: i64) -> LedgerEntry {
        let amount = Amount::from_milli(-milli);
        let mut entry = LedgerEntry::new(self.account.clone(), request.clone(), EntryKind::Charge, amount);
        entry.reference = Some(ModerationId::new().to_string());
        entry
    }

    /// Charges for a request against its hold.
    pub(crate) async fn capture(&self, held: RequestHold, milli: i64) -> domain::Result<Receipt> {
        self.credits.capture(held.hold, self.entry(&held.request, milli)).await
    }

    /// Charges without a hold, as for cheap local work.
    async fn charge(&self, milli: i64) -> domain::Result<Receipt> {
        let reservation = self.credits.require(&self.account, Amount::from_milli(milli)).await?;
        self.credits.charge(reservation, self.entry(&RequestId::new(), milli)).await
    }
}

/// An account's balance and held amount, in milli-credits.
pub(crate) async fn funds(db: &Db, account: &Account) -> (i64, i64) {
    let accounts = inv::accounts(db).await;
    let row = accounts.into_iter().find(|row| row.id == account.id).expect("the account");
    (row.balance, row.held)
}

/// Waits until the account has no open holds.
pub(crate) async fn nothing_held(db: &Db, account: &Account) {
    eventually("nothing is held any more", async || (funds(db, account).await.1 == 0).then_some(())).await;
}

fn code<T>(result: domain::Result<T>) -> Code {
    result.err().expect("a refusal").code
}

async fn held_credits_cannot_be_spent_otherwise(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let payer = Payer::start(db.url(), &account.id).await;

    let held = payer.hold(9_500, LONG).await.unwrap();
    assert_eq!(held.hold.amount(), Amount::from_milli(9_500));
    assert_eq!(funds(&db, &account).await, (10_000, 9_500));
    assert_eq!(server.moderate(&account.key, "what is left?").send().await.remaining(), 0);
    server.moderate(&account.key, "what is left?").send().await.fails(402, "INSUFFICIENT_CREDITS");
    assert_eq!(code(payer.hold(1, LONG).await), Code::InsufficientCredits);
    assert_eq!(code(payer.charge(1).await), Code::InsufficientCredits);

    let receipt = payer.capture(held, 3_000).await.unwrap();
    assert_eq!((receipt.deducted.milli(), receipt.remaining.milli()), (3_000, 6_500));
    assert_eq!(funds(&db, &account).await, (6_500, 0));
    assert_eq!(server.moderate(&account.key, "what is left?").send().await.remaining(), 6_000);
    assert_eq!(payer.charge(500).await.unwrap().remaining.milli(), 5_500);
}

async fn an_unspent_hold_is_released(db: Db) {
    let account = db.account(1).await;
    let payer = Payer::start(db.url(), &account.id).await;
    let held = payer.hold(1_000, LONG).await.unwrap();
    payer.credits.release(held.hold).await.unwrap();
    assert_eq!(funds(&db, &account).await, (1_000, 0));
    drop(payer.hold(1_000, LONG).await.unwrap());
    nothing_held(&db, &account).await;
    // A charge that its hold does not cover is refused completely.
    let held = payer.hold(600, LONG).await.unwrap();
    assert_eq!(code(payer.capture(held, 601).await), Code::InternalError);
    let held = payer.hold(400, LONG).await.unwrap();
    let of_another = RequestHold { request: RequestId::new(), hold: held.hold };
    assert_eq!(code(payer.capture(of_another, 400).await), Code::InternalError);
    nothing_held(&db, &account).await;
    assert_eq!(funds(&db, &account).await, (1_000, 0));
}

async fn a_request_has_one_hold_and_one_charge(db: Db) {
    let account = db.account(1).await;
    let payer = Payer::start(db.url(), &account.id).await;
    let request = RequestId::new();
    let dead = payer.hold_for(&request, 1_000, LONG).await.unwrap();
    // Another process takes over at another price, although all other credits are held.
    let taken_over = payer.hold_for(&request, 700, LONG).await.unwrap();
    assert_eq!(funds(&db, &account).await, (1_000, 700));
    // The first process is still alive. It cannot release the hold of the second one.
    payer.credits.release(dead).await.unwrap();
    assert_eq!(funds(&db, &account).await, (1_000, 700));
    payer.capture(RequestHold { request: request.clone(), hold: taken_over }, 700).await.unwrap();
    let late = payer.hold_for(&request, 300, LONG).await.unwrap();
    assert_eq!(code(payer.capture(RequestHold { request, hold: late }, 300).await), Code::Conflict);
    nothing_held(&db, &account).await;
    assert_eq!(funds(&db, &account).await, (300, 0));
}

async fn an_expired_hold_is_released_once_by_concurrent_sweeps(db: Db) {
    let account = db.account(10).await;
    let payer = Payer::start(db.url(), &account.id).await;
    let mut expired = Vec::new();
    for _ in 0..20 {
        expired.push(payer.hold(100, Duration::ZERO).await.unwrap());
    }
    let lasting = payer.hold(1_000, LONG).await.unwrap();
    assert_eq!(funds(&db, &account).await, (10_000, 3_000));
    let mut sweeps = JoinSet::new();
    for _ in 0..4 {
        let credits = payer.credits.clone();
        sweeps.spawn(async move { credits.expire_holds().await.unwrap() });
    }
    assert_eq!(sweeps.join_all().await.into_iter().sum::<u64>(), 20);
    assert_eq!(funds(&db, &account).await, (10_000, 1_000));
    payer.capture(lasting, 1_000).await.unwrap();
    // The holds have ended, but the charges can still be made.
    for held in expired {
        payer.capture(held, 100).await.unwrap();
    }
    assert_eq!(funds(&db, &account).await, (7_000, 0));
}

async fn a_charge_after_its_hold_needs_sufficient_credits(db: Db) {
    let account = db.account(1).await;
    let payer = Payer::start(db.url(), &account.id).await;
    let late = payer.hold(800, Duration::ZERO).await.unwrap();
    assert_eq!(payer.credits.expire_holds().await.unwrap(), 1);
    let other = payer.hold(300, LONG).await.unwrap();
    assert_eq!(code(payer.capture(late, 800).await), Code::InsufficientCredits);
    assert_eq!(funds(&db, &account).await, (1_000, 300));
    payer.capture(other, 300).await.unwrap();
    // Expired but not yet swept: the credits are still available to its charge.
    let unswept = payer.hold(700, Duration::ZERO).await.unwrap();
    assert_eq!(payer.capture(unswept, 700).await.unwrap().remaining.milli(), 0);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

/// Two processes hold, capture, release, drop and charge at once, with credits for about half of the work.
async fn concurrent_holds_never_spend_a_credit_twice(db: Db) {
    let account = db.account(50).await;
    let payers = [Payer::start(db.url(), &account.id).await, Payer::start(db.url(), &account.id).await];
    let payers = std::sync::Arc::new(payers);
    let mut tasks = JoinSet::new();
    for number in 0..240 {
        let payers = payers.clone();
        tasks.spawn(async move {
            let payer = &payers[number % 2];
            if number % 3 == 0 {
                return payer.charge(500).await.map(|receipt| receipt.deducted.milli());
            }
            let held = payer.hold(900, LONG).await?;
            match number % 7 {
                0 => payer.credits.release(held.hold).await.map(|()| 0),
                1 => {
                    drop(held);
                    Ok(0)
                }
                _ => payer.capture(held, 600).await.map(|receipt| receipt.deducted.milli()),
            }
        });
    }
    let mut spent = 0;
    let mut refused = 0;
    for result in tasks.join_all().await {
        match result {
            Ok(milli) => spent += milli,
            Err(error) => {
                assert_eq!(error.code, Code::InsufficientCredits, "{error}");
                refused += 1;
            }
        }
    }
    nothing_held(&db, &account).await;
    assert_eq!(funds(&db, &account).await, (50_000 - spent, 0));
    assert!(refused > 0 && spent > 0, "{refused} refused, {spent} spent");
    // Nothing is stuck: both processes can spend what is left.
    for payer in payers.iter() {
        let left = funds(&db, &account).await.0;
        payer.charge(left / 2).await.unwrap();
    }
}

async fn an_erased_account_is_not_found_immediately(db: Db) {
    let account = db.account(10).await;
    let payer = Payer::start(db.url(), &account.id).await;
    db.execute("UPDATE account SET erased_at = created_at").await;
    let start = Instant::now();
    let error = payer.hold(1_000, LONG).await.unwrap_err();
    assert_eq!(error.code, Code::NotFound, "{error}");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

/// Not a test by itself: holds credits until the next test kills it.
#[tokio::test]
#[ignore = "run by the next test, which kills it"]
async fn holds_and_waits() {
    let Ok(holder) = std::env::var(HOLDER) else { return };
    let (account, url) = holder.split_once(' ').unwrap();
    let payer = Payer::start(url, account).await;
    let held = payer.hold(1_000, Duration::from_secs(3)).await.unwrap();
    std::future::pending::<()>().await;
    drop(held);
}

async fn the_holds_of_a_killed_process_are_released(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let mut holder = tokio::process::Command::new(std::env::current_exe().unwrap());
    holder.args(["--ignored", "--exact", "holds::holds_and_waits"]);
    holder.env(HOLDER, format!("{} {}", account.id, db.url()));
    let mut holder = holder.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    eventually("credits are held", async || (funds(&db, &account).await.1 == 1_000).then_some(())).await;
    server.moderate(&account.key, "nothing is left").send().await.fails(402, "INSUFFICIENT_CREDITS");
    holder.kill().await.unwrap();
    // The server releases expired holds, as every replica does.
    nothing_held(&db, &account).await;
    assert_eq!(server.moderate(&account.key, "it is back").send().await.remaining(), 500);
}

on_both!(
    an_erased_account_is_not_found_immediately,
    held_credits_cannot_be_spent_otherwise,
    an_unspent_hold_is_released,
    a_request_has_one_hold_and_one_charge,
    an_expired_hold_is_released_once_by_concurrent_sweeps,
    a_charge_after_its_hold_needs_sufficient_credits,
    concurrent_holds_never_spend_a_credit_twice,
    the_holds_of_a_killed_process_are_released,
);
