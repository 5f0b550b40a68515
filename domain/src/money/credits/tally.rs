//! The tally of a group: computes outcomes and ledger rows from balances and entries. Pure: no clock and no database.

use std::collections::HashMap;

use super::{
    Receipt,
    entry::{HoldUse, LedgerEntry, PostOutcome},
};
use crate::money::amount::Amount;

/// An account's funds in milli-credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Funds {
    pub(crate) balance: i64,
    pub(crate) held: i64,
    pub(crate) seq: i64,
}

/// An entry posted before under the same request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Posted {
    /// The reference of that entry.
    pub(crate) reference: Option<String>,
    pub(crate) receipt: Receipt,
}

/// A ledger row to be written for `entries[entry]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LedgerRow {
    pub(crate) entry: usize,
    pub(crate) seq: i64,
    pub(crate) balance_after: i64,
}

/// Applies entries in order to `funds`. An entry whose request id is in `posted` was posted before: it gets that
/// receipt again, unless it was for another result. `holds` maps the id of a request or job to the amount held for it;
/// a hold that ends is removed. An entry that cannot be afforded changes nothing and does not affect the next.
pub(crate) fn tally(
    funds: &mut HashMap<String, Funds>,
    posted: &mut HashMap<String, Posted>,
    holds: &mut HashMap<String, i64>,
    entries: &[LedgerEntry],
) -> (Vec<PostOutcome>, Vec<LedgerRow>) {
    let mut rows = Vec::with_capacity(entries.len());
    let mut outcomes = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        if let Some(Posted { reference, receipt }) = posted.get(entry.request_id.as_str()) {
            let same = *reference == entry.reference;
            outcomes.push(if same { PostOutcome::Posted(*receipt) } else { PostOutcome::Superseded });
            continue;
        }
        let Some(funds) = funds.get_mut(entry.account.as_str()) else {
            outcomes.push(PostOutcome::NoAccount);
            continue;
        };
        let delta = entry.delta.milli();
        let Some(effect) = HoldEffect::of(entry, holds) else {
            outcomes.push(PostOutcome::HoldEnded);
            continue;
        };
        let held = funds.held - effect.released;
        let available = if effect.hold_only { effect.amount } else { funds.balance - held };
        let balance = match funds.balance.checked_add(delta) {
            Some(balance) if delta >= 0 || available + delta >= 0 => balance,
            _ => {
                outcomes.push(PostOutcome::Insufficient { available: Amount::from_milli(available) });
                continue;
            }
        };
        if let Some(id) = entry.held_for() {
            match effect.left {
                Some(left) => holds.insert(id.to_owned(), left),
                None => holds.remove(id),
            };
        }
        *funds = Funds { balance, held, seq: funds.seq + 1 };
        let receipt = Receipt {
            deducted: -entry.delta,
            remaining: Amount::from_milli(balance - funds.held),
            seq: funds.seq,
        };
        let reference = entry.reference.clone();
        posted.insert(entry.request_id.to_string(), Posted { reference, receipt });
        rows.push(LedgerRow { entry: index, seq: funds.seq, balance_after: balance });
        outcomes.push(PostOutcome::Posted(receipt));
    }
    (outcomes, rows)
}

/// The effect of posting an entry on the hold that it spends, in milli-credits.
struct HoldEffect {
    /// The hold's amount before the entry.
    amount: i64,
    /// The amount that no longer counts as held.
    released: i64,
    /// The hold's amount after the entry; `None` if it ends.
    left: Option<i64>,
    /// True when the entry may spend only the hold.
    hold_only: bool,
}

impl HoldEffect {
    /// None when a job's hold has ended, so that nothing may be charged for the job.
    fn of(entry: &LedgerEntry, holds: &HashMap<String, i64>) -> Option<Self> {
        let hold = entry.held_for().and_then(|id| holds.get(id)).copied();
        let cost = -entry.delta.milli();
        match (&entry.hold, hold) {
            (HoldUse::None, _) => Some(Self { amount: 0, released: 0, left: None, hold_only: false }),
            (HoldUse::Capture, _) => {
                let amount = hold.unwrap_or(0);
                Some(Self { amount, released: amount, left: None, hold_only: false })
            }
            (HoldUse::Part(_) | HoldUse::Last(_), None) => None,
            (HoldUse::Part(_), Some(amount)) => {
                Some(Self { amount, released: cost, left: Some(amount - cost), hold_only: true })
            }
            (HoldUse::Last(_), Some(amount)) => {
                Some(Self { amount, released: amount, left: None, hold_only: true })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::money::credits::EntryKind;
    use ports::id::{AccountId, JobId, RequestId};

    fn entry(account: u8, request: u16, delta: i64) -> LedgerEntry {
        let account = AccountId::from(format!("acc_{account}"));
        let request = RequestId::from(format!("req_{request}"));
        LedgerEntry::new(account, request, EntryKind::Charge, Amount::from_milli(delta))
    }

    prop_compose! {
        fn an_account()(balance in 0..5_000i64, share in 0.0..=1.0f64, seq in 0..100i64) -> Funds {
            Funds { balance, held: (balance as f64 * share) as i64, seq }
        }
    }

    proptest! {
        #[test]
        fn money_is_neither_made_nor_lost(
            start in proptest::collection::vec(an_account(), 3),
            asked in proptest::collection::vec((0..4u8, 0..40u16, -900..300i64), 0..60),
        ) {
            let before: HashMap<_, _> =
                start.iter().enumerate().map(|(i, funds)| (format!("acc_{i}"), *funds)).collect();
            let entries: Vec<_> = asked.iter().map(|&(a, r, d)| entry(a, r, d)).collect();
            let mut after = before.clone();
            let (outcomes, rows) = tally(&mut after, &mut HashMap::new(), &mut HashMap::new(), &entries);

            prop_assert_eq!(outcomes.len(), entries.len());
            for (id, funds) in &after {
                let mine: Vec<_> =
                    rows.iter().filter(|row| entries[row.entry].account.as_str() == id).collect();
                let mut balance = before[id].balance;
                let mut seq = before[id].seq;
                for row in mine {
                    balance += entries[row.entry].delta.milli();
                    seq += 1;
                    prop_assert_eq!((row.balance_after, row.seq), (balance, seq));
                }
                prop_assert_eq!((funds.balance, funds.seq), (balance, seq));
                prop_assert!(funds.held >= 0 && funds.held <= funds.balance);
            }
            let mut seen = std::collections::HashSet::new();
            prop_assert!(rows.iter().all(|row| seen.insert(entries[row.entry].request_id.clone())));
        }

        #[test]
        fn a_refusal_is_always_for_want_of_money(
            balance in 0..5_000i64,
            costs in proptest::collection::vec(1..900i64, 1..60),
        ) {
            let mut funds = HashMap::from([("acc_0".to_owned(), Funds { balance, held: 0, seq: 0 })]);
            let entries: Vec<_> = costs.iter().zip(0..).map(|(cost, i)| entry(0, i, -cost)).collect();
            let (outcomes, _) = tally(&mut funds, &mut HashMap::new(), &mut HashMap::new(), &entries);
            let mut left = balance;
            for (outcome, cost) in outcomes.iter().zip(&costs) {
                match outcome {
                    PostOutcome::Posted(_) => left -= cost,
                    PostOutcome::Insufficient { available } => {
                        prop_assert_eq!(available.milli(), left);
                        prop_assert!(left < *cost);
                    }
                    PostOutcome::Superseded | PostOutcome::HoldEnded | PostOutcome::NoAccount => prop_assert!(false),
                }
            }
            prop_assert_eq!(funds["acc_0"].balance, left);
        }
    }

    proptest! {
        #[test]
        fn a_hold_is_spent_by_its_own_charge_alone(
            free in 0..2_000i64,
            requests in proptest::collection::vec((0..900i64, 0..900i64, proptest::bool::ANY), 1..30),
        ) {
            // Each request has a hold; some capture it, the others charge without it.
            let mut holds: HashMap<String, i64> = HashMap::new();
            let mut entries = Vec::new();
            for (i, &(hold, cost, captures)) in (0..).zip(&requests) {
                let mut entry = entry(0, i, -(if captures { cost.min(hold) } else { cost }));
                entry.hold = if captures { HoldUse::Capture } else { HoldUse::None };
                holds.insert(entry.request_id.to_string(), hold);
                entries.push(entry);
            }
            let held: i64 = holds.values().sum();
            let start = Funds { balance: free + held, held, seq: 0 };
            let mut funds = HashMap::from([("acc_0".to_owned(), start)]);
            let (outcomes, _) = tally(&mut funds, &mut HashMap::new(), &mut holds.clone(), &entries);
            let mut expected = start;
            for (entry, outcome) in entries.iter().zip(&outcomes) {
                let posted = matches!(outcome, PostOutcome::Posted(_));
                prop_assert!(entry.hold == HoldUse::None || posted, "a capture was refused");
                if let PostOutcome::Posted(receipt) = outcome {
                    expected.balance += entry.delta.milli();
                    expected.held -= entry.held_for().map_or(0, |id| holds[id]);
                    expected.seq += 1;
                    prop_assert_eq!(receipt.remaining.milli(), expected.balance - expected.held);
                }
                prop_assert!(expected.balance >= expected.held, "held credits were spent");
            }
            prop_assert_eq!(funds["acc_0"], expected);
        }
    }

    proptest! {
        #[test]
        fn the_parts_of_a_job_spend_its_hold_and_nothing_else(
            free in 0..2_000i64,
            hold in 0..5_000i64,
            parts in proptest::collection::vec((0..900i64, 0..10u8), 1..30),
        ) {
            let job = JobId::from("job_1".to_owned());
            let part = |(i, &(cost, last)): (u16, &(i64, u8))| {
                let mut entry = entry(0, i, -cost);
                entry.hold = if last == 0 { HoldUse::Last(job.clone()) } else { HoldUse::Part(job.clone()) };
                entry
            };
            let entries: Vec<_> = (0..).zip(&parts).map(part).collect();
            let mut holds = HashMap::from([(job.to_string(), hold)]);
            let start = Funds { balance: free + hold, held: hold, seq: 0 };
            let mut funds = HashMap::from([("acc_0".to_owned(), start)]);
            let (outcomes, _) = tally(&mut funds, &mut HashMap::new(), &mut holds, &entries);
            let mut left = Some(hold);
            let mut spent = 0;
            for (outcome, (entry, (cost, _))) in outcomes.iter().zip(entries.iter().zip(&parts)) {
                match (outcome, left) {
                    (PostOutcome::HoldEnded, None) => {}
                    (PostOutcome::Insufficient { available }, Some(had)) => {
                        prop_assert!(had < *cost && available.milli() == had);
                    }
                    (PostOutcome::Posted(_), Some(had)) => {
                        prop_assert!(had >= *cost);
                        spent += cost;
                        left = matches!(entry.hold, HoldUse::Part(_)).then_some(had - cost);
                    }
                    wrong => prop_assert!(false, "{wrong:?}"),
                }
            }
            prop_assert_eq!(holds.get(job.as_str()).copied(), left);
            let after = funds["acc_0"];
            prop_assert_eq!((after.balance, after.held), (free + hold - spent, left.unwrap_or(0)));
            prop_assert!(after.balance - after.held >= free, "free credits were spent");
        }
    }

    #[test]
    fn a_charge_whose_hold_has_expired_is_made_if_it_can_be_afforded() {
        for (balance, posted) in [(500, true), (499, false)] {
            let mut funds =
                HashMap::from([("acc_0".to_owned(), Funds { balance: balance + 200, held: 200, seq: 0 })]);
            let mut capture = entry(0, 1, -500);
            capture.hold = HoldUse::Capture;
            let (outcomes, rows) = tally(&mut funds, &mut HashMap::new(), &mut HashMap::new(), &[capture]);
            assert_eq!(
                (matches!(outcomes[0], PostOutcome::Posted(_)), rows.len()),
                (posted, usize::from(posted))
            );
            assert_eq!(funds["acc_0"].held, 200);
        }
    }

    #[test]
    fn a_request_id_moves_money_once() {
        let mut funds = HashMap::from([("acc_0".to_owned(), Funds { balance: 1_000, held: 0, seq: 7 })]);
        let (outcomes, rows) = tally(
            &mut funds,
            &mut HashMap::new(),
            &mut HashMap::new(),
            &[entry(0, 1, -500), entry(0, 1, -500)],
        );
        assert_eq!(outcomes[0], outcomes[1]);
        assert_eq!(rows.len(), 1);
        assert_eq!(funds["acc_0"], Funds { balance: 500, held: 0, seq: 8 });
    }

    #[test]
    fn two_results_of_one_request_are_not_both_paid_for() {
        let mut funds = HashMap::from([("acc_0".to_owned(), Funds { balance: 1_000, held: 0, seq: 7 })]);
        let mut other = entry(0, 1, -500);
        other.reference = Some("mod_other".to_owned());
        let entries = [entry(0, 1, -500), other];
        let (outcomes, rows) = tally(&mut funds, &mut HashMap::new(), &mut HashMap::new(), &entries);
        assert!(matches!(outcomes[..], [PostOutcome::Posted(_), PostOutcome::Superseded]));
        assert_eq!((rows.len(), funds["acc_0"].balance), (1, 500));
    }
}
