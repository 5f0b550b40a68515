//! What the shadow version of a policy would have done with messages. It is recorded and never acted on.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use super::{
    Action, TextMessage,
    channel::{self, Record},
    conversation::ConversationTurn,
    plain_rules::{FittedRule, RuleAsking, RuleProbabilities},
    policies::ActivePolicy,
    scoring::{ASKED_AT_ONCE, decide_one, score},
    subject::Subject,
};
use crate::Result;
use ports::Flow;
use ports::text::{TextEngine, TextScores};

/// How long shadows may keep the answer to a request waiting.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What the shadow version of a policy would have done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowVerdict {
    /// The number of the version.
    pub version: i32,
    pub action: Action,
}

/// What the live versions of the policies said.
#[derive(Clone, Copy)]
pub(super) struct LiveVerdicts<'a> {
    pub(super) flow: Flow,
    pub(super) subjects: &'a [Subject],
    pub(super) scores: &'a [TextScores],
    pub(super) answers: &'a [RuleProbabilities],
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

    /// Decides, beside the verdicts of the `live` versions. Messages have no verdict if that takes longer than
    /// [`TIMEOUT`], and a message has none that cannot be scored or asked about.
    pub(super) async fn verdicts(
        mut self,
        engine: &dyn TextEngine,
        asking: RuleAsking<'_>,
        live: LiveVerdicts<'_>,
    ) -> Vec<Option<ShadowVerdict>> {
        let decided = async {
            self.answer(asking, live.subjects, live.answers).await;
            self.decide(engine, live).await
        };
        tokio::time::timeout(TIMEOUT, decided).await.unwrap_or_else(|_| {
            tracing::warn!("the shadow versions of policies took too long; they are not recorded");
            Vec::new()
        })
    }

    /// Asks about the rules in plain language. `answers` are those about the rules of the live versions: what was asked
    /// then is not asked again.
    async fn answer(&mut self, asking: RuleAsking<'_>, subjects: &[Subject], answers: &[RuleProbabilities]) {
        let asked = self.0.iter().zip(subjects.iter().zip(answers));
        // Collected: the compiler cannot tell that a stream of borrowing closures may cross threads.
        let asked: Vec<_> =
            asked.map(|(shadow, (live, answers))| ask_more(asking, shadow.as_ref(), live, answers)).collect();
        let said: Vec<_> = stream::iter(asked).buffered(ASKED_AT_ONCE).collect().await;
        for (slot, said) in self.0.iter_mut().zip(said) {
            match said {
                Some(Ok(answers)) => slot.iter_mut().for_each(|shadow| shadow.answer(&answers)),
                Some(Err(error)) => {
                    tracing::warn!(
                        cause = error.with_cause(),
                        "could not ask about the rules of a shadow version"
                    );
                    *slot = None;
                }
                None => {}
            }
        }
    }

    /// A message is scored again only if the shadow takes something else out of it.
    async fn decide(
        self,
        engine: &dyn TextEngine,
        LiveVerdicts { flow, subjects, scores, .. }: LiveVerdicts<'_>,
    ) -> Vec<Option<ShadowVerdict>> {
        let others =
            self.0.iter().zip(subjects).filter_map(|(shadow, live)| {
                shadow.as_ref().filter(|shadow| shadow.content() != live.content())
            });
        let others: Vec<&Subject> = others.collect();
        let rescored = match others.is_empty() {
            true => Vec::new(),
            false => score(engine, flow, others, false).await.unwrap_or_else(|error| {
                tracing::warn!(cause = error.with_cause(), "could not score messages for a shadow version");
                Vec::new()
            }),
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

/// Asks about the rules of a shadow, but for those about which the `answers` of the live version say all.
async fn ask_more(
    asking: RuleAsking<'_>,
    shadow: Option<&Subject>,
    live: &Subject,
    answers: &RuleProbabilities,
) -> Option<Result<RuleProbabilities>> {
    let shadow = shadow?;
    let same = shadow.content() == live.content();
    let known = live.plain_rules.iter().zip(&answers.probabilities).filter(|_| same);
    let known: Vec<(&FittedRule, f64)> = known.map(|(rule, answer)| (&**rule, *answer)).collect();
    Some(asking.ask_more(shadow.query(), &known).await)
}
