//! A policy applied to one message: what its lists found, and how it changes the threat and the need for a review.

use std::{ops::Range, sync::Arc};

use super::{
    action::RuleAction,
    answer::RuleAnswer,
    compiled::Rules,
    definition::Thresholds,
    fold::{EndDigits, Folded, Repeats},
    phrases::Found,
    plain::PlainRule,
};
use crate::operations::moderation::{LikelyPersonalData, PolicyRef, Signal, TextMessage};
use ports::text::{Category, links, scripts};

/// Maximum number of signals of what block lists found.
const MAX_SIGNALS: usize = 20;
/// The probability of a review when a rule asks for one.
const REVIEW: f64 = 0.95;
/// A rule that demands an action lifts the threat this far past the beginning of the action.
const CLEARLY: f64 = 0.5;

/// A policy applied to a message.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The policy's name and version.
    pub reference: PolicyRef,
    rules: Arc<Rules>,
    /// What the policy's lists and languages found.
    pub(in crate::operations::moderation) signals: Vec<Signal>,
    /// The strictest action that they demand.
    demanded: Option<RuleAction>,
    /// The factor on the threat score.
    factor: f64,
    /// The content with spaces in place of what is on the allow list, of the same length in bytes; `None` when nothing
    /// is.
    pub(in crate::operations::moderation) masked: Option<String>,
    /// What was found about its rules in plain language.
    pub(in crate::operations::moderation) answers: Vec<RuleAnswer>,
}

impl Applied {
    /// Applies a policy to a message.
    pub fn new(reference: PolicyRef, rules: Arc<Rules>, message: &TextMessage) -> Self {
        let content = &message.content;
        let mut applied = Self {
            reference,
            rules: rules.clone(),
            signals: Vec::new(),
            demanded: None,
            factor: 1.0,
            masked: None,
            answers: Vec::new(),
        };
        if !rules.blocked.is_empty() || !rules.allowed.is_empty() {
            let folded = Folded::new(content, Repeats::One, EndDigits::Letters);
            let doubled = folded.repeats.then(|| Folded::new(content, Repeats::Two, EndDigits::Letters));
            let without_digits =
                folded.end_digits.then(|| Folded::new(content, Repeats::One, EndDigits::Apart));
            for folded in [Some(folded), doubled, without_digits].iter().flatten() {
                for Found { list, start, end } in rules.blocked.find(folded) {
                    applied.demand("policy:blocked_phrase", rules.actions[list], start..end);
                }
                for Found { start, end, .. } in rules.allowed.find(folded) {
                    applied.mask(content, start, end);
                }
            }
        }
        if !rules.blocked_hosts.is_empty() {
            let links = links::find_with(content, &|host| rules.blocks(host).is_some());
            for link in links.iter().filter(|link| !link.email) {
                if let Some(action) = rules.blocks(&link.host) {
                    applied.demand("policy:blocked_domain", action, link.host_start..link.host_end);
                }
            }
        }
        if let Some((known, action)) = rules.languages
            && scripts::is_foreign(content, known)
        {
            applied.demand("policy:foreign_script", action, 0..0);
        }
        if let Some(new) = rules.new_accounts.filter(|new| message.account_age_days < new.days) {
            applied.factor = new.weight;
        }
        applied
    }

    /// Takes what personal data the message has.
    pub(in crate::operations::moderation) fn check_personal_data(&mut self, found: &[LikelyPersonalData]) {
        for LikelyPersonalData { kind, start, end, probability, .. } in found {
            let Some(rule) = self.rules.personal_data.get(kind).copied() else { continue };
            if *probability >= rule.certainty {
                self.demand(&format!("policy:personal_data:{}", kind.as_str()), rule.action, *start..*end);
            }
        }
    }

    /// Whether a rule of the policy is about personal data.
    pub(in crate::operations::moderation) fn counts_personal_data(&self) -> bool {
        !self.rules.personal_data.is_empty()
    }

    /// Takes the probability that the message breaks a rule in plain language, and the backend's model that gave it, if
    /// one did. Returns the signals of a broken rule.
    pub(in crate::operations::moderation) fn answer(
        &mut self,
        rule: &PlainRule,
        probability: f64,
        model: Option<&str>,
    ) -> &[Signal] {
        let first = self.signals.len();
        let broken = probability >= rule.certainty;
        if broken {
            self.demand(&format!("policy:plain_rule:{}", rule.id), rule.action, 0..0);
        }
        let name = rule.name().to_owned();
        let model = model.map(str::to_owned);
        self.answers.push(RuleAnswer { id: rule.id.clone(), name, probability, broken, model });
        &self.signals[first..]
    }

    /// Whether a host is on the allow list.
    pub(in crate::operations::moderation) fn allows(&self, host: &str) -> bool {
        self.rules.allows(host)
    }

    /// Whether the lexicon's words of a language count.
    pub(in crate::operations::moderation) fn uses_lexicon(&self, language: &str) -> bool {
        !self.rules.lexicon_off.iter().any(|off| off == language || off == "*")
    }

    /// The factor on a category's threat points; 0 for a category whose thresholds of actions count in their place.
    pub(in crate::operations::moderation) fn threat_weight(&self, category: Category) -> f64 {
        let rule = &self.rules.of_category[category as usize];
        if rule.thresholds.is_some_and(|thresholds| thresholds.acts()) { 0.0 } else { rule.weight }
    }

    /// The factor on a category's evidence for a review; 0 for a category whose threshold of a review counts in its
    /// place.
    pub(in crate::operations::moderation) fn review_weight(&self, category: Category) -> f64 {
        let rule = &self.rules.of_category[category as usize];
        if rule.thresholds.is_some_and(|thresholds| thresholds.review.is_some()) { 0.0 } else { rule.weight }
    }

    /// Applies the policy's thresholds, lists and strictness to a threat score and to the probability of a review.
    /// `steps` are the threat points at which `warn`, `timeout` and `ban` begin.
    pub(in crate::operations::moderation) fn raise(
        &self,
        mut threat: f64,
        mut review: f64,
        steps: &[f64; 3],
        probability: impl Fn(Category) -> f64,
    ) -> (f64, f64) {
        for category in Category::ALL {
            let Some(thresholds) = self.rules.of_category[category as usize].thresholds else { continue };
            let probability = probability(category);
            threat = threat.max(points(&thresholds, steps, probability));
            if let Some(begin) = thresholds.review {
                review = review.max(review_points(begin, probability));
            }
        }
        threat *= self.factor;
        match self.demanded {
            Some(RuleAction::Review) => review = review.max(REVIEW),
            Some(RuleAction::Warn) => threat = threat.max(steps[0] + CLEARLY),
            Some(RuleAction::Timeout) => threat = threat.max(steps[1] + CLEARLY),
            Some(RuleAction::Ban) => threat = threat.max(steps[2] + CLEARLY),
            None => {}
        }
        (threat, review)
    }

    fn demand(&mut self, name: &str, action: RuleAction, span: Range<usize>) {
        self.demanded = self.demanded.max(Some(action));
        if self.signals.len() >= MAX_SIGNALS
            || self.signals.iter().any(|seen| seen.name == name && seen.span() == span)
        {
            return;
        }
        let weight = f64::from(action as u8);
        self.signals.push(Signal { name: name.to_owned(), weight, start: span.start, end: span.end });
    }

    /// Replaces a part of the content with as many spaces as it has bytes.
    fn mask(&mut self, content: &str, start: usize, end: usize) {
        let masked = self.masked.get_or_insert_with(|| content.to_owned());
        // What is already masked is ASCII, so both ends stay between characters.
        masked.replace_range(start..end, &" ".repeat(end - start));
    }
}

/// Threat points of a category by its thresholds: from each threshold on, points of its action, and never of the next.
/// They rise with the probability.
fn points(thresholds: &Thresholds, steps: &[f64; 3], probability: f64) -> f64 {
    let mut base = 0.0;
    let mut begin = 0.0;
    let mut end = 1.0;
    let mut reached = false;
    for (step, (_, threshold)) in steps.iter().zip(thresholds.actions()) {
        let Some(threshold) = threshold else { continue };
        if probability < threshold {
            end = threshold;
            break;
        }
        base = *step;
        begin = threshold;
        reached = true;
    }
    let share = if end > begin { (probability - begin) / (end - begin) } else { 1.0 };
    // Clear of both steps, where two actions are equally probable.
    base + if reached { 0.1 + 0.8 * share.clamp(0.0, 1.0) } else { 0.9 * share.clamp(0.0, 1.0) }
}

/// The probability of a review by its threshold, at which it is one half.
fn review_points(begin: f64, probability: f64) -> f64 {
    let share = if probability < begin {
        probability / begin
    } else if begin < 1.0 {
        1.0 + (probability - begin) / (1.0 - begin)
    } else {
        2.0
    };
    share / 2.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STEPS: [f64; 3] = [1.0, 2.0, 3.0];

    proptest! {
        #[test]
        fn points_rise_with_the_probability_and_keep_to_the_thresholds(
            mut at in prop::array::uniform3(0.01..=1.0f64),
            given in prop::array::uniform3(any::<bool>()),
            p in 0.0..=1.0f64,
            more in 0.0..=1.0f64,
        ) {
            at.sort_by(f64::total_cmp);
            let thresholds = Thresholds {
                review: None,
                warn: given[0].then_some(at[0]),
                timeout: given[1].then_some(at[1]),
                ban: given[2].then_some(at[2]),
            };
            let less = p.min(more);
            let more = p.max(more);
            let low = points(&thresholds, &STEPS, less);
            let high = points(&thresholds, &STEPS, more);
            prop_assert!(low <= high);
            let reached = thresholds.actions().iter().rposition(|(_, one)| one.is_some_and(|one| p >= one));
            let expected = reached.map_or(0, |index| index + 1);
            prop_assert_eq!(points(&thresholds, &STEPS, p) as usize, expected);
            prop_assert!(review_points(at[0], less) <= review_points(at[0], more));
            prop_assert_eq!(review_points(at[0], p) >= 0.5, p >= at[0]);
        }
    }
}
