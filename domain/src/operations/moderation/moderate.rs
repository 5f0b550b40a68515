//! Moderates messages and charges for them.

use std::{collections::HashMap, iter, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::{
    Action, Escalation, RecordedVerdict, TextMessage, Verdict, VerdictLog, VerdictLogs,
    channel::{self, Channels},
    policies::{ActivePolicy, Policies},
    policy::decide_by,
    subject::Subject,
};
use crate::{
    Code, Error, Result,
    foundation::round,
    money::{
        amount::Amount,
        billing::{Billable, Billing, Cost, Done, Paid, Payment},
        credits::SideRow,
        idempotency::IdempotencyKey,
        pricing::Operation,
    },
};
use ports::Flow;
use ports::id::{AccountId, ModerationId};
use ports::text::{TextEngine, TextFault, TextInput, TextScores};

/// The verdicts on the messages of one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Moderated {
    /// `mod_…`
    pub id: ModerationId,
    /// One per message, in order.
    pub verdicts: Vec<Verdict>,
    /// Milliseconds from the first message read to the last verdict.
    pub latency_ms: f64,
    /// The ids under which the verdicts are recorded, in order, the first being `id`; empty without a moderation log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<ModerationId>,
}

impl Moderated {
    /// Builds the rows that record the verdicts. `credits`: the price of each.
    fn record(&mut self, log: &dyn VerdictLog, messages: &[TextMessage], credits: Amount) -> Vec<SideRow> {
        let ids = iter::once(self.id.clone()).chain(iter::repeat_with(ModerationId::new));
        self.recorded = ids.take(messages.len()).collect();
        let verdicts = self.recorded.iter().zip(messages).zip(&self.verdicts);
        verdicts
            .map(|((id, message), verdict)| {
                log.record(RecordedVerdict { id, message, verdict, latency_ms: self.latency_ms, credits })
            })
            .collect()
    }
}

impl Billable for Moderated {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

/// Text moderation: the model, the escalation for uncertain actions, and the policies of accounts.
#[derive(Clone)]
pub struct TextModeration {
    pub engine: Arc<dyn TextEngine>,
    /// Asked when the action is uncertain; `None` disables escalation.
    pub escalation: Option<Escalation>,
    /// The policies of accounts.
    pub policies: Policies,
    /// The memory of channels; `None` disables it.
    pub channels: Option<Channels>,
    /// The moderation logs of accounts.
    pub logs: Arc<dyn VerdictLogs>,
}

impl TextModeration {
    /// Moderates messages: all or none, in one charge.
    ///
    /// # Errors
    /// `NOT_FOUND` for a policy that the account does not have or has archived; `INSUFFICIENT_CREDITS`,
    /// `ENGINE_UNAVAILABLE`; nothing is charged then. A failed escalation never fails a request.
    pub async fn moderate(
        &self,
        billing: &Arc<Billing>,
        payment: Payment,
        messages: Vec<TextMessage>,
        explain: bool,
    ) -> Result<Paid<Moderated>> {
        let each = billing.prices.of(Operation::Text).await?;
        let price = each.times(messages.len())?;
        let messages = match self.with_policies(&payment.account, messages).await {
            // A request that was answered before its policy was archived gets the same answer again.
            Err(error) if error.code == Code::NotFound => {
                return billing.replayed(&payment).await?.ok_or(error);
            }
            messages => messages?,
        };
        let moderation = self.clone();
        let account = payment.account.clone();
        let request = payment.idempotency.as_ref().map(IdempotencyKey::identity);
        let request = request.unwrap_or_else(|| payment.request_id.to_string());
        // Within the work, so that a replayed answer is not observed again.
        let work = async move {
            let (outcome, side_rows) =
                moderation.recorded(&account, messages, Some(&request), explain, each).await?;
            Ok(Done { outcome, side_rows })
        };
        // An escalation may take long.
        let cost = if self.escalation.is_some() { Cost::Held(price) } else { Cost::Reserved(price) };
        billing.run(payment, cost, work).await
    }

    /// Moderates messages for which the caller charges: all or none. Also returns the rows that record them, each with
    /// `each` credits of that charge.
    ///
    /// # Errors
    /// `NOT_FOUND` for a policy, `ENGINE_UNAVAILABLE`, `OVERLOADED`.
    pub(crate) async fn unpaid(
        &self,
        account: &AccountId,
        messages: Vec<TextMessage>,
        explain: bool,
        each: Amount,
    ) -> Result<(Moderated, Vec<SideRow>)> {
        let messages = self.with_policies(account, messages).await?;
        self.recorded(account, messages, None, explain, each).await
    }

    /// Returns [`TextModeration::verdicts`] and the rows that record them: none if the account has no moderation log.
    async fn recorded(
        &self,
        account: &AccountId,
        messages: Vec<(TextMessage, Option<Arc<ActivePolicy>>)>,
        request: Option<&str>,
        explain: bool,
        each: Amount,
    ) -> Result<(Moderated, Vec<SideRow>)> {
        let Some(log) = self.logs.of(account).await? else {
            return Ok((self.verdicts(account, messages, request, explain).await?, Vec::new()));
        };
        let kept: Vec<TextMessage> = messages.iter().map(|(message, _)| message.clone()).collect();
        // The log keeps the evidence, whether or not the client asks for it.
        let mut moderated = self.verdicts(account, messages, request, true).await?;
        let side_rows = moderated.record(log.as_ref(), &kept, each);
        if !explain {
            for verdict in &mut moderated.verdicts {
                verdict.explanation = None;
            }
        }
        Ok((moderated, side_rows))
    }

    /// Finds the policies that messages name. The same name means the same version throughout.
    async fn with_policies(
        &self,
        account: &AccountId,
        messages: Vec<TextMessage>,
    ) -> Result<Vec<(TextMessage, Option<Arc<ActivePolicy>>)>> {
        let mut found: HashMap<String, Arc<ActivePolicy>> = HashMap::new();
        for name in messages.iter().filter_map(|message| message.policy.as_ref()) {
            if !found.contains_key(name) {
                found.insert(name.clone(), self.policies.active(account, name).await?);
            }
        }
        let with_policy = messages.into_iter().map(|message| {
            let policy = message.policy.as_ref().and_then(|name| found.get(name).cloned());
            (message, policy)
        });
        Ok(with_policy.collect())
    }

    /// Reads and scores messages, and decides. The messages of `request` are remembered in their channels; without a
    /// request, none are. The model and the memory work at the same time.
    async fn verdicts(
        &self,
        account: &AccountId,
        messages: Vec<(TextMessage, Option<Arc<ActivePolicy>>)>,
        request: Option<&str>,
        explain: bool,
    ) -> Result<Moderated> {
        let start = Instant::now();
        let flow = Flow::from(account);
        let subjects = messages.into_iter().map(|(message, policy)| Subject::new(message, policy.as_deref()));
        let mut subjects: Vec<Subject> = subjects.collect();
        let observe = async {
            let Some((channels, request)) = self.channels.as_ref().zip(request) else { return Vec::new() };
            let messages = subjects.iter().map(|subject| (&subject.message, &subject.signals));
            channels.observe(account, request, messages).await
        };
        let (observed, scores) = tokio::join!(observe, score(self.engine.as_ref(), flow, &subjects, explain));
        let mut scores = scores?;
        for (index, own, before) in observed {
            channel::raise(&mut subjects[index].signals, &own, &before);
        }
        let subjects = subjects.as_slice();
        let mut verdicts = decide_all(subjects, &scores);
        if let Some(escalation) = &self.escalation {
            // Boxed, so that requests that do not escalate do not carry its future.
            Box::pin(escalation.revise(flow, subjects, &mut scores, &mut verdicts)).await;
        }
        let latency_ms = round::milliseconds(start.elapsed().as_secs_f64() * 1e3);
        metrics::histogram!("gavel_engine_seconds", "engine" => "text").record(latency_ms / 1e3);
        for action in Action::ALL {
            let count = verdicts.iter().filter(|verdict| verdict.action == action).count();
            if count > 0 {
                metrics::counter!("gavel_actions_total", "action" => action.as_str()).increment(count as u64);
            }
        }
        Ok(Moderated { id: ModerationId::new(), verdicts, latency_ms, recorded: Vec::new() })
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
    let subjects: Vec<Subject> = messages.iter().map(|message| Subject::new(message.clone(), None)).collect();
    let scores = score(engine, Flow::default(), &subjects, explain).await?;
    Ok(decide_all(&subjects, &scores))
}

pub(super) async fn score(
    engine: &dyn TextEngine,
    flow: Flow,
    subjects: &[Subject],
    explain: bool,
) -> Result<Vec<TextScores>> {
    let inputs = subjects
        .iter()
        .map(|subject| TextInput {
            content: subject.content().to_owned(),
            mode: subject.message.mode,
            explain,
        })
        .collect();
    let span = tracing::info_span!("engine", engine = "text", messages = subjects.len());
    let scores = engine.score(flow, inputs).instrument(span).await.map_err(|fault| match fault {
        TextFault::Busy => {
            Error::new(Code::Overloaded, "too many messages wait to be scored; try again shortly")
        }
        TextFault::Engine(error) => unavailable(error),
    })?;
    if scores.len() != subjects.len() {
        return Err(unavailable("the text engine answered for another number of messages"));
    }
    Ok(scores)
}

fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let message = "the text engine could not answer; nothing was charged";
    Error { cause: Some(cause.into()), ..Error::new(Code::EngineUnavailable, message) }
}

pub(super) fn decide_all(subjects: &[Subject], scores: &[TextScores]) -> Vec<Verdict> {
    subjects
        .iter()
        .zip(scores)
        .map(|(subject, scores)| decide_by(&subject.signals, scores, subject.policy.as_ref()))
        .collect()
}
