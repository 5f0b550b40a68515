//! Saved views of the moderation queue.

use async_graphql::{Json, SimpleObject};
use domain::people::saved_view;
use serde_json::{Map, Value};

use crate::graphql::date_time::DateTime;

/// Named filters of the moderation queue, which a user keeps.
#[derive(SimpleObject)]
pub(crate) struct SavedView {
    /// The name, unique among the user's views.
    name: String,
    /// The filters, a JSON object, as the dashboard has them in its URLs.
    filter: Json<Map<String, Value>>,
    /// When the view was last saved.
    saved_at: DateTime,
}

impl From<saved_view::SavedView> for SavedView {
    fn from(view: saved_view::SavedView) -> Self {
        Self { name: view.name, filter: Json(view.filter), saved_at: view.saved_at.into() }
    }
}
