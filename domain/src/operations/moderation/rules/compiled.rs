//! Rules compiled for use: lists as automata and sets, thresholds as threat points.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    action::RuleAction,
    definition::{NewAccountRule, RuleSet, Thresholds},
    personal_data::PersonalDataRule,
    phrases::Phrases,
    plain::PlainRule,
};
use crate::{Error, Result, operations::moderation::PersonalDataKind};
use ports::text::{
    Category, links,
    scripts::{self, Scripts},
};

/// The length of the longest host name in DNS.
const MAX_HOST_BYTES: usize = 253;

/// The compiled rules of a policy.
#[derive(Debug)]
pub struct Rules {
    /// Indexed by category.
    pub(super) of_category: [OfCategory; Category::ALL.len()],
    /// The action of each block list.
    pub(super) actions: Vec<RuleAction>,
    pub(super) blocked: Phrases,
    /// The action of each blocked host.
    pub(super) blocked_hosts: HashMap<String, RuleAction>,
    pub(super) allowed: Phrases,
    pub(super) allowed_hosts: HashSet<String>,
    pub(super) languages: Option<(Scripts, RuleAction)>,
    /// The languages of the lexicon that do not count.
    pub(super) lexicon_off: Vec<String>,
    pub(super) new_accounts: Option<NewAccountRule>,
    pub(super) personal_data: BTreeMap<PersonalDataKind, PersonalDataRule>,
    plain: Vec<PlainRule>,
}

/// How a category counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfCategory {
    /// The factor on its threat points and on its evidence for a review; 0 when it is off.
    pub(super) weight: f64,
    pub(super) thresholds: Option<Thresholds>,
}

impl Rules {
    /// Compiles rules that were parsed; `field` is their path in the request.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the entry of a list that cannot match.
    pub fn compile(field: &str, rules: &RuleSet) -> Result<Self> {
        let mut of_category = [OfCategory { weight: 1.0, thresholds: None }; Category::ALL.len()];
        for category in Category::ALL {
            let Some(rule) = rules.categories.get(category.as_str()) else { continue };
            of_category[category as usize] = OfCategory {
                weight: if rule.enabled { rule.weight } else { 0.0 },
                thresholds: rule.thresholds.filter(|_| rule.enabled),
            };
        }
        let blocked = rules.block.iter().enumerate();
        let blocked: Vec<(usize, usize, &str)> = blocked
            .flat_map(|(list, entries)| {
                entries.phrases.iter().enumerate().map(move |(at, entry)| (list, at, entry.as_str()))
            })
            .collect();
        let of_lists = Phrases::compile(blocked.iter().map(|(list, _, entry)| (*list, *entry)));
        let of_lists = of_lists.map_err(|(index, why)| {
            let (list, at, _) = blocked[index];
            Error::invalid(format!("{field}.block[{list}].phrases[{at}]"), why)
        });
        let allowed = rules.allow.phrases.iter().map(|entry| (0, entry.as_str()));
        let allowed = Phrases::compile(allowed)
            .map_err(|(at, why)| Error::invalid(format!("{field}.allow.phrases[{at}]"), why))?;
        let mut blocked_hosts = HashMap::new();
        for (list, entries) in rules.block.iter().enumerate() {
            for (at, entry) in entries.domains.iter().enumerate() {
                let host = host(&format!("{field}.block[{list}].domains[{at}]"), entry)?;
                let action = blocked_hosts.entry(host).or_insert(entries.action);
                *action = entries.action.max(*action);
            }
        }
        let allowed_hosts = rules.allow.domains.iter().enumerate();
        let allowed_hosts =
            allowed_hosts.map(|(at, entry)| host(&format!("{field}.allow.domains[{at}]"), entry));
        let languages = rules.languages.as_ref().map(|languages| {
            let known = languages.known.iter().filter_map(|code| scripts::of_language(code));
            (known.fold(0, |all, one| all | one), languages.action)
        });
        Ok(Self {
            of_category,
            actions: rules.block.iter().map(|list| list.action).collect(),
            blocked: of_lists?,
            blocked_hosts,
            allowed,
            allowed_hosts: allowed_hosts.collect::<Result<_>>()?,
            languages,
            lexicon_off: rules.lexicon.off.clone(),
            new_accounts: rules.new_accounts,
            personal_data: rules.personal_data.by_kind(),
            plain: rules.plain_rules.clone(),
        })
    }

    /// The approximate number of bytes in memory.
    pub fn bytes(&self) -> usize {
        let hosts = self.blocked_hosts.keys().chain(&self.allowed_hosts).map(|host| host.len() + 64);
        let plain: usize = self.plain.iter().map(PlainRule::bytes).sum();
        size_of::<Self>() + self.blocked.bytes() + self.allowed.bytes() + hosts.sum::<usize>() + plain
    }

    /// The rules in plain language.
    pub fn plain(&self) -> &[PlainRule] {
        &self.plain
    }

    /// Whether a host, or a domain that it belongs to, is on the allow list.
    pub(super) fn allows(&self, host: &str) -> bool {
        !self.allowed_hosts.is_empty() && parents(host).any(|host| self.allowed_hosts.contains(host))
    }

    /// The strictest action for a host or a domain that it belongs to.
    pub(super) fn blocks(&self, host: &str) -> Option<RuleAction> {
        if self.blocked_hosts.is_empty() {
            return None;
        }
        parents(host).filter_map(|host| self.blocked_hosts.get(host)).max().copied()
    }
}

/// A host and the domains that it belongs to.
fn parents(host: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(host), |host| host.split_once('.').map(|(_, parent)| parent))
}

/// Reads the domain of a list as links in messages are read.
fn host(field: &str, entry: &str) -> Result<String> {
    let short = Some(entry.trim()).filter(|entry| entry.len() <= MAX_HOST_BYTES);
    short.and_then(links::parse_listed).ok_or_else(|| {
        Error::invalid(
            field,
            "must be a domain such as example.com, with its subdomains, or an ending such as .onion",
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compile(rules: serde_json::Value) -> Result<Rules> {
        Rules::compile("rules", &RuleSet::parse("rules", &rules)?)
    }

    #[test]
    fn an_entry_that_cannot_match_is_named() {
        let fine = json!({ "action": "ban", "phrases": ["fine"] });
        let unfit = json!({ "action": "warn", "phrases": ["fine", "(a+)+$"] });
        let no_domain = json!({ "action": "ban", "domains": ["not a domain"] });
        let address = json!({ "domains": ["fine.example.com", "a@example.com"] });
        for (rules, field) in [
            (json!({ "block": [fine, unfit] }), "rules.block[1].phrases[1]"),
            (json!({ "allow": { "phrases": ["?"] } }), "rules.allow.phrases[0]"),
            (json!({ "block": [no_domain] }), "rules.block[0].domains[0]"),
            (json!({ "allow": address }), "rules.allow.domains[1]"),
        ] {
            assert_eq!(compile(rules).unwrap_err().details[0].field, field);
        }
    }

    #[test]
    fn a_domain_stands_for_its_subdomains() {
        let rules = compile(json!({
            "block": [
                { "action": "warn", "domains": ["evil.com"] },
                { "action": "ban", "domains": ["worse.evil.com"] },
            ],
            "allow": { "domains": ["https://Good.com"] },
        }))
        .unwrap();
        assert_eq!(rules.blocks("a.evil.com"), Some(RuleAction::Warn));
        assert_eq!(rules.blocks("a.worse.evil.com"), Some(RuleAction::Ban));
        assert_eq!(rules.blocks("notevil.com"), None);
        assert!(rules.allows("www2.good.com") && !rules.allows("good.com.evil.com"));
    }

    #[test]
    fn a_listed_ending_stands_for_every_name_with_it() {
        let rules = compile(json!({ "block": [{ "action": "ban", "domains": [".onion"] }] })).unwrap();
        assert_eq!(rules.blocks("abc.onion"), Some(RuleAction::Ban));
        assert_eq!(rules.blocks("onion.com"), None);
    }

    #[test]
    fn the_largest_rules_take_a_few_mebibytes() {
        let phrases: Vec<String> =
            (0..10_000).map(|i| format!("entry {i} {:x}", i * 2_654_435_761u64)).collect();
        let rules = compile(json!({ "block": [{ "action": "ban", "phrases": phrases[..9_000] }] })).unwrap();
        assert!(rules.bytes() < 8 << 20, "{}", rules.bytes());
    }
}
