//! The whole line from messages to paid-for verdicts.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{TextMessage, Verdict, decide, read};
use crate::{
    Code, Context, Error, Result,
    id::ModerationId,
    paid::{self, Billable, Caller, Paid, Security},
    ports::TextInput,
    pricing::Operation,
};

/// The verdicts on the messages of one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Moderated {
    /// `mod_…`
    pub id: ModerationId,
    /// One a message, in order.
    pub verdicts: Vec<Verdict>,
    /// From the first message read to the last verdict, in milliseconds.
    pub latency_ms: f64,
}

impl Billable for Moderated {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

/// Moderates messages: all or none, charged as one.
///
/// # Errors
/// `INSUFFICIENT_CREDITS`, `ENGINE_UNAVAILABLE`; nothing is charged then.
pub async fn moderate(
    ctx: &Context,
    caller: Caller,
    messages: Vec<TextMessage>,
    explain: bool,
) -> Result<Paid<Moderated>> {
    let cost = ctx.prices.of(Operation::Text).await?.times(messages.len())?;
    let engine = ctx.text.clone();
    let work = async move {
        let start = Instant::now();
        let verdicts = judge(engine.as_ref(), &messages, explain).await?;
        let latency_ms = start.elapsed().as_secs_f64() * 1e3;
        metrics::histogram!("gavel_engine_seconds", "engine" => "text").record(latency_ms / 1e3);
        Ok(Moderated { id: ModerationId::new(), verdicts, latency_ms })
    };
    paid::run(ctx, caller, cost, Security::Reservation, work).await
}

/// Verdicts without anybody paying, for the command line.
pub async fn judge(
    engine: &dyn crate::ports::TextEngine,
    messages: &[TextMessage],
    explain: bool,
) -> Result<Vec<Verdict>> {
    let inputs = messages
        .iter()
        .map(|message| TextInput { content: message.content.clone(), mode: message.mode, explain })
        .collect();
    let unavailable = |cause| {
        let error =
            Error::new(Code::EngineUnavailable, "the text engine could not answer; nothing was charged");
        Error { cause: Some(cause), ..error }
    };
    let scores = engine.score(inputs).await.map_err(|error| unavailable(error.into()))?;
    if scores.len() != messages.len() {
        return Err(unavailable("the text engine answered for another number of messages".into()));
    }
    Ok(messages.iter().zip(&scores).map(|(message, scores)| decide(&read(message), scores)).collect())
}
