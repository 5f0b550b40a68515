//! Mutations of the viewer's e-mail.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use domain::people::mail::MailPreferences;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::Viewer,
};

#[derive(Default)]
pub(crate) struct MailMutation;

/// Which e-mails a user wants.
#[derive(InputObject)]
struct SetMailPreferencesInput {
    /// Whether to send a weekly summary of the account; owners get it where the deployment sends summaries.
    weekly_summary: bool,
    /// Whether to tell when the account's credits run low; owners are told.
    low_balance: bool,
}

/// The user, or errors.
#[derive(SimpleObject)]
struct SetMailPreferencesPayload {
    /// The signed-in user; null if there were errors.
    viewer: Option<Viewer>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl MailMutation {
    /// Sets which e-mails the signed-in user wants. Needs a session.
    async fn set_mail_preferences(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What the user wants.")] input: SetMailPreferencesInput,
    ) -> FieldResult<SetMailPreferencesPayload> {
        let actor = actor(ctx)?;
        let SetMailPreferencesInput { weekly_summary, low_balance } = input;
        let wanted = MailPreferences { weekly_summary, low_balance };
        let set = services(ctx)?.subscriptions.set_preferences(actor, wanted).await;
        let (set, user_errors) = split_user_errors(set)?;
        Ok(SetMailPreferencesPayload { viewer: set.map(|()| Viewer(actor.clone())), user_errors })
    }
}
