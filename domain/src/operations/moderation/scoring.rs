//! Asks the text engine, and decides on what it says.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tracing::Instrument as _;

use super::{
    Verdict,
    plain_rules::{RuleAsking, RuleProbabilities},
    policy::decide_by,
    subject::Subject,
};
use crate::{Code, Error, Result, foundation::traces::child_span};
use ports::Flow;
use ports::text::{TextEngine, TextFault, TextInput, TextScores};

/// Messages about whose rules the decision model is asked at once.
pub(super) const ASKED_AT_ONCE: usize = 8;

/// # Errors
/// `ENGINE_UNAVAILABLE`, `OVERLOADED`.
pub(super) async fn score<'a>(
    engine: &dyn TextEngine,
    flow: Flow,
    subjects: impl IntoIterator<Item = &'a Subject>,
    explain: bool,
) -> Result<Vec<TextScores>> {
    let inputs = subjects.into_iter().map(|subject| TextInput {
        content: subject.content().to_owned(),
        mode: subject.message.mode,
        explain,
    });
    scored(engine, flow, inputs.collect()).await
}

/// Scores texts.
///
/// # Errors
/// `ENGINE_UNAVAILABLE`, `OVERLOADED`.
pub(super) async fn scored(
    engine: &dyn TextEngine,
    flow: Flow,
    inputs: Vec<TextInput>,
) -> Result<Vec<TextScores>> {
    let count = inputs.len();
    let span = child_span!("engine", engine = "text", messages = count);
    let scores = engine.score(flow, inputs).instrument(span).await.map_err(|fault| match fault {
        TextFault::Busy => {
            Error::new(Code::Overloaded, "too many messages wait to be scored; try again shortly")
        }
        TextFault::Engine(error) => unavailable(error),
    })?;
    if scores.len() != count {
        return Err(unavailable("the text engine answered for another number of messages"));
    }
    Ok(scores)
}

/// The probabilities that messages break the rules in plain language of their policies.
///
/// # Errors
/// `ENGINE_UNAVAILABLE`, `OVERLOADED`, `UPSTREAM_FAILED`.
pub(super) async fn ask_rules(
    asking: RuleAsking<'_>,
    subjects: &[Subject],
) -> Result<Vec<RuleProbabilities>> {
    // Collected: the compiler cannot tell that a stream of borrowing closures may cross threads.
    let asked: Vec<_> = subjects.iter().map(|subject| asking.ask(subject.query())).collect();
    stream::iter(asked).buffered(ASKED_AT_ONCE).try_collect().await
}

fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let message = "the text engine could not answer; nothing was charged";
    Error { cause: Some(cause.into()), ..Error::new(Code::EngineUnavailable, message) }
}

pub(super) fn decide_all(subjects: &[Subject], scores: &[TextScores]) -> Vec<Verdict> {
    subjects.iter().zip(scores).map(|(subject, scores)| decide_one(subject, scores)).collect()
}

pub(super) fn decide_one(subject: &Subject, scores: &TextScores) -> Verdict {
    decide_by(&subject.signals, scores, subject.policy.as_ref())
}
