//! What the demo account begins with, so that every page of the dashboard shows something real: the services do it all,
//! paid for with the account's credits. The verdicts, the answers and what they cost are real; their times are made up:
//! they are dated back over two weeks, in the order of the ledger, so that charts have a shape.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Result,
    foundation::{
        actor::{Actor, Identity, Role},
        allowed_backends::AllowedBackends,
    },
    learning::{
        checkpoint::NewCheckpoint,
        dataset::import::{ImportFormat, ImportOptions},
        judge::{InferenceDraft, Judge, NewJudge},
    },
    money::{
        billing::{FinishFlag, Payment},
        credits::Payer,
    },
    operations::{
        inference::Backend,
        moderation::{TextDraft, TextMessage, policies::NewPolicy},
    },
    services::Services,
};
use ports::{
    decision::{DecisionMode, DecisionState},
    id::{AccountId, DatasetId, KeyId, RequestId},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

const POLICY: &str = "community";
const MESSAGES: &str = include_str!("messages.jsonl");
/// The template of the Judge, and examples with their ground truths.
const TEMPLATE: &str = include_str!("../../../dashboard/src/templates/support-routing.json");
const TICKETS: &str = include_str!("../../../presets/examples/support-routing.jsonl");
/// The tickets that the Judge is asked; the others are imported.
const ASKED_TICKETS: usize = 24;
const RETENTION_DAYS: i32 = 30;
/// What is asked in each half of a day, from the first to the last: messages, then tickets.
const HALF_DAYS: [HalfDay; 26] = [
    HalfDay(1, 1),
    HalfDay(2, 0),
    HalfDay(2, 1),
    HalfDay(3, 1),
    HalfDay(1, 2),
    HalfDay(3, 1),
    HalfDay(1, 1),
    HalfDay(2, 1),
    HalfDay(2, 2),
    HalfDay(4, 1),
    HalfDay(0, 0),
    HalfDay(2, 0),
    HalfDay(1, 0),
    HalfDay(1, 1),
    HalfDay(1, 1),
    HalfDay(2, 2),
    HalfDay(2, 1),
    HalfDay(3, 1),
    HalfDay(1, 1),
    HalfDay(4, 2),
    HalfDay(1, 1),
    HalfDay(3, 1),
    HalfDay(2, 0),
    HalfDay(1, 0),
    HalfDay(1, 1),
    HalfDay(2, 1),
];

/// The number of messages and of tickets.
#[derive(Clone, Copy)]
struct HalfDay(usize, usize);

/// When the account begins: before all of the examples.
pub(super) fn beginning() -> DateTime<Utc> {
    Utc::now() - TimeDelta::hours(12 * HALF_DAYS.len() as i64)
}

/// Seeds an account.
pub(super) struct Seed {
    services: Services,
    actor: Actor,
    key: KeyId,
}

#[derive(Deserialize)]
struct Message {
    author: String,
    channel: String,
    content: String,
}

#[derive(Deserialize)]
struct Template {
    name: String,
    description: String,
    instructions: Map<String, Value>,
}

#[derive(Deserialize)]
struct Ticket {
    state: String,
    truths: Map<String, Value>,
}

impl Seed {
    /// Seeds `account` as its API key `key` would.
    pub(super) fn new(services: &Services, account: &AccountId, key: &KeyId) -> Self {
        let actor = Actor {
            account: account.clone(),
            identity: Identity::Key(key.clone()),
            role: Role::Editor,
            operator: false,
        };
        Self { services: services.clone(), actor, key: key.clone() }
    }

    /// Seeds in the background; a failure is only logged, since the demo works without.
    pub(super) fn start(self) {
        tokio::spawn(async move {
            if let Err(error) = self.run().await {
                tracing::warn!(%error, cause = ?error.cause, "the demo account could not be filled with examples");
            }
        });
    }

    async fn run(&self) -> Result<()> {
        self.policy().await?;
        let tickets: Vec<Ticket> = read_lines(TICKETS)?;
        let (asked, imported) = tickets.split_at(ASKED_TICKETS.min(tickets.len()));
        let judge = self.judge(imported).await?;
        self.ask(&judge, asked).await?;
        let new = NewCheckpoint { judge: judge.id, auto_activate: true };
        self.services.checkpoints.submit(&self.actor, new, None).await?;
        Ok(())
    }

    /// A policy, and a moderation log.
    async fn policy(&self) -> Result<()> {
        let rules = json!({
            "categories": { "spam": { "weight": 1.5 } },
            "block": [{ "action": "timeout", "phrases": ["guaranteed profit"] }],
            "allow": { "domains": ["github.com"] },
        });
        let policy = NewPolicy {
            name: POLICY.to_owned(),
            description: "What the demo's community allows.".to_owned(),
            rules,
        };
        self.services.policies.create(&self.actor, policy).await?;
        self.services.moderation_logs.set(&self.actor, true, RETENTION_DAYS).await?;
        Ok(())
    }

    /// Moderates messages and asks the Judge about tickets, half a day after half a day, all of them by the last one.
    async fn ask(&self, judge: &Judge, tickets: &[Ticket]) -> Result<()> {
        let mut messages = read_lines::<Message>(MESSAGES)?.into_iter();
        let mut tickets = tickets.iter();
        let mut at = beginning();
        for (number, HalfDay(of_messages, of_tickets)) in HALF_DAYS.into_iter().enumerate() {
            at += TimeDelta::hours(12);
            let is_last = number + 1 == HALF_DAYS.len();
            let some = messages.by_ref().take(if is_last { usize::MAX } else { of_messages });
            // Not all at the same hour of the day.
            let minutes = TimeDelta::minutes((number as i64 * 97) % 400);
            self.moderate(some.collect(), at - minutes).await?;
            for ticket in tickets.by_ref().take(if is_last { usize::MAX } else { of_tickets }) {
                self.infer(judge, ticket, at).await?;
            }
        }
        Ok(())
    }

    /// Moderates messages by the policy.
    async fn moderate(&self, messages: Vec<Message>, at: DateTime<Utc>) -> Result<()> {
        if messages.is_empty() {
            return Ok(());
        }
        let mut parsed = Vec::with_capacity(messages.len());
        for Message { author, channel, content } in messages {
            let draft = TextDraft {
                content,
                author: Some(author),
                channel: Some(channel),
                account_age_days: 30,
                policy: Some(POLICY.to_owned()),
                ..TextDraft::default()
            };
            parsed.push(TextMessage::parse("", draft)?);
        }
        let payment = self.payment("/api/v1/moderate/text/batch", at);
        self.services.text.moderate(&self.services.billing, payment, parsed, false).await?;
        Ok(())
    }

    async fn infer(&self, judge: &Judge, ticket: &Ticket, at: DateTime<Utc>) -> Result<()> {
        let draft = InferenceDraft {
            state: DecisionState::parse("state", Value::String(ticket.state.clone()))?,
            instructions: None,
            asked_in: "instructions",
            backend: Backend::default(),
            model: "auto".to_owned(),
            mode: DecisionMode::default(),
            parameters: Map::new(),
            judge: Some(judge.id.to_string()),
        };
        let payment = self.payment("/api/v1/inference", at);
        self.services.judge_inference.infer(payment, draft.validate()?).await?;
        Ok(())
    }

    /// A Judge with imported tickets.
    async fn judge(&self, imported: &[Ticket]) -> Result<Judge> {
        let template: Template = serde_json::from_str(TEMPLATE).map_err(domain::Error::internal)?;
        let keys: Vec<String> = template.instructions.keys().cloned().collect();
        let new = NewJudge {
            name: template.name,
            description: template.description,
            instructions: Value::Object(template.instructions),
            parameters: Map::new(),
            state_schema: None,
            store_content: true,
        };
        let judge = self.services.judges.create(&self.actor, new).await?;
        let lines = imported.iter().map(|Ticket { state, truths }| {
            let known = truths.iter().filter(|(key, _)| keys.contains(key));
            let known: Map<String, Value> = known.map(|(key, value)| (key.clone(), value.clone())).collect();
            json!({ "state": state, "ground_truth": known }).to_string()
        });
        let file = lines.collect::<Vec<_>>().join("\n");
        let options = ImportOptions {
            dataset: DatasetId::from(&judge.id),
            format: ImportFormat::Jsonl,
            dry_run: false,
            once: None,
        };
        self.services.datasets.import(&self.actor, options, std::io::Cursor::new(file)).await?;
        Ok(judge)
    }

    fn payment(&self, endpoint: &'static str, at: DateTime<Utc>) -> Payment {
        Payment {
            account: self.actor.account.clone(),
            payer: Payer::Key(self.key.clone()),
            backends: AllowedBackends::all(),
            judge: None,
            endpoint,
            items: 1,
            request_id: RequestId::new(),
            at: Some(at),
            finish: FinishFlag::default(),
            idempotency: None,
        }
    }
}

/// Reads JSON lines.
fn read_lines<T: for<'a> Deserialize<'a>>(lines: &str) -> Result<Vec<T>> {
    lines.lines().map(|line| serde_json::from_str(line).map_err(domain::Error::internal)).collect()
}
