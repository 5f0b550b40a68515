//! Health probes of the database and the engines, run at most once a second.

use std::time::{Duration, Instant};

use ports::Flow;
use ports::text::{TextFault, TextInput, TextMode};
use tokio::sync::Mutex;

use super::Services;

/// How long results are cached.
const CACHE_TIME: Duration = Duration::from_secs(1);
/// The longest that a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether each part works, by the last probes.
#[derive(Clone, Copy, Debug)]
pub struct ProbeResults {
    pub database: bool,
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
}

impl Probes {
    pub fn new(services: Services) -> Self {
        Self { services, last: Mutex::new(None) }
    }

    /// The current results. Concurrent callers share one probe.
    pub async fn read(&self) -> ProbeResults {
        let mut last = self.last.lock().await;
        if let Some((at, results)) = *last
            && at.elapsed() < CACHE_TIME
        {
            return results;
        }
        let (database, queue, text, image, decision) = tokio::join!(
            tokio::time::timeout(PROBE_TIMEOUT, self.services.db.ping()),
            self.queue(),
            self.text(),
            tokio::time::timeout(PROBE_TIMEOUT, self.services.image.engine.probe()),
            tokio::time::timeout(PROBE_TIMEOUT, self.services.inference.local.probe()),
        );
        let results = ProbeResults {
            database: database.is_ok_and(|ping| ping.is_ok()),
            billing: self.services.billing.credits.is_running(),
            queue,
            text,
            image: image.is_ok_and(|probe| probe.is_ok()),
            decision: decision.is_ok_and(|probe| probe.is_ok()),
        };
        *last = Some((Instant::now(), results));
        results
    }

    /// Whether the queue answers; none without one.
    async fn queue(&self) -> Option<bool> {
        let queue = self.services.jobs.queue()?;
        Some(tokio::time::timeout(PROBE_TIMEOUT, queue.ping()).await.is_ok_and(|ping| ping.is_ok()))
    }

    /// Whether the text engine scores a message in time. A busy engine counts as working; one that does not answer
    /// does not.
    async fn text(&self) -> bool {
        let input =
            TextInput { content: "are you there?".to_owned(), mode: TextMode::Hybrid, explain: false };
        match tokio::time::timeout(
            PROBE_TIMEOUT,
            self.services.text.engine.score(Flow::default(), vec![input]),
        )
        .await
        {
            Ok(Ok(scores)) => scores.len() == 1 && scores[0].categories.0.iter().all(|p| p.is_finite()),
            Ok(Err(TextFault::Busy)) => true,
            Ok(Err(TextFault::Engine(_))) | Err(_) => false,
        }
    }
}
