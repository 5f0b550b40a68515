//! A server backed by a scripted model server, so that a test can make requests fail and count them.

use crate::harness::{Db, Server, Upstream};

/// A server and the scripted System One server that it uses.
pub(super) struct Serving {
    pub(super) server: Server,
    pub(super) upstream: Upstream,
}

impl Serving {
    /// Starts both with default settings.
    pub(super) async fn start(db: &Db) -> Self {
        Self::with(db, &[]).await
    }

    /// Starts both with these settings.
    pub(super) async fn with(db: &Db, settings: &[(&str, &str)]) -> Self {
        let upstream = Upstream::start().await;
        let start = Server::with_model(db, &upstream);
        let start = settings.iter().fold(start, |start, (name, value)| start.env(name, value));
        Self { server: start.start().await, upstream }
    }
}
