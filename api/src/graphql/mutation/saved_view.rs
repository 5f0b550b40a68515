//! Mutations of the viewer's saved views of the moderation queue.

use async_graphql::{Context, InputObject, Json, Object, SimpleObject};
use serde_json::Value;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::SavedView,
};

#[derive(Default)]
pub(crate) struct SavedViewMutation;

/// A view to save.
#[derive(InputObject)]
struct SaveViewInput {
    /// The name, 1 to 60 characters. A view of the same name is replaced.
    name: String,
    /// The filters: a JSON object of at most 4,096 bytes.
    filter: Json<Value>,
}

/// The view to remove.
#[derive(InputObject)]
struct RemoveViewInput {
    /// The view's name.
    name: String,
}

/// The saved view, or errors.
#[derive(SimpleObject)]
struct SaveViewPayload {
    /// The view; null if there were errors.
    view: Option<SavedView>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The outcome of removing a view.
#[derive(SimpleObject)]
struct RemoveViewPayload {
    /// Whether there was a view of this name; null if there were errors.
    removed: Option<bool>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl SavedViewMutation {
    /// Keeps filters of the moderation queue under a name, for the signed-in user alone, up to 30 of them. Needs a
    /// session.
    async fn save_view(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The view.")] input: SaveViewInput,
    ) -> FieldResult<SaveViewPayload> {
        let saved = services(ctx)?.saved_views.save(actor(ctx)?, &input.name, &input.filter.0).await;
        let (view, user_errors) = split_user_errors(saved)?;
        Ok(SaveViewPayload { view: view.map(SavedView::from), user_errors })
    }

    /// Removes a view of the signed-in user. Needs a session.
    async fn remove_view(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The view.")] input: RemoveViewInput,
    ) -> FieldResult<RemoveViewPayload> {
        let removed = services(ctx)?.saved_views.remove(actor(ctx)?, &input.name).await;
        let (removed, user_errors) = split_user_errors(removed)?;
        Ok(RemoveViewPayload { removed, user_errors })
    }
}
