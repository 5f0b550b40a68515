//! Mutations of the account's moderation log, and feedback on verdicts.

use async_graphql::{Context, ID, InputObject, Json, Object, SimpleObject};
use domain::learning::moderation_log::Feedback;
use serde_json::Value;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{Judge, ModerationAction, RecordedPolicy, Sample},
};

#[derive(Default)]
pub(crate) struct ModerationLogMutation;

/// Whether moderated messages are recorded, and for how long.
#[derive(InputObject)]
struct SetModerationLogInput {
    /// Whether messages are recorded from now on, with their verdicts.
    enabled: bool,
    /// After how many days they are deleted, from 1 to 3,650.
    #[graphql(default = 30)]
    retention_days: i32,
}

/// What a moderator says of a verdict. At least one of `action`, `categories` and `rules` is required.
#[derive(InputObject)]
struct GiveModerationFeedbackInput {
    /// The id of the verdict, `mod_…`.
    id: ID,
    /// The right action.
    action: Option<ModerationAction>,
    /// Whether the message has these harms: a JSON object of categories, such as `self_harm`, each true or false.
    categories: Option<Json<Value>>,
    /// What the message is to rules in plain language of the policy that decided: a JSON object of rules' ids, each
    /// `allowed`, `not_allowed` or `none`. It becomes an example of the rule in a new version of the policy.
    rules: Option<Json<Value>>,
    /// What other moderators should know of `action` and `categories`: up to 1,000 characters.
    note: Option<String>,
    /// Whether to replace other feedback on the same verdict.
    #[graphql(default = false)]
    overwrite: bool,
}

/// The moderation log, or errors.
#[derive(SimpleObject)]
struct ModerationLogPayload {
    /// The log; null if nothing changed.
    moderation_log: Option<Judge>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The sample with the feedback, or errors.
#[derive(SimpleObject)]
struct GiveModerationFeedbackPayload {
    /// The sample; null if there were errors.
    sample: Option<Sample>,
    /// The id that undoes the feedback on `action` and `categories`; null if it said nothing new of them.
    change_id: Option<ID>,
    /// The version of the policy that has the message as an example; null without `rules`.
    policy: Option<RecordedPolicy>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl ModerationLogMutation {
    /// Turns the recording of the account's moderated messages on or off; it is off at first. What is recorded stays
    /// for `retentionDays` after it was moderated. Needs the role editor.
    async fn set_moderation_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The settings.")] input: SetModerationLogInput,
    ) -> FieldResult<ModerationLogPayload> {
        let set = services(ctx)?.moderation_logs.set(actor(ctx)?, input.enabled, input.retention_days).await;
        let (log, user_errors) = split_user_errors(set)?;
        Ok(ModerationLogPayload { moderation_log: log.map(Judge::from), user_errors })
    }

    /// Sets the ground truth of a verdict that was given while the moderation log was on, and makes its message an
    /// example of rules in plain language. Needs the role moderator or editor.
    async fn give_moderation_feedback(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The feedback.")] input: GiveModerationFeedbackInput,
    ) -> FieldResult<GiveModerationFeedbackPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let give = async {
            actor.require_moderator()?;
            let categories = input.categories.as_ref();
            let categories =
                categories.map(|json| Feedback::read_categories("categories", &json.0)).transpose()?;
            let rules = input.rules.as_ref().map(|json| Feedback::read_rules("rules", &json.0));
            let feedback = Feedback {
                id: input.id.to_string(),
                action: input.action.map(Into::into),
                categories: categories.unwrap_or_default(),
                rules: rules.transpose()?.unwrap_or_default(),
                note: input.note,
                overwrite: input.overwrite,
            };
            service.moderation_logs.give_feedback(actor, feedback).await
        };
        let (given, user_errors) = split_user_errors(give.await)?;
        let policy = given.as_ref().and_then(|given| given.rules.clone()).map(|rules| rules.policy.into());
        let (sample, change) = given.map(|given| (given.sample, given.change)).unzip();
        Ok(GiveModerationFeedbackPayload {
            sample: sample.map(Sample::from),
            change_id: change.flatten().map(|change| ID(change.to_string())),
            policy,
            user_errors,
        })
    }
}
