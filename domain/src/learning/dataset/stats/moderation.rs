//! What a moderation log has seen: messages and actions by day, author, channel, language, policy and hour, the errors
//! that moderators found, and what the messages that were acted upon have in common.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{Datelike, NaiveDate};
use sea_orm::QueryResult;
use serde_json::Value;

use super::{
    Statistics,
    select::{Scope, Select, Table, by_backend, count},
};
use crate::{Error, Result, learning::dataset::SampleFilter};
use ports::{
    id::{AccountId, DatasetId},
    text::links,
};

/// Maximum groups and terms of each kind.
const TOP: usize = 20;
/// The newest messages acted upon whose terms are counted.
const READ_MESSAGES: usize = 1_000;
/// Longer states are not read for their terms.
const READ_BYTES: usize = 4_096;
/// Words of a phrase.
const PHRASE_WORDS: [usize; 2] = [3, 2];

const IS_VERDICT: &str = " AND s.action IS NOT NULL";
const ACTED: &str = "SUM(CASE WHEN s.action <> 'none' THEN 1 ELSE 0 END)";

/// What a moderation log has seen in a span of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModerationInsights {
    /// UTC days, the earliest first; days without messages are left out.
    pub days: Vec<ModerationDay>,
    /// Messages judged to have each harm, the commonest first.
    pub harms: Vec<Term>,
    pub authors: Vec<ModerationGroup>,
    pub channels: Vec<ModerationGroup>,
    pub languages: Vec<ModerationGroup>,
    pub policies: Vec<ModerationGroup>,
    /// Hours of the week with messages.
    pub hours: Vec<ModerationHour>,
    /// Of the messages acted upon that a moderator decided on, those that needed no action.
    pub false_alarms: Part,
    /// Of the messages that need an action according to a moderator, those not acted upon.
    pub misses: Part,
    /// Registered domains in messages acted upon.
    pub domains: Vec<Term>,
    /// Phrases of two and three words in messages acted upon.
    pub phrases: Vec<Term>,
}

/// The messages of one UTC day by action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModerationDay {
    pub day: NaiveDate,
    pub none: u64,
    pub warn: u64,
    pub timeout: u64,
    pub ban: u64,
}

/// The messages of an author, a channel, a language or a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModerationGroup {
    /// What a filter takes: a name, or the id of a policy.
    pub value: String,
    /// The name to show.
    pub name: String,
    pub messages: u64,
    /// Those with an action other than `none`.
    pub acted_upon: u64,
}

/// The messages of one hour of the week, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModerationHour {
    /// 0 for Monday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    pub messages: u64,
    pub acted_upon: u64,
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub part: u64,
    pub whole: u64,
}

/// A term and the number of messages that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub term: String,
    pub messages: u64,
}

impl Statistics {
    /// Reads what an account's moderation log has seen.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn moderation(
        &self,
        account: &AccountId,
        log: &DatasetId,
        filter: &SampleFilter,
    ) -> Result<ModerationInsights> {
        let log = Log { of: self, account, dataset: log, filter };
        let (false_alarms, misses) = log.errors().await?;
        let (domains, phrases) = terms(&log.messages_acted_upon().await?);
        let by_hour = log.by_hour().await?;
        Ok(ModerationInsights {
            days: days(&by_hour),
            harms: log.harms().await?,
            authors: log.groups("s.author").await?,
            channels: log.groups("s.channel").await?,
            languages: log.groups("s.language").await?,
            policies: log.groups("s.policy_id").await?,
            hours: hours(&by_hour),
            false_alarms,
            misses,
            domains,
            phrases,
        })
    }
}

/// The messages of one UTC hour with one action.
struct HourAction {
    day: NaiveDate,
    hour: u8,
    action: String,
    messages: u64,
}

impl HourAction {
    /// Reads the hour from a text such as `2026-11-21 08`, with or without what follows.
    fn read(row: &QueryResult) -> Result<Self> {
        let hour: String = row.try_get("", "hour")?;
        let (day, rest) =
            hour.split_at_checked(10).ok_or_else(|| Error::internal("a sample without an hour"))?;
        Ok(Self {
            day: day.parse().map_err(Error::internal)?,
            hour: rest.get(1..3).unwrap_or_default().parse().map_err(Error::internal)?,
            action: row.try_get("", "action")?,
            messages: count(row, "messages")?,
        })
    }
}

fn days(by_hour: &[HourAction]) -> Vec<ModerationDay> {
    let mut days: Vec<ModerationDay> = Vec::new();
    for one in by_hour {
        if days.last().is_none_or(|last| last.day != one.day) {
            days.push(ModerationDay { day: one.day, none: 0, warn: 0, timeout: 0, ban: 0 });
        }
        let Some(day) = days.last_mut() else { continue };
        match one.action.as_str() {
            "none" => day.none += one.messages,
            "warn" => day.warn += one.messages,
            "timeout" => day.timeout += one.messages,
            "ban" => day.ban += one.messages,
            _ => {}
        }
    }
    days
}

fn hours(by_hour: &[HourAction]) -> Vec<ModerationHour> {
    let mut hours: BTreeMap<(u8, u8), ModerationHour> = BTreeMap::new();
    for one in by_hour {
        let weekday = u8::try_from(one.day.weekday().num_days_from_monday()).unwrap_or_default();
        let empty = ModerationHour { weekday, hour: one.hour, messages: 0, acted_upon: 0 };
        let hour = hours.entry((weekday, one.hour)).or_insert(empty);
        hour.messages += one.messages;
        hour.acted_upon += if one.action == "none" { 0 } else { one.messages };
    }
    hours.into_values().collect()
}

/// The log that statements read.
struct Log<'a> {
    of: &'a Statistics,
    account: &'a AccountId,
    dataset: &'a DatasetId,
    filter: &'a SampleFilter,
}

impl Log<'_> {
    fn select(&self, what: &str, table: Table) -> Select {
        let scope = Scope { db: &self.of.db, account: self.account, filter: self.filter };
        Select::of(scope, what, table, std::slice::from_ref(self.dataset))
    }

    async fn rows(&self, select: Select) -> Result<Vec<QueryResult>> {
        select.rows(&self.of.db, self.account).await
    }

    /// Messages by the hour and the action, the earliest first.
    async fn by_hour(&self) -> Result<Vec<HourAction>> {
        let hour = by_backend(
            &self.of.db,
            "CAST(date_trunc('hour', s.created_at AT TIME ZONE 'UTC') AS TEXT)",
            "substr(s.created_at, 1, 13)",
        );
        let what = format!("{hour} AS hour, s.action AS action, COUNT(*) AS messages");
        let mut select = self.select(&what, Table::Verdicts);
        select.sql += IS_VERDICT;
        select.sql += " GROUP BY 1, 2 ORDER BY 1";
        let rows = self.rows(select).await?;
        rows.iter().map(HourAction::read).collect()
    }

    async fn harms(&self) -> Result<Vec<Term>> {
        let mut select = self.select("s.harms AS harms, COUNT(*) AS messages", Table::Verdicts);
        select.sql += IS_VERDICT;
        select.sql += " AND s.harms <> ' ' GROUP BY 1";
        let mut harms: HashMap<String, u64> = HashMap::new();
        for row in self.rows(select).await? {
            let messages = count(&row, "messages")?;
            for harm in row.try_get::<String>("", "harms")?.split_whitespace() {
                *harms.entry(harm.to_owned()).or_default() += messages;
            }
        }
        let mut harms: Vec<Term> =
            harms.into_iter().map(|(term, messages)| Term { term, messages }).collect();
        harms.sort_unstable_by(|a, b| b.messages.cmp(&a.messages).then_with(|| a.term.cmp(&b.term)));
        Ok(harms)
    }

    /// The groups by a column with the most messages acted upon.
    async fn groups(&self, column: &str) -> Result<Vec<ModerationGroup>> {
        let named = match column {
            "s.policy_id" => "(SELECT p.name FROM moderation_policy p WHERE p.id = s.policy_id)",
            column => column,
        };
        let what =
            format!("{column} AS value, MIN({named}) AS name, COUNT(*) AS messages, {ACTED} AS acted_upon");
        let mut select = self.select(&what, Table::Verdicts);
        let rest = format!(
            "{IS_VERDICT} AND {column} IS NOT NULL GROUP BY 1 ORDER BY acted_upon DESC, messages DESC, 1 LIMIT {TOP}"
        );
        select.sql += rest.as_str();
        let rows = self.rows(select).await?;
        let groups = rows.iter().map(|row| {
            let value: String = row.try_get("", "value")?;
            let name: Option<String> = row.try_get("", "name")?;
            Ok(ModerationGroup {
                name: name.unwrap_or_else(|| value.clone()),
                value,
                messages: count(row, "messages")?,
                acted_upon: count(row, "acted_upon")?,
            })
        });
        groups.collect()
    }

    /// The false alarms and the misses that moderators found.
    async fn errors(&self) -> Result<(Part, Part)> {
        let what = "s.value = 'none' AS left_alone, s.truth = 'none' AS harmless, COUNT(*) AS messages";
        let mut select = self.select(what, Table::Answers);
        select.sql += " AND s.key = 'action' AND s.truth IS NOT NULL AND s.value IS NOT NULL GROUP BY 1, 2";
        let mut false_alarms = Part::default();
        let mut misses = Part::default();
        for row in self.rows(select).await? {
            let messages = count(&row, "messages")?;
            let left_alone: bool = row.try_get("", "left_alone")?;
            let harmless: bool = row.try_get("", "harmless")?;
            if !left_alone {
                false_alarms.whole += messages;
                false_alarms.part += if harmless { messages } else { 0 };
            }
            if !harmless {
                misses.whole += messages;
                misses.part += if left_alone { messages } else { 0 };
            }
        }
        Ok((false_alarms, misses))
    }

    /// The texts of the newest messages acted upon, without pictures and very long ones.
    async fn messages_acted_upon(&self) -> Result<Vec<String>> {
        let mut select = self.select("s.state AS state", Table::Samples);
        let rest = format!(
            "{IS_VERDICT} AND s.action <> 'none' AND octet_length(s.state) <= {READ_BYTES} \
             ORDER BY s.seq DESC LIMIT {READ_MESSAGES}"
        );
        select.sql += rest.as_str();
        let rows = self.rows(select).await?;
        let mut texts = Vec::with_capacity(rows.len());
        for row in rows {
            let state: Value =
                serde_json::from_str(&row.try_get::<String>("", "state")?).map_err(Error::internal)?;
            if state.get("picture").is_none() {
                texts.push(state["content"].as_str().unwrap_or_default().to_owned());
            }
        }
        Ok(texts)
    }
}

/// The commonest domains and phrases, each counted once a message.
fn terms(messages: &[String]) -> (Vec<Term>, Vec<Term>) {
    let mut domains: HashMap<String, u64> = HashMap::new();
    let mut phrases: HashMap<String, u64> = HashMap::new();
    for message in messages {
        let links: Vec<_> = links::find(message).into_iter().filter(|link| !link.email).collect();
        for domain in links.iter().map(|link| links::site(&link.host)).collect::<HashSet<_>>() {
            *domains.entry(domain.to_owned()).or_default() += 1;
        }
        let mut text = message.clone();
        for link in links.iter().rev() {
            text.replace_range(link.start..link.end, "\n");
        }
        for phrase in phrases_of(&text) {
            *phrases.entry(phrase).or_default() += 1;
        }
    }
    let phrases = commonest(phrases.into_iter().filter(|(_, messages)| *messages > 1));
    (top(commonest(domains.into_iter())), top(without_parts(phrases)))
}

/// The distinct phrases of a text, none over a line's end.
fn phrases_of(text: &str) -> HashSet<String> {
    let mut phrases = HashSet::new();
    for line in text.to_lowercase().lines() {
        let words: Vec<&str> = line
            .split(|char: char| !char.is_alphanumeric() && char != '\'')
            .filter(|word| !word.is_empty())
            .collect();
        for length in PHRASE_WORDS {
            phrases.extend(words.windows(length).map(|phrase| phrase.join(" ")));
        }
    }
    phrases
}

/// Terms by their number of messages, the longer of equals first.
fn commonest(terms: impl Iterator<Item = (String, u64)>) -> Vec<Term> {
    let mut terms: Vec<Term> = terms.map(|(term, messages)| Term { term, messages }).collect();
    terms.sort_unstable_by(|a, b| {
        let by_count = b.messages.cmp(&a.messages);
        by_count.then(b.term.len().cmp(&a.term.len())).then(a.term.cmp(&b.term))
    });
    terms
}

/// Leaves out phrases that stand in a longer one with as many messages.
fn without_parts(phrases: Vec<Term>) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::new();
    for phrase in phrases {
        if kept.len() == TOP {
            break;
        }
        if !kept.iter().any(|longer| longer.messages == phrase.messages && longer.term.contains(&phrase.term))
        {
            kept.push(phrase);
        }
    }
    kept
}

fn top(mut terms: Vec<Term>) -> Vec<Term> {
    terms.truncate(TOP);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_once_a_message_and_parts_of_phrases_are_left_out() {
        let messages = [
            "Get FREE nitro now at https://login.evil.example/x and evil.example",
            "get free nitro: http://evil.example",
            "nobody likes you",
        ]
        .map(str::to_owned);
        let (domains, phrases) = terms(&messages);
        assert_eq!(domains, [Term { term: "evil.example".to_owned(), messages: 2 }]);
        assert_eq!(phrases, [Term { term: "get free nitro".to_owned(), messages: 2 }]);
    }
}
