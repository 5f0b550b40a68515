//! An account beside an attack: it asks for one text at a time, and every one must be answered 200.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use crate::harness::{Account, Server};

/// How long the victim's requests took, shortest first.
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn p99(&self) -> Duration {
        self.0[(self.0.len() * 99).div_ceil(100).min(self.0.len()) - 1]
    }

    pub(super) fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }
}

/// Sends the victim's requests while `attack` is under way, and gives what became of it. Any other answer than 200 is a failure.
/// The figures are appended to the file that `GAVEL_TEST_FIGURES` names, if it does.
pub(super) async fn beside<T>(
    name: &str,
    server: &Server,
    victim: &Account,
    attack: impl Future<Output = T>,
) -> (T, Times) {
    let mut attack = std::pin::pin!(attack);
    let (begun, mut times) = (Instant::now(), Vec::new());
    let done = loop {
        let ask = async {
            let start = Instant::now();
            let answer = server.moderate(&victim.key, "a message of somebody else").send().await;
            assert_eq!(answer.status, 200, "the victim of {name}: {}", answer.text);
            start.elapsed()
        };
        let mut ask = std::pin::pin!(ask);
        // A request that is under way when the attack ends is waited for too.
        let done = tokio::select! {
            biased;
            took = &mut ask => { times.push(took); None }
            done = &mut attack => { times.push(ask.await); Some(done) }
        };
        if let Some(done) = done {
            break done;
        }
    };
    times.sort_unstable();
    let times = Times(times);
    if let Ok(file) = std::env::var("GAVEL_TEST_FIGURES") {
        let line = format!(
            "{name}: {} requests in {:.1} s, median {:?}, p99 {:?}, resident {} MB\n",
            times.count(),
            begun.elapsed().as_secs_f64(),
            times.median(),
            times.p99(),
            resident(server) / 1_000_000
        );
        let file = std::fs::File::options().create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a file for figures");
    }
    (done, times)
}

/// The bytes of memory that a server has in use.
pub(super) fn resident(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("its status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") * 1_024
}
