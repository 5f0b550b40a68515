//! Whether the database and the engines work: they are asked to, at most once a second.

use std::time::{Duration, Instant};

use domain::moderation::{Mode, TextFault, TextInput};
use tokio::sync::Mutex;

use crate::services::Services;

/// How long a probe's answer is believed.
const FRESH: Duration = Duration::from_secs(1);
/// How long a probe may take.
const LIMIT: Duration = Duration::from_secs(2);

/// What the last probes said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probed {
    pub(crate) database: bool,
    pub(crate) text: bool,
    pub(crate) image: bool,
    pub(crate) decision: bool,
}

/// Asks the database and the engines whether they work, at most once a second.
pub(crate) struct Probes {
    ctx: Services,
    last: Mutex<Option<(Instant, Probed)>>,
}

impl Probes {
    pub(crate) fn new(ctx: Services) -> Self {
        Self { ctx, last: Mutex::new(None) }
    }

    /// What they say; those who ask at the same time share one probe.
    pub(crate) async fn read(&self) -> Probed {
        let mut last = self.last.lock().await;
        if let Some((at, probed)) = *last
            && at.elapsed() < FRESH
        {
            return probed;
        }
        let (database, text, image, decision) = tokio::join!(
            tokio::time::timeout(LIMIT, self.ctx.db.ping()),
            self.text(),
            tokio::time::timeout(LIMIT, self.ctx.image.engine.probe()),
            tokio::time::timeout(LIMIT, self.ctx.inference.local.probe()),
        );
        let probed = Probed {
            database: database.is_ok_and(|ping| ping.is_ok()),
            text,
            image: image.is_ok_and(|probe| probe.is_ok()),
            decision: decision.is_ok_and(|probe| probe.is_ok()),
        };
        *last = Some((Instant::now(), probed));
        probed
    }

    /// Whether a message is scored in time. An engine that says it is busy works; one that says nothing may not.
    async fn text(&self) -> bool {
        let input = TextInput { content: "are you there?".to_owned(), mode: Mode::Hybrid, explain: false };
        match tokio::time::timeout(LIMIT, self.ctx.text.engine.score(vec![input])).await {
            Ok(Ok(scores)) => scores.len() == 1 && scores[0].categories.0.iter().all(|p| p.is_finite()),
            Ok(Err(TextFault::Busy)) => true,
            Ok(Err(TextFault::Engine(_))) | Err(_) => false,
        }
    }
}
