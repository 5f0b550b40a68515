//! From an image's source to a verdict that is paid for.

use std::{sync::Arc, time::Instant};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{ImageEngine, ImageFault, ImageFetcher, ImagePolicy, ImageSource, ImageVerdict, Origin, decide};
use crate::{
    Code, Detail, EngineError, Error, Result,
    billing::{Billable, Billing, Cost, Paid, Payment},
    id::ModerationId,
    pricing::Operation,
};

/// What moderating pictures takes.
#[derive(Clone)]
pub struct ImageModeration {
    /// What looks at them.
    pub engine: Arc<dyn ImageEngine>,
    /// What is said of what it saw.
    pub policy: ImagePolicy,
    /// What downloads them.
    pub fetcher: Arc<dyn ImageFetcher>,
}

/// The verdict on the picture of one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModeratedImage {
    /// `mod_…`
    pub id: ModerationId,
    /// What is said of it.
    pub verdict: ImageVerdict,
    /// The way it came.
    pub origin: Origin,
    /// From the download to the verdict, in milliseconds.
    pub latency_ms: f64,
    /// When the verdict was reached.
    pub processed_at: DateTime<Utc>,
}

impl Billable for ModeratedImage {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

impl ImageModeration {
    /// Moderates a picture.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS`; `INVALID_IMAGE` for a picture that cannot be fetched or read; `ENGINE_UNAVAILABLE`. Nothing is
    /// charged then.
    pub async fn moderate(
        &self,
        billing: &Arc<Billing>,
        payment: Payment,
        source: ImageSource,
    ) -> Result<Paid<ModeratedImage>> {
        let cost = Cost::Reserved(billing.prices.of(Operation::Image).await?);
        let Self { engine, policy, fetcher } = self.clone();
        let work = async move {
            let (start, origin) = (Instant::now(), source.origin());
            let image = source.bytes(fetcher.as_ref()).await?;
            metrics::histogram!("gavel_image_fetch_seconds").record(start.elapsed().as_secs_f64());
            let read = Instant::now();
            let verdict = evaluate(engine.as_ref(), image, origin, &policy).await?;
            let seconds = read.elapsed().as_secs_f64();
            metrics::histogram!("gavel_engine_seconds", "engine" => "image").record(seconds);
            Ok(ModeratedImage {
                id: ModerationId::new(),
                verdict,
                origin,
                latency_ms: start.elapsed().as_secs_f64() * 1e3,
                processed_at: Utc::now(),
            })
        };
        billing.run(payment, cost, work).await
    }
}

/// A verdict that nobody pays for, for the command line.
///
/// # Errors
/// `INVALID_IMAGE`, `ENGINE_UNAVAILABLE`.
pub async fn evaluate(
    engine: &dyn ImageEngine,
    image: Bytes,
    origin: Origin,
    policy: &ImagePolicy,
) -> Result<ImageVerdict> {
    let unavailable = |cause: EngineError| {
        let error =
            Error::new(Code::EngineUnavailable, "the image engine could not answer; nothing was charged");
        Error { cause: Some(cause.into()), ..error }
    };
    match engine.score(image).await {
        Ok(scores) => Ok(decide(&scores, policy)),
        Err(ImageFault::Unreadable(why)) => {
            let detail = Detail { field: origin.field().to_owned(), message: why.clone() };
            Err(Error::new(Code::InvalidImage, why).with_detail(detail))
        }
        Err(ImageFault::Engine(cause)) => Err(unavailable(cause)),
    }
}
