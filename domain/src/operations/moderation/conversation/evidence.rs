//! What a message and the ones before it say together: logistic regressions on the models' log-odds, fitted by
//! `bench/conversations.py` on one half of `training/text/yardstick/conversations.jsonl`.

use super::turn::ConversationTurn;
use crate::operations::moderation::{Severity, Signal, odds::sigmoid};
use ports::text::{Categories, Category};

/// The probability from which evidence is told, and a moderator looks.
const TOLD: f64 = 0.3;
/// The probability from which it counts in the categories, and so leads to an action. Chosen on `choose`, where one of
/// 13 messages of support is beyond it.
const COUNTS: f64 = 0.7;
/// The probability from which the author of a message needs support.
const NEEDS_SUPPORT: f64 = 0.5;
/// The least probability of a wish to hurt oneself for that, since a message without any abuse needs little of it else.
/// Chosen on `choose`, where no message of a person in a crisis is below it.
const LEAST_WISH: f64 = 0.2;
/// Probabilities are kept so far from 0 and 1: less tells nothing.
const LEAST: f64 = 1e-4;

/// Every constant of the evidence.
mod fitted {
    /// Support: the message's log-odds of a wish to hurt oneself, and of harassment.
    pub(super) const SUPPORT: [f64; 2] = [0.60, -0.40];
    pub(super) const SUPPORT_OFFSET: f64 = -0.74;
    /// Incitement: the greatest log-odds of such a wish among the turns of others; the message's log-odds of harassment
    /// and of toxicity.
    pub(super) const INCITEMENT: [f64; 3] = [0.62, 0.15, 0.15];
    pub(super) const INCITEMENT_OFFSET: f64 = 0.26;
    /// An approach to a child: the log-odds of the message, the greatest of the author's turns, that of the others',
    /// and the greatest of sexual content among the author's.
    pub(super) const APPROACH: [f64; 4] = [0.85, 0.07, 0.23, 0.36];
    pub(super) const APPROACH_OFFSET: f64 = 9.7;
}

/// The evidence of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::operations::moderation) struct Conversation {
    /// The probability that the author of the message is in a crisis and needs support.
    support: f64,
    /// The probability that the message urges somebody in a crisis to hurt themselves.
    incitement: f64,
    /// The probability that its author approaches a child.
    approach: f64,
    /// The messages before it that say so, by index, in order.
    turns: Vec<usize>,
}

/// The turn with the greatest of some probability.
struct Greatest {
    turn: Option<usize>,
    log_odds: f64,
}

impl Greatest {
    fn of(turns: &[ConversationTurn], by_author: bool, probability: fn(&ConversationTurn) -> f64) -> Self {
        let such = turns.iter().enumerate().filter(|(_, turn)| turn.by_author == by_author);
        let greatest = such.max_by(|(_, a), (_, b)| probability(a).total_cmp(&probability(b)));
        let log_odds = log_odds(greatest.map_or(0.0, |(_, turn)| probability(turn)));
        let turn = greatest.filter(|(_, turn)| probability(turn) > LEAST).map(|(at, _)| at);
        Self { turn, log_odds }
    }
}

impl Conversation {
    /// Reads it from the categories of a message and the turns before it.
    pub(in crate::operations::moderation) fn of(
        categories: &Categories,
        severe: bool,
        turns: &[ConversationTurn],
    ) -> Self {
        let wish = Severity::of(categories, severe).self_harm_intent;
        let harassment = log_odds(categories[Category::Harassment]);
        let support = match wish < LEAST_WISH {
            true => 0.0,
            false => weighed(fitted::SUPPORT, [log_odds(wish), harassment], fitted::SUPPORT_OFFSET),
        };
        if turns.is_empty() {
            return Self { support, ..Self::default() };
        }
        let crisis = Greatest::of(turns, false, |turn| turn.self_harm_intent);
        let toxic = log_odds(categories[Category::Toxic]);
        let incitement =
            weighed(fitted::INCITEMENT, [crisis.log_odds, harassment, toxic], fitted::INCITEMENT_OFFSET);
        let own = log_odds(categories[Category::SexualMinors]);
        let before = Greatest::of(turns, true, |turn| turn.sexual_minors);
        let others = Greatest::of(turns, false, |turn| turn.sexual_minors);
        let sexual = Greatest::of(turns, true, |turn| turn.sexual);
        let log_odds = [own, before.log_odds, others.log_odds, sexual.log_odds];
        let approach = weighed(fitted::APPROACH, log_odds, fitted::APPROACH_OFFSET);
        let of_incitement = crisis.turn.filter(|_| incitement >= TOLD);
        let of_approach = [before.turn, others.turn, sexual.turn].into_iter().flatten();
        let mut told: Vec<usize> = of_approach.filter(|_| approach >= TOLD).chain(of_incitement).collect();
        told.sort_unstable();
        told.dedup();
        Self { support, incitement, approach, turns: told }
    }

    /// The categories with this evidence: a probability is never lowered.
    pub(in crate::operations::moderation) fn added_to(&self, mut categories: Categories) -> Categories {
        for (category, probability) in [
            (Category::SelfHarm, self.incitement),
            (Category::Harassment, self.incitement),
            (Category::SexualMinors, self.approach),
        ] {
            if probability >= COUNTS {
                categories[category] = categories[category].max(probability);
            }
        }
        categories
    }

    /// The least probability that a moderator should look: one half where evidence is told, and that of a crisis where
    /// the author needs support.
    pub(in crate::operations::moderation) fn review(&self) -> f64 {
        let most = self.incitement.max(self.approach);
        let told = if most >= TOLD { (0.5 * most / TOLD).min(1.0) } else { 0.0 };
        if self.needs_support() { told.max(self.support) } else { told }
    }

    /// Whether the author needs support and not a punishment.
    pub(in crate::operations::moderation) fn needs_support(&self) -> bool {
        self.support >= NEEDS_SUPPORT && self.incitement < TOLD && self.approach < TOLD
    }

    /// The messages before it that count, by index, in order.
    pub(in crate::operations::moderation) fn turns(&self) -> &[usize] {
        &self.turns
    }

    /// The evidence as signals outside the text, whose weights are log-odds.
    pub(in crate::operations::moderation) fn signals(&self) -> impl Iterator<Item = Signal> {
        let all = [("urges_somebody_in_a_crisis", self.incitement), ("approach_over_turns", self.approach)];
        all.into_iter().filter(|(_, probability)| *probability >= TOLD).map(|(name, probability)| Signal {
            name: name.to_owned(),
            weight: log_odds(probability),
            start: 0,
            end: 0,
        })
    }
}

fn weighed<const N: usize>(weights: [f64; N], log_odds: [f64; N], offset: f64) -> f64 {
    sigmoid(weights.iter().zip(log_odds).map(|(weight, value)| weight * value).sum::<f64>() + offset)
}

fn log_odds(probability: f64) -> f64 {
    let p = probability.clamp(LEAST, 1.0 - LEAST);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn categories(of: &[(Category, f64)]) -> Categories {
        let mut categories = Categories::default();
        of.iter().for_each(|(category, probability)| categories[*category] = *probability);
        categories
    }

    #[test]
    fn a_wish_to_die_needs_support_and_abuse_does_not() {
        let wish = categories(&[(Category::SelfHarm, 0.95)]);
        assert!(Conversation::of(&wish, false, &[]).needs_support());
        let abuse =
            categories(&[(Category::SelfHarm, 0.95), (Category::Harassment, 0.95), (Category::Toxic, 0.9)]);
        assert!(!Conversation::of(&abuse, false, &[]).needs_support());
        assert!(!Conversation::of(&categories(&[]), false, &[]).needs_support());
    }

    #[test]
    fn who_answers_a_crisis_with_contempt_urges_and_the_turn_is_named() {
        let calm = ConversationTurn::default();
        let crisis = ConversationTurn { self_harm_intent: 0.97, ..calm };
        let contempt = categories(&[(Category::Harassment, 0.3), (Category::Toxic, 0.4)]);
        let found = Conversation::of(&contempt, false, &[calm, crisis]);
        assert_eq!(found.turns(), [1]);
        let raised = found.added_to(contempt);
        assert!(raised[Category::SelfHarm] > 0.8 && raised[Category::Harassment] > 0.8, "{raised:?}");
        for turns in [&[][..], &[calm], &[ConversationTurn { by_author: true, ..crisis }]] {
            let found = Conversation::of(&contempt, false, turns);
            assert_eq!(found.added_to(contempt)[Category::SelfHarm], 0.0, "{turns:?}");
        }
    }

    #[test]
    fn an_approach_adds_up_over_turns() {
        let before = ConversationTurn {
            by_author: true,
            sexual: 0.2,
            sexual_minors: 0.1,
            ..ConversationTurn::default()
        };
        let asks = categories(&[(Category::SexualMinors, 0.02)]);
        let found = Conversation::of(&asks, false, &[ConversationTurn::default(), before]);
        assert!(found.added_to(asks)[Category::SexualMinors] > 0.8, "{found:?}");
        assert_eq!(found.turns(), [1]);
        assert_eq!(found.signals().map(|signal| signal.name).collect::<Vec<_>>(), ["approach_over_turns"]);
    }
}
