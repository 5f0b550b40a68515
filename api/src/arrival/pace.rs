//! How slowly a body may arrive. Only the time counts in which its client is waited for.

use std::time::Duration;

use axum::body::BodyDataStream;
use bytes::Bytes;
use domain::{Code, Error, Result};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout};

use crate::slots::AccountSlots;

/// The longest pause between two chunks of a body.
const PAUSE: Duration = Duration::from_secs(10);
/// The longest that all pauses of a body may take together.
const ALL_PAUSES: Duration = Duration::from_secs(60);
/// The slowest that a body may arrive.
const SLOWEST: Rate = Rate { grace: Duration::from_secs(10), bytes_per_s: 8 * 1_024 };
/// The slowest for a body that keeps others waiting; its grace is shorter than the others wait.
const SLOWEST_BEFORE_OTHERS: Rate = Rate { grace: Duration::from_secs(2), bytes_per_s: 1_024 * 1_024 };
/// How often a body is checked for whether it keeps others waiting.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The least average of bytes in a second, after a time that does not count.
struct Rate {
    grace: Duration,
    bytes_per_s: u32,
}

impl Rate {
    /// How long `bytes` may take.
    fn allows(&self, bytes: usize) -> Duration {
        self.grace + Duration::from_secs_f64(bytes as f64 / f64::from(self.bytes_per_s))
    }
}

/// The pace of one body.
#[derive(Default)]
pub(crate) struct Pace {
    received: usize,
    waited: Duration,
    /// The slots of which the request holds one while its body arrives.
    holds: Option<AccountSlots>,
}

impl Pace {
    /// The pace of a body that is read while its request holds one of few slots.
    pub(crate) fn holding_one_of(slots: AccountSlots) -> Self {
        Self { holds: Some(slots), ..Self::default() }
    }

    /// The next chunk; `None` at the end of the body.
    ///
    /// # Errors
    /// `MALFORMED_BODY` for a body that is cut off or too slow; `OVERLOADED` for one that is too slow while others
    /// wait.
    pub(crate) async fn next(&mut self, body: &mut BodyDataStream) -> Result<Option<Bytes>> {
        let start = Instant::now();
        let chunk = loop {
            let mut wait = self.check(start.elapsed())?;
            if self.holds.is_some() {
                wait = wait.min(CHECK_INTERVAL);
            }
            if let Ok(chunk) = timeout(wait, body.next()).await {
                break chunk;
            }
        };
        self.waited += start.elapsed();
        let chunk = chunk.transpose().map_err(|_| malformed("the body did not arrive whole"))?;
        self.received += chunk.as_ref().map_or(0, Bytes::len);
        Ok(chunk)
    }

    /// How much longer to wait for a chunk that has been waited for; not zero.
    fn check(&self, pause: Duration) -> Result<Duration> {
        let waited = self.waited + pause;
        let allowed = SLOWEST.allows(self.received).min(ALL_PAUSES);
        let left = allowed.saturating_sub(waited).min(PAUSE.saturating_sub(pause));
        if left.is_zero() {
            return Err(malformed(format!(
                "the body arrived too slowly: after {} s it must have come at {} bytes a second, without a pause of \
                 {} s",
                SLOWEST.grace.as_secs(),
                SLOWEST.bytes_per_s,
                PAUSE.as_secs(),
            )));
        }
        let others_wait = self.holds.as_ref().is_some_and(AccountSlots::others_wait);
        if others_wait && waited >= SLOWEST_BEFORE_OTHERS.allows(self.received) {
            let message = format!(
                "others waited to send a body, and this one came at less than {} bytes a second; try again shortly",
                SLOWEST_BEFORE_OTHERS.bytes_per_s
            );
            return Err(Error::new(Code::Overloaded, message));
        }
        Ok(left)
    }
}

fn malformed(message: impl Into<String>) -> Error {
    Error::new(Code::MalformedBody, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(received: usize, waited_s: u64) -> Pace {
        Pace { received, waited: Duration::from_secs(waited_s), holds: None }
    }

    #[test]
    fn a_body_may_take_time_by_its_size() {
        const S: Duration = Duration::from_secs(1);
        for (received, waited, pause, left) in [
            (0, 0, 0, Some(10)),
            (0, 0, 9, Some(1)),
            (0, 0, 10, None),
            (0, 10, 0, None),
            (8_192, 10, 0, Some(1)),
            (81_920, 12, 0, Some(8)),
            (81_920, 20, 0, None),
            // However much it has sent, a body may not pause for longer, nor take longer in all.
            (10_000_000, 12, 10, None),
            (10_000_000, 55, 0, Some(5)),
            (10_000_000, 60, 0, None),
        ] {
            let checked = pace(received, waited).check(pause * S).ok();
            assert_eq!(checked, left.map(|left| left * S), "{received} bytes in {waited} s, then {pause} s");
        }
    }
}
