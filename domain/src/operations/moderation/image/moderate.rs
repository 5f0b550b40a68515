//! Moderates an image and charges for it.

use std::{sync::Arc, time::Instant};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::{ImageFetcher, ImagePolicy, ImageSource, ImageVerdict, Origin, decide_on_worst};
use crate::{
    Code, Detail, Error, Result,
    foundation::round,
    money::{
        billing::{Billable, Billing, Cost, Paid, Payment},
        pricing::Operation,
    },
};
use ports::Flow;
use ports::id::ModerationId;
use ports::image::{ImageEngine, ImageFault};

/// The engine, policy and downloader of image moderation.
#[derive(Clone)]
pub struct ImageModeration {
    pub engine: Arc<dyn ImageEngine>,
    pub policy: ImagePolicy,
    pub fetcher: Arc<dyn ImageFetcher>,
}

/// The verdict on the picture of one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModeratedImage {
    /// `mod_…`
    pub id: ModerationId,
    pub verdict: ImageVerdict,
    pub origin: Origin,
    /// Milliseconds from the download to the verdict.
    pub latency_ms: f64,
    /// The time of the verdict.
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
    /// `INSUFFICIENT_CREDITS`; `INVALID_IMAGE` for a picture that cannot be fetched or read; `ENGINE_UNAVAILABLE`.
    /// Nothing is charged then.
    pub async fn moderate(
        &self,
        billing: &Arc<Billing>,
        payment: Payment,
        source: ImageSource,
    ) -> Result<Paid<ModeratedImage>> {
        let cost = Cost::Reserved(billing.prices.of(Operation::Image).await?);
        let Self { engine, policy, fetcher } = self.clone();
        let flow = Flow::from(&payment.account);
        let work = async move {
            let start = Instant::now();
            let origin = source.origin();
            let image = source.bytes(flow, fetcher.as_ref()).await?;
            metrics::histogram!("gavel_image_fetch_seconds").record(start.elapsed().as_secs_f64());
            let read = Instant::now();
            let verdict = evaluate(engine.as_ref(), image, origin, &policy).await?;
            let seconds = read.elapsed().as_secs_f64();
            metrics::histogram!("gavel_engine_seconds", "engine" => "image").record(seconds);
            Ok(ModeratedImage {
                id: ModerationId::new(),
                verdict,
                origin,
                latency_ms: round::milliseconds(start.elapsed().as_secs_f64() * 1e3),
                processed_at: Utc::now(),
            })
        };
        billing.run(payment, cost, work).await
    }
}

/// Moderates without a charge, for the command line.
///
/// # Errors
/// `INVALID_IMAGE`, `ENGINE_UNAVAILABLE`.
pub async fn evaluate(
    engine: &dyn ImageEngine,
    image: Bytes,
    origin: Origin,
    policy: &ImagePolicy,
) -> Result<ImageVerdict> {
    match engine.score(image).instrument(tracing::info_span!("engine", engine = "image")).await {
        Ok(reading) => {
            decide_on_worst(&reading, policy).ok_or_else(|| Error::internal("a picture without a view"))
        }
        Err(ImageFault::Unreadable(why)) => {
            let detail = Detail { field: origin.field().to_owned(), message: why.clone() };
            Err(Error::new(Code::InvalidImage, why).with_detail(detail))
        }
        Err(ImageFault::Engine(cause)) => {
            let message = "the image engine could not answer; nothing was charged";
            Err(Error { cause: Some(cause.into()), ..Error::new(Code::EngineUnavailable, message) })
        }
    }
}
