//! The JSON shapes of text moderation, field for field as the contract has them.

use domain::{
    foundation::round::significant,
    money::billing::Paid,
    operations::moderation::{self, Moderated, PolicyRef, TextMessage, Verdict},
};
use ports::id::ModerationId;
use ports::text::TextMode;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{context::ContextMessageRequest, explanation::Explanation, redacted::RedactedContent};
use crate::extract::{integer, one_of, or_default};

/// The pipeline: `hybrid` combines AI guardrails with a diffusion model; `native` is the native model alone.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PipelineMode {
    /// Guardrails and a diffusion model.
    Hybrid,
    /// The native model.
    Native,
}

/// A message to moderate.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct TextModerationRequest {
    /// Message text, 1 to 10,000 characters, not all blank.
    #[schema(
        min_length = 1,
        max_length = 10_000,
        pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$",
        example = "free nitro for everyone, claim at dlscord-gift.com"
    )]
    pub content: String,
    /// Username, discriminator or platform id of the author, up to 256 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = "user#0001", max_length = 256, pattern = r"^[^\u0000]*$")]
    pub author: Option<String>,
    /// Channel name or id, up to 256 characters. When given, the message is compared with those said there within the
    /// last five minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = "#general", max_length = 256, pattern = r"^[^\u0000]*$")]
    pub channel: Option<String>,
    /// The channel's name where `channel` is an id, up to 256 characters. Rules in plain language are asked with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$")]
    pub channel_name: Option<String>,
    /// What the channel is about, up to 1,024 characters. Rules in plain language are asked with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_024, pattern = r"^[^\u0000]*$")]
    pub channel_topic: Option<String>,
    /// Up to 20 messages before it in the conversation, the oldest first, with up to 8,192 bytes of content together. A
    /// reply is judged with what it answers, and an approach to a child over turns. They are neither charged nor kept.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub context: Vec<ContextMessageRequest>,
    /// Age of the author's account in days.
    #[serde(default = "default_age", deserialize_with = "age")]
    #[schema(default = 30, minimum = 0, format = "uint64")]
    pub account_age_days: u64,
    /// User and role mentions in the message.
    #[serde(default, deserialize_with = "count")]
    #[schema(default = 0, minimum = 0, format = "uint64")]
    pub mentions_count: u64,
    /// Whether the message has attachments.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = false)]
    pub has_attachments: bool,
    /// The pipeline; in a batch, the batch's mode unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = "hybrid")]
    pub mode: Option<PipelineMode>,
    /// The moderation policy that decides, by its name or id; in a batch, the batch's
    /// unless given; otherwise the API key's, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 100)]
    pub policy: Option<String>,
    /// Adds `explanation` to the response. In a batch only the batch's own `explain` counts.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = false)]
    pub explain: bool,
    /// Adds `redacted` to the response: the message without personal data.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = false)]
    pub redact: bool,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    pub only_objects: (),
}

/// Messages to moderate together.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct BatchTextModerationRequest {
    /// 1 to 50 messages.
    #[schema(min_items = 1, max_items = 50)]
    pub messages: Vec<TextModerationRequest>,
    /// The pipeline for messages that name none.
    #[serde(default = "default_mode", deserialize_with = "mode")]
    #[schema(default = "hybrid")]
    pub mode: PipelineMode,
    /// The moderation policy that decides, by its name or id; for messages that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 100)]
    pub policy: Option<String>,
    /// Adds `explanation` to each result.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = false)]
    pub explain: bool,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    pub only_objects: (),
}

fn default_age() -> u64 {
    30
}

fn age<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    Ok(integer(value)?.unwrap_or_else(default_age))
}

fn count<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    Ok(integer(value)?.unwrap_or_default())
}

fn mode<'de, D: Deserializer<'de>>(value: D) -> Result<PipelineMode, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_else(default_mode))
}

fn default_mode() -> PipelineMode {
    PipelineMode::Hybrid
}

impl<'de> Deserialize<'de> for PipelineMode {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        one_of(value, &[("hybrid", PipelineMode::Hybrid), ("native", PipelineMode::Native)])
    }
}

/// The recommended action.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecommendedAction {
    /// Remove the author.
    Ban,
    /// Silence the author for a while.
    Timeout,
    /// Warn the author.
    Warn,
    /// Do nothing.
    None,
}

/// A probability for each action; they sum to 1.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActionProbabilities {
    /// Remove the author.
    pub ban: f64,
    /// Silence the author for a while.
    pub timeout: f64,
    /// Warn the author.
    pub warn: f64,
    /// Do nothing.
    pub none: f64,
}

/// The verdict on one message.
#[derive(Debug, Serialize, ToSchema)]
pub struct TextModerationResponse {
    /// Identifier of the result.
    #[schema(example = "mod_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Recommended action.
    pub action: RecommendedAction,
    /// Severity without an upper bound: 0 for nothing, about 1 where `warn` begins.
    pub threat_score: f64,
    /// Probability of phishing or scam, 0 to 1.
    pub is_phishing_or_scam: f64,
    /// Probability that a moderator should look, 0 to 1.
    pub requires_mod_review: f64,
    /// Probability per action.
    pub action_probabilities: ActionProbabilities,
    /// Name and version of the model that decided.
    #[schema(example = "gavel-text-native-1.10.0")]
    pub routing_model: String,
    /// Processing time in milliseconds.
    pub latency_ms: f64,
    /// Pipeline used.
    pub mode: PipelineMode,
    /// Credits charged.
    #[schema(example = 0.5)]
    pub credits_deducted: f64,
    /// Credits left to spend.
    pub remaining_credits: f64,
    /// The explanation; only with `explain: true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub explanation: Option<Explanation>,
    /// The message without personal data; only with `redact: true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub redacted: Option<RedactedContent>,
    /// The moderation policy that decided; only with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub policy: Option<PolicyUsed>,
}

/// The moderation policy that decided.
#[derive(Debug, Serialize, ToSchema)]
pub struct PolicyUsed {
    /// Its id.
    #[schema(example = "policy_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Its name.
    pub name: String,
    /// The number of its version.
    pub version: i32,
}

/// The verdicts on a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchTextModerationResponse {
    /// Messages evaluated.
    pub batch_size: usize,
    /// Processing time of the whole batch in milliseconds.
    pub total_latency_ms: f64,
    /// One result a message, in order.
    pub results: Vec<BatchTextResult>,
    /// Credits charged for the batch.
    pub credits_deducted: f64,
    /// Credits left to spend.
    pub remaining_credits: f64,
}

/// The verdict on one message of a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchTextResult {
    /// The id for feedback on the verdict; only while the account's moderation log is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub id: Option<String>,
    /// The message.
    pub content: String,
    /// Recommended action.
    pub action: RecommendedAction,
    /// Severity without an upper bound.
    pub threat_score: f64,
    /// Probability of phishing or scam, 0 to 1.
    pub is_phishing_or_scam: f64,
    /// Probability that a moderator should look, 0 to 1.
    pub requires_mod_review: f64,
    /// Probability per action.
    pub action_probabilities: ActionProbabilities,
    /// The explanation; only with `explain: true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub explanation: Option<Explanation>,
    /// The message without personal data; only with `redact: true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub redacted: Option<RedactedContent>,
    /// The moderation policy that decided; only with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub policy: Option<PolicyUsed>,
}

impl From<PolicyRef> for PolicyUsed {
    fn from(used: PolicyRef) -> Self {
        Self { id: used.id.to_string(), name: used.name, version: used.version }
    }
}

impl From<PipelineMode> for TextMode {
    fn from(mode: PipelineMode) -> Self {
        match mode {
            PipelineMode::Hybrid => TextMode::Hybrid,
            PipelineMode::Native => TextMode::Native,
        }
    }
}

impl From<TextMode> for PipelineMode {
    fn from(mode: TextMode) -> Self {
        match mode {
            TextMode::Hybrid => PipelineMode::Hybrid,
            TextMode::Native => PipelineMode::Native,
        }
    }
}

impl<'de> Deserialize<'de> for RecommendedAction {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        one_of(value, &moderation::Action::ALL.map(|action| (action.as_str(), action.into())))
    }
}

impl From<RecommendedAction> for moderation::Action {
    fn from(action: RecommendedAction) -> Self {
        match action {
            RecommendedAction::Ban => moderation::Action::Ban,
            RecommendedAction::Timeout => moderation::Action::Timeout,
            RecommendedAction::Warn => moderation::Action::Warn,
            RecommendedAction::None => moderation::Action::None,
        }
    }
}

impl From<moderation::Action> for RecommendedAction {
    fn from(action: moderation::Action) -> Self {
        match action {
            moderation::Action::Ban => RecommendedAction::Ban,
            moderation::Action::Timeout => RecommendedAction::Timeout,
            moderation::Action::Warn => RecommendedAction::Warn,
            moderation::Action::None => RecommendedAction::None,
        }
    }
}

impl From<moderation::ActionProbabilities> for ActionProbabilities {
    fn from(from: moderation::ActionProbabilities) -> Self {
        Self {
            ban: significant(from.ban),
            timeout: significant(from.timeout),
            warn: significant(from.warn),
            none: significant(from.none),
        }
    }
}

impl TextModerationResponse {
    pub(super) fn new(paid: &Paid<Moderated>, verdict: Verdict, message: &TextMessage) -> Self {
        Self {
            id: paid.outcome.id.to_string(),
            action: verdict.action.into(),
            threat_score: significant(verdict.threat_score),
            is_phishing_or_scam: significant(verdict.is_phishing_or_scam),
            requires_mod_review: significant(verdict.requires_mod_review),
            action_probabilities: verdict.action_probabilities.into(),
            routing_model: verdict.model,
            latency_ms: paid.outcome.latency_ms,
            mode: message.mode.into(),
            credits_deducted: paid.receipt.deducted.credits(),
            remaining_credits: paid.receipt.remaining.credits(),
            explanation: verdict
                .explanation
                .map(|explanation| Explanation::new(&message.content, explanation)),
            redacted: message.redact.then(|| RedactedContent::of(&message.content)),
            policy: verdict.policy.map(Into::into),
        }
    }
}

impl BatchTextResult {
    pub(super) fn new(
        message: TextModerationRequest,
        verdict: Verdict,
        recorded: Option<ModerationId>,
    ) -> Self {
        let TextModerationRequest { content, redact, .. } = message;
        Self {
            id: recorded.map(String::from),
            action: verdict.action.into(),
            threat_score: significant(verdict.threat_score),
            is_phishing_or_scam: significant(verdict.is_phishing_or_scam),
            requires_mod_review: significant(verdict.requires_mod_review),
            action_probabilities: verdict.action_probabilities.into(),
            explanation: verdict.explanation.map(|explanation| Explanation::new(&content, explanation)),
            redacted: redact.then(|| RedactedContent::of(&content)),
            policy: verdict.policy.map(Into::into),
            content,
        }
    }
}
