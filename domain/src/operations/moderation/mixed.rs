//! Moderates texts and pictures of one request, and charges for all of them at once.

use std::{iter, sync::Arc};

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize, Serializer};

use super::{
    Moderated, TextMessage, TextModeration, UnpaidTexts, Verdict,
    image::{
        ImageDraft, ImageFetcher, ImageModeration, ImageSource, ImageVerdict, PictureRecording,
        PictureSender, PostedPicture,
    },
};
use crate::{
    Error, Result,
    foundation::tenant::Tenant,
    money::{
        amount::Amount,
        billing::{Billable, Billing, Cost, Done, Paid, Payment},
        credits::SideRow,
        pricing::{Operation, Prices},
    },
};
use ports::id::{AccountId, ModerationId};

/// Pictures of a request that are fetched and read at once.
const PICTURES_AT_ONCE: usize = 4;

/// Texts and pictures to moderate.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MixedInput {
    pub texts: Vec<TextMessage>,
    pub pictures: Vec<Picture>,
}

/// A picture of a request.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The field that has it, which errors name.
    field: String,
    source: ImageSource,
}

/// The prices of a text and of a picture.
#[derive(Clone, Copy, Debug)]
pub struct MixedPrices {
    pub text: Amount,
    pub picture: Amount,
}

/// The verdicts on the texts and pictures of a request, in their order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModeratedMixed {
    /// `mod_…`
    pub id: ModerationId,
    pub texts: Vec<Verdict>,
    pub pictures: Vec<ImageVerdict>,
}

impl Billable for ModeratedMixed {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

impl Picture {
    /// Reads the picture at `uri`, a data URI or a URL that may be requested; `max_bytes` is the largest file.
    ///
    /// # Errors
    /// `INVALID_IMAGE` naming `field`; `PAYLOAD_TOO_LARGE` for a file over `max_bytes`.
    pub fn parse(field: String, uri: String, fetcher: &dyn ImageFetcher, max_bytes: usize) -> Result<Self> {
        let draft = ImageDraft { image_url: Some(uri), ..ImageDraft::default() };
        match ImageSource::parse(draft, fetcher, max_bytes) {
            Ok(source) => Ok(Self { field, source }),
            Err(error) => Err(named(&field, error)),
        }
    }

    /// Whether its bytes are in memory: it is not to be downloaded.
    pub fn is_here(&self) -> bool {
        self.source.is_here()
    }

    /// Keeps `permit` as long as its bytes are in memory.
    pub fn holding(self, permit: impl Send + 'static) -> Self {
        Self { source: self.source.holding(permit), ..self }
    }
}

/// Identifies the picture for idempotency, as its source does.
impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.source.serialize(serializer)
    }
}

/// An error about a picture, under the name of the field that has it. The message of a file that cannot be read is a
/// sentence of its own.
fn named(field: &str, error: Error) -> Error {
    let Some(detail) = error.details.first() else { return error };
    let renamed = Error::invalid(field, detail.message.clone());
    let message = if error.message == detail.message { error.message } else { renamed.message };
    Error { message, details: renamed.details, ..error }
}

impl MixedPrices {
    /// The prices now.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub(crate) async fn read(prices: &Prices) -> Result<Self> {
        Ok(Self { text: prices.of(Operation::Text).await?, picture: prices.of(Operation::Image).await? })
    }

    /// The price of some texts and pictures.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for more than can be counted.
    pub(crate) fn of(self, texts: usize, pictures: usize) -> Result<Amount> {
        self.text.times(texts)?.plus(self.picture.times(pictures)?)
    }
}

/// Moderates texts and pictures together. Cheap to clone.
#[derive(Clone)]
pub struct MixedModeration {
    pub text: TextModeration,
    pub image: ImageModeration,
}

impl MixedModeration {
    /// Moderates texts and pictures: all or none, in one charge.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS`; `NOT_FOUND` for a policy; `INVALID_IMAGE` for a picture that cannot be fetched or read;
    /// `ENGINE_UNAVAILABLE`, `OVERLOADED`. Nothing is charged then.
    pub async fn moderate(
        &self,
        billing: &Arc<Billing>,
        mut payment: Payment,
        input: MixedInput,
    ) -> Result<Paid<ModeratedMixed>> {
        payment.items = input.texts.len() + input.pictures.len();
        let prices = MixedPrices::read(&billing.prices).await?;
        let surcharge = self.text.policies.surcharge(&payment.account, &input.texts).await?;
        let price = prices.of(input.texts.len(), input.pictures.len())?.plus(surcharge)?;
        // An escalation may take long, and so may a server that is asked about rules.
        let asks_server = surcharge > Amount::default() && self.text.policies.questions().may_ask_server();
        let escalates = self.text.escalation.is_some() && !input.texts.is_empty();
        let cost = if escalates || asks_server { Cost::Held(price) } else { Cost::Reserved(price) };
        let moderation = self.clone();
        let tenant = payment.tenant();
        let work = async move {
            let UnpaidMixed { outcome, side_rows, price } = moderation.unpaid(&tenant, input, prices).await?;
            Ok(Done { outcome, side_rows, price: Some(price) })
        };
        billing.run(payment, cost, work).await
    }

    /// Moderates texts and pictures for which the caller charges: all or none.
    ///
    /// # Errors
    /// Those of [`MixedModeration::moderate`] except `INSUFFICIENT_CREDITS`.
    pub(crate) async fn unpaid(
        &self,
        tenant: &Tenant,
        input: MixedInput,
        prices: MixedPrices,
    ) -> Result<UnpaidMixed> {
        let MixedInput { texts, pictures } = input;
        let of_pictures_alone = prices.of(0, pictures.len())?;
        // The answer's id is that of the first text, or of the first picture without texts.
        let own = ModerationId::new();
        let first_picture = if texts.is_empty() { own.clone() } else { ModerationId::new() };
        let first_picture = PictureId { id: first_picture, price: prices.picture };
        let texts = async {
            if texts.is_empty() {
                return Ok(None);
            }
            self.text.unpaid(tenant, texts, true, prices.text).await.map(Some)
        };
        let (texts, (pictures, of_pictures)) =
            tokio::try_join!(texts, self.pictures(&tenant.account, pictures, first_picture))?;
        let Some(UnpaidTexts { moderated, mut side_rows, prices }) = texts else {
            let outcome = ModeratedMixed { id: own, texts: Vec::new(), pictures };
            return Ok(UnpaidMixed { outcome, side_rows: of_pictures, price: of_pictures_alone });
        };
        side_rows.extend(of_pictures);
        let price = prices.into_iter().try_fold(of_pictures_alone, Amount::plus)?;
        let Moderated { id, verdicts, .. } = moderated;
        Ok(UnpaidMixed { outcome: ModeratedMixed { id, texts: verdicts, pictures }, side_rows, price })
    }

    /// Decides on pictures; `first` is the id of the first one. Also returns the rows that record the verdicts.
    async fn pictures(
        &self,
        account: &AccountId,
        pictures: Vec<Picture>,
        first: PictureId,
    ) -> Result<(Vec<ImageVerdict>, Vec<SideRow>)> {
        if pictures.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let log = self.image.log_of(account).await?;
        let PictureId { id, price } = first;
        let ids = iter::once(id).chain(iter::repeat_with(ModerationId::new));
        let decided = stream::iter(pictures.into_iter().zip(ids)).map(|(picture, id)| {
            let recording = log.as_deref().map(|log| PictureRecording { log, id, price });
            self.picture(account, picture, recording)
        });
        let decided: Vec<_> = decided.buffered(PICTURES_AT_ONCE).try_collect().await?;
        let (verdicts, side_rows): (Vec<ImageVerdict>, Vec<Option<SideRow>>) = decided.into_iter().unzip();
        Ok((verdicts, side_rows.into_iter().flatten().collect()))
    }

    async fn picture(
        &self,
        account: &AccountId,
        Picture { field, source }: Picture,
        recording: Option<PictureRecording<'_>>,
    ) -> Result<(ImageVerdict, Option<SideRow>)> {
        let posted = PostedPicture { source, sender: PictureSender::default() };
        let verdict = self.image.verdict(account, posted, recording).await;
        verdict.map_err(|error| named(&field, error))
    }
}

/// Texts and pictures that were moderated for a caller who charges.
pub(crate) struct UnpaidMixed {
    pub(crate) outcome: ModeratedMixed,
    /// The rows that record them.
    pub(crate) side_rows: Vec<SideRow>,
    pub(crate) price: Amount,
}

/// The id of a picture's verdict, and its part of the charge.
struct PictureId {
    id: ModerationId,
    price: Amount,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn an_error_names_the_field_that_has_the_picture() {
        let error = named("input[1].image_url.url", Error::image("image_url", "must not be empty"));
        assert_eq!(error.code, Code::InvalidImage);
        assert_eq!(error.message, "input[1].image_url.url must not be empty");
        assert_eq!(error.details.len(), 1);
        let plain = named("input[1].image_url.url", Error::new(Code::Overloaded, "too many downloads"));
        assert_eq!((plain.code, plain.message.as_str()), (Code::Overloaded, "too many downloads"));
    }
}
