//! What a moderation log keeps of a message beside its text and its answers.

use entity::sample;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait},
};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Result,
    operations::moderation::{Action, PolicyRef, RuleAnswer, ShadowVerdict, Signal},
};
use ports::{id::PolicyId, text::Category};

/// Maximum signals kept of a message, the heaviest.
const MAX_SIGNALS: usize = 50;

/// A verdict on a message in a moderation log.
#[derive(Clone, Debug, PartialEq)]
pub struct ModerationRecord {
    pub action: Action,
    pub threat_score: f64,
    /// The author, if the request named one.
    pub author: Option<String>,
    /// The channel, if the request named one.
    pub channel: Option<String>,
    /// A BCP 47 tag; `und` when none was detected.
    pub language: Option<String>,
    /// The policy that decided.
    pub policy: Option<PolicyRef>,
    /// What the shadow version of the policy would have done.
    pub shadow: Option<ShadowVerdict>,
    /// The evidence, heaviest first; positions in characters (Unicode code points) of the text.
    pub signals: Vec<Signal>,
    /// What was found about the policy's rules in plain language.
    pub rules: Vec<RuleAnswer>,
}

/// The part of a record that has no column of its own, JSON in `sample.verdict`.
#[derive(Default, Serialize, Deserialize)]
struct Detail {
    policy: Option<PolicyRef>,
    signals: Vec<Signal>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleAnswer>,
}

/// Selects messages of a moderation log; a field that is empty or `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModerationFilter {
    /// Messages with one of these actions.
    pub actions: Vec<Action>,
    /// Messages judged to have at least one of these harms.
    pub categories: Vec<Category>,
    pub author: Option<String>,
    pub channel: Option<String>,
    pub language: Option<String>,
    pub policy: Option<PolicyId>,
    /// The bits of the lowest threat score.
    pub min_threat_score: Option<u64>,
    /// `user_…` of the person who is to decide.
    pub assigned_to: Option<String>,
    /// Messages on which this version of their policy decided as a shadow.
    pub shadow_version: Option<i32>,
    /// True: messages for which the shadow would have acted otherwise. False: those for which it agreed.
    pub shadow_differs: Option<bool>,
}

impl ModerationRecord {
    /// Sets the columns of a sample's row. `harms` are the names of the categories that the message has.
    pub(super) fn write<'a>(&self, harms: impl Iterator<Item = &'a str>, row: &mut sample::ActiveModel) {
        let harms: String = harms.flat_map(|harm| [harm, " "]).collect();
        let detail = Detail {
            policy: self.policy.clone(),
            signals: self.signals.iter().take(MAX_SIGNALS).cloned().collect(),
            rules: self.rules.clone(),
        };
        row.action = Set(Some(self.action.as_str().to_owned()));
        row.harms = Set(Some(format!(" {harms}")));
        row.threat_score = Set(Some(self.threat_score));
        row.author = Set(self.author.clone());
        row.channel = Set(self.channel.clone());
        row.language = Set(self.language.clone());
        row.policy_id = Set(self.policy.as_ref().map(|policy| policy.id.to_string()));
        row.shadow_version = Set(self.shadow.map(|shadow| shadow.version));
        row.shadow_action = Set(self.shadow.map(|shadow| shadow.action.as_str().to_owned()));
        row.verdict = Set(serde_json::to_string(&detail).ok());
    }

    /// Reads the columns of a sample's row; `None` for a sample of a Judge.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when a column cannot be read.
    pub(crate) fn read(row: &sample::Model) -> Result<Option<Self>> {
        let Some((action, threat_score)) = row.action.as_deref().zip(row.threat_score) else {
            return Ok(None);
        };
        let action = read_action(action)?;
        let shadow = match (row.shadow_version, &row.shadow_action) {
            (Some(version), Some(action)) => Some(ShadowVerdict { version, action: read_action(action)? }),
            _ => None,
        };
        let detail = row.verdict.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        let Detail { policy, signals, rules } = detail.unwrap_or_default();
        Ok(Some(Self {
            action,
            threat_score,
            author: row.author.clone(),
            channel: row.channel.clone(),
            language: row.language.clone(),
            policy,
            shadow,
            signals,
            rules,
        }))
    }
}

fn read_action(name: &str) -> Result<Action> {
    let action = Action::ALL.into_iter().find(|known| known.as_str() == name);
    action.ok_or_else(|| Error::internal("a sample has an unknown action"))
}

impl ModerationFilter {
    /// The filter as an SQL condition on `sample`. It leaves out samples without a verdict.
    pub(crate) fn condition(&self) -> Condition {
        use sample::Column;
        let words = [&self.author, &self.channel, &self.language, &self.assigned_to];
        // No stored text contains a NUL, and PostgreSQL rejects one as a parameter.
        if words.into_iter().flatten().any(|word| word.contains('\0')) {
            return Condition::all().add(Expr::Constant(false.into()));
        }
        let actions = self.actions.iter().map(|action| action.as_str());
        let lowest = self.min_threat_score.map(f64::from_bits);
        Condition::all()
            .add(Column::ThreatScore.is_not_null())
            .add_option((!self.actions.is_empty()).then(|| Column::Action.is_in(actions)))
            .add_option((!self.categories.is_empty()).then(|| self.has_category()))
            .add_option(self.author.as_ref().map(|author| Column::Author.eq(author)))
            .add_option(self.channel.as_ref().map(|channel| Column::Channel.eq(channel)))
            .add_option(self.language.as_ref().map(|language| Column::Language.eq(language)))
            .add_option(self.policy.as_ref().map(|policy| Column::PolicyId.eq(policy.as_str())))
            .add_option(lowest.map(|lowest| Column::ThreatScore.gte(lowest)))
            .add_option(self.shadow_version.map(|version| Column::ShadowVersion.eq(version)))
            .add_option(self.shadow_differs.map(|differs| {
                let shadow = Expr::col((sample::Entity, Column::ShadowAction));
                let live = Expr::col((sample::Entity, Column::Action));
                if differs { shadow.ne(live) } else { shadow.eq(live) }
            }))
            .add_option(self.assigned_to.as_ref().map(|user| Column::AssignedTo.eq(user)))
    }

    fn has_category(&self) -> Condition {
        let patterns = self.categories.iter().map(|category| format!("% {} %", category.as_str()));
        patterns.fold(Condition::any(), |any, pattern| any.add(sample::Column::Harms.like(pattern)))
    }
}
