//! `POST /api/v1/moderate/feedback`: moderators correct verdicts.

use std::collections::BTreeMap;

use axum::{Extension, Json, extract::State};
use domain::{
    learning::{
        dataset::Sample,
        moderation_log::{Feedback, RecordedFeedback},
    },
    operations::moderation::ExampleCount,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, or_default},
    identity::Identity,
    rest::text::{PolicyUsed, RecommendedAction},
};

/// The path.
pub(crate) const ENDPOINT: &str = "/api/v1/moderate/feedback";

/// What a moderator says of a verdict. At least one of `action`, `categories` and `rules` is required.
#[derive(Deserialize, ToSchema)]
pub struct FeedbackRequest {
    /// The id of the verdict: of the answer to one message, or of a result in a batch.
    #[schema(example = "mod_01kahd7f3ye9pvsk8h0a5m5x30", max_length = 63)]
    id: String,
    /// The right action.
    action: Option<RecommendedAction>,
    /// Whether the message has these harms: an object of categories, as in an explanation, each true or false.
    #[schema(value_type = Option<BTreeMap<String, Option<bool>>>)]
    categories: Option<Value>,
    /// What the message is to rules in plain language of the policy that decided: an object of rules' ids, each
    /// `allowed` (it keeps to the rule), `not_allowed` (it breaks the rule) or `none` (it is no example). It becomes an
    /// example of the rule in a new version of the policy.
    #[schema(value_type = Option<BTreeMap<String, RuleExampleGiven>>)]
    rules: Option<Value>,
    /// What other moderators should know of `action` and `categories`: up to 1,000 characters.
    #[schema(max_length = 1_000, pattern = r"^[^\u0000]*$")]
    note: Option<String>,
    /// Whether to replace other feedback on the same verdict.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = false)]
    overwrite: bool,
    /// Empty. A flattened field makes serde accept objects alone.
    #[serde(flatten)]
    #[schema(ignore)]
    _only_objects: (),
}

/// What a message is to a rule in plain language.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes a value that the domain reads")]
enum RuleExampleGiven {
    /// It keeps to the rule.
    Allowed,
    /// It breaks the rule.
    NotAllowed,
    /// It is no example.
    None,
}

/// The examples of a rule in plain language.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuleExamples {
    /// The messages that keep to it.
    allowed: usize,
    /// The messages that break it.
    not_allowed: usize,
}

/// The feedback on a verdict, as it is now.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeedbackResponse {
    /// The id of the verdict.
    id: String,
    /// The sample of the account's moderation log that has the message, the verdict and the feedback.
    sample_id: String,
    /// The id that undoes this feedback; null when it said nothing new.
    change_id: Option<String>,
    /// All that was said of this verdict: `action`, and `true` or `false` for each category.
    #[schema(value_type = BTreeMap<String, String>)]
    ground_truth: BTreeMap<String, String>,
    /// Whether the action was the right one; null when that was not said.
    agrees: Option<bool>,
    /// The examples that each corrected rule has now; only with `rules`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    rules: Option<BTreeMap<String, RuleExamples>>,
    /// The version of the policy that has them; only with `rules`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    policy: Option<PolicyUsed>,
}

/// Correct a verdict
///
/// Sets the ground truth of a verdict that was given while the account's moderation log was on, and makes its message
/// an example of rules in plain language. Needs an API key with the scope `moderate` or `manage`, or a person with the
/// role moderator or editor. Free.
#[utoipa::path(
    post, path = ENDPOINT, tag = "moderation", operation_id = "giveModerationFeedback",
    request_body = FeedbackRequest,
    responses(
        (status = 200, description = "It is recorded", body = FeedbackResponse),
        (status = 404, description = "`NOT_FOUND`: no verdict is recorded under this id."),
        (status = 409, description = "`CONFLICT`: there is other feedback on the verdict; the message says which."),
    )
)]
pub(crate) async fn give_feedback(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    ApiJson(request): ApiJson<FeedbackRequest>,
) -> Result<Json<FeedbackResponse>, Failure> {
    let categories = request.categories.as_ref().map(|json| Feedback::read_categories("categories", json));
    let rules = request.rules.as_ref().map(|json| Feedback::read_rules("rules", json));
    let feedback = Feedback {
        id: request.id.clone(),
        action: request.action.map(Into::into),
        categories: categories.transpose()?.unwrap_or_default(),
        rules: rules.transpose()?.unwrap_or_default(),
        note: request.note,
        overwrite: request.overwrite,
    };
    let given = app.services.moderation_logs.give_feedback(&identity.reviewer(), feedback).await?;
    Ok(Json(FeedbackResponse::new(request.id, given)))
}

impl FeedbackResponse {
    fn new(id: String, RecordedFeedback { sample, change, rules }: RecordedFeedback) -> Self {
        let Sample { id: sample_id, answers, .. } = sample;
        let agrees = answers.iter().find(|answer| answer.key == "action").and_then(|answer| {
            let truth = answer.truth.as_ref()?;
            Some(answer.value.as_ref() == Some(&truth.value))
        });
        let (policy, rules) =
            rules.map(|corrected| (corrected.policy.into(), examples(corrected.examples))).unzip();
        let said = answers.into_iter().filter_map(|answer| Some((answer.key, answer.truth?.value)));
        Self {
            id,
            sample_id: sample_id.to_string(),
            change_id: change.map(|change| change.to_string()),
            ground_truth: said.collect(),
            agrees,
            rules,
            policy,
        }
    }
}

fn examples(counts: Vec<ExampleCount>) -> BTreeMap<String, RuleExamples> {
    let examples = counts
        .into_iter()
        .map(|ExampleCount { rule, allowed, not_allowed }| (rule, RuleExamples { allowed, not_allowed }));
    examples.collect()
}
