//! An account beside an attack: one message after the other, and how it fared.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;

use crate::harness::{Account, Request, Server};

/// Between two messages.
const PAUSE: Duration = Duration::from_millis(20);

/// A client of another account, at work until it is asked how it fared.
pub(super) struct Bystander {
    stop: Arc<AtomicBool>,
    task: JoinHandle<Vec<(u16, Duration)>>,
}

/// What its requests came to.
pub(super) struct Fared {
    pub(super) requests: usize,
    /// Statuses other than 200.
    pub(super) refused: Vec<u16>,
    pub(super) p99: Duration,
    pub(super) slowest: Duration,
}

impl Bystander {
    /// Sends messages.
    pub(super) fn start(server: &Arc<Server>, account: &Account) -> Self {
        let key = account.key.clone();
        Self::sending(server, move |server| server.moderate(&key, "hello there"))
    }

    /// Sends any request.
    pub(super) fn sending(
        server: &Arc<Server>,
        request: impl Fn(&Server) -> Request + Send + 'static,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, server) = (stop.clone(), server.clone());
        let task = tokio::spawn(async move {
            let mut sent = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let start = Instant::now();
                let status = request(&server).send().await.status;
                sent.push((status, start.elapsed()));
                tokio::time::sleep(PAUSE).await;
            }
            sent
        });
        Self { stop, task }
    }

    /// Ends it.
    pub(super) async fn fared(self) -> Fared {
        self.stop.store(true, Ordering::Relaxed);
        let sent = self.task.await.expect("no panic");
        let mut took: Vec<Duration> = sent.iter().map(|(_, took)| *took).collect();
        took.sort_unstable();
        let slowest = took.last().copied().unwrap_or_default();
        Fared {
            requests: sent.len(),
            refused: sent.iter().map(|(status, _)| *status).filter(|status| *status != 200).collect(),
            p99: took.get(took.len() * 99 / 100).copied().unwrap_or(slowest),
            slowest,
        }
    }
}

impl Fared {
    /// Every request was answered 200, at least so many, and 99 of 100 within `most`.
    #[track_caller]
    pub(super) fn well(&self, least: usize, most: Duration) {
        assert!(self.refused.is_empty() && self.requests >= least && self.p99 < most, "{self}");
    }
}

impl fmt::Display for Fared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, refused, p99, slowest } = self;
        write!(f, "{requests} requests, refused {refused:?}, p99 {p99:?}, slowest {slowest:?}")
    }
}

/// Prints how one attack went, for `--nocapture`.
pub(super) fn report(attack: &str, fared: &Fared) {
    print(&format!("{attack}; beside it {fared}"));
}

/// Prints a figure, for `--nocapture`.
#[expect(clippy::print_stderr, reason = "figures for people who run the suite")]
pub(super) fn print(figure: &str) {
    eprintln!("{figure}");
}

/// MiB that a server's process has in memory now.
pub(super) fn memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("its status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of the status");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("kilobytes") / 1024
}
