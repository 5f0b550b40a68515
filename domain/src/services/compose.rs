//! The services of a process.

use std::sync::Arc;

use crate::{
    background::{
        job::{JobEndTable, JobQueue, Jobs, PaidJobs, Workers},
        webhook::{WebhookSender, Webhooks},
    },
    batch::{BatchSetup, BatchTable, Batches, Files},
    foundation::{audit::AuditLog, database::Database, events::Events, failed_requests::FailedRequests},
    learning::{
        checkpoint::{CheckpointTable, Checkpoints},
        dataset::{Datasets, stats::Statistics},
        evaluation::{EvaluationTable, Evaluations},
        judge::{JudgeInference, Judges},
        moderation_log::ModerationLogs,
        sample::SampleTable,
    },
    money::{
        amount::Amount,
        billing::Billing,
        credits::{DoubtJournal, LedgerReader, SideTables},
    },
    operations::{
        inference::{Inference, NamedModel},
        moderation::{
            Escalation, MixedModeration, TextModeration, channel::Channels, image::ImageModeration,
            plain_rules::RuleQuestions, policies::Policies,
        },
    },
    people::{
        account::{Accounts, SignUp},
        api_key::{ApiKeys, KeyRing},
        mail::{Mails, OptionalMails},
        proof_of_work::ProofsOfWork,
        saved_view::SavedViews,
        session::{Sessions, SignIn},
    },
};
use ports::{catalog::ModelCatalog, text::TextEngine, training::Trainer};

/// The services of a process. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    pub db: Database,
    pub billing: Arc<Billing>,
    pub events: Events,
    pub jobs: Jobs,
    pub keys: Arc<KeyRing>,
    pub proofs: ProofsOfWork,
    pub sign_in: Arc<SignIn>,
    pub mails: Mails,
    /// Which e-mails people want.
    pub subscriptions: OptionalMails,
    /// People's views of the moderation queue.
    pub saved_views: SavedViews,
    /// The processes that run jobs.
    pub workers: Workers,
    /// Requests that were refused or failed.
    pub failed_requests: FailedRequests,
    /// The models of this process, if it knows them.
    pub models: Option<Arc<dyn ModelCatalog>>,
    pub accounts: Accounts,
    pub api_keys: ApiKeys,
    pub sessions: Sessions,
    pub ledger: LedgerReader,
    pub audit_log: AuditLog,
    pub text: TextModeration,
    /// Moderation policies of accounts.
    pub policies: Policies,
    pub judges: Judges,
    pub judge_inference: JudgeInference,
    pub datasets: Datasets,
    pub statistics: Statistics,
    pub moderation_logs: ModerationLogs,
    pub image: ImageModeration,
    /// Texts and pictures together.
    pub mixed: MixedModeration,
    pub inference: Inference,
    pub batches: Batches,
    /// Files of clients that speak OpenAI's API.
    pub files: Files,
    pub checkpoints: Checkpoints,
    pub evaluations: Evaluations,
    pub webhooks: Webhooks,
}

/// What the services are made of.
pub struct ServiceParts {
    /// A migrated database.
    pub db: Database,
    /// Delivers jobs to workers; without it, they find jobs in the table.
    pub queue: Option<Arc<dyn JobQueue>>,
    /// Keeps charges in doubt; without it, they are in memory alone.
    pub journal: Option<DoubtJournal>,
    pub text: TextParts,
    pub image: ImageModeration,
    pub inference: Inference,
    /// Trains Checkpoints; none without a decision model in process.
    pub trainer: Option<Arc<dyn Trainer>>,
    pub batches: BatchSetup,
    /// Sends webhooks, and says which URLs it may send to.
    pub webhooks: Arc<dyn WebhookSender>,
    /// Who may sign up.
    pub sign_up: SignUp,
    /// What strangers compute before their passwords are hashed.
    pub proofs: ProofsOfWork,
    /// Sends e-mail, if it is configured.
    pub mails: Mails,
    /// The models of this process.
    pub models: Option<Arc<dyn ModelCatalog>>,
}

/// What text moderation is made of.
pub struct TextParts {
    pub engine: Arc<dyn TextEngine>,
    /// Called when the action is uncertain; `None` disables escalation.
    pub escalation: Option<Escalation>,
    /// What has been said in channels; none where it is not remembered.
    pub channels: Option<Channels>,
    /// The backend that is asked about rules in plain language in place of the default model.
    pub plain_rules_backend: Option<NamedModel>,
    /// The price of every ten rules in plain language, or part of ten, that are asked about a message.
    pub plain_rules_price: Amount,
}

impl TextParts {
    fn questions(&self, inference: &Inference) -> RuleQuestions {
        RuleQuestions::new(inference.local.clone(), self.plain_rules_backend.clone(), self.plain_rules_price)
    }
}

impl Services {
    /// Composes the services and starts the tasks of this process. Must run inside a Tokio runtime.
    pub fn start(parts: ServiceParts) -> Self {
        let ServiceParts { db, queue, journal, text, image, inference, trainer, batches, webhooks, .. } =
            parts;
        let events = Events::start(db.clone());
        let jobs = Jobs::new(db.clone(), queue);
        let questions = text.questions(&inference);
        let policies = Policies::start(db.clone(), events.clone(), questions);
        let moderation_logs = ModerationLogs::new(db.clone(), policies.clone());
        let side_tables = side_tables(&db, &events);
        let billing = Arc::new(Billing::start(db.clone(), events.clone(), side_tables, journal));
        let paid =
            PaidJobs { db: db.clone(), billing: billing.clone(), events: events.clone(), jobs: jobs.clone() };
        let judges = Judges::new(db.clone());
        let text = text_moderation(text, &policies, &moderation_logs);
        let image = ImageModeration { logs: Some(Arc::new(moderation_logs.clone())), ..image };
        let files = Files { db: db.clone(), limits: batches.limits };
        let checkpoints = Checkpoints { paid: paid.clone(), judges: judges.clone(), trainer };
        Self {
            judge_inference: JudgeInference {
                judges: judges.clone(),
                inference: inference.clone(),
                billing: billing.clone(),
            },
            datasets: Datasets::new(db.clone()),
            statistics: Statistics::new(db.clone()),
            keys: Arc::new(KeyRing::new(db.clone())),
            sign_in: Arc::new(SignIn::new(db.clone(), parts.proofs.clone(), parts.mails.clone())),
            accounts: Accounts::with_sign_up(
                db.clone(),
                parts.sign_up,
                parts.proofs.clone(),
                parts.mails.clone(),
            ),
            mails: parts.mails,
            subscriptions: OptionalMails::new(db.clone()),
            saved_views: SavedViews::new(db.clone()),
            workers: Workers::new(db.clone()),
            failed_requests: FailedRequests::start(db.clone()),
            models: parts.models,
            proofs: parts.proofs,
            api_keys: ApiKeys::new(db.clone()),
            sessions: Sessions::new(db.clone()),
            ledger: LedgerReader::new(db.clone()),
            audit_log: AuditLog::new(db.clone()),
            mixed: MixedModeration { text: text.clone(), image: image.clone() },
            text,
            policies: policies.clone(),
            moderation_logs,
            image,
            batches: Batches {
                paid,
                judges: judges.clone(),
                policies,
                inference: inference.clone(),
                wire: batches.wire,
                files: files.clone(),
                limits: batches.limits,
            },
            files,
            evaluations: Evaluations::of(checkpoints.clone(), inference.clone()),
            checkpoints,
            judges,
            inference,
            webhooks: Webhooks { db: db.clone(), jobs: jobs.clone(), sender: webhooks },
            billing,
            events,
            jobs,
            db,
        }
    }
}

fn text_moderation(parts: TextParts, policies: &Policies, logs: &ModerationLogs) -> TextModeration {
    TextModeration {
        engine: parts.engine,
        escalation: parts.escalation,
        policies: policies.clone(),
        channels: parts.channels,
        logs: Arc::new(logs.clone()),
    }
}

/// The tables of the rows that are written with charges.
fn side_tables(db: &Database, events: &Events) -> SideTables {
    SideTables::default()
        .with(SampleTable { events: events.clone() })
        .with(BatchTable { db: db.clone(), events: events.clone() })
        .with(CheckpointTable { db: db.clone(), events: events.clone() })
        .with(EvaluationTable { events: events.clone() })
        .with(JobEndTable)
}
