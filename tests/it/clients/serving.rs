//! A server whose questions a scripted server answers, so that a test can make it fail and count what it was asked.

use crate::harness::{Db, Server, Upstream};

/// A server, with the scripted System One server that it asks in turn.
pub(super) struct Serving {
    pub(super) server: Server,
    pub(super) upstream: Upstream,
}

impl Serving {
    /// One with the defaults.
    pub(super) async fn start(db: &Db) -> Self {
        Self::with(db, &[]).await
    }

    /// One with other settings.
    pub(super) async fn with(db: &Db, settings: &[(&str, &str)]) -> Self {
        let upstream = Upstream::start().await;
        let start = Server::with(db).env("GAVEL_LOCAL_URL", upstream.url());
        let start = settings.iter().fold(start, |start, (name, value)| start.env(name, value));
        Self { server: start.start().await, upstream }
    }
}
