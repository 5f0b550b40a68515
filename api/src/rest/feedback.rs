//! `POST /api/v1/moderate/feedback`: moderators correct verdicts.

use std::collections::BTreeMap;

use axum::{Extension, Json, extract::State};
use domain::learning::{
    dataset::Sample,
    moderation_log::{Feedback, RecordedFeedback},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, or_default},
    identity::Identity,
    rest::text::RecommendedAction,
};

/// The path.
pub(crate) const ENDPOINT: &str = "/api/v1/moderate/feedback";

/// What a moderator says of a verdict. At least one of `action` and `categories` is required.
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
    /// What other moderators should know: up to 1,000 characters.
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
}

/// Correct a verdict
///
/// Sets the ground truth of a verdict that was given while the account's moderation log was on. Needs an API key with
/// the scope `moderate` or `manage`. Free.
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
    let feedback = Feedback {
        id: request.id.clone(),
        action: request.action.map(Into::into),
        categories: categories.transpose()?.unwrap_or_default(),
        note: request.note,
        overwrite: request.overwrite,
    };
    let given = app.services.moderation_logs.give_feedback(&identity.reviewer(), feedback).await?;
    Ok(Json(FeedbackResponse::new(request.id, given)))
}

impl FeedbackResponse {
    fn new(id: String, RecordedFeedback { sample, change }: RecordedFeedback) -> Self {
        let Sample { id: sample_id, answers, .. } = sample;
        let agrees = answers.iter().find(|answer| answer.key == "action").and_then(|answer| {
            let truth = answer.truth.as_ref()?;
            Some(answer.value.as_ref() == Some(&truth.value))
        });
        let said = answers.into_iter().filter_map(|answer| Some((answer.key, answer.truth?.value)));
        Self {
            id,
            sample_id: sample_id.to_string(),
            change_id: change.map(|change| change.to_string()),
            ground_truth: said.collect(),
            agrees,
        }
    }
}
