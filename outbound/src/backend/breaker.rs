//! A circuit breaker: opens after several consecutive outages of the server, counted over all callers. After the
//! cool-down it admits one trial request, whose result closes it or opens it again. Other requests of the same
//! question, and those that arrive with the trial, wait for that result.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::{sync::Notify, time::timeout_at};

/// The settings of a breaker.
#[derive(Clone, Copy, Debug)]
pub(super) struct BreakerSettings {
    /// Consecutive failures that open it; at least 1.
    pub(super) failures: u32,
    /// How long it stays open.
    pub(super) cool_down: Duration,
}

/// The breaker of one backend.
pub(super) struct Breaker {
    backend: &'static str,
    settings: BreakerSettings,
    state: Mutex<BreakerState>,
    /// Notified of the end of a trial.
    tried: Notify,
}

/// Permission for one request. Dropping it without a report has no effect, except that a trial may be repeated at once.
pub(super) struct Permit<'a> {
    breaker: &'a Breaker,
    trial: bool,
    reported: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BreakerState {
    /// All requests are admitted; counts consecutive failures.
    Closed { failures: u32 },
    /// No request is admitted before `until`.
    Open { until: Instant },
    /// A trial request is in progress.
    HalfOpen,
}

/// Whether a request is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admission {
    Granted,
    /// As the trial request.
    Trial,
    Refused,
}

impl Breaker {
    /// Creates a closed breaker. `backend` is the label of its metrics.
    pub(super) fn new(backend: &'static str, settings: BreakerSettings) -> Self {
        let closed = BreakerState::Closed { failures: 0 };
        let breaker = Self { backend, settings, state: Mutex::new(closed), tried: Notify::new() };
        breaker.show(closed);
        breaker
    }

    /// Whether [`admit`](Self::admit) would admit a request now.
    pub(super) fn would_admit(&self, now: Instant) -> bool {
        // On a copy, so that this does not start the trial.
        let mut state = *self.state.lock();
        state.admit(now) != Admission::Refused
    }

    /// Admits a request now, or refuses it.
    pub(super) fn admit(&self, now: Instant) -> Option<Permit<'_>> {
        let mut state = self.state.lock();
        let before = *state;
        let admission = state.admit(now);
        self.changed(before, *state);
        drop(state);
        (admission != Admission::Refused).then_some(Permit {
            breaker: self,
            trial: admission == Admission::Trial,
            reported: false,
        })
    }

    /// Admits a request: at once, or when a trial that is in progress has succeeded, if that is before `until`.
    pub(super) async fn admit_after_trial(&self, until: Instant) -> Option<Permit<'_>> {
        loop {
            // Listens before it asks, so that no end is missed in between.
            let tried = self.tried.notified();
            let admitted = self.admit(Instant::now());
            if admitted.is_some() || *self.state.lock() != BreakerState::HalfOpen {
                return admitted;
            }
            timeout_at(until.into(), tried).await.ok()?;
        }
    }

    fn changed(&self, before: BreakerState, after: BreakerState) {
        use BreakerState::{Closed, HalfOpen, Open};
        if before == HalfOpen && after != HalfOpen {
            self.tried.notify_waiters();
        }
        match (before, after) {
            (Closed { .. }, Open { .. }) => tracing::warn!(
                backend = self.backend,
                failures = self.settings.failures,
                cool_down = ?self.settings.cool_down,
                "circuit breaker opened after repeated failures"
            ),
            (HalfOpen, Closed { .. }) => {
                tracing::info!(backend = self.backend, "circuit breaker closed: the backend answers again");
            }
            _ => {}
        }
        self.show(after);
    }

    fn show(&self, state: BreakerState) {
        let value = match state {
            BreakerState::Closed { .. } => 0.0,
            BreakerState::HalfOpen => 1.0,
            BreakerState::Open { .. } => 2.0,
        };
        metrics::gauge!("gavel_backend_breaker_state", "backend" => self.backend).set(value);
    }

    fn update(&self, update: impl FnOnce(&mut BreakerState)) {
        let mut state = self.state.lock();
        let before = *state;
        update(&mut state);
        if before != *state {
            self.changed(before, *state);
        }
    }
}

impl Permit<'_> {
    /// Reports whether the backend worked.
    pub(super) fn report(mut self, worked: bool, now: Instant) {
        self.reported = true;
        let trial = self.trial;
        let settings = self.breaker.settings;
        self.breaker.update(|state| state.report(trial, worked, now, settings));
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.trial && !self.reported {
            self.breaker.update(|state| *state = BreakerState::Open { until: Instant::now() });
        }
    }
}

impl BreakerState {
    fn admit(&mut self, now: Instant) -> Admission {
        match *self {
            Self::Closed { .. } => Admission::Granted,
            Self::Open { until } if now >= until => {
                *self = Self::HalfOpen;
                Admission::Trial
            }
            Self::Open { .. } | Self::HalfOpen => Admission::Refused,
        }
    }

    fn report(&mut self, trial: bool, worked: bool, now: Instant, settings: BreakerSettings) {
        let open = Self::Open { until: now + settings.cool_down };
        *self = match *self {
            Self::Closed { .. } if worked => Self::Closed { failures: 0 },
            Self::Closed { failures } if failures + 1 >= settings.failures => open,
            Self::Closed { failures } => Self::Closed { failures: failures + 1 },
            Self::HalfOpen if trial && worked => Self::Closed { failures: 0 },
            Self::HalfOpen if trial => open,
            // The result of a request that was admitted before the breaker opened does not count.
            unchanged => unchanged,
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COOL_DOWN: Duration = Duration::from_secs(10);

    fn breaker(failures: u32) -> Breaker {
        Breaker::new("test", BreakerSettings { failures, cool_down: COOL_DOWN })
    }

    #[test]
    fn an_abandoned_trial_may_be_repeated() {
        let breaker = breaker(1);
        let start = Instant::now();
        breaker.admit(start).unwrap().report(false, start);
        assert!(breaker.admit(start).is_none());
        let trial = breaker.admit(start + COOL_DOWN).unwrap();
        assert!(breaker.admit(start + COOL_DOWN).is_none(), "one at a time");
        drop(trial);
        breaker.admit(start + COOL_DOWN).unwrap().report(true, start + COOL_DOWN);
        assert!(breaker.would_admit(start));
    }

    /// A step of the property test.
    #[derive(Clone, Debug)]
    enum Event {
        Asks,
        Ends { which: usize, worked: bool },
        Leaves { which: usize },
        Waits(u64),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => Just(Event::Asks),
            4 => (0..8usize, any::<bool>()).prop_map(|(which, worked)| Event::Ends { which, worked }),
            1 => (0..8usize).prop_map(|which| Event::Leaves { which }),
            2 => (0..15_000u64).prop_map(Event::Waits),
        ]
    }

    proptest! {
        #[test]
        fn it_opens_after_the_limit_of_consecutive_failures_and_admits_one_trial_at_a_time(
            limit in 1..4u32,
            events in prop::collection::vec(event(), 0..200),
        ) {
            let breaker = breaker(limit);
            let mut now = Instant::now();
            let mut permits: Vec<Permit<'_>> = Vec::new();
            // The expected state: consecutive failures while closed, and when it opened.
            let mut row = 0;
            let mut opened = None;
            for event in events {
                let open_before = opened;
                match event {
                    Event::Asks => {
                        let trials = permits.iter().filter(|permit| permit.trial).count();
                        prop_assert_eq!(breaker.would_admit(now), breaker.admit(now).is_some_and(|permit| {
                            permits.push(permit);
                            true
                        }));
                        let trying = permits.iter().filter(|permit| permit.trial).count();
                        prop_assert!(trying <= 1);
                        let admitted = permits.last().is_some_and(|permit| permit.trial) && trying > trials;
                        match open_before {
                            Some(since) => prop_assert_eq!(admitted, now >= since + COOL_DOWN && trials == 0),
                            None => prop_assert_eq!(trying, 0),
                        }
                    }
                    Event::Ends { which, worked } if which < permits.len() => {
                        let permit = permits.swap_remove(which);
                        let trial = permit.trial;
                        permit.report(worked, now);
                        match (opened, trial) {
                            (None, _) if worked => row = 0,
                            (None, _) => {
                                row += 1;
                                if row == limit {
                                    opened = Some(now);
                                }
                            }
                            (Some(_), true) if worked => (opened, row) = (None, 0),
                            (Some(_), true) => opened = Some(now),
                            (Some(_), false) => {}
                        }
                    }
                    Event::Leaves { which } if which < permits.len() && !permits[which].trial => {
                        permits.swap_remove(which);
                    }
                    Event::Ends { .. } | Event::Leaves { .. } => {}
                    Event::Waits(ms) => now += Duration::from_millis(ms),
                }
                if opened.is_none() {
                    prop_assert!(breaker.would_admit(now), "closed after {} failures in a row", row);
                }
            }
        }
    }
}
