//! The handler of OpenAI's moderations.

use axum::{Json, extract::State, response::Response};
use domain::{
    Error,
    batch::{ItemRequest, TextItem},
    operations::moderation::{MixedInput, Moderated, ModeratedMixed, Picture},
};
use serde_json::Value;

use super::{
    input::{self, InputRules},
    shape::{ModerationsRequest, ModerationsResponse},
};
use crate::{
    app::App,
    error::Failure,
    extract::{JsonWithPictures, RequestPayer, read_value},
    openapi::IdempotencyHeader,
    rest::{paid_response, text::NO_POLICY},
};

/// The name in the ledger and under an `Idempotency-Key`.
pub(crate) const ENDPOINT: &str = "/v1/moderations";

/// Moderate texts and pictures, as OpenAI does
///
/// For OpenAI's clients. `input` is a text, an array of up to 50 texts, or the parts of one message: texts, which are
/// read as one, and up to 10 pictures, each a data URI or a URL as for `/api/v1/moderate/image`. `model` may be one of
/// OpenAI's names. The body may be sent with `Content-Encoding: zstd` or `gzip`. Charges the price of one text message
/// for each text and that of one image for each picture, on success only; the texts of a message are one.
#[utoipa::path(
    post, path = ENDPOINT, tag = "compatibility", operation_id = "createModeration",
    params(IdempotencyHeader),
    request_body = ModerationsRequest,
    responses(
        (status = 200, description = "The verdicts", body = ModerationsResponse),
        (status = 404, description = NO_POLICY),
        (status = 413, description = "`PAYLOAD_TOO_LARGE`: the body, or a picture, is over the path's limit."),
        (status = 422, description = "`VALIDATION_FAILED` or `INVALID_IMAGE`, with the field at fault, or \
            `IDEMPOTENCY_MISMATCH`."),
    )
)]
pub(crate) async fn create_moderation(
    State(app): State<App>,
    payer: RequestPayer,
    JsonWithPictures { body, permit }: JsonWithPictures<ModerationsRequest>,
) -> Result<Response, Failure> {
    let rules = InputRules { settings: &app.settings, fetcher: app.services.image.fetcher.as_ref() };
    let MixedInput { texts, mut pictures } = input::read(body, rules)?;
    let policy = payer.default_policy();
    let billing = &app.services.billing;
    if pictures.is_empty() {
        let payment = payer.payment(ENDPOINT, &texts)?;
        let texts = texts.into_iter().map(|message| message.or_policy(policy.as_ref())).collect();
        let paid = app.services.text.moderate(billing, payment, texts, true).await?;
        let Moderated { id, verdicts, .. } = paid.outcome;
        return Ok(paid_response(paid.replayed, Json(ModerationsResponse::of_texts(&id, &verdicts)?)));
    }
    if pictures.iter().any(Picture::is_here) {
        let permit = permit.hold().await?;
        pictures = pictures.into_iter().map(|picture| picture.holding(permit.clone())).collect();
    }
    let payment = payer.payment(ENDPOINT, &(&texts, &pictures))?;
    let texts = texts.into_iter().map(|message| message.or_policy(policy.as_ref())).collect();
    let input = MixedInput { texts, pictures };
    let paid = app.services.mixed.moderate(billing, payment, input).await?;
    Ok(paid_response(paid.replayed, Json(ModerationsResponse::of_mixed(&paid.outcome)?)))
}

/// Reads the body of a request. One text is run together with those of other items.
///
/// # Errors
/// `VALIDATION_FAILED` or `INVALID_IMAGE` naming the field at fault.
pub(crate) fn read_item(body: &Value, rules: InputRules<'_>) -> domain::Result<ItemRequest> {
    let MixedInput { mut texts, pictures } = input::read(read_value(body)?, rules)?;
    match texts.pop() {
        Some(message) if texts.is_empty() && pictures.is_empty() => {
            Ok(ItemRequest::Text(TextItem { message, explain: true }))
        }
        last => {
            texts.extend(last);
            Ok(ItemRequest::Mixed(Box::new(MixedInput { texts, pictures })))
        }
    }
}

/// The body of the answer for texts and pictures.
///
/// # Errors
/// `INTERNAL_ERROR` for a verdict without its categories.
pub(crate) fn item_answer(moderated: &ModeratedMixed) -> domain::Result<String> {
    serde_json::to_string(&ModerationsResponse::of_mixed(moderated)?).map_err(Error::internal)
}

/// The body of the answer for texts.
///
/// # Errors
/// As [`item_answer`].
pub(crate) fn item_answer_of_texts(moderated: &Moderated) -> domain::Result<String> {
    let body = ModerationsResponse::of_texts(&moderated.id, &moderated.verdicts)?;
    serde_json::to_string(&body).map_err(Error::internal)
}
