//! Tries rules on messages before they are saved: the verdicts by the rules, beside those without a policy. A dry run
//! is a moderation, and is charged like one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Error, Result,
    foundation::{
        actor::{Actor, Role},
        allowed_backends::AllowedBackends,
    },
    money::{
        billing::{Billable, Billing, Cost, FinishFlag, Paid, Payment},
        credits::Payer,
        pricing::Operation,
    },
    operations::moderation::{
        TextMessage, TextModeration, Verdict,
        scoring::{ask_rules, decide_all, score},
        subject::Subject,
    },
};
use ports::Flow;
use ports::id::{ModerationId, RequestId};

/// The operation's name in the ledger.
const ENDPOINT: &str = "dryRunModerationPolicy";
/// Maximum number of messages of a dry run.
const MAX_MESSAGES: usize = 50;

/// The verdicts of a dry run, one for each message, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DryRun {
    id: ModerationId,
    pub verdicts: Vec<DryVerdict>,
}

/// The verdicts on a message, both with explanations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DryVerdict {
    pub by_policy: Verdict,
    pub without_policy: Verdict,
}

impl Billable for DryRun {
    fn reference(&self) -> String {
        self.id.to_string()
    }
}

impl TextModeration {
    /// Moderates messages by rules that need not be saved, and without a policy, in one charge: for each, the price of
    /// one text message, and that of its rules in plain language. Never escalates.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `INSUFFICIENT_CREDITS`, `ENGINE_UNAVAILABLE`,
    /// `OVERLOADED`; nothing is charged then.
    pub async fn dry_run(
        &self,
        billing: &Arc<Billing>,
        actor: &Actor,
        rules: &Value,
        messages: Vec<TextMessage>,
    ) -> Result<Paid<DryRun>> {
        actor.require(Role::Editor)?;
        let size = messages.len();
        if !(1..=MAX_MESSAGES).contains(&size) {
            return Err(Error::invalid(
                "messages",
                format!("must have 1 to {MAX_MESSAGES} items, not {size}"),
            ));
        }
        let rules = self.policies.compile_draft(&actor.account, "rules", rules).await?;
        let mut price = billing.prices.of(Operation::Text).await?.times(size)?;
        for message in &messages {
            let channel = message.named_channel();
            let asked = rules.plain().iter().filter(|rule| rule.applies_in(channel)).count();
            price = price.plus(self.policies.questions().price_of(asked)?)?;
        }
        // Learning from examples is work too.
        billing.credits.require_balance(&actor.account, price).await?;
        let policy = self.policies.draft(&actor.account, rules).await?;
        let finish = FinishFlag::default();
        let payment = Payment {
            account: actor.account.clone(),
            payer: Payer::from(actor),
            backends: AllowedBackends::of(self.policies.db(), &actor.account, actor.name()).await?,
            judge: None,
            endpoint: ENDPOINT,
            items: size,
            request_id: RequestId::new(),
            at: None,
            finish: finish.clone(),
            idempotency: None,
        };
        let engine = self.engine.clone();
        let questions = self.policies.questions().clone();
        let tenant = payment.tenant();
        let cost = match questions.may_ask_server() {
            true => Cost::Held(price),
            false => Cost::Reserved(price),
        };
        let work = async move {
            let flow = Flow::from(&tenant);
            let plain: Vec<Subject> =
                messages.iter().map(|message| Subject::new(message.clone(), None, true)).collect();
            let mut ruled: Vec<Subject> =
                messages.into_iter().map(|message| Subject::new(message, Some(&policy), true)).collect();
            let scores = score(engine.as_ref(), flow, &plain, true);
            let (scores, answers) = tokio::try_join!(scores, ask_rules(questions.asking(&tenant), &ruled))?;
            ruled.iter_mut().zip(&answers).for_each(|(subject, answers)| subject.answer(answers));
            // Scores change when the rules take something out of a message.
            let masked = ruled.iter().any(|subject| subject.content() != subject.message.content);
            let scores_by_policy =
                if masked { score(engine.as_ref(), flow, &ruled, true).await? } else { scores.clone() };
            let verdicts = decide_all(&ruled, &scores_by_policy).into_iter().zip(decide_all(&plain, &scores));
            let verdicts =
                verdicts.map(|(by_policy, without_policy)| DryVerdict { by_policy, without_policy });
            Ok(DryRun { id: ModerationId::new(), verdicts: verdicts.collect() })
        };
        // An operation that has timed out is not charged.
        let _given_up = SetOnDrop(finish);
        billing.run(payment, cost, work).await
    }
}

/// Sets a flag when its request ends, however it ends.
struct SetOnDrop(FinishFlag);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}
