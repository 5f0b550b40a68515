//! Moderates messages and charges for them.

use std::{sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};

use super::{Escalation, TextEngine, TextFault, TextInput, TextMessage, TextScores, Verdict, decide, read};
use crate::{
    Code, Error, Flow, Result,
    billing::{Billable, Billing, Cost, Paid, Payment},
    id::ModerationId,
    pricing::Operation,
    round,
};

/// The verdicts on the messages of one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Moderated {
    /// `mod_…`
    pub id: ModerationId,
    /// One per message, in order.
    pub verdicts: Vec<Verdict>,
    /// Milliseconds from the first message read to the last verdict.
    pub latency_ms: f64,
}

impl Billable for Moderated {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

/// Text moderation: the model, and the escalation for uncertain actions.
#[derive(Clone)]
pub struct TextModeration {
    pub engine: Arc<dyn TextEngine>,
    /// Called when the action is uncertain; `None` disables escalation.
    pub escalation: Option<Escalation>,
}

impl TextModeration {
    /// Moderates messages: all or none, in one charge.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS`, `ENGINE_UNAVAILABLE`; nothing is charged then. A failed escalation never fails a
    /// request.
    pub async fn moderate(
        &self,
        billing: &Arc<Billing>,
        payment: Payment,
        messages: Vec<TextMessage>,
        explain: bool,
    ) -> Result<Paid<Moderated>> {
        let price = billing.prices.of(Operation::Text).await?.times(messages.len())?;
        let (moderation, flow) = (self.clone(), Flow::from(&payment.account));
        let cost = if self.escalation.is_some() { Cost::Held(price) } else { Cost::Reserved(price) };
        let work = async move { moderation.verdicts(flow, &messages, explain).await };
        billing.run(payment, cost, work).await
    }

    /// Moderates messages whose charge somebody else makes: all or none.
    ///
    /// # Errors
    /// `ENGINE_UNAVAILABLE`, `OVERLOADED`.
    pub(crate) async fn verdicts(
        &self,
        flow: Flow,
        messages: &[TextMessage],
        explain: bool,
    ) -> Result<Moderated> {
        let start = Instant::now();
        let mut scores = score(self.engine.as_ref(), flow, messages, explain).await?;
        let mut verdicts = verdicts(messages, &scores);
        if let Some(escalation) = &self.escalation {
            // Boxed, so that requests that do not escalate do not carry its future.
            Box::pin(escalation.revise(flow, messages, &mut scores, &mut verdicts)).await;
        }
        let latency_ms = round::milliseconds(start.elapsed().as_secs_f64() * 1e3);
        metrics::histogram!("gavel_engine_seconds", "engine" => "text").record(latency_ms / 1e3);
        for verdict in &verdicts {
            metrics::counter!("gavel_actions_total", "action" => verdict.action.as_str()).increment(1);
        }
        Ok(Moderated { id: ModerationId::new(), verdicts, latency_ms })
    }
}

/// Moderates without a charge, for the command line. Never escalates.
///
/// # Errors
/// `ENGINE_UNAVAILABLE`, `OVERLOADED`.
pub async fn evaluate(
    engine: &dyn TextEngine,
    messages: &[TextMessage],
    explain: bool,
) -> Result<Vec<Verdict>> {
    let scores = score(engine, Flow::default(), messages, explain).await?;
    Ok(verdicts(messages, &scores))
}

async fn score(
    engine: &dyn TextEngine,
    flow: Flow,
    messages: &[TextMessage],
    explain: bool,
) -> Result<Vec<TextScores>> {
    let inputs = messages
        .iter()
        .map(|message| TextInput { content: message.content.clone(), mode: message.mode, explain })
        .collect();
    let unavailable = |cause| {
        let error =
            Error::new(Code::EngineUnavailable, "the text engine could not answer; nothing was charged");
        Error { cause: Some(cause), ..error }
    };
    let scores = engine.score(flow, inputs).await.map_err(|fault| match fault {
        TextFault::Busy => {
            Error::new(Code::Overloaded, "too many messages wait to be scored; try again shortly")
        }
        TextFault::Engine(error) => unavailable(error.into()),
    })?;
    if scores.len() != messages.len() {
        return Err(unavailable("the text engine answered for another number of messages".into()));
    }
    Ok(scores)
}

fn verdicts(messages: &[TextMessage], scores: &[TextScores]) -> Vec<Verdict> {
    messages.iter().zip(scores).map(|(message, scores)| decide(&read(message), scores)).collect()
}
