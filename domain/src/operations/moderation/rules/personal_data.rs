//! What personal data in a message leads to, by its type.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::action::RuleAction;
use crate::operations::moderation::PersonalDataKind;

/// The probability from which data counts, unless a rule says otherwise.
const CERTAINTY: f64 = 0.5;

/// Rules by the type's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct PersonalDataRules(BTreeMap<String, PersonalDataRule>);

/// What data of a type leads to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PersonalDataRule {
    pub(super) action: RuleAction,
    /// The probability from which it counts, above 0 and at most 1.
    #[serde(default = "certainty")]
    pub(super) certainty: f64,
}

fn certainty() -> f64 {
    CERTAINTY
}

impl PersonalDataRules {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn by_kind(&self) -> BTreeMap<PersonalDataKind, PersonalDataRule> {
        self.0.iter().filter_map(|(name, rule)| Some((kind(name)?, *rule))).collect()
    }

    pub(super) fn check(&self, path: &str, fault: &mut impl FnMut(String, String)) {
        for (name, rule) in &self.0 {
            if kind(name).is_none() {
                let known = PersonalDataKind::ALL.map(PersonalDataKind::as_str).join(", ");
                let name: String = name.chars().take(40).filter(|char| !char.is_control()).collect();
                fault(
                    format!("{path}.{name}"),
                    format!("is not a type of personal data; the types are: {known}"),
                );
            } else if !(rule.certainty > 0.0 && rule.certainty <= 1.0) {
                fault(format!("{path}.{name}.certainty"), "must be above 0 and at most 1".to_owned());
            }
        }
    }
}

fn kind(name: &str) -> Option<PersonalDataKind> {
    PersonalDataKind::ALL.into_iter().find(|kind| kind.as_str() == name)
}
