//! Moderation policies and their versions, and the verdicts of a dry run.

use async_graphql::{Context, Enum, ID, Json, Object, SimpleObject};
use domain::{
    foundation::round::significant,
    operations::moderation::{
        self, Verdict,
        policies::{self, PolicyFilter},
    },
};
use ports::id::AccountId;
use ports::text::Category;
use serde_json::Value;

use super::{
    Actor,
    policy_shadow::{PolicyShadow, shadow_of},
};
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, cost, count_of},
};

/// The complexity of reading a version, whichever of its fields are selected: its rules may be long.
pub(super) const VERSION_COST: usize = 50;

pub(crate) struct ModerationPolicy(pub(crate) policies::Policy);

pub(crate) type ModerationPolicyConnection = ListConnection<ModerationPolicy>;

pub(crate) type ModerationPolicyVersionConnection = ListConnection<ModerationPolicyVersion>;

/// Named rules by which messages are moderated, with a version per change.
#[Object]
impl ModerationPolicy {
    /// The policy's id, `policy_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The policy's name, by which requests pick it; unique within the account.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The policy's purpose; may be empty.
    async fn description(&self) -> &str {
        &self.0.description
    }

    /// The rules: a JSON object.
    async fn rules(&self) -> Json<&Value> {
        Json(&self.0.version.rules)
    }

    /// The number of the version that decides: the newest but for shadows.
    async fn version(&self) -> i32 {
        self.0.version.number
    }

    /// The version that decides in the shadow of the policy: it is recorded and never acted on. Null without one.
    async fn shadow(&self, ctx: &Context<'_>) -> FieldResult<Option<PolicyShadow>> {
        shadow_of(ctx, &self.0).await
    }

    /// All versions, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity + VERSION_COST)")]
    async fn versions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<ModerationPolicyVersionConnection> {
        let policies = services(ctx)?.policies.clone();
        let policy = &self.0;
        let list = format!("moderationPolicyVersions:{}", policy.id);
        let page = PageArgs { first, after, last, before }.page::<i64>(&list)?;
        let slice = policies.versions(&policy.account, &policy.id, page).await.map_err(field_error)?;
        let count = count_of((policies, policy.id.clone()), |(policies, id)| async move {
            policies.count_versions(&id).await
        });
        Ok(connection(&list, slice, |version| i64::from(version.number), ModerationPolicyVersion, count))
    }

    /// Whether the policy is archived. A request that picks an archived policy fails.
    async fn archived(&self) -> bool {
        self.0.archived_at.is_some()
    }

    /// When the policy was archived; null if it is not.
    async fn archived_at(&self) -> Option<DateTime> {
        self.0.archived_at.map(DateTime)
    }

    /// When the policy was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When the policy was last changed.
    async fn updated_at(&self) -> DateTime {
        self.0.updated_at.into()
    }
}

pub(crate) struct ModerationPolicyVersion(policies::PolicyVersion);

/// A version of a moderation policy's rules. It never changes.
#[Object]
impl ModerationPolicyVersion {
    /// The version's number: 1, 2, 3, …
    async fn version(&self) -> i32 {
        self.0.number
    }

    /// The rules: a JSON object.
    async fn rules(&self) -> Json<&Value> {
        Json(&self.0.rules)
    }

    /// Who created the version.
    async fn created_by(&self) -> Actor {
        Actor(self.0.created_by.clone())
    }

    /// When the version was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// A page of an account's policies.
pub(super) async fn policy_page(
    ctx: &Context<'_>,
    account: AccountId,
    filter: PolicyFilter,
    args: PageArgs,
) -> FieldResult<ModerationPolicyConnection> {
    let policies = services(ctx)?.policies.clone();
    let list = format!("moderationPolicies:{account}");
    let page = args.page::<String>(&list)?;
    let slice = policies.list(&account, &filter, page).await.map_err(field_error)?;
    let count = count_of((policies, account, filter), |(policies, account, filter)| async move {
        policies.count(&account, &filter).await
    });
    Ok(connection(&list, slice, |policy| policy.id.to_string(), ModerationPolicy, count))
}

/// The action that is recommended for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "moderation::Action")]
pub(crate) enum ModerationAction {
    /// Leave the message.
    None,
    /// Warn the author.
    Warn,
    /// Silence the author for a while.
    Timeout,
    /// Remove the author.
    Ban,
}

/// The verdict on a message, as the REST API gives it with an explanation.
#[derive(SimpleObject)]
pub(crate) struct ModerationVerdict {
    /// The recommended action.
    action: ModerationAction,
    /// Severity without an upper bound: 0 for nothing, about 1 where `WARN` begins.
    threat_score: f64,
    /// Probability that a moderator should look, 0 to 1.
    requires_mod_review: f64,
    /// Probability of phishing or scam, 0 to 1.
    is_phishing_or_scam: f64,
    /// The calibrated probability of each category.
    categories: Vec<CategoryProbability>,
    /// The signals that counted, heaviest first.
    signals: Vec<ModerationSignal>,
    /// The personal data in the message, in order.
    personal_data: Vec<PersonalDataFound>,
    /// What was found about the policy's rules in plain language that apply to the message, in their order.
    plain_rules: Vec<PlainRuleFound>,
}

/// Personal data in a message.
#[derive(SimpleObject)]
pub(crate) struct PersonalDataFound {
    /// What it is, such as `email`.
    #[graphql(name = "type")]
    kind: String,
    /// Where it begins in the message, in characters (Unicode code points).
    start: usize,
    /// Where it ends.
    end: usize,
    /// The country of a national id, in two letters; null for anything else.
    country: Option<String>,
    /// The probability that it is what `type` says, 0 to 1.
    probability: f64,
}

/// Whether a message breaks a rule in plain language.
#[derive(SimpleObject)]
pub(crate) struct PlainRuleFound {
    /// The rule's id.
    id: String,
    /// The rule's name, or its text without one.
    name: String,
    /// The probability that the message breaks the rule, 0 to 1.
    probability: f64,
    /// Whether the probability reaches the rule's certainty.
    broken: bool,
    /// The backend and its model that answered, such as `ollama/qwen3:8b`; null: the default model.
    model: Option<String>,
}

/// The probability of a category of harm.
#[derive(SimpleObject)]
pub(crate) struct CategoryProbability {
    /// The category's name, such as `self_harm`.
    category: String,
    /// Its calibrated probability, 0 to 1.
    probability: f64,
}

/// A signal that counted.
#[derive(SimpleObject)]
pub(crate) struct ModerationSignal {
    /// Its name.
    name: String,
    /// Its weight.
    weight: f64,
    /// Where it begins in the message, in characters (Unicode code points).
    start: usize,
    /// Where it ends; equal to `start` for a signal outside the text.
    end: usize,
}

impl ModerationVerdict {
    /// A verdict with an explanation on `content`.
    pub(crate) fn new(verdict: Verdict, content: &str) -> Self {
        let why = verdict.explanation.map(|why| why.in_characters(content));
        let (categories, signals, personal_data, rules) =
            why.map(|why| (why.categories, why.signals, why.personal_data, why.rules)).unwrap_or_default();
        Self {
            action: verdict.action.into(),
            threat_score: significant(verdict.threat_score),
            requires_mod_review: significant(verdict.requires_mod_review),
            is_phishing_or_scam: significant(verdict.is_phishing_or_scam),
            categories: Category::ALL
                .into_iter()
                .map(|category| CategoryProbability {
                    category: category.as_str().to_owned(),
                    probability: significant(categories[category]),
                })
                .collect(),
            signals: signals.into_iter().map(ModerationSignal::from).collect(),
            personal_data: personal_data.into_iter().map(PersonalDataFound::from).collect(),
            plain_rules: rules.into_iter().map(PlainRuleFound::from).collect(),
        }
    }
}

impl From<moderation::Signal> for ModerationSignal {
    fn from(signal: moderation::Signal) -> Self {
        Self { name: signal.name, weight: significant(signal.weight), start: signal.start, end: signal.end }
    }
}

impl From<moderation::RuleAnswer> for PlainRuleFound {
    fn from(answer: moderation::RuleAnswer) -> Self {
        let probability = significant(answer.probability);
        let moderation::RuleAnswer { id, name, broken, model, .. } = answer;
        Self { id, name, probability, broken, model }
    }
}

impl From<moderation::LikelyPersonalData> for PersonalDataFound {
    fn from(data: moderation::LikelyPersonalData) -> Self {
        Self {
            kind: data.kind.as_str().to_owned(),
            start: data.start,
            end: data.end,
            country: data.country,
            probability: significant(data.probability),
        }
    }
}
