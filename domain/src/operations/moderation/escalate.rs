//! Escalates messages with an uncertain action to a backend, for a second opinion. It is asked about each harm, and the
//! policy decides again on the scores of both. Nothing of a message is sent but its text.

use std::{collections::HashMap, time::Duration};

use serde_json::json;
use tokio::task::JoinSet;

use super::{
    SecondOpinion, Verdict,
    odds::{logit, sigmoid},
    policy::decide_by,
    subject::Subject,
};
use crate::{
    Error,
    foundation::tenant::Tenant,
    operations::inference::{Answer, NamedAnswer, NamedModel, StepOutcome},
};
use ports::text::{Categories, Category, TextMode, TextScores};
use ports::{
    Flow,
    decision::{DecisionInput, Parameters, Question, QuestionKind},
};

/// The cap on the remote backend's probabilities: it may round to two decimals, and no harm is certain.
const MAX_PROBABILITY: f64 = 0.99;

/// The backend that gives a second opinion, and when it is asked.
#[derive(Clone)]
pub struct Escalation {
    pub model: NamedModel,
    /// A message is escalated when its most probable action is less probable than this.
    pub below: f64,
    /// How long the messages of a request may take; they are asked about at once.
    pub timeout: Duration,
}

impl Escalation {
    /// Escalates all uncertain messages of `hybrid` mode at once and revises their verdicts. When an escalation fails,
    /// the verdict stays, and its model name says so. A tenant that may not use the backend has the first verdict.
    pub(super) async fn revise(
        &self,
        tenant: &Tenant,
        subjects: &[Subject],
        scores: &mut [TextScores],
        verdicts: &mut [Verdict],
    ) {
        let mut asked = JoinSet::new();
        let mut indexes = HashMap::new();
        for (index, (subject, verdict)) in subjects.iter().zip(&mut *verdicts).enumerate() {
            if subject.message.mode != TextMode::Hybrid || certainty(verdict) >= self.below {
                continue;
            }
            if !self.model.is_allowed(&tenant.backends) {
                let why = "this API key or its account may not use it; the first verdict stands";
                self.tell(verdict, StepOutcome::Skipped, None, why.to_owned());
                continue;
            }
            let Self { model, timeout, .. } = self.clone();
            let input = questions(Flow::from(tenant), subject.content());
            let task = asked.spawn(async move { model.ask(input, timeout).await });
            indexes.insert(task.id(), index);
        }
        while let Some(ended) = asked.join_next_with_id().await {
            let (task, said) = match ended {
                Ok((task, said)) => (task, said),
                Err(panicked) => (panicked.id(), Err(Error::internal(panicked))),
            };
            let Some(&index) = indexes.get(&task) else { continue };
            let verdict = &mut verdicts[index];
            match said {
                Ok(answer) => {
                    let reason = self.reason(verdict, &answer);
                    let scores = &mut scores[index];
                    scores.categories = blend(scores.categories, categories(&answer));
                    scores.model = format!("{}+{}", scores.model, answer.model);
                    let Subject { signals, policy, .. } = &subjects[index];
                    *verdict = decide_by(signals, scores, policy.as_ref());
                    self.tell(verdict, StepOutcome::Answered, Some(answer.model), reason);
                }
                Err(error) => {
                    tracing::warn!(%error, cause = ?error.cause, "an escalation failed; the local verdict stands");
                    verdict.model.push_str(" (escalation failed)");
                    let message = error.message.trim_end_matches("; nothing was charged");
                    let reason = format!("{message}; the first verdict stands");
                    self.tell(verdict, StepOutcome::Failed, None, reason);
                }
            }
        }
    }

    /// Why it was asked, and what became of its answer.
    fn reason(&self, first: &Verdict, answer: &NamedAnswer) -> String {
        let sure = format!("the first verdict was unsure ({:.2} of {} needed)", certainty(first), self.below);
        let uncalibrated = answer.uncalibrated.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
        format!("{sure}; the scores are the mean of both{uncalibrated}")
    }

    /// Adds what happened to an explanation, if there is one.
    fn tell(&self, verdict: &mut Verdict, outcome: StepOutcome, model: Option<String>, reason: String) {
        if let Some(explanation) = &mut verdict.explanation {
            let backend = self.model.name().to_owned();
            explanation.second_opinion = Some(SecondOpinion { backend, outcome, model, reason });
        }
    }
}

/// The probability of the most probable action.
fn certainty(verdict: &Verdict) -> f64 {
    let p = verdict.action_probabilities;
    p.ban.max(p.timeout).max(p.warn).max(p.none)
}

fn categories(answer: &NamedAnswer) -> Categories {
    let mut categories = Categories::default();
    for (category, (_, answer)) in Category::ALL.into_iter().zip(&answer.answers) {
        if let Answer::Noul { noul, .. } = answer {
            categories[category] = *noul;
        }
    }
    categories
}

/// One question per harm, in the order of [`Category::ALL`].
fn questions(flow: Flow, content: &str) -> DecisionInput {
    DecisionInput {
        state: json!({ "chat_message": content }),
        questions: Category::ALL.map(question).into(),
        mode: ports::decision::DecisionMode::Isolated,
        model: None,
        flow,
        group: None,
        checkpoint: None,
        parameters: Parameters::default(),
    }
}

fn question(category: Category) -> Question {
    Question {
        key: category.as_str().to_owned(),
        instructions: wording(category).into(),
        kind: QuestionKind::Noul { yes: None, no: None },
    }
}

fn wording(category: Category) -> &'static str {
    match category {
        Category::Toxic => "Is this chat message abusive or offensive in any way?",
        Category::Harassment => "Does this chat message insult, bully or abuse a person?",
        Category::Hate => "Does this chat message attack a group of people for who they are?",
        Category::Sexual => "Is this chat message sexual, or does it solicit something sexual?",
        Category::Violence => "Does this chat message threaten violence or call for it?",
        Category::SelfHarm => "Does this chat message speak of an intent to harm oneself, or encourage it?",
        Category::Spam => "Is this chat message unsolicited promotion?",
        Category::Scam => "Is this chat message a scam, a fraud or phishing?",
        Category::SexualMinors => {
            "Does this chat message approach a child sexually, or trade in the abuse of children?"
        }
        Category::Illicit => "Does this chat message trade in illegal goods, or ask how to commit a crime?",
        Category::Extremism => "Does this chat message recruit for a violent movement, or praise its deeds?",
    }
}

/// The mean of the log-odds of both, so that more evidence from either never lowers a harm.
fn blend(ours: Categories, theirs: Categories) -> Categories {
    let mut both = Categories::default();
    for category in Category::ALL {
        let theirs = theirs[category].clamp(1.0 - MAX_PROBABILITY, MAX_PROBABILITY);
        both[category] = sigmoid((logit(ours[category]) + logit(theirs)) / 2.0);
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(p: f64) -> Categories {
        Categories([p; Category::ALL.len()])
    }

    #[test]
    fn two_opinions_meet_in_the_middle_and_neither_is_certain_alone() {
        let agreed = blend(all(0.8), all(0.8));
        assert!((agreed[Category::Hate] - 0.8).abs() < 1e-12);
        assert!((blend(all(0.2), all(0.8))[Category::Spam] - 0.5).abs() < 1e-12);
        assert!(
            blend(all(0.001), all(1.0))[Category::Scam] < 0.5,
            "one who is certain alone does not decide"
        );
        assert!(blend(all(0.5), all(1.0))[Category::Scam] > blend(all(0.5), all(0.9))[Category::Scam]);
    }
}
