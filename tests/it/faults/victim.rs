//! An account beside an attack: it sends one request after the other, first alone and then during the attack.

use std::{
    cell::Cell,
    fmt,
    time::{Duration, Instant},
};

use crate::harness::{Account, Request, Server};

/// The number of requests before the attack.
const ALONE: usize = 30;
/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(20);

/// The p99 beside an attack that is always acceptable, since two busy cores are noisy.
pub(super) const FLOOR: Duration = Duration::from_millis(1_500);
/// The same beside an attack that keeps the cores busy itself.
pub(super) const BUSY_FLOOR: Duration = Duration::from_secs(3);

/// The outcome of the victim's requests during an attack.
pub(super) struct Fared {
    pub(super) requests: usize,
    /// The answers other than 200.
    pub(super) refused: Vec<String>,
    pub(super) p99: Duration,
    pub(super) slowest: Duration,
    /// The p99 before the attack.
    pub(super) quiet_p99: Duration,
}

/// Like [`beside`], with messages of the victim to moderate.
pub(super) async fn moderating_beside<T>(
    name: &str,
    server: &Server,
    victim: &Account,
    attack: impl Future<Output = T>,
) -> (T, Fared) {
    beside(name, || server.moderate(&victim.key, "a message of somebody else"), attack).await
}

/// Sends the victim's requests alone, then during `attack`; returns the outcome of both.
pub(super) async fn beside<T>(
    name: &str,
    request: impl Fn() -> Request,
    attack: impl Future<Output = T>,
) -> (T, Fared) {
    let mut alone = Vec::new();
    // The first request warms the caches and does not count.
    for number in 0..=ALONE {
        let (took, refused) = send(request()).await;
        assert_eq!(refused, None, "before {name}");
        alone.extend((number > 0).then_some(took));
        tokio::time::sleep(PAUSE).await;
    }
    let over = Cell::new(false);
    let attack = async {
        let done = attack.await;
        over.set(true);
        done
    };
    let victim = async {
        let mut took = Vec::new();
        let mut refused = Vec::new();
        while !over.get() {
            let one = send(request()).await;
            took.push(one.0);
            refused.extend(one.1);
            tokio::time::sleep(PAUSE).await;
        }
        (took, refused)
    };
    let (done, (mut took, refused)) = futures_util::join!(attack, victim);
    let quiet_p99 = p99(&mut alone);
    let p99 = p99(&mut took);
    let slowest = took.last().copied().unwrap_or_default();
    let fared = Fared { requests: took.len(), refused, p99, slowest, quiet_p99 };
    report(&format!("{name}: the victim's {fared}"));
    (done, fared)
}

/// Sends a request from its own task, so that the work of the attack's clients is not counted; returns the
/// time, and the answer unless it is 200.
async fn send(request: Request) -> (Duration, Option<String>) {
    let sent = async {
        let start = Instant::now();
        let answer = request.send().await;
        (start.elapsed(), (answer.status != 200).then(|| format!("{} {}", answer.status, answer.text)))
    };
    tokio::spawn(sent).await.expect("no panic")
}

fn p99(took: &mut [Duration]) -> Duration {
    took.sort_unstable();
    took.get((took.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

/// Prints a figure, for `--nocapture`.
#[expect(clippy::print_stderr, reason = "figures for people who run the suite")]
pub(super) fn report(figure: &str) {
    eprintln!("{figure}");
}

impl Fared {
    /// Asserts that every request was answered 200, that there were at least `least`, and that the p99 is below `most`,
    /// and below `floor` or 5 times the p99 before the attack.
    #[track_caller]
    pub(super) fn well(&self, least: usize, floor: Duration, most: Duration) {
        let most = most.min(floor.max(5 * self.quiet_p99));
        assert!(self.refused.is_empty() && self.requests >= least && self.p99 < most, "not {most:?}: {self}");
    }
}

impl fmt::Display for Fared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, refused, p99, slowest, quiet_p99 } = self;
        write!(
            f,
            "{requests} requests, p99 {p99:?} (alone {quiet_p99:?}), slowest {slowest:?}, refused {refused:?}"
        )
    }
}
