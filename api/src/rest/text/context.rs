//! The messages before the one that is moderated, as a request has them.

use chrono::{DateTime, Utc};
use domain::operations::moderation::ContextMessage;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message before the one that is moderated.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct ContextMessageRequest {
    /// Its author: the same as the moderated message's `author` if it is the same person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$")]
    pub author: Option<String>,
    /// Its text, not all blank.
    #[schema(min_length = 1, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    pub content: String,
    /// When it was written; not before an earlier one, nor in the future.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<Utc>>,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    pub only_objects: (),
}

impl From<ContextMessageRequest> for ContextMessage {
    fn from(ContextMessageRequest { author, content, at, .. }: ContextMessageRequest) -> Self {
        Self { author, content, at }
    }
}
