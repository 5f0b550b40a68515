//! `GET /v1/models` and `/v1/models/{model}`: the decision models that requests may name, in the formats of System One
//! and OpenAI at once.

use axum::{
    Extension, Json,
    extract::{Path, State},
};
use domain::{Code, Error, foundation::allowed_backends::AllowedBackends};
use ports::decision::{DecisionBackend, ModelInfo};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{app::App, error::Failure, identity::Identity};

/// The name of the default model.
const DEFAULT_ALIAS: &str = "gavel-latest";

/// The models, for clients of System One (`models`) and of OpenAI (`object` and `data`).
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelsResponse {
    /// As System One lists them.
    pub models: Vec<SystemOneModel>,
    /// Always `list`.
    #[schema(example = "list")]
    pub object: &'static str,
    /// As OpenAI lists them.
    pub data: Vec<OpenAiModel>,
}

/// A model, as System One describes it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SystemOneModel {
    /// The name for requests.
    #[schema(example = "gavel-latest")]
    pub name: String,
    /// A description.
    pub description: String,
    /// The day it was made, as `2026-11-21`; empty when not known.
    pub release_date: String,
}

/// A model, as OpenAI describes it.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiModel {
    /// The name for requests.
    #[schema(example = "gavel-latest")]
    pub id: String,
    /// Always `model`.
    #[schema(example = "model")]
    pub object: &'static str,
    /// When it was made, in seconds since 1970; 0 when not known.
    pub created: i64,
    /// Always `gavel`.
    #[schema(example = "gavel")]
    pub owned_by: &'static str,
}

/// The decision models
///
/// Free. `gavel-latest` is the default; the exact names never move. Only the models of backends that the API key may
/// use.
#[utoipa::path(
    get, path = "/v1/models", tag = "compatibility", operation_id = "listModels",
    responses((status = 200, description = "The models", body = ModelsResponse))
)]
pub(crate) async fn list_models(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
) -> Json<ModelsResponse> {
    let models = models(&app, &identity.backends());
    let data = models.iter().map(OpenAiModel::from).collect();
    let models = models.into_iter().map(|ModelInfo { name, description, release_date }| SystemOneModel {
        name,
        description,
        release_date,
    });
    Json(ModelsResponse { models: models.collect(), object: "list", data })
}

/// A decision model
///
/// Free. As OpenAI describes it.
#[utoipa::path(
    get, path = "/v1/models/{model}", tag = "compatibility", operation_id = "getModel",
    params(("model" = String, Path, description = "The name for requests", example = "gavel-latest")),
    responses(
        (status = 200, description = "The model", body = OpenAiModel),
        (status = 404, description = "`NOT_FOUND`: there is no such model."),
    )
)]
pub(crate) async fn get_model(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    Path(name): Path<String>,
) -> Result<Json<OpenAiModel>, Failure> {
    let found = models(&app, &identity.backends()).into_iter().find(|model| model.name == name);
    let Some(model) = found else {
        let message = "there is no such model; GET /v1/models lists the models";
        return Err(Error::new(Code::NotFound, message).into());
    };
    Ok(Json(OpenAiModel::from(&model)))
}

/// The models that a request may name, the default first.
fn models(app: &App, allowed: &AllowedBackends) -> Vec<ModelInfo> {
    let mut models = app.services.inference.local.models();
    // Another Gavel behind this one lists this name as well.
    models.retain(|model| model.name != DEFAULT_ALIAS);
    if let Some(default) = models.first() {
        let description = format!("The default model, at present {}", default.name);
        models.insert(0, ModelInfo { name: DEFAULT_ALIAS.to_owned(), description, ..default.clone() });
    }
    let inference = &app.services.inference;
    let own = inference.named.iter().filter(|named| inference.may_use(named.backend.name(), allowed));
    for named in own {
        models.extend(models_of(named.backend.as_ref()));
    }
    models
}

/// A backend of the operator's under its name, and its models as `NAME/model`.
fn models_of(backend: &dyn DecisionBackend) -> Vec<ModelInfo> {
    let name = backend.name();
    let listed = backend.models();
    let now = listed.first().map(|first| format!(", at present {}", first.name)).unwrap_or_default();
    let own = ModelInfo {
        name: name.to_owned(),
        description: format!("The backend {name} of this server's operator{now}"),
        release_date: String::new(),
    };
    let models =
        listed.into_iter().map(|model| ModelInfo { name: format!("{name}/{}", model.name), ..model });
    std::iter::once(own).chain(models).collect()
}

impl From<&ModelInfo> for OpenAiModel {
    fn from(model: &ModelInfo) -> Self {
        Self {
            id: model.name.clone(),
            object: "model",
            created: created_at(&model.release_date),
            owned_by: "gavel",
        }
    }
}

fn created_at(release_date: &str) -> i64 {
    let day = release_date.parse::<chrono::NaiveDate>().ok();
    day.and_then(|day| day.and_hms_opt(0, 0, 0)).map_or(0, |midnight| midnight.and_utc().timestamp())
}
