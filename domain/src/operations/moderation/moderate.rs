//! Moderates messages and charges for them.

use std::{collections::HashMap, iter, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};

use super::{
    Action, Escalation, RecordedVerdict, TextMessage, Verdict, VerdictLog, VerdictLogs,
    channel::{self, Channels},
    conversation::read_turns,
    policies::{ActivePolicy, Policies},
    scoring::{ask_rules, decide_all, score},
    shadow::{LiveVerdicts, ShadowVerdict, Shadows},
    subject::Subject,
};
use crate::{
    Code, Result,
    foundation::{round, tenant::Tenant},
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
use ports::text::TextEngine;

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
    /// Builds the rows that record the verdicts on messages, with those of the shadow versions of their policies.
    fn record(&mut self, log: &dyn VerdictLog, messages: &[ReadMessage]) -> Vec<SideRow> {
        let ids = iter::once(self.id.clone()).chain(iter::repeat_with(ModerationId::new));
        self.recorded = ids.take(messages.len()).collect();
        let verdicts = self.recorded.iter().zip(messages).zip(&self.verdicts);
        let rows = verdicts.map(|((id, ReadMessage { message, shadow, credits }), verdict)| {
            let latency_ms = self.latency_ms;
            let credits = *credits;
            log.record(RecordedVerdict { id, message, verdict, shadow: *shadow, latency_ms, credits })
        });
        rows.collect()
    }
}

impl Billable for Moderated {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

/// A message to record, with the verdict of its policy's shadow version and its price.
struct ReadMessage {
    message: TextMessage,
    shadow: Option<ShadowVerdict>,
    credits: Amount,
}

/// A message with its policy and its price.
struct PricedMessage {
    message: TextMessage,
    policy: Option<Arc<ActivePolicy>>,
    price: Amount,
}

/// Messages that were moderated for a caller who charges.
pub(crate) struct UnpaidTexts {
    pub(crate) moderated: Moderated,
    /// The rows that record them: none if the account has no moderation log.
    pub(crate) side_rows: Vec<SideRow>,
    /// The price of each.
    pub(crate) prices: Vec<Amount>,
}

/// What is to be done beside the verdicts themselves.
#[derive(Clone, Copy, Default)]
struct Extras<'a> {
    /// The request whose messages are remembered in their channels; without one, none are.
    request: Option<&'a str>,
    /// Whether the client asks for explanations.
    explain: bool,
    /// Whether the verdicts go into a moderation log. It keeps the evidence, whether or not the client asks for it, and
    /// what the shadow versions of policies decide.
    record: bool,
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
        mut payment: Payment,
        messages: Vec<TextMessage>,
        explain: bool,
    ) -> Result<Paid<Moderated>> {
        payment.items = messages.len();
        let each = billing.prices.of(Operation::Text).await?;
        let messages = match self.with_policies(&payment.account, messages, each).await {
            // A request that was answered before its policy was archived gets the same answer again.
            Err(error) if error.code == Code::NotFound => {
                return billing.replayed(&payment).await?.ok_or(error);
            }
            messages => messages?,
        };
        let price = messages.iter().try_fold(Amount::default(), |all, message| all.plus(message.price))?;
        // An escalation may take long, and so may a server that is asked about rules.
        let slow = self.escalation.is_some()
            || price > each.times(payment.items)? && self.policies.questions().may_ask_server();
        let moderation = self.clone();
        let tenant = payment.tenant();
        let request = payment.idempotency.as_ref().map(IdempotencyKey::identity);
        let request = request.unwrap_or_else(|| payment.request_id.to_string());
        // Within the work, so that a replayed answer is not observed again.
        let work = async move {
            let extras = Extras { request: Some(&request), explain, record: false };
            let (outcome, side_rows) = moderation.recorded(&tenant, messages, extras).await?;
            Ok(Done { outcome, side_rows, price: None })
        };
        let cost = if slow { Cost::Held(price) } else { Cost::Reserved(price) };
        billing.run(payment, cost, work).await
    }

    /// Moderates messages for which the caller charges: all or none. `each` is the price of a message without rules in
    /// plain language.
    ///
    /// # Errors
    /// `NOT_FOUND` for a policy, `ENGINE_UNAVAILABLE`, `OVERLOADED`.
    pub(crate) async fn unpaid(
        &self,
        tenant: &Tenant,
        messages: Vec<TextMessage>,
        explain: bool,
        each: Amount,
    ) -> Result<UnpaidTexts> {
        let messages = self.with_policies(&tenant.account, messages, each).await?;
        let prices = messages.iter().map(|message| message.price).collect();
        let extras = Extras { explain, ..Extras::default() };
        let (moderated, side_rows) = self.recorded(tenant, messages, extras).await?;
        Ok(UnpaidTexts { moderated, side_rows, prices })
    }

    /// Returns [`TextModeration::verdicts`] and the rows that record them: none if the account has no moderation log.
    async fn recorded(
        &self,
        tenant: &Tenant,
        messages: Vec<PricedMessage>,
        extras: Extras<'_>,
    ) -> Result<(Moderated, Vec<SideRow>)> {
        let Some(log) = self.logs.of(&tenant.account).await? else {
            return Ok((self.verdicts(tenant, messages, extras).await?.0, Vec::new()));
        };
        let kept: Vec<(TextMessage, Amount)> =
            messages.iter().map(|priced| (priced.message.clone(), priced.price)).collect();
        let recording = Extras { record: true, ..extras };
        let (mut moderated, shadows) = self.verdicts(tenant, messages, recording).await?;
        let kept = kept.into_iter().zip(shadows);
        let kept = kept.map(|((message, credits), shadow)| ReadMessage { message, shadow, credits });
        let side_rows = moderated.record(log.as_ref(), &kept.collect::<Vec<_>>());
        if !extras.explain {
            for verdict in &mut moderated.verdicts {
                verdict.explanation = None;
            }
        }
        Ok((moderated, side_rows))
    }

    /// Finds the policies that messages name, and with them the prices of the messages. The same name means the same
    /// version throughout.
    async fn with_policies(
        &self,
        account: &AccountId,
        messages: Vec<TextMessage>,
        each: Amount,
    ) -> Result<Vec<PricedMessage>> {
        let mut found: HashMap<String, Arc<ActivePolicy>> = HashMap::new();
        for name in messages.iter().filter_map(|message| message.policy.as_ref()) {
            if !found.contains_key(name) {
                found.insert(name.clone(), self.policies.active(account, name).await?);
            }
        }
        let with_policy = messages.into_iter().map(|message| {
            let policy = message.policy.as_ref().and_then(|name| found.get(name).cloned());
            let rules = policy.as_ref().map_or(0, |policy| policy.plain_rules(&message).len());
            let price = each.plus(self.policies.questions().price_of(rules)?)?;
            Ok(PricedMessage { message, policy, price })
        });
        with_policy.collect()
    }

    /// Reads and scores messages, and decides. Also returns the verdicts of the shadow versions of their policies, one
    /// for each message. The model and the memory work at the same time.
    async fn verdicts(
        &self,
        tenant: &Tenant,
        messages: Vec<PricedMessage>,
        Extras { request, explain, record }: Extras<'_>,
    ) -> Result<(Moderated, Vec<Option<ShadowVerdict>>)> {
        let start = Instant::now();
        let flow = Flow::from(tenant);
        let mut shadows = if record {
            Shadows::of(messages.iter().map(|one| (&one.message, one.policy.as_deref())))
        } else {
            Shadows::none()
        };
        let subjects =
            messages.into_iter().map(|one| Subject::new(one.message, one.policy.as_deref(), explain));
        let mut subjects: Vec<Subject> = subjects.collect();
        let asking = self.policies.questions().asking(tenant);
        let observe = async {
            let Some((channels, request)) = self.channels.as_ref().zip(request) else { return Vec::new() };
            let messages = subjects.iter().map(|subject| (&subject.message, &subject.signals));
            channels.observe(&tenant.account, request, messages).await
        };
        let (observed, turns, scores, answers) = tokio::join!(
            observe,
            read_turns(self.engine.as_ref(), flow, &subjects),
            score(self.engine.as_ref(), flow, &subjects, explain || record),
            ask_rules(asking, &subjects)
        );
        let mut scores = scores?;
        let answers = answers?;
        for (index, turns) in turns?.into_iter().enumerate() {
            shadows.follow(index, &turns);
            subjects[index].signals.turns = turns;
        }
        subjects.iter_mut().zip(&answers).for_each(|(subject, answers)| subject.answer(answers));
        for (index, own, before) in observed {
            channel::raise(&mut subjects[index].signals, &own, &before);
            shadows.raise(index, &own, &before);
        }
        let subjects = subjects.as_slice();
        let mut verdicts = decide_all(subjects, &scores);
        if let Some(escalation) = &self.escalation {
            // Boxed, so that requests that do not escalate do not carry its future.
            Box::pin(escalation.revise(tenant, subjects, &mut scores, &mut verdicts)).await;
        }
        let latency_ms = round::milliseconds(start.elapsed().as_secs_f64() * 1e3);
        metrics::histogram!("gavel_engine_seconds", "engine" => "text").record(latency_ms / 1e3);
        for action in Action::ALL {
            let count = verdicts.iter().filter(|verdict| verdict.action == action).count();
            if count > 0 {
                metrics::counter!("gavel_actions_total", "action" => action.as_str()).increment(count as u64);
            }
        }
        let live = LiveVerdicts { flow, subjects, scores: &scores, answers: &answers };
        let shadows = shadows.verdicts(self.engine.as_ref(), asking, live).await;
        Ok((Moderated { id: ModerationId::new(), verdicts, latency_ms, recorded: Vec::new() }, shadows))
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
    let subjects = messages.iter().map(|message| Subject::new(message.clone(), None, explain));
    let subjects: Vec<Subject> = subjects.collect();
    let scores = score(engine, Flow::default(), &subjects, explain).await?;
    Ok(decide_all(&subjects, &scores))
}
