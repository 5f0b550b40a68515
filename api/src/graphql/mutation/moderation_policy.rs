//! Mutations of moderation policies, and dry runs of their rules.

use async_graphql::{Context, ID, InputObject, Json, Object, SimpleObject};
use domain::{
    Detail, Error,
    operations::moderation::{
        TextDraft, TextMessage,
        policies::{self, NewPolicy, PolicyChange, ShadowEnd},
    },
};
use ports::id::PolicyId;
use serde_json::Value;

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{ApiKey, ModerationPolicy, ModerationVerdict},
};

#[derive(Default)]
pub(crate) struct ModerationPolicyMutation;

/// A new moderation policy.
#[derive(InputObject)]
struct CreateModerationPolicyInput {
    /// The name: 1 to 100 characters on one line, unique within the account.
    name: String,
    /// The description: up to 2,000 characters.
    #[graphql(default)]
    description: String,
    /// The rules: a JSON object.
    rules: Json<Value>,
}

/// Changes of a moderation policy. Fields that are left out stay as they are.
#[derive(InputObject)]
struct UpdateModerationPolicyInput {
    /// The policy's id.
    id: ID,
    /// The version that the change is based on. If there is a newer one, the change is refused with `CONFLICT`.
    version: Option<i32>,
    /// The name: 1 to 100 characters on one line, unique within the account.
    name: Option<String>,
    /// The description: up to 2,000 characters.
    description: Option<String>,
    /// The rules: a JSON object. A change makes a new version.
    rules: Option<Json<Value>>,
}

/// Rules to try in the shadow of a policy.
#[derive(InputObject)]
struct ShadowModerationPolicyInput {
    /// The policy's id.
    id: ID,
    /// The rules: a JSON object.
    rules: Json<Value>,
}

/// How to end the shadow of a policy.
#[derive(InputObject)]
struct EndModerationPolicyShadowInput {
    /// The policy's id.
    id: ID,
    /// Whether the shadow decides from now on, in place of the version that decides now.
    activate: bool,
}

/// The moderation policy to archive.
#[derive(InputObject)]
struct ArchiveModerationPolicyInput {
    /// The policy's id.
    id: ID,
}

/// The moderation policy to restore.
#[derive(InputObject)]
struct UnarchiveModerationPolicyInput {
    /// The policy's id.
    id: ID,
}

/// The policy of an API key's requests that name none.
#[derive(InputObject)]
struct SetApiKeyModerationPolicyInput {
    /// The key's id.
    id: ID,
    /// The policy's id; null for no policy.
    moderation_policy_id: Option<ID>,
}

/// A message to try rules on.
#[derive(InputObject)]
struct DryRunMessageInput {
    /// The text: 1 to 10,000 characters.
    content: String,
    /// Age of the author's account in days.
    #[graphql(default = 30)]
    account_age_days: u32,
    /// User and role mentions in the message.
    #[graphql(default = 0)]
    mentions_count: u32,
    /// The channel's name or id: up to 256 characters. Rules in plain language may apply to some channels alone.
    channel: Option<String>,
    /// The channel's name where `channel` is an id: up to 256 characters.
    channel_name: Option<String>,
    /// What the channel is about: up to 1,024 characters.
    channel_topic: Option<String>,
}

/// Rules to try on messages.
#[derive(InputObject)]
struct DryRunModerationPolicyInput {
    /// The rules: a JSON object. They need not be saved.
    rules: Json<Value>,
    /// 1 to 50 messages.
    messages: Vec<DryRunMessageInput>,
}

/// The created or changed policy, or errors.
#[derive(SimpleObject)]
pub(super) struct ModerationPolicyPayload {
    /// The policy; null if nothing changed.
    moderation_policy: Option<ModerationPolicy>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The changed key, or errors.
#[derive(SimpleObject)]
struct SetApiKeyModerationPolicyPayload {
    /// The key; null if nothing changed.
    api_key: Option<ApiKey>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The verdicts on a message.
#[derive(SimpleObject)]
struct DryRunResult {
    /// The message.
    content: String,
    /// The verdict by the rules.
    verdict: ModerationVerdict,
    /// The verdict without a policy.
    without_policy: ModerationVerdict,
}

/// The verdicts of a dry run, or errors.
#[derive(SimpleObject)]
struct DryRunModerationPolicyPayload {
    /// The verdicts, in the order of the messages; null if there were errors.
    results: Option<Vec<DryRunResult>>,
    /// The credits that were charged; null if there were errors.
    credits_deducted: Option<f64>,
    /// The balance after the charge; null if there were errors.
    remaining_credits: Option<f64>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

impl ModerationPolicyPayload {
    fn of(result: domain::Result<policies::Policy>) -> FieldResult<Self> {
        let (policy, user_errors) = split_user_errors(result)?;
        Ok(Self { moderation_policy: policy.map(ModerationPolicy), user_errors })
    }
}

#[Object]
impl ModerationPolicyMutation {
    /// Creates a moderation policy. An account may have 50 that are not archived. Needs the role editor.
    async fn create_moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The new policy.")] input: CreateModerationPolicyInput,
    ) -> FieldResult<ModerationPolicyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let new = NewPolicy { name: input.name, description: input.description, rules: input.rules.0 };
        ModerationPolicyPayload::of(service.policies.create(actor, new).await)
    }

    /// Changes a moderation policy. New rules make a new version, which decides from then on. Needs the role editor.
    async fn update_moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateModerationPolicyInput,
    ) -> FieldResult<ModerationPolicyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let update = async {
            let id = PolicyId::parse(&input.id)?;
            let change = PolicyChange {
                version: input.version,
                name: input.name,
                description: input.description,
                rules: input.rules.map(|json| json.0),
            };
            service.policies.update(actor, &id, change).await
        };
        ModerationPolicyPayload::of(update.await)
    }

    /// Makes rules a new version of a policy that decides in the shadow of the one that applies: what it would have
    /// done is recorded in the moderation log, while that is on, and never acted on. An earlier shadow ends. Needs the
    /// role editor.
    async fn shadow_moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The rules.")] input: ShadowModerationPolicyInput,
    ) -> FieldResult<ModerationPolicyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let shadow = async {
            let id = PolicyId::parse(&input.id)?;
            service.policies.shadow(actor, &id, &input.rules.0).await
        };
        ModerationPolicyPayload::of(shadow.await)
    }

    /// Ends the shadow of a policy; its version stays among the policy's versions. Needs the role editor.
    async fn end_moderation_policy_shadow(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How it ends.")] input: EndModerationPolicyShadowInput,
    ) -> FieldResult<ModerationPolicyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let how = if input.activate { ShadowEnd::Activated } else { ShadowEnd::Dropped };
        let end = async { service.policies.end_shadow(actor, &PolicyId::parse(&input.id)?, how).await };
        ModerationPolicyPayload::of(end.await)
    }

    /// Archives a moderation policy: requests that pick it fail, and it is no longer listed, but keeps its versions.
    /// Refused while it is the default of an API key. Needs the role editor.
    async fn archive_moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The policy to archive.")] input: ArchiveModerationPolicyInput,
    ) -> FieldResult<ModerationPolicyPayload> {
        set_archived(ctx, &input.id, true).await
    }

    /// Restores an archived moderation policy. Needs the role editor.
    async fn unarchive_moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The policy to restore.")] input: UnarchiveModerationPolicyInput,
    ) -> FieldResult<ModerationPolicyPayload> {
        set_archived(ctx, &input.id, false).await
    }

    /// Sets the policy of an API key's requests that name none. All replicas follow within 5 seconds. Needs the role
    /// editor.
    async fn set_api_key_moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The key and the policy.")] input: SetApiKeyModerationPolicyInput,
    ) -> FieldResult<SetApiKeyModerationPolicyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let set = async {
            let policy = input.moderation_policy_id.map(|id| PolicyId::parse(&id)).transpose()?;
            let key = parse_id(&input.id);
            service.policies.set_default(actor, &key, policy.as_ref()).await?;
            service.api_keys.find(&actor.account, &key).await
        };
        let (key, user_errors) = split_user_errors(set.await)?;
        Ok(SetApiKeyModerationPolicyPayload { api_key: key.map(ApiKey), user_errors })
    }

    /// Moderates messages by rules that need not be saved, and without a policy. Charges the price of one text message
    /// for each, on success only. Needs the role editor.
    async fn dry_run_moderation_policy(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The rules and the messages.")] input: DryRunModerationPolicyInput,
    ) -> FieldResult<DryRunModerationPolicyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let contents: Vec<String> = input.messages.iter().map(|message| message.content.clone()).collect();
        let run = async {
            let messages = parse_messages(input.messages)?;
            service.text.dry_run(&service.billing, actor, &input.rules.0, messages).await
        };
        let (paid, user_errors) = split_user_errors(run.await)?;
        let deducted = paid.as_ref().map(|paid| paid.receipt.deducted.credits());
        let remaining = paid.as_ref().map(|paid| paid.receipt.remaining.credits());
        let results = paid.map(|paid| {
            let both = contents.into_iter().zip(paid.outcome.verdicts);
            both.map(|(content, both)| DryRunResult {
                verdict: ModerationVerdict::new(both.by_policy, &content),
                without_policy: ModerationVerdict::new(both.without_policy, &content),
                content,
            })
            .collect()
        });
        Ok(DryRunModerationPolicyPayload {
            results,
            credits_deducted: deducted,
            remaining_credits: remaining,
            user_errors,
        })
    }
}

async fn set_archived(ctx: &Context<'_>, id: &str, archived: bool) -> FieldResult<ModerationPolicyPayload> {
    let service = services(ctx)?;
    let actor = actor(ctx)?;
    let archive = async { service.policies.archive(actor, &PolicyId::parse(id)?, archived).await };
    ModerationPolicyPayload::of(archive.await)
}

fn parse_messages(messages: Vec<DryRunMessageInput>) -> domain::Result<Vec<TextMessage>> {
    let mut parsed = Vec::with_capacity(messages.len());
    let mut faults = Vec::<Detail>::new();
    for (index, message) in messages.into_iter().enumerate() {
        let draft = TextDraft {
            content: message.content,
            account_age_days: message.account_age_days.into(),
            mentions_count: message.mentions_count.into(),
            channel: message.channel,
            channel_name: message.channel_name,
            channel_topic: message.channel_topic,
            ..TextDraft::default()
        };
        match TextMessage::parse(&format!("messages[{index}]."), draft) {
            Ok(message) => parsed.push(message),
            Err(error) => faults.extend(error.details),
        }
    }
    if faults.is_empty() { Ok(parsed) } else { Err(Error::all_invalid(faults)) }
}
