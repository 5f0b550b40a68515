//! The messages of a moderation log: their verdicts, and the filter of the moderation queue.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{
    Error, Result,
    foundation::{
        page::{Page, Take},
        round::significant,
    },
    learning::dataset::{self, ModerationFilter, SampleOrder, SamplePage, SampleQuery},
    operations::moderation::{PolicyRef, RuleExample, Signal},
};
use ports::{
    id::{ModerationId, PolicyId},
    text::Category,
};

use serde_json::Value;

use super::{ModerationAction, PlainRuleFound, Sample, lists::SAMPLE_COST};
use crate::graphql::{
    context::{loaders, services},
    error::{FieldResult, field_error},
    loaders::loaded,
    mutation::parse_id,
    pagination::cost,
};

/// The most messages beside a message.
const MAX_EARLIER: i32 = 20;

/// A message or a picture of a moderation log. Every sample of a log has a record.
pub(crate) struct ModerationRecord {
    sample: Arc<dataset::Sample>,
    record: dataset::ModerationRecord,
}

impl ModerationRecord {
    /// The record of a sample; `None` for a sample of a Judge.
    pub(super) fn of(sample: &Arc<dataset::Sample>) -> Option<Self> {
        let record = sample.moderation.clone()?;
        Some(Self { sample: sample.clone(), record })
    }

    async fn earlier(
        &self,
        ctx: &Context<'_>,
        filter: ModerationFilter,
        limit: i32,
    ) -> FieldResult<Vec<Sample>> {
        if !(1..=MAX_EARLIER).contains(&limit) {
            let message = format!("must be from 1 to {MAX_EARLIER}");
            return Err(field_error(Error::invalid("limit", message)));
        }
        let order = SampleOrder::NewestFirst;
        let page = SamplePage {
            dataset: self.sample.dataset.clone(),
            query: SampleQuery { moderation: Some(Box::new(filter)), ..SampleQuery::default() },
            order,
            page: Page {
                after: Some(self.sample.position(order)),
                before: None,
                take: Take::First(limit.unsigned_abs().into()),
            },
        };
        let found = loaded(loaders(ctx)?.sample_pages.load_one(page).await).map_err(field_error)?;
        Ok(found.items.iter().cloned().map(Sample).collect())
    }
}

/// What a moderation log knows of a message or a picture.
#[Object]
impl ModerationRecord {
    /// The id of the verdict, `mod_…`, as in the answer of the REST API.
    async fn moderation_id(&self) -> ID {
        ID(ModerationId::of(&self.sample.id).to_string())
    }

    /// The text of the message; for a picture, the verdict in words.
    async fn content(&self) -> &str {
        self.sample.state["content"].as_str().unwrap_or_default()
    }

    /// The picture, of which no bytes are kept; null for a message.
    async fn picture(&self) -> Option<RecordedPicture> {
        RecordedPicture::read(&self.sample.state["picture"])
    }

    /// The author; null if the request named none.
    async fn author(&self) -> Option<&str> {
        self.record.author.as_deref()
    }

    /// The channel; null if the request named none.
    async fn channel(&self) -> Option<&str> {
        self.record.channel.as_deref()
    }

    /// The recommended action. For a picture: `NONE`, `TIMEOUT` if it is flagged, and `BAN` if it is flagged because of
    /// a possible minor.
    async fn action(&self) -> ModerationAction {
        self.record.action.into()
    }

    /// Severity without an upper bound: 0 for nothing, about 1 where `WARN` begins.
    async fn threat_score(&self) -> f64 {
        significant(self.record.threat_score)
    }

    /// The language as a BCP 47 tag; `und` if none was detected.
    async fn language(&self) -> Option<&str> {
        self.record.language.as_deref()
    }

    /// The policy that decided; null for none.
    async fn policy(&self) -> Option<RecordedPolicy> {
        self.record.policy.clone().map(RecordedPolicy::from)
    }

    /// What the shadow version of the policy would have done; null if there was none.
    async fn shadow(&self) -> Option<ShadowDecision> {
        let shadow = self.record.shadow?;
        Some(ShadowDecision { version: shadow.version, action: shadow.action.into() })
    }

    /// The evidence, heaviest first, up to 50 signals.
    async fn signals(&self) -> Vec<RecordedSignal> {
        self.record.signals.iter().map(RecordedSignal::from).collect()
    }

    /// What was found about the policy's rules in plain language, in their order.
    async fn plain_rules(&self) -> Vec<PlainRuleFound> {
        self.record.rules.iter().cloned().map(PlainRuleFound::from).collect()
    }

    /// The rules in plain language of which the message is an example, in the version of its policy that decides now.
    #[graphql(complexity = "SAMPLE_COST + child_complexity")]
    async fn rule_examples(&self, ctx: &Context<'_>) -> FieldResult<Vec<RecordedExample>> {
        let Some((policy, content)) = self.record.policy.as_ref().zip(self.sample.state["content"].as_str())
        else {
            return Ok(Vec::new());
        };
        let examples = services(ctx)?.policies.examples_of(&self.sample.account, &policy.id, content).await;
        let examples = examples
            .map_err(field_error)?
            .into_iter()
            .map(|one| RecordedExample { rule_id: one.rule, allowed: one.example == RuleExample::Allowed });
        Ok(examples.collect())
    }

    /// The messages of the same author before this one, newest first; empty without an author.
    #[graphql(complexity = "cost(Some(limit), None, child_complexity + SAMPLE_COST)")]
    async fn earlier_of_author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The most messages, from 1 to 20.", default = 5)] limit: i32,
    ) -> FieldResult<Vec<Sample>> {
        let Some(author) = self.record.author.clone() else { return Ok(Vec::new()) };
        let filter = ModerationFilter { author: Some(author), ..ModerationFilter::default() };
        self.earlier(ctx, filter, limit).await
    }

    /// The messages of the same channel before this one, newest first; empty without a channel.
    #[graphql(complexity = "cost(Some(limit), None, child_complexity + SAMPLE_COST)")]
    async fn earlier_in_channel(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The most messages, from 1 to 20.", default = 5)] limit: i32,
    ) -> FieldResult<Vec<Sample>> {
        let Some(channel) = self.record.channel.clone() else { return Ok(Vec::new()) };
        let filter = ModerationFilter { channel: Some(channel), ..ModerationFilter::default() };
        self.earlier(ctx, filter, limit).await
    }
}

/// A picture of a moderation log.
#[derive(SimpleObject)]
pub(crate) struct RecordedPicture {
    /// Hex SHA-256 of the file.
    sha256: String,
    /// The size of the file in bytes.
    bytes: u64,
    /// `url`, `base64` or `upload`.
    source: String,
    /// What was detected: `explicit`, `suggestive`, `explicit_drawing`, `drawing`, `possible_minor`.
    labels: Vec<String>,
}

impl RecordedPicture {
    fn read(state: &Value) -> Option<Self> {
        let labels = state["labels"].as_array()?.iter().filter_map(Value::as_str);
        Some(Self {
            sha256: state["sha256"].as_str()?.to_owned(),
            bytes: state["bytes"].as_u64()?,
            source: state["source"].as_str()?.to_owned(),
            labels: labels.map(str::to_owned).collect(),
        })
    }
}

/// A rule in plain language of which a message is an example.
#[derive(SimpleObject)]
pub(crate) struct RecordedExample {
    /// The rule's id.
    rule_id: String,
    /// True for a message that keeps to the rule, false for one that breaks it.
    allowed: bool,
}

/// What the shadow version of a policy would have done with a message.
#[derive(SimpleObject)]
pub(crate) struct ShadowDecision {
    /// The number of the version.
    version: i32,
    /// The action.
    action: ModerationAction,
}

/// The version of a policy that decided.
#[derive(SimpleObject)]
pub(crate) struct RecordedPolicy {
    /// The policy's id.
    id: ID,
    /// The policy's name when it decided.
    name: String,
    /// The policy's version.
    version: i32,
}

impl From<PolicyRef> for RecordedPolicy {
    fn from(policy: PolicyRef) -> Self {
        Self { id: ID(policy.id.to_string()), name: policy.name, version: policy.version }
    }
}

/// A piece of evidence.
#[derive(SimpleObject)]
pub(crate) struct RecordedSignal {
    /// The kind, such as `invite_link`.
    name: String,
    /// Evidence against the message; negative if it speaks for it.
    weight: f64,
    /// Where it begins in the text, in characters (Unicode code points).
    start: usize,
    /// Where it ends; 0, as `start`, for a signal outside the text.
    end: usize,
}

impl From<&Signal> for RecordedSignal {
    fn from(signal: &Signal) -> Self {
        let Signal { name, weight, start, end } = signal.clone();
        Self { name, weight, start, end }
    }
}

/// Selects messages of a moderation log. A message matches if all given conditions hold; samples without a verdict do
/// not match.
#[derive(Clone, Debug, Default, InputObject)]
pub(crate) struct ModerationFilterInput {
    /// Messages with one of these actions.
    actions: Option<Vec<ModerationAction>>,
    /// Messages judged to have at least one of these harms, such as `self_harm`.
    categories: Option<Vec<String>>,
    /// Messages of this author.
    author: Option<String>,
    /// Messages of this channel.
    channel: Option<String>,
    /// Messages in this language, a BCP 47 tag.
    language: Option<String>,
    /// Messages that this policy decided on.
    policy_id: Option<ID>,
    /// Messages with at least this threat score.
    min_threat_score: Option<f64>,
    /// Messages assigned to this user.
    assigned_to: Option<ID>,
    /// Messages on which this version of their policy decided as a shadow.
    shadow_version: Option<i32>,
    /// True for messages for which the shadow would have acted otherwise, false for those for which it agreed.
    shadow_differs: Option<bool>,
}

impl ModerationFilterInput {
    /// # Errors
    /// `VALIDATION_FAILED` for an unknown category, or a threat score that is no number from 0.
    pub(crate) fn read(self) -> Result<ModerationFilter> {
        let categories = self.categories.unwrap_or_default();
        let categories = categories.iter().map(|name| read_category(name)).collect::<Result<_>>()?;
        if self.min_threat_score.is_some_and(|score| !score.is_finite() || score.is_sign_negative()) {
            return Err(Error::invalid("moderation.minThreatScore", "must be a number from 0"));
        }
        Ok(ModerationFilter {
            actions: self.actions.unwrap_or_default().into_iter().map(Into::into).collect(),
            categories,
            author: self.author,
            channel: self.channel,
            language: self.language,
            policy: self.policy_id.as_ref().map(parse_id::<PolicyId>),
            min_threat_score: self.min_threat_score.map(f64::to_bits),
            assigned_to: self.assigned_to.map(|user| user.to_string()),
            shadow_version: self.shadow_version,
            shadow_differs: self.shadow_differs,
        })
    }
}

fn read_category(name: &str) -> Result<Category> {
    let known = Category::ALL.into_iter().find(|category| category.as_str() == name);
    known.ok_or_else(|| {
        let names = Category::ALL.map(Category::as_str).join(", ");
        Error::invalid("moderation.categories", format!("must be some of: {names}"))
    })
}
