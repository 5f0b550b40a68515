//! Schemas of what is not read into one type: questions, contents and batches in their several forms. What they say is
//! what the server takes, which a test compares.

use std::{collections::BTreeMap, sync::LazyLock};

use utoipa::{
    Modify,
    openapi::{OpenApi, Ref, RefOr, schema::Schema},
};

/// The schemas by name.
static SHAPES: LazyLock<BTreeMap<String, RefOr<Schema>>> =
    LazyLock::new(|| serde_json::from_str(include_str!("shapes.json")).expect("shapes.json is valid"));

/// Adds the schemas to the description's components.
pub(super) struct Shapes;

impl Modify for Shapes {
    fn modify(&self, document: &mut OpenApi) {
        document.components.get_or_insert_default().schemas.extend(SHAPES.clone());
    }
}

/// Defines references to schemas, for `schema_with`.
macro_rules! references {
    ($($name:ident = $schema:literal,)+) => {$(
        #[doc = concat!("A reference to `", $schema, "`.")]
        pub(crate) fn $name() -> Ref {
            Ref::from_schema_name($schema)
        }
    )+};
}

references! {
    batch_items = "BatchItems",
    batch_metadata = "BatchMetadata",
    decisions_input = "DecisionsInput",
    decisions_questions = "DecisionsQuestions",
    inference_instructions = "InferenceInstructions",
    inference_state = "InferenceState",
    moderations_input = "ModerationsInput",
    questions_schema = "QuestionsSchema",
    system_one_assets = "SystemOneAssets",
    system_one_content = "SystemOneContent",
    system_one_questions = "SystemOneQuestions",
}
