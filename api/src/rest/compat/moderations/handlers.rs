//! The handler of OpenAI's moderations.

use axum::{Json, extract::State, response::Response};
use domain::{
    Error, Result,
    operations::moderation::{Moderated, TextDraft, TextMessage},
};
use ports::text::TextMode;

use super::shape::{self, ModerationsRequest, ModerationsResponse};
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, RequestPayer},
    openapi::IdempotencyHeader,
    rest::paid_response,
};

/// The name in the ledger and under an `Idempotency-Key`.
const ENDPOINT: &str = "/v1/moderations";

/// Moderate texts, as OpenAI does
///
/// For OpenAI's clients. `input` is a text, an array of up to 50 texts, or the parts of one text. `model` may be one
/// of OpenAI's names. The body may be sent with `Content-Encoding: zstd` or `gzip`. Charges the price of one text
/// message for each result, on success only.
#[utoipa::path(
    post, path = ENDPOINT, tag = "compatibility", operation_id = "createModeration",
    params(IdempotencyHeader),
    request_body = ModerationsRequest,
    responses(
        (status = 200, description = "The verdicts", body = ModerationsResponse),
    )
)]
pub(crate) async fn create_moderation(
    State(app): State<App>,
    payer: RequestPayer,
    ApiJson(body): ApiJson<ModerationsRequest>,
) -> Result<Response, Failure> {
    let known = body.model.as_deref().is_none_or(|name| ["auto", "gavel-latest"].contains(&name));
    if app.settings.strict_model_names && !known {
        return Err(Error::invalid("model", "must be one of: auto, gavel-latest").into());
    }
    let texts = shape::texts(body.input, app.settings.batch_messages)?;
    let own = body.policy.as_deref();
    let messages =
        texts.into_iter().map(|(path, text)| message(&path, text, own)).collect::<Result<Vec<_>>>()?;
    let policy = payer.default_policy();
    let payment = payer.payment(ENDPOINT, &messages)?;
    let messages = messages.into_iter().map(|message| message.or_policy(policy.as_ref())).collect();
    let paid = app.services.text.moderate(&app.services.billing, payment, messages, true).await?;
    let Moderated { id, verdicts, .. } = paid.outcome;
    Ok(paid_response(paid.replayed, Json(ModerationsResponse::new(&id, verdicts)?)))
}

/// A message by an unknown author. The account's age is the default of Gavel's own route.
fn message(path: &str, content: String, policy: Option<&str>) -> Result<TextMessage> {
    let policy = policy.map(str::to_owned);
    let draft = TextDraft {
        content,
        // Not the defaults, so that requests are hashed as by earlier versions.
        author: Some(String::new()),
        channel: Some(String::new()),
        account_age_days: 30,
        mode: TextMode::Hybrid,
        policy,
        ..TextDraft::default()
    };
    TextMessage::parse("", draft).map_err(|mut error| match error.details.pop() {
        Some(detail) if detail.field == "policy" => Error::invalid("policy", detail.message),
        Some(detail) => Error::invalid(path, detail.message),
        None => error,
    })
}
