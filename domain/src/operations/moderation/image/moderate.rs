//! Moderates an image and charges for it.

use std::{sync::Arc, time::Instant};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::{
    ImageFetcher, ImagePolicy, ImageSource, ImageVerdict, Origin, PictureFile, PictureSender, decide_on_worst,
};
use crate::{
    Code, Detail, Error, Result,
    foundation::{round, traces::child_span},
    money::{
        amount::Amount,
        billing::{Billable, Billing, Cost, Done, Paid, Payment},
        credits::SideRow,
        pricing::Operation,
    },
    operations::moderation::{RecordedPicture, VerdictLog, VerdictLogs},
};
use ports::Flow;
use ports::id::{AccountId, ModerationId};
use ports::image::{ImageEngine, ImageFault};

/// The engine, policy and downloader of image moderation.
#[derive(Clone)]
pub struct ImageModeration {
    pub engine: Arc<dyn ImageEngine>,
    pub policy: ImagePolicy,
    pub fetcher: Arc<dyn ImageFetcher>,
    /// The moderation logs of accounts; `None` records nothing.
    pub logs: Option<Arc<dyn VerdictLogs>>,
}

/// A picture to moderate, with who posted it.
#[derive(Clone, Debug)]
pub struct PostedPicture {
    pub source: ImageSource,
    pub sender: PictureSender,
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

/// Where the verdict on a picture is recorded, and as what.
pub(in super::super) struct PictureRecording<'a> {
    pub(in super::super) log: &'a dyn VerdictLog,
    pub(in super::super) id: ModerationId,
    pub(in super::super) price: Amount,
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
        picture: PostedPicture,
    ) -> Result<Paid<ModeratedImage>> {
        let price = billing.prices.of(Operation::Image).await?;
        let moderation = self.clone();
        let account = payment.account.clone();
        let work = async move {
            let start = Instant::now();
            let origin = picture.source.origin();
            let log = moderation.log_of(&account).await?;
            let id = ModerationId::new();
            let recording = log.as_deref().map(|log| PictureRecording { log, id: id.clone(), price });
            let (verdict, side_row) = moderation.verdict(&account, picture, recording).await?;
            let outcome = ModeratedImage {
                id,
                verdict,
                origin,
                latency_ms: round::milliseconds(start.elapsed().as_secs_f64() * 1e3),
                processed_at: Utc::now(),
            };
            Ok(Done { outcome, side_rows: side_row.into_iter().collect(), price: None })
        };
        billing.run(payment, Cost::Reserved(price), work).await
    }

    /// The moderation log of an account, if it records.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub(in super::super) async fn log_of(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>> {
        match &self.logs {
            Some(logs) => logs.of(account).await,
            None => Ok(None),
        }
    }

    /// Fetches a picture and decides on it; also returns the row that records the verdict.
    ///
    /// # Errors
    /// `INVALID_IMAGE` for a picture that cannot be fetched or read; `ENGINE_UNAVAILABLE`.
    pub(in super::super) async fn verdict(
        &self,
        account: &AccountId,
        PostedPicture { source, sender }: PostedPicture,
        recording: Option<PictureRecording<'_>>,
    ) -> Result<(ImageVerdict, Option<SideRow>)> {
        let start = Instant::now();
        let origin = source.origin();
        let image = source.bytes(Flow::from(account), self.fetcher.as_ref()).await?;
        metrics::histogram!("gavel_image_fetch_seconds").record(start.elapsed().as_secs_f64());
        let file = match recording {
            Some(_) => Some(PictureFile::of(image.clone(), origin).await?),
            None => None,
        };
        let read = Instant::now();
        let verdict = evaluate(self.engine.as_ref(), image, origin, &self.policy).await?;
        let seconds = read.elapsed().as_secs_f64();
        metrics::histogram!("gavel_engine_seconds", "engine" => "image").record(seconds);
        let side_row = recording.zip(file).map(|(PictureRecording { log, id, price }, file)| {
            log.record_picture(RecordedPicture {
                id: &id,
                file: &file,
                sender: &sender,
                verdict: &verdict,
                latency_ms: round::milliseconds(start.elapsed().as_secs_f64() * 1e3),
                credits: price,
            })
        });
        Ok((verdict, side_row))
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
    match engine.score(image).instrument(child_span!("engine", engine = "image")).await {
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
