//! `response_format` of an inference: questions as a JSON Schema, in OpenAI's form.

use domain::{Result, operations::inference::marked_as_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{extract::one_of, openapi::shapes};

/// Where the schema is in a request.
pub(super) const SCHEMA: &str = "response_format.json_schema.schema";

/// A JSON Schema of the object that answers.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ResponseFormat {
    /// Always `json_schema`.
    #[allow(dead_code)]
    r#type: ResponseFormatType,
    /// The schema, with its name.
    json_schema: NamedSchema,
    /// Empty, as in the request itself.
    #[serde(flatten)]
    #[schema(ignore)]
    #[allow(dead_code)]
    only_objects: (),
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormatType {
    /// An object that fits a JSON Schema.
    JsonSchema,
}

/// A JSON Schema, with its name.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct NamedSchema {
    /// The name; read by nobody.
    #[allow(dead_code)]
    name: Option<String>,
    /// What the object is for; read by nobody.
    #[allow(dead_code)]
    description: Option<String>,
    /// The schema of an object, whose properties are the questions.
    #[schema(schema_with = shapes::questions_schema)]
    schema: Value,
    /// Whether the output must fit the schema, which it always does.
    #[allow(dead_code)]
    strict: Option<bool>,
    /// Empty, as in the request itself.
    #[serde(flatten)]
    #[schema(ignore)]
    #[allow(dead_code)]
    only_objects: (),
}

impl ResponseFormat {
    /// The instructions that mean the same.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field when the schema is no object.
    pub(super) fn into_instructions(self) -> Result<Value> {
        marked_as_schema(SCHEMA, self.json_schema.schema)
    }
}

impl<'de> Deserialize<'de> for ResponseFormatType {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        one_of(value, &[("json_schema", Self::JsonSchema)])
    }
}
