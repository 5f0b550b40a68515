//! Rules in plain language, as an account writes them in JSON: "No trading outside #market". The decision model is
//! asked whether a message breaks them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::action::RuleAction;
use ports::text::scripts;

/// Maximum number of rules of a policy.
const MAX_RULES: usize = 20;
const MAX_ID_CHARS: usize = 64;
const MAX_NAME_CHARS: usize = 100;
const MAX_TEXT_CHARS: usize = 500;
/// Maximum number of channels of a rule, and of characters of each, which is that of a message's channel.
const MAX_CHANNELS: usize = 100;
const MAX_CHANNEL_CHARS: usize = 256;
/// Maximum number of examples of a rule on each side, and of characters of each.
pub(super) const MAX_EXAMPLES: usize = 20;
pub(super) const MAX_EXAMPLE_CHARS: usize = 500;
/// The probability from which a rule is broken, unless it says otherwise.
const CERTAINTY: f64 = 0.5;

/// A rule in plain language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlainRule {
    /// Unique within the policy. Made when it is left out.
    #[serde(default)]
    pub id: String,
    /// A short name for people; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    /// What the rule says.
    pub text: String,
    pub action: RuleAction,
    /// The probability from which a message breaks the rule.
    #[serde(default = "certainty")]
    pub certainty: f64,
    /// The channels that it applies to; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    channels: Vec<String>,
    #[serde(default, skip_serializing_if = "Examples::is_empty")]
    pub examples: Examples,
}

/// Messages that keep to a rule, and messages that break it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Examples {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_allowed: Vec<String>,
}

impl Examples {
    fn is_empty(&self) -> bool {
        self.allowed.is_empty() && self.not_allowed.is_empty()
    }
}

fn certainty() -> f64 {
    CERTAINTY
}

impl PlainRule {
    /// Its name, or its text without one.
    pub fn name(&self) -> &str {
        if self.name.is_empty() { &self.text } else { &self.name }
    }

    /// Whether it applies in a channel.
    pub fn applies_in(&self, channel: Option<&str>) -> bool {
        self.channels.is_empty()
            || channel.is_some_and(|channel| self.channels.iter().any(|one| bare(one) == bare(channel)))
    }

    /// The approximate number of bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let texts = [&self.id, &self.name, &self.text].into_iter().chain(&self.channels);
        let examples = self.examples.allowed.iter().chain(&self.examples.not_allowed);
        size_of::<Self>() + texts.chain(examples).map(|text| text.len() + 24).sum::<usize>()
    }
}

/// A channel without the sign before its name.
fn bare(channel: &str) -> &str {
    let channel = channel.trim();
    channel.strip_prefix('#').unwrap_or(channel)
}

/// Gives an id to every rule that has none, and trims what people write.
pub(super) fn normalise(rules: &mut [PlainRule]) {
    for rule in rules.iter_mut() {
        rule.name = rule.name.trim().to_owned();
        rule.text = rule.text.trim().to_owned();
        let Examples { allowed, not_allowed } = &mut rule.examples;
        for example in allowed.iter_mut().chain(not_allowed) {
            *example = example.trim().to_owned();
        }
    }
    let taken: HashSet<String> = rules.iter().map(|rule| rule.id.clone()).collect();
    let mut free = (1..).map(|number: usize| format!("rule_{number}")).filter(|id| !taken.contains(id));
    for rule in rules.iter_mut().filter(|rule| rule.id.is_empty()) {
        rule.id = free.next().unwrap_or_default();
    }
}

pub(super) fn check(path: &str, rules: &[PlainRule], fault: &mut impl FnMut(String, String)) {
    if rules.len() > MAX_RULES {
        fault(path.to_owned(), format!("must have at most {MAX_RULES} items, not {}", rules.len()));
    }
    let mut ids = HashSet::new();
    for (index, rule) in rules.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if !is_id(&rule.id) {
            let message = format!("must be 1 to {MAX_ID_CHARS} letters from a to z, digits, _ and -");
            fault(format!("{path}.id"), message);
        } else if !ids.insert(&rule.id) {
            fault(format!("{path}.id"), "must differ from the ids of the other rules".to_owned());
        }
        check_rule(&path, rule, fault);
    }
}

fn check_rule(path: &str, rule: &PlainRule, fault: &mut impl FnMut(String, String)) {
    if rule.name.chars().count() > MAX_NAME_CHARS || rule.name.chars().any(char::is_control) {
        let message = format!("must be at most {MAX_NAME_CHARS} characters on one line");
        fault(format!("{path}.name"), message);
    }
    if let Some(message) = text_fault(&rule.text, MAX_TEXT_CHARS) {
        fault(format!("{path}.text"), message);
    } else if scripts::is_foreign(&rule.text, scripts::ALL) {
        let message = "is in a script that the decision model does not read; write the rule in a language in Latin, \
                       Cyrillic, Arabic, Devanagari, Chinese, Japanese, Korean, Greek, Hebrew or Thai letters";
        fault(format!("{path}.text"), message.to_owned());
    }
    if !(rule.certainty > 0.0 && rule.certainty < 1.0) {
        fault(format!("{path}.certainty"), "must be above 0 and below 1".to_owned());
    }
    if rule.channels.len() > MAX_CHANNELS {
        let message = format!("must have at most {MAX_CHANNELS} items, not {}", rule.channels.len());
        fault(format!("{path}.channels"), message);
    }
    for (index, channel) in rule.channels.iter().enumerate() {
        if let Some(message) = text_fault(bare(channel), MAX_CHANNEL_CHARS) {
            fault(format!("{path}.channels[{index}]"), message);
        }
    }
    for (side, examples) in [("allowed", &rule.examples.allowed), ("not_allowed", &rule.examples.not_allowed)]
    {
        if examples.len() > MAX_EXAMPLES {
            let message = format!("must have at most {MAX_EXAMPLES} items, not {}", examples.len());
            fault(format!("{path}.examples.{side}"), message);
        }
        for (index, example) in examples.iter().enumerate() {
            if let Some(message) = text_fault(example, MAX_EXAMPLE_CHARS) {
                fault(format!("{path}.examples.{side}[{index}]"), message);
            }
        }
    }
    let both = rule.examples.not_allowed.iter().position(|one| rule.examples.allowed.contains(one));
    if let Some(index) = both {
        let message = "is also one of the allowed examples".to_owned();
        fault(format!("{path}.examples.not_allowed[{index}]"), message);
    }
}

fn is_id(id: &str) -> bool {
    (1..=MAX_ID_CHARS).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// What is wrong with a text of 1 to `most` characters.
fn text_fault(text: &str, most: usize) -> Option<String> {
    let chars = text.chars().count();
    if text.trim().is_empty() {
        return Some("must not be empty".to_owned());
    }
    if chars > most {
        return Some(format!("must be at most {most} characters long, not {chars}"));
    }
    text.contains('\0').then(|| "must not contain a NUL character".to_owned())
}
