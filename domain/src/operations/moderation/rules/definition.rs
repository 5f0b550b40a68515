//! The rules of a policy as an account writes them, in JSON. Reading them checks every value.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    action::RuleAction,
    personal_data::PersonalDataRules,
    plain::{self, PlainRule},
};
use crate::{
    Detail, Error, Result,
    foundation::{objects_only::ObjectsOnly, wrong_shape},
};
use ports::text::{Category, LEXICON_LANGUAGES, scripts};

/// Maximum number of words, phrases and domains of a policy, in all lists together.
const MAX_ENTRIES: usize = 10_000;
/// Maximum size of a policy's rules in bytes of compact JSON.
const MAX_RULES_BYTES: usize = 256 * 1024;
/// Maximum number of block lists of a policy.
const MAX_LISTS: usize = 10;
/// The largest weight of a category, and of new accounts.
const MAX_WEIGHT: f64 = 10.0;
/// The largest age of a new account in days.
const MAX_DAYS: u64 = 365;
/// Maximum number of errors that are listed.
const MAX_FAULTS: usize = 20;

/// The rules of a policy. Everything may be left out; empty rules change no verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSet {
    /// Keyed by the category's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) categories: BTreeMap<String, CategoryRule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) block: Vec<BlockList>,
    #[serde(skip_serializing_if = "Entries::is_empty")]
    pub(super) allow: Entries,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) languages: Option<LanguageRule>,
    #[serde(skip_serializing_if = "LexiconRule::is_empty")]
    pub(super) lexicon: LexiconRule,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new_accounts: Option<NewAccountRule>,
    /// What personal data leads to.
    #[serde(skip_serializing_if = "PersonalDataRules::is_empty")]
    pub(super) personal_data: PersonalDataRules,
    /// Rules in plain language.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) plain_rules: Vec<PlainRule>,
}

/// How a category counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CategoryRule {
    /// False: the category does not count.
    pub(super) enabled: bool,
    /// The factor on the category's threat points, 0 to 10.
    pub(super) weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thresholds: Option<Thresholds>,
}

impl Default for CategoryRule {
    fn default() -> Self {
        Self { enabled: true, weight: 1.0, thresholds: None }
    }
}

/// The probabilities of a category from which a review and each action apply; one that is left out never applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Thresholds {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) review: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warn: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timeout: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ban: Option<f64>,
}

impl Thresholds {
    /// The thresholds of the actions, mildest first.
    pub(super) fn actions(&self) -> [(&'static str, Option<f64>); 3] {
        [("warn", self.warn), ("timeout", self.timeout), ("ban", self.ban)]
    }

    /// Whether any action has a threshold.
    pub(super) fn acts(&self) -> bool {
        self.actions().iter().any(|(_, threshold)| threshold.is_some())
    }
}

/// Words, phrases and domains that lead to an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockList {
    pub(super) action: RuleAction,
    #[serde(default)]
    pub(super) phrases: Vec<String>,
    #[serde(default)]
    pub(super) domains: Vec<String>,
}

/// Words and phrases that are not scored, and domains that are trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Entries {
    pub(super) phrases: Vec<String>,
    pub(super) domains: Vec<String>,
}

impl Entries {
    fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.domains.is_empty()
    }
}

/// The languages in which a community writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguageRule {
    /// ISO 639-1 codes.
    pub(super) known: Vec<String>,
    /// The least that happens to a message in a script that none of them uses.
    #[serde(default = "review")]
    pub(super) action: RuleAction,
}

/// What of the lexicon counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LexiconRule {
    /// The languages of the lexicon that do not count, such as `de` or `hi-Latn`; `*` stands for all.
    pub(super) off: Vec<String>,
}

impl LexiconRule {
    fn is_empty(&self) -> bool {
        self.off.is_empty()
    }
}

fn review() -> RuleAction {
    RuleAction::Review
}

/// Strictness with new accounts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewAccountRule {
    /// An account younger than this is new.
    pub(super) days: u64,
    /// The factor on the threat score of a new account's message, 1 to 10.
    pub(super) weight: f64,
}

impl RuleSet {
    /// Reads rules; `field` is their path in the request. A member that is null is as if it were absent.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming every field at fault, except for entries of lists, which are checked when the rules
    /// are compiled.
    pub fn parse(field: &str, rules: &Value) -> Result<Self> {
        if !rules.is_object() {
            return Err(Error::invalid(field, "must be a JSON object"));
        }
        let bytes = rules.to_string().len();
        if bytes > MAX_RULES_BYTES {
            let message = format!("must be at most {MAX_RULES_BYTES} bytes of JSON, not {bytes}");
            return Err(Error::invalid(field, message));
        }
        let mut parsed: Self =
            serde_path_to_error::deserialize(ObjectsOnly(without_nulls(rules))).map_err(|error| {
                let path = error.path().to_string();
                let path = if path == "." { field.to_owned() } else { format!("{field}.{path}") };
                Error::all_invalid(vec![wrong_shape::fault(&path, &error.inner().to_string())])
            })?;
        plain::normalise(&mut parsed.plain_rules);
        let mut faults = Vec::new();
        parsed.check(&mut |path: String, message: String| {
            if faults.len() < MAX_FAULTS {
                faults.push(Detail { field: format!("{field}.{path}"), message });
            }
        });
        if faults.is_empty() { Ok(parsed) } else { Err(Error::all_invalid(faults)) }
    }

    fn check(&self, fault: &mut impl FnMut(String, String)) {
        for (name, rule) in &self.categories {
            if Category::ALL.iter().all(|category| category.as_str() != name) {
                let known = Category::ALL.map(Category::as_str).join(", ");
                fault(
                    format!("categories.{}", shortened(name)),
                    format!("is not a category; the categories are: {known}"),
                );
                continue;
            }
            if !(0.0..=MAX_WEIGHT).contains(&rule.weight) {
                fault(format!("categories.{name}.weight"), format!("must be from 0 to {MAX_WEIGHT}"));
            }
            if let Some(thresholds) = &rule.thresholds {
                check_thresholds(name, thresholds, fault);
            }
        }
        if self.block.len() > MAX_LISTS {
            fault(
                "block".to_owned(),
                format!("must have at most {MAX_LISTS} items, not {}", self.block.len()),
            );
        }
        let entries = self.block.iter().map(|list| list.phrases.len() + list.domains.len()).sum::<usize>()
            + self.allow.phrases.len()
            + self.allow.domains.len();
        if entries > MAX_ENTRIES {
            let list = if self.block.is_empty() { "allow" } else { "block" };
            let message = format!(
                "must have at most {MAX_ENTRIES} words, phrases and domains together with the other lists, not \
                 {entries}"
            );
            fault(list.to_owned(), message);
        }
        if let Some(languages) = &self.languages {
            if languages.known.is_empty() {
                fault("languages.known".to_owned(), "must name at least one language".to_owned());
            }
            for (index, code) in languages.known.iter().enumerate() {
                if scripts::of_language(code).is_none() {
                    let known = scripts::languages().collect::<Vec<_>>().join(", ");
                    fault(format!("languages.known[{index}]"), format!("must be one of: {known}"));
                }
            }
        }
        let most_off = LEXICON_LANGUAGES.len() + 1;
        if self.lexicon.off.len() > most_off {
            fault("lexicon.off".to_owned(), format!("must have at most {most_off} items"));
        }
        for (index, language) in self.lexicon.off.iter().take(most_off).enumerate() {
            if language != "*" && !LEXICON_LANGUAGES.contains(&language.as_str()) {
                let known = LEXICON_LANGUAGES.join(", ");
                fault(format!("lexicon.off[{index}]"), format!("must be * or one of: {known}"));
            }
        }
        if let Some(new) = &self.new_accounts {
            if !(1..=MAX_DAYS).contains(&new.days) {
                fault("new_accounts.days".to_owned(), format!("must be from 1 to {MAX_DAYS}"));
            }
            if !(1.0..=MAX_WEIGHT).contains(&new.weight) {
                fault("new_accounts.weight".to_owned(), format!("must be from 1 to {MAX_WEIGHT}"));
            }
        }
        self.personal_data.check("personal_data", fault);
        plain::check("plain_rules", &self.plain_rules, fault);
    }
}

fn check_thresholds(category: &str, thresholds: &Thresholds, fault: &mut impl FnMut(String, String)) {
    let path = format!("categories.{category}.thresholds");
    let mut before: Option<(&str, f64)> = None;
    for (name, threshold) in [("review", thresholds.review)].into_iter().chain(thresholds.actions()) {
        let Some(threshold) = threshold else { continue };
        if !(threshold > 0.0 && threshold <= 1.0) {
            fault(format!("{path}.{name}"), "must be above 0 and at most 1".to_owned());
        }
        if name == "review" {
            continue;
        }
        if let Some((milder, _)) = before.filter(|(_, milder)| *milder > threshold) {
            fault(format!("{path}.{name}"), format!("must not be below that of {milder}"));
        }
        before = Some((name, threshold));
    }
    if thresholds.review.is_none() && !thresholds.acts() {
        fault(path, "must have at least one of: review, warn, timeout, ban".to_owned());
    }
}

/// JSON without the members of objects that are null.
fn without_nulls(json: &Value) -> Value {
    match json {
        Value::Object(members) => {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// The beginning of a name that may be long.
fn shortened(name: &str) -> String {
    name.chars().take(40).filter(|char| !char.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(rules: Value) -> Vec<String> {
        let error = RuleSet::parse("rules", &rules).unwrap_err();
        error.details.into_iter().map(|detail| detail.field).collect()
    }

    #[test]
    fn every_wrong_value_is_named() {
        for (rules, field) in [
            (json!([]), "rules"),
            (json!({ "colour": 1 }), "rules.colour"),
            (json!({ "categories": { "rudeness": {} } }), "rules.categories.rudeness"),
            (json!({ "categories": { "hate": { "weight": 11 } } }), "rules.categories.hate.weight"),
            (json!({ "categories": { "hate": { "weight": "1" } } }), "rules.categories.hate.weight"),
            (
                json!({ "categories": { "hate": { "thresholds": { "warn": 0.9, "timeout": 0.5 } } } }),
                "rules.categories.hate.thresholds.timeout",
            ),
            (
                json!({ "categories": { "hate": { "thresholds": { "warn": 0.9, "ban": 0.5 } } } }),
                "rules.categories.hate.thresholds.ban",
            ),
            (
                json!({ "categories": { "hate": { "thresholds": { "ban": 1.5 } } } }),
                "rules.categories.hate.thresholds.ban",
            ),
            (json!({ "categories": { "hate": { "thresholds": {} } } }), "rules.categories.hate.thresholds"),
            (json!({ "block": [{ "action": "kick" }] }), "rules.block[0].action"),
            // No structure is read from an array of its values.
            (json!({ "block": [["ban", ["xyz"], []]] }), "rules.block[0]"),
            (json!({ "new_accounts": [7, 2.0] }), "rules.new_accounts"),
            (json!({ "categories": { "hate": [] } }), "rules.categories.hate"),
            (json!({ "plain_rules": [["x"]] }), "rules.plain_rules[0]"),
            (json!({ "block": [{ "action": "ban", "phrases": vec!["w"; 10_001] }] }), "rules.block"),
            (json!({ "allow": { "phrases": vec!["w"; 10_001] } }), "rules.allow"),
            (json!({ "languages": { "known": ["en", "xx"] } }), "rules.languages.known[1]"),
            (json!({ "languages": { "known": [] } }), "rules.languages.known"),
            (json!({ "lexicon": { "off": ["de", "xx"] } }), "rules.lexicon.off[1]"),
            (json!({ "new_accounts": { "days": 0, "weight": 2 } }), "rules.new_accounts.days"),
            (json!({ "new_accounts": { "days": 7, "weight": 0.5 } }), "rules.new_accounts.weight"),
            (
                json!({ "personal_data": { "shoe_size": { "action": "ban" } } }),
                "rules.personal_data.shoe_size",
            ),
            (json!({ "personal_data": { "email": {} } }), "rules.personal_data.email.action"),
            (
                json!({ "personal_data": { "email": { "action": "warn", "certainty": 2 } } }),
                "rules.personal_data.email.certainty",
            ),
            (json!({ "allow": { "phrases": ["w".repeat(300_000)] } }), "rules"),
        ] {
            assert_eq!(faults(rules.clone())[0], field, "{}", shortened(&rules.to_string()));
        }
    }

    #[test]
    fn rules_are_written_as_they_were_read() {
        let rules = json!({
            "categories": { "hate": { "enabled": true, "weight": 1.5, "thresholds": { "warn": 0.4, "ban": 0.9 } } },
            "block": [{ "action": "timeout", "phrases": ["bad word"], "domains": ["bad.example"] }],
            "languages": { "known": ["en"], "action": "warn" },
            "new_accounts": { "days": 7, "weight": 2.0 },
            "personal_data": { "phone": { "action": "ban", "certainty": 0.9 } },
        });
        assert_eq!(serde_json::to_value(RuleSet::parse("rules", &rules).unwrap()).unwrap(), rules);
        assert_eq!(RuleSet::parse("rules", &json!({})).unwrap(), RuleSet::default());
    }
}
