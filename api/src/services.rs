//! The domain services that the API calls. The composition root makes them once.

use std::sync::Arc;

use domain::{
    background::{
        job::{JobEndTable, Jobs},
        webhook::{WebhookSender, Webhooks},
    },
    batch::{BatchSetup, BatchTable, Batches},
    foundation::{audit::AuditLog, database::Database, events::Events},
    learning::{
        checkpoint::CheckpointTable, evaluation::EvaluationTable, moderation_log::ModerationLogs,
        sample::SampleTable,
    },
    money::{
        billing::Billing,
        credits::{DoubtJournal, Ledger, SideTable},
    },
    operations::{
        inference::Inference,
        moderation::{TextModeration, image::ImageModeration, policies::Policies},
    },
    people::{
        account::{Accounts, SignUp},
        api_key::{ApiKeys, KeyRing},
        session::{Sessions, SignIn},
    },
};
use ports::training::Trainer;

/// The services that handlers and resolvers call. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    pub db: Database,
    pub billing: Arc<Billing>,
    pub events: Events,
    pub jobs: Jobs,
    pub keys: Arc<KeyRing>,
    pub sign_in: Arc<SignIn>,
    pub accounts: Accounts,
    pub api_keys: ApiKeys,
    pub sessions: Sessions,
    pub ledger: Ledger,
    pub audit_log: AuditLog,
    pub text: TextModeration,
    /// Moderation policies of accounts.
    pub policies: Policies,
    /// Moderation logs of accounts.
    pub moderation_logs: ModerationLogs,
    pub image: ImageModeration,
    pub inference: Inference,
    pub batches: Batches,
    pub webhooks: Webhooks,
    /// Trains Checkpoints; none without a decision model in process.
    pub trainer: Option<Arc<dyn Trainer>>,
}

/// What the services are made of.
pub struct ServiceParts {
    pub text: TextModeration,
    pub image: ImageModeration,
    pub inference: Inference,
    pub batches: BatchSetup,
    /// Sends webhooks, and says which URLs it may send to.
    pub webhooks: Arc<dyn WebhookSender>,
    /// Who may sign up.
    pub sign_up: SignUp,
}

impl Services {
    /// Starts the tasks of this process on a migrated database; nothing is trained until `trainer` is set.
    /// `journal` keeps charges in doubt. Must run inside a Tokio runtime.
    pub fn start(db: Database, jobs: Jobs, parts: ServiceParts, journal: Option<DoubtJournal>) -> Self {
        let ServiceParts { mut text, image, inference, batches, webhooks, sign_up } = parts;
        let events = Events::start(db.clone());
        let policies = Policies::start(db.clone(), events.clone());
        text.policies = Some(policies.clone());
        let moderation_logs = ModerationLogs::new(db.clone());
        text.logs = Some(Arc::new(moderation_logs.clone()));
        let side_tables: Vec<Arc<dyn SideTable>> = vec![
            Arc::new(SampleTable { events: events.clone() }),
            Arc::new(BatchTable { db: db.clone(), events: events.clone() }),
            Arc::new(CheckpointTable { db: db.clone(), events: events.clone() }),
            Arc::new(EvaluationTable { events: events.clone() }),
            Arc::new(JobEndTable),
        ];
        let billing = Arc::new(Billing::start(db.clone(), events.clone(), side_tables, journal));
        let batches = Batches {
            db: db.clone(),
            billing: billing.clone(),
            events: events.clone(),
            jobs: jobs.clone(),
            inference: inference.clone(),
            wire: batches.wire,
            limits: batches.limits,
        };
        Self {
            billing,
            keys: Arc::new(KeyRing::new(db.clone())),
            sign_in: Arc::default(),
            accounts: Accounts::with_sign_up(db.clone(), sign_up),
            api_keys: ApiKeys::new(db.clone()),
            sessions: Sessions::new(db.clone()),
            ledger: Ledger::new(db.clone()),
            audit_log: AuditLog::new(db.clone()),
            events,
            webhooks: Webhooks { db: db.clone(), jobs: jobs.clone(), sender: webhooks },
            jobs,
            text,
            policies,
            moderation_logs,
            image,
            inference,
            batches,
            trainer: None,
            db,
        }
    }
}
