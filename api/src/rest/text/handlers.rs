//! The handlers of messages, and messages as items of a bulk batch.

use axum::{Json, extract::State, response::Response};
use domain::{
    Error, Result,
    batch::TextItem,
    money::billing::Paid,
    operations::moderation::{ContextMessage, Moderated, TextDraft, TextMessage},
};
use ports::id::PolicyId;
use serde_json::Value;

use super::shape::*;
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, RequestPayer, read_value},
    openapi::IdempotencyHeader,
    rest::paid_response,
};

/// The names of both in the ledger and under an `Idempotency-Key`.
pub(crate) const ENDPOINT: &str = "/api/v1/moderate/text";
const BATCH_ENDPOINT: &str = "/api/v1/moderate/text/batch";
/// When a request that names a policy is a 404.
pub(crate) const NO_POLICY: &str = "`NOT_FOUND`: the account has no such moderation policy.";

/// Moderate one message
///
/// Charges the price of one text message, and that of the rules in plain language that its policy asks about it, on
/// success only.
#[utoipa::path(
    post, path = ENDPOINT, tag = "moderation", operation_id = "moderateText",
    params(IdempotencyHeader),
    request_body = TextModerationRequest,
    responses(
        (status = 200, description = "The verdict", body = TextModerationResponse),
        (status = 404, description = NO_POLICY),
    )
)]
pub(crate) async fn moderate_text(
    State(app): State<App>,
    payer: RequestPayer,
    ApiJson(request): ApiJson<TextModerationRequest>,
) -> Result<Response, Failure> {
    let read = message("", &request, Defaults::default())?;
    let messages = vec![read.clone()];
    let policy = payer.default_policy();
    let payment = payer.payment(ENDPOINT, &(&messages, request.explain))?;
    let messages = by_default(messages, policy.as_ref());
    let mut paid =
        app.services.text.moderate(&app.services.billing, payment, messages, request.explain).await?;
    let verdict = paid.outcome.verdicts.remove(0);
    let body = TextModerationResponse::new(&paid, verdict, &read);
    Ok(paid_response(paid.replayed, Json(body)))
}

/// Moderate up to 50 messages
///
/// All or none, charged in one deduction: the price of one text message times the number of messages, and that of the
/// rules in plain language that their policies ask about them.
#[utoipa::path(
    post, path = BATCH_ENDPOINT, tag = "moderation", operation_id = "moderateTextBatch",
    params(IdempotencyHeader),
    request_body = BatchTextModerationRequest,
    responses(
        (status = 200, description = "The verdicts", body = BatchTextModerationResponse),
        (status = 404, description = NO_POLICY),
    )
)]
pub(crate) async fn moderate_text_batch(
    State(app): State<App>,
    payer: RequestPayer,
    ApiJson(request): ApiJson<BatchTextModerationRequest>,
) -> Result<Response, Failure> {
    let size = request.messages.len();
    let most = app.settings.batch_messages;
    if !(1..=most).contains(&size) {
        return Err(Error::invalid("messages", format!("must have 1 to {most} items, not {size}")).into());
    }
    let mut messages = Vec::with_capacity(size);
    let mut details = Vec::new();
    let defaults = Defaults { mode: request.mode, policy: request.policy.as_deref() };
    for (index, item) in request.messages.iter().enumerate() {
        match message(&format!("messages[{index}]."), item, defaults) {
            Ok(message) => messages.push(message),
            Err(error) => details.extend(error.details),
        }
    }
    if !details.is_empty() {
        return Err(Error::all_invalid(details).into());
    }
    let policy = payer.default_policy();
    let payment = payer.payment(BATCH_ENDPOINT, &(&messages, request.explain))?;
    let messages = by_default(messages, policy.as_ref());
    let mut paid =
        app.services.text.moderate(&app.services.billing, payment, messages, request.explain).await?;
    let verdicts = std::mem::take(&mut paid.outcome.verdicts);
    let mut recorded = std::mem::take(&mut paid.outcome.recorded).into_iter();
    let body = BatchTextModerationResponse {
        batch_size: size,
        total_latency_ms: paid.outcome.latency_ms,
        results: request
            .messages
            .into_iter()
            .zip(verdicts)
            .map(|(message, verdict)| BatchTextResult::new(message, verdict, recorded.next()))
            .collect(),
        credits_deducted: paid.receipt.deducted.credits(),
        remaining_credits: paid.receipt.remaining.credits(),
    };
    Ok(paid_response(paid.replayed, Json(body)))
}

/// Reads the body of a request for one message.
///
/// # Errors
/// `VALIDATION_FAILED` naming every field at fault.
pub(crate) fn read_item(body: &Value) -> Result<TextItem> {
    let request: TextModerationRequest = read_value(body)?;
    Ok(TextItem { message: message("", &request, Defaults::default())?, explain: request.explain })
}

/// The body of the answer for one message, whose verdict `paid` has.
///
/// # Errors
/// `INTERNAL_ERROR` without a verdict.
pub(crate) fn item_answer(mut paid: Paid<Moderated>, message: &TextMessage) -> Result<String> {
    let verdict = paid.outcome.verdicts.pop().ok_or_else(|| Error::internal("a message has no verdict"))?;
    let body = TextModerationResponse::new(&paid, verdict, message);
    serde_json::to_string(&body).map_err(Error::internal)
}

/// What messages of a batch get that name none of their own.
#[derive(Clone, Copy)]
struct Defaults<'a> {
    mode: PipelineMode,
    policy: Option<&'a str>,
}

impl Default for Defaults<'_> {
    fn default() -> Self {
        Self { mode: PipelineMode::Hybrid, policy: None }
    }
}

/// The messages by the key's policy, unless they name one. It has no part in the hash of an `Idempotency-Key`'s
/// request: a retry is the same request though the key has another policy by then.
fn by_default(messages: Vec<TextMessage>, policy: Option<&PolicyId>) -> Vec<TextMessage> {
    messages.into_iter().map(|message| message.or_policy(policy)).collect()
}

fn message(path: &str, request: &TextModerationRequest, defaults: Defaults<'_>) -> Result<TextMessage> {
    let draft = TextDraft {
        content: request.content.clone(),
        author: request.author.clone(),
        channel: request.channel.clone(),
        account_age_days: request.account_age_days,
        mentions_count: request.mentions_count,
        has_attachments: request.has_attachments,
        mode: request.mode.unwrap_or(defaults.mode).into(),
        policy: request.policy.as_deref().or(defaults.policy).map(str::to_owned),
        redact: request.redact,
        channel_name: request.channel_name.clone(),
        channel_topic: request.channel_topic.clone(),
        context: request.context.iter().cloned().map(ContextMessage::from).collect(),
    };
    TextMessage::parse(path, draft)
}
