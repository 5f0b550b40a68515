//! Messages become examples of rules in plain language, as moderators correct what was found about them.

use strum::IntoStaticStr;

use super::{
    definition::RuleSet,
    plain::{Examples, MAX_EXAMPLE_CHARS, MAX_EXAMPLES},
};
use crate::{Error, Result};

/// What a message is to a rule, as a moderator says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RuleExample {
    /// It keeps to the rule.
    Allowed,
    /// It breaks the rule.
    NotAllowed,
    /// It is no example.
    None,
}

impl RuleExample {
    /// All, in the order of the names in messages to clients.
    pub const ALL: [Self; 3] = [Self::Allowed, Self::NotAllowed, Self::None];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A moderator's correction of what was found about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCorrection {
    /// The rule's id.
    pub rule: String,
    pub example: RuleExample,
}

/// How many examples a rule has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleCount {
    /// The rule's id.
    pub rule: String,
    pub allowed: usize,
    pub not_allowed: usize,
}

/// Why a message does not become an example.
#[derive(Debug, thiserror::Error)]
enum NoExample {
    #[error("has the message as an example of the opposite; send `overwrite: true` to replace it")]
    IsOfOpposite,
    #[error(
        "has {most} examples of {0} messages already; an editor can remove one from the policy",
        most = MAX_EXAMPLES
    )]
    Full(&'static str),
}

impl RuleSet {
    /// Makes a message an example of a rule, or no longer one. `overwrite`: also where it is an example of the
    /// opposite. The first characters of a long message stand for it.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a rule that there is not; `CONFLICT` where the message is an example of the opposite, or
    /// the rule has as many examples as it may have.
    pub(in crate::operations::moderation) fn correct(
        &mut self,
        message: &str,
        RuleCorrection { rule: id, example }: &RuleCorrection,
        overwrite: bool,
    ) -> Result<ExampleCount> {
        let Some(rule) = self.plain_rules.iter_mut().find(|rule| rule.id == *id) else {
            let known: Vec<&str> = self.plain_rules.iter().map(|rule| rule.id.as_str()).collect();
            let message = format!("must have the ids of rules of the policy as keys: {}", known.join(", "));
            return Err(Error::invalid("rules", message));
        };
        let set = rule.examples.set(&as_example(message), *example, overwrite);
        set.map_err(|refused| Error::taken(format!("rules.{id}"), refused.to_string()))?;
        let Examples { allowed, not_allowed } = &rule.examples;
        Ok(ExampleCount { rule: id.clone(), allowed: allowed.len(), not_allowed: not_allowed.len() })
    }

    /// What a message is to each rule in plain language, by the rule's id; those to which it is nothing are left out.
    pub fn examples_of(&self, message: &str) -> Vec<RuleCorrection> {
        let example = as_example(message);
        let found = self.plain_rules.iter().filter_map(|rule| {
            let example = match &rule.examples {
                examples if examples.allowed.contains(&example) => RuleExample::Allowed,
                examples if examples.not_allowed.contains(&example) => RuleExample::NotAllowed,
                _ => return None,
            };
            Some(RuleCorrection { rule: rule.id.clone(), example })
        });
        found.collect()
    }
}

/// A message as an example has it.
fn as_example(message: &str) -> String {
    message.trim().chars().take(MAX_EXAMPLE_CHARS).collect::<String>().trim_end().to_owned()
}

impl Examples {
    fn set(&mut self, message: &str, example: RuleExample, overwrite: bool) -> Result<(), NoExample> {
        let (side, opposite) = match example {
            RuleExample::Allowed => (&mut self.allowed, &mut self.not_allowed),
            RuleExample::NotAllowed => (&mut self.not_allowed, &mut self.allowed),
            RuleExample::None => {
                self.allowed.retain(|one| one != message);
                self.not_allowed.retain(|one| one != message);
                return Ok(());
            }
        };
        if side.iter().any(|one| one == message) {
            return Ok(());
        }
        if opposite.iter().any(|one| one == message) && !overwrite {
            return Err(NoExample::IsOfOpposite);
        }
        if side.len() >= MAX_EXAMPLES {
            return Err(NoExample::Full(example.as_str()));
        }
        opposite.retain(|one| one != message);
        side.push(message.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Code;

    fn rules() -> RuleSet {
        RuleSet::parse(
            "rules",
            &json!({ "plain_rules": [{ "id": "a", "text": "No trading", "action": "warn" }] }),
        )
        .unwrap()
    }

    fn correction(rule: &str, example: RuleExample) -> RuleCorrection {
        RuleCorrection { rule: rule.to_owned(), example }
    }

    #[test]
    fn a_message_is_an_example_of_one_side_or_of_none() {
        let mut rules = rules();
        let allowed = correction("a", RuleExample::Allowed);
        let not_allowed = correction("a", RuleExample::NotAllowed);
        let count = rules.correct(" raid at 8? ", &allowed, false).unwrap();
        assert_eq!((count.allowed, count.not_allowed), (1, 0));
        assert_eq!(rules.correct("raid at 8?", &allowed, false).unwrap(), count, "the same again");
        assert_eq!(rules.examples_of("raid at 8?"), std::slice::from_ref(&allowed));
        assert_eq!(rules.correct("raid at 8?", &not_allowed, false).unwrap_err().code, Code::Conflict);
        let count = rules.correct("raid at 8?", &not_allowed, true).unwrap();
        assert_eq!((count.allowed, count.not_allowed), (0, 1));
        let count = rules.correct("raid at 8?", &correction("a", RuleExample::None), false).unwrap();
        assert_eq!((count.allowed, count.not_allowed), (0, 0));
        assert!(rules.examples_of("raid at 8?").is_empty());
        assert_eq!(
            rules.correct("hi", &correction("b", RuleExample::Allowed), false).unwrap_err().details[0].field,
            "rules"
        );
    }

    #[test]
    fn the_examples_of_a_rule_are_bounded() {
        let mut rules = rules();
        let allowed = correction("a", RuleExample::Allowed);
        for number in 0..MAX_EXAMPLES {
            rules.correct(&format!("message {number}"), &allowed, false).unwrap();
        }
        let full = rules.correct("one more", &allowed, true).unwrap_err();
        assert_eq!((full.code, full.details[0].field.as_str()), (Code::Conflict, "rules.a"));
        let long = "é".repeat(2 * MAX_EXAMPLE_CHARS);
        rules.correct(&long, &correction("a", RuleExample::NotAllowed), false).unwrap();
        assert_eq!(rules.examples_of(&long).len(), 1);
        RuleSet::parse("rules", &serde_json::to_value(&rules).unwrap()).unwrap();
    }
}
