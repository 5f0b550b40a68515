//! `GET /api/v1/presets`: Judges to begin with, the same as the dashboard's templates, with their measured figures.

use std::{collections::BTreeMap, sync::LazyLock};

use axum::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::openapi::shapes;

macro_rules! files {
    ($($id:literal),+ $(,)?) => {
        [$(include_str!(concat!("../../../dashboard/src/templates/", $id, ".json"))),+]
    };
}

/// The files, in the order in which the dashboard shows them.
const FILES: [&str; 8] = files![
    "support-routing",
    "spam-triage",
    "toxicity",
    "prompt-injection",
    "rag-relevance",
    "lead-quality",
    "content-warnings",
    "log-triage",
];

static PRESETS: LazyLock<PresetList> = LazyLock::new(|| {
    let read = FILES.map(|file| serde_json::from_str(file).expect("the file of a template is valid"));
    PresetList { object: "list", data: read.into() }
});

/// All presets.
#[derive(Debug, Serialize, ToSchema)]
pub struct PresetList {
    /// Always `list`.
    #[schema(example = "list")]
    pub object: &'static str,
    /// The presets, in the dashboard's order.
    pub data: Vec<Preset>,
}

/// Questions that were tuned on written examples, to ask as they are or to make a Judge of.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct Preset {
    /// Its name for programs, which never changes.
    #[schema(example = "spam-triage")]
    pub id: String,
    /// Its name for people.
    #[schema(example = "Spam triage")]
    pub name: String,
    /// Raised with every change of the questions.
    pub version: u32,
    /// What it answers, in a sentence.
    pub summary: String,
    /// What it is for.
    pub description: String,
    /// A state to try it with.
    pub example: String,
    /// The questions, as `instructions` of an inference or a Judge.
    #[schema(schema_with = shapes::inference_instructions)]
    pub instructions: Value,
    /// How often each question is answered correctly, by its name.
    pub measured: BTreeMap<String, MeasuredAccuracy>,
    /// Labelled examples, as rows of a dataset, to train a Checkpoint with; empty where none is needed.
    #[serde(default)]
    pub examples: Vec<PresetExample>,
}

/// How often a question is answered correctly. All but `n` are shares, 0 to 1.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct MeasuredAccuracy {
    /// The share of examples that are answered correctly.
    pub accuracy: f64,
    /// The half of the examples that was counted: `report` was kept out while questions were worded.
    #[schema(example = "report")]
    pub of: String,
    /// Examples that were counted.
    pub n: u32,
    /// The share of the commonest answer, which guessing reaches.
    pub baseline: f64,
    /// For levels, the share that is at most one level off; null where it was not measured.
    #[serde(default, rename(deserialize = "withinOne"))]
    pub within_one: Option<f64>,
    /// The accuracy on the half by which the wording was chosen.
    pub choose: f64,
    /// The accuracy with a Checkpoint that was trained on `examples`; null without one.
    #[serde(default)]
    pub trained: Option<f64>,
}

/// A state with its right answers.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct PresetExample {
    /// The state: any JSON.
    pub state: Value,
    /// The right answers by question.
    pub ground_truth: BTreeMap<String, Value>,
}

/// Questions to begin with
///
/// Public and free. Send a preset's `instructions` to `/api/v1/inference`, or make a Judge of them.
#[utoipa::path(
    get, path = "/api/v1/presets", tag = "judges", operation_id = "listPresets", security(()),
    responses((status = 200, description = "The presets", body = PresetList))
)]
pub(crate) async fn list_presets() -> Json<&'static PresetList> {
    Json(&PRESETS)
}
