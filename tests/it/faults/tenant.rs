//! A tenant who does nothing unusual while another attacks: one text after the other, each of which must be answered.

use std::time::Duration;

use super::load::Load;
use crate::harness::{Account, Db, Server};

/// A tenant at work.
pub(super) struct Victim(Load);

/// How long a tenant waited for its answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    pub(super) answers: usize,
    pub(super) p99: Duration,
    pub(super) longest: Duration,
}

impl Victim {
    /// A tenant of its own who sends one request at a time.
    pub(super) async fn start(server: &Server) -> Self {
        let account = server.account(100_000).await;
        Self::of(server, &account)
    }

    fn of(server: &Server, account: &Account) -> Self {
        Self(Load::start(account, &[server], 1))
    }

    /// Stops; asserts that every request was answered 200, and returns how long that took.
    pub(super) async fn stop(self, attack: &str) -> Waits {
        let sent = self.0.stop().await;
        for one in &sent {
            let status = one.answer.as_ref().map(|answer| answer.status);
            assert_eq!(status, Some(200), "during {attack} after {:?}: {:?}", one.took, one.answer);
        }
        let mut waits: Vec<Duration> = sent.iter().map(|one| one.took).collect();
        waits.sort_unstable();
        let at = |share: usize| waits.get((waits.len() * share / 100).min(waits.len().max(1) - 1));
        let found = Waits {
            answers: waits.len(),
            p99: at(99).copied().unwrap_or_default(),
            longest: waits.last().copied().unwrap_or_default(),
        };
        report(attack, &found);
        found
    }
}

/// Prints a line for the table of attacks, with `--nocapture`.
#[expect(clippy::print_stderr, reason = "figures for people who run the suite")]
fn report(attack: &str, waits: &Waits) {
    let Waits { answers, p99, longest } = waits;
    eprintln!("{attack}: the victim got {answers} answers, p99 {p99:?}, longest wait {longest:?}");
}

/// Does `attack` while a tenant works.
pub(super) async fn beside<T>(server: &Server, name: &str, attack: impl Future<Output = T>) -> (T, Waits) {
    let victim = Victim::start(server).await;
    let done = attack.await;
    (done, victim.stop(name).await)
}

/// Runs a statement of the test's own.
pub(super) async fn execute(db: &Db, sql: &str) {
    let connection = db.connect().await;
    sea_orm::ConnectionTrait::execute_unprepared(&connection, sql).await.expect(sql);
    connection.close().await.expect("a closed connection");
}
