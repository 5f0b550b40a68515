//! The connection to PostgreSQL breaks around the commit that makes a hold, or the one that captures it.

use std::time::Duration;

use super::proxy::{Fate, Proxy};
use crate::{
    harness::{Db, eventually, inv, on_postgres},
    holds::{Payer, funds, nothing_held},
};

const LONG: Duration = Duration::from_secs(3_600);
const FATES: [Fate; 3] = [Fate::NeverSent, Fate::CutAfterSending, Fate::AnswerLost];

async fn holds_and_charges_with_unknown_outcomes_are_looked_up(db: Db) {
    let account = db.account(10).await;
    let proxy = Proxy::start(&db).await;
    let payer = Payer::start(&proxy.url(&db), &account.id).await;
    let mut balance = 10_000;
    for fate in FATES {
        proxy.next_commit(fate, false);
        let held = payer.hold(900, LONG).await.unwrap();
        assert_eq!(funds(&db, &account).await, (balance, 900), "{fate:?}");
        proxy.next_commit(fate, false);
        balance -= 600;
        assert_eq!(payer.capture(held, 600).await.unwrap().remaining.milli(), balance, "{fate:?}");
        assert_eq!(funds(&db, &account).await, (balance, 0), "{fate:?}");
    }
    assert_eq!((proxy.met(), inv::charges(&db, &account.id).await.len()), (6, 3));
}

async fn a_failed_hold_is_released_once_the_database_is_back(db: Db) {
    let account = db.account(10).await;
    for fate in [Fate::NeverSent, Fate::AnswerLost] {
        let proxy = Proxy::start(&db).await;
        let payer = Payer::start(&proxy.url(&db), &account.id).await;
        proxy.next_commit(fate, true);
        assert!(payer.hold(900, LONG).await.is_err());
        let held = if fate == Fate::AnswerLost { 900 } else { 0 };
        assert_eq!(funds(&db, &account).await, (10_000, held), "{fate:?}");
        proxy.revive();
        nothing_held(&db, &account).await;
    }
    let mut spent = 0;
    for fate in [Fate::NeverSent, Fate::AnswerLost] {
        let proxy = Proxy::start(&db).await;
        let payer = Payer::start(&proxy.url(&db), &account.id).await;
        let held = payer.hold(900, LONG).await.unwrap();
        proxy.next_commit(fate, true);
        assert!(payer.capture(held, 600).await.is_err());
        if fate == Fate::AnswerLost {
            spent = 600;
        }
        assert_eq!(funds(&db, &account).await.0, 10_000 - spent, "{fate:?}");
        proxy.revive();
        eventually("nothing is held or charged", async || {
            (funds(&db, &account).await == (10_000, 0)).then_some(())
        })
        .await;
    }
    let kinds: Vec<String> = inv::ledger(&db).await.into_iter().map(|row| row.kind).collect();
    assert_eq!(kinds, ["grant", "charge", "refund"]);
}

on_postgres!(
    holds_and_charges_with_unknown_outcomes_are_looked_up,
    a_failed_hold_is_released_once_the_database_is_back,
);
