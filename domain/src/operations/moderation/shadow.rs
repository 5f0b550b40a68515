//! What the shadow version of a policy would have done with messages. It is recorded and never acted on.

use super::{
    Action, TextMessage,
    channel::{self, Record},
    conversation::ConversationTurn,
    plain_rules::{FittedRule, RuleAsking, RuleProbabilities},
    policies::ActivePolicy,
    scoring::{decide_one, score},
    subject::Subject,
};
use ports::Flow;
use ports::text::{TextEngine, TextScores};

/// What the shadow version of a policy would have done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowVerdict {
    /// The number of the version.
    pub version: i32,
    pub action: Action,
}

/// Messages as the shadow versions of their policies read them.
pub(super) struct Shadows(Vec<Option<Subject>>);

impl Shadows {
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    pub(super) fn of<'a>(
        messages: impl Iterator<Item = (&'a TextMessage, Option<&'a ActivePolicy>)>,
    ) -> Self {
        let shadows = messages.map(|(message, policy)| {
            let shadow = policy?.shadow()?;
            Some(Subject::new(message.clone(), Some(shadow), false))
        });
        Self(shadows.collect())
    }

    /// Adds what the records before a message say to its signals.
    pub(super) fn raise(&mut self, index: usize, own: &Record, before: &[Record]) {
        if let Some(Some(shadow)) = self.0.get_mut(index) {
            channel::raise(&mut shadow.signals, own, before);
        }
    }

    /// Takes what the messages before a message say.
    pub(super) fn follow(&mut self, index: usize, turns: &[ConversationTurn]) {
        if let Some(Some(shadow)) = self.0.get_mut(index) {
            shadow.signals.turns = turns.to_vec();
        }
    }

    /// Asks about the rules in plain language. `answers` are those about the rules of the live versions: what was asked
    /// then is not asked again. A message about which no answer comes has no verdict.
    pub(super) async fn answer(
        &mut self,
        asking: RuleAsking<'_>,
        subjects: &[Subject],
        answers: &[RuleProbabilities],
    ) {
        for (slot, (live, answers)) in self.0.iter_mut().zip(subjects.iter().zip(answers)) {
            let Some(shadow) = slot else { continue };
            let same = shadow.content() == live.content();
            let known = live.plain_rules.iter().zip(&answers.probabilities).filter(|_| same);
            let known: Vec<(&FittedRule, f64)> = known.map(|(rule, answer)| (&**rule, *answer)).collect();
            match asking.ask_more(shadow.query(), &known).await {
                Ok(answers) => shadow.answer(&answers),
                Err(_) => *slot = None,
            }
        }
    }

    /// Decides. `subjects` and their `scores` are those of the live versions: a message is scored again only if the
    /// shadow takes something else out of it. A message that cannot be scored has no verdict.
    pub(super) async fn decide(
        self,
        engine: &dyn TextEngine,
        flow: Flow,
        subjects: &[Subject],
        scores: &[TextScores],
    ) -> Vec<Option<ShadowVerdict>> {
        let others =
            self.0.iter().zip(subjects).filter_map(|(shadow, live)| {
                shadow.as_ref().filter(|shadow| shadow.content() != live.content())
            });
        let others: Vec<&Subject> = others.collect();
        let rescored = match others.is_empty() {
            true => Vec::new(),
            false => score(engine, flow, others, false).await.unwrap_or_default(),
        };
        let mut rescored = rescored.into_iter();
        let mut verdicts = Vec::with_capacity(self.0.len());
        for ((shadow, live), scores) in self.0.iter().zip(subjects).zip(scores) {
            let verdict = shadow.as_ref().and_then(|shadow| {
                let own = (shadow.content() != live.content()).then(|| rescored.next());
                let verdict = match own {
                    None => decide_one(shadow, scores),
                    Some(own) => decide_one(shadow, &own?),
                };
                Some(ShadowVerdict { version: verdict.policy?.version, action: verdict.action })
            });
            verdicts.push(verdict);
        }
        verdicts
    }
}
