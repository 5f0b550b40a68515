//! Health probes of the database and the engines, run at most once a second.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::Services;
use crate::foundation::unwritable::is_unwritable;

/// How long results are cached.
const CACHE_TIME: Duration = Duration::from_secs(1);
/// How long a write that succeeded is taken to say that the next one will.
const WRITTEN_FOR: Duration = Duration::from_secs(5);
/// The longest that a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether each part works, by the last probes.
#[derive(Clone, Copy, Debug)]
pub struct ProbeResults {
    pub database: bool,
    /// The database can be written.
    pub storage: bool,
    /// The tasks that charge run.
    pub billing: bool,
    pub text: bool,
    pub image: bool,
    pub decision: bool,
    /// The queue of jobs; none when workers find jobs in the database.
    pub queue: Option<bool>,
}

/// Probes the database and the engines.
pub struct Probes {
    services: Services,
    last: Mutex<Option<(Instant, ProbeResults)>>,
    /// When the last probing write succeeded.
    written: Mutex<Option<Instant>>,
}

impl Probes {
    pub fn new(services: Services) -> Self {
        Self { services, last: Mutex::new(None), written: Mutex::new(None) }
    }

    /// The current results. Concurrent callers share one probe.
    pub async fn read(&self) -> ProbeResults {
        let mut last = self.last.lock().await;
        if let Some((at, results)) = *last
            && at.elapsed() < CACHE_TIME
        {
            return results;
        }
        let (database, storage, queue, text, image, decision) = tokio::join!(
            tokio::time::timeout(PROBE_TIMEOUT, self.services.db.ping()),
            self.storage(),
            self.queue(),
            tokio::time::timeout(PROBE_TIMEOUT, self.services.text.engine.probe()),
            tokio::time::timeout(PROBE_TIMEOUT, self.services.image.engine.probe()),
            tokio::time::timeout(PROBE_TIMEOUT, self.services.inference.local.probe()),
        );
        let results = ProbeResults {
            database: database.is_ok_and(|ping| ping.is_ok()),
            storage,
            billing: self.services.billing.credits.is_running(),
            queue,
            text: text.is_ok_and(|probe| probe.is_ok()),
            image: image.is_ok_and(|probe| probe.is_ok()),
            decision: decision.is_ok_and(|probe| probe.is_ok()),
        };
        *last = Some((Instant::now(), results));
        results
    }

    /// Whether the database can be written. One that is busy, or does not answer, counts as writable.
    async fn storage(&self) -> bool {
        let mut written = self.written.lock().await;
        if written.is_some_and(|at| at.elapsed() < WRITTEN_FOR) {
            return true;
        }
        let probed = tokio::time::timeout(PROBE_TIMEOUT, self.services.db.probe_write()).await;
        *written = matches!(probed, Ok(Ok(()))).then(Instant::now);
        !matches!(&probed, Ok(Err(error)) if is_unwritable(error))
    }

    /// Whether the queue answers; none without one.
    async fn queue(&self) -> Option<bool> {
        let queue = self.services.jobs.queue()?;
        Some(tokio::time::timeout(PROBE_TIMEOUT, queue.ping()).await.is_ok_and(|ping| ping.is_ok()))
    }
}
