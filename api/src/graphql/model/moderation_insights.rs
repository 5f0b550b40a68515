//! What a moderation log has seen.

use async_graphql::SimpleObject;
use domain::{
    foundation::round::significant,
    learning::{
        agreement,
        dataset::stats::{self, Part, Term},
    },
};

use crate::graphql::date_time::Date;

/// What a moderation log has seen, of the messages that it still keeps.
#[derive(SimpleObject)]
pub(crate) struct ModerationInsights {
    /// The number of messages.
    messages: u64,
    /// Messages by UTC day and action, the earliest first; days without messages are left out.
    daily: Vec<ModerationDay>,
    /// Messages judged to have each harm, the commonest first.
    harms: Vec<ModerationHarm>,
    /// The 20 channels with the most messages acted upon.
    channels: Vec<ModerationGroup>,
    /// The 20 authors with the most messages acted upon.
    authors: Vec<ModerationGroup>,
    /// The 20 languages with the most messages acted upon.
    languages: Vec<ModerationGroup>,
    /// The 20 policies with the most messages acted upon.
    policies: Vec<ModerationGroup>,
    /// Messages by hour of the week, those hours that have some.
    hours: Vec<ModerationHour>,
    /// Of the messages acted upon that a moderator decided on, those that needed no action; null without any.
    false_alarms: Option<ModerationErrorRate>,
    /// Of the messages that need an action according to a moderator, those not acted upon; null without any.
    misses: Option<ModerationErrorRate>,
    /// The 20 commonest registered domains in the newest 1,000 messages acted upon.
    domains: Vec<ModerationTerm>,
    /// The 20 commonest phrases of two and three words in the newest 1,000 messages acted upon.
    phrases: Vec<ModerationTerm>,
}

/// The messages of one day by action.
#[derive(SimpleObject)]
pub(crate) struct ModerationDay {
    /// The UTC day.
    date: Date,
    /// All messages.
    messages: u64,
    /// Messages that were left alone.
    none: u64,
    /// Messages whose author was to be warned.
    warn: u64,
    /// Messages whose author was to be silenced for a while.
    timeout: u64,
    /// Messages whose author was to be removed.
    ban: u64,
}

/// The messages judged to have a harm.
#[derive(SimpleObject)]
pub(crate) struct ModerationHarm {
    /// The category, such as `self_harm`.
    category: String,
    /// The number of messages.
    messages: u64,
}

/// The messages of an author, a channel, a language or a policy.
#[derive(SimpleObject)]
pub(crate) struct ModerationGroup {
    /// The name.
    name: String,
    /// What a filter takes: the name, or the id of a policy.
    value: String,
    /// All messages.
    messages: u64,
    /// Those with an action other than `NONE`.
    acted_upon: u64,
}

/// The messages of one hour of the week.
#[derive(SimpleObject)]
pub(crate) struct ModerationHour {
    /// The day of the week in UTC, 0 for Monday.
    weekday: u8,
    /// The hour in UTC, 0 to 23.
    hour: u8,
    /// All messages.
    messages: u64,
    /// Those with an action other than `NONE`.
    acted_upon: u64,
}

/// The share of verdicts that moderators found to be wrong.
#[derive(SimpleObject)]
pub(crate) struct ModerationErrorRate {
    /// Wrong verdicts.
    count: u64,
    /// All verdicts that could be wrong in this way.
    of: u64,
    /// `count / of`
    rate: f64,
    /// The lower end of Wilson's interval of 95 %.
    low: f64,
    /// The upper end of Wilson's interval of 95 %.
    high: f64,
}

/// A term and the number of messages that have it.
#[derive(SimpleObject)]
pub(crate) struct ModerationTerm {
    /// The domain or the phrase.
    term: String,
    /// The number of messages.
    messages: u64,
}

impl From<stats::ModerationInsights> for ModerationInsights {
    fn from(of: stats::ModerationInsights) -> Self {
        let daily: Vec<ModerationDay> = of.days.into_iter().map(ModerationDay::from).collect();
        Self {
            messages: daily.iter().map(|day| day.messages).sum(),
            daily,
            harms: of.harms.into_iter().map(ModerationHarm::from).collect(),
            channels: groups(of.channels),
            authors: groups(of.authors),
            languages: groups(of.languages),
            policies: groups(of.policies),
            hours: of.hours.into_iter().map(ModerationHour::from).collect(),
            false_alarms: error_rate(of.false_alarms),
            misses: error_rate(of.misses),
            domains: terms(of.domains),
            phrases: terms(of.phrases),
        }
    }
}

impl From<stats::ModerationDay> for ModerationDay {
    fn from(of: stats::ModerationDay) -> Self {
        let stats::ModerationDay { day, none, warn, timeout, ban } = of;
        Self { date: Date(day), messages: none + warn + timeout + ban, none, warn, timeout, ban }
    }
}

impl From<Term> for ModerationHarm {
    fn from(of: Term) -> Self {
        Self { category: of.term, messages: of.messages }
    }
}

impl From<stats::ModerationHour> for ModerationHour {
    fn from(of: stats::ModerationHour) -> Self {
        let stats::ModerationHour { weekday, hour, messages, acted_upon } = of;
        Self { weekday, hour, messages, acted_upon }
    }
}

impl From<stats::ModerationGroup> for ModerationGroup {
    fn from(of: stats::ModerationGroup) -> Self {
        let stats::ModerationGroup { value, name, messages, acted_upon } = of;
        Self { name, value, messages, acted_upon }
    }
}

fn groups(of: Vec<stats::ModerationGroup>) -> Vec<ModerationGroup> {
    of.into_iter().map(ModerationGroup::from).collect()
}

fn terms(of: Vec<Term>) -> Vec<ModerationTerm> {
    of.into_iter().map(|Term { term, messages }| ModerationTerm { term, messages }).collect()
}

fn error_rate(Part { part, whole }: Part) -> Option<ModerationErrorRate> {
    let agreement::Interval { low, high } = agreement::wilson(part, whole)?;
    Some(ModerationErrorRate {
        count: part,
        of: whole,
        rate: significant(part as f64 / whole as f64),
        low: significant(low),
        high: significant(high),
    })
}
