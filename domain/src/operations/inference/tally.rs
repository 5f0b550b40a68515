//! What the backends of this process have answered since it started, for operators. Metrics have the same for all
//! processes and all time.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;

use crate::{foundation::round, money::amount::Amount};

/// The last answers whose times are kept.
const TIMES: usize = 1_000;

/// The tallies of all backends. Cheap to clone.
#[derive(Clone, Default)]
pub struct Tallies(Arc<Mutex<HashMap<&'static str, Kept>>>);

/// What one backend has answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendTally {
    /// Requests, those that failed included.
    pub requests: u64,
    /// Requests that were not answered.
    pub errors: u64,
    /// Milliseconds that half of the last 1,000 answers took at most; `None` before the first.
    pub p50_ms: Option<f64>,
    /// Milliseconds that 95 of 100 of them took at most.
    pub p95_ms: Option<f64>,
    /// What accounts were charged for its answers.
    pub charged: Amount,
    /// What its answers cost the operator in US dollars, as its server says; `None` if it never did.
    pub cost: Option<f64>,
}

/// An answer, as it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct TalliedAnswer {
    pub(super) took: Duration,
    pub(super) price: Amount,
    pub(super) cost: Option<f64>,
}

#[derive(Default)]
struct Kept {
    tally: BackendTally,
    times_ms: VecDeque<f64>,
}

impl Tallies {
    /// What a backend has answered so far.
    pub fn of(&self, backend: &str) -> BackendTally {
        let kept = self.0.lock();
        let Some(kept) = kept.get(backend) else { return BackendTally::default() };
        let mut times: Vec<f64> = kept.times_ms.iter().copied().collect();
        times.sort_by(f64::total_cmp);
        BackendTally { p50_ms: percentile(&times, 50), p95_ms: percentile(&times, 95), ..kept.tally.clone() }
    }

    pub(super) fn answered(&self, backend: &'static str, answer: TalliedAnswer) {
        let mut kept = self.0.lock();
        let kept = kept.entry(backend).or_default();
        kept.tally.requests += 1;
        kept.tally.charged = kept.tally.charged.plus(answer.price).unwrap_or(kept.tally.charged);
        if let Some(cost) = answer.cost {
            *kept.tally.cost.get_or_insert(0.0) += cost;
        }
        if kept.times_ms.len() == TIMES {
            kept.times_ms.pop_front();
        }
        kept.times_ms.push_back(round::milliseconds(answer.took.as_secs_f64() * 1e3));
    }

    pub(super) fn failed(&self, backend: &'static str) {
        let mut kept = self.0.lock();
        let tally = &mut kept.entry(backend).or_default().tally;
        tally.requests += 1;
        tally.errors += 1;
    }
}

/// The smallest number that at least `percent` of a hundred of the sorted ones do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_last_thousand_answers() {
        let tallies = Tallies::default();
        assert_eq!(tallies.of("a"), BackendTally::default());
        for ms in 1..=1_100 {
            let took = Duration::from_millis(ms);
            tallies.answered("a", TalliedAnswer { took, price: Amount::from_milli(500), cost: Some(0.25) });
        }
        tallies.failed("a");
        let tally = tallies.of("a");
        assert_eq!((tally.requests, tally.errors, tally.charged.milli()), (1_101, 1, 550_000));
        assert_eq!((tally.p50_ms, tally.p95_ms, tally.cost), (Some(600.0), Some(1_050.0), Some(275.0)));
    }
}
