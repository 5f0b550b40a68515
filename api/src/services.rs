//! The domain services that the API calls. The composition root makes them once.

use std::sync::Arc;

use domain::{
    account::SignUp,
    api_key::KeyRing,
    billing::Billing,
    checkpoint::{CheckpointTable, Trainer},
    credits::{DoubtJournal, SideTable},
    database::Database,
    evaluation::EvaluationTable,
    events::Events,
    inference::Inference,
    job::{JobEndTable, Jobs},
    moderation::{TextModeration, image::ImageModeration},
    sample::SampleTable,
    session::SignIn,
};

/// The services that handlers and resolvers call. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    pub db: Database,
    pub billing: Arc<Billing>,
    pub events: Events,
    pub jobs: Jobs,
    pub keys: Arc<KeyRing>,
    pub sign_in: Arc<SignIn>,
    pub sign_up: SignUp,
    pub text: TextModeration,
    pub image: ImageModeration,
    pub inference: Inference,
    /// Trains Checkpoints; none without a decision model in process.
    pub trainer: Option<Arc<dyn Trainer>>,
}

impl Services {
    /// Starts the tasks of this process on a migrated database; nobody may sign up until `sign_up` is set,
    /// and nothing is trained until `trainer` is.
    /// `journal` keeps charges in doubt. Must run inside a Tokio runtime.
    pub fn start(
        db: Database,
        jobs: Jobs,
        text: TextModeration,
        image: ImageModeration,
        inference: Inference,
        journal: Option<DoubtJournal>,
    ) -> Self {
        let events = Events::start(db.clone());
        let side_tables: Vec<Arc<dyn SideTable>> = vec![
            Arc::new(SampleTable { events: events.clone() }),
            Arc::new(CheckpointTable { events: events.clone() }),
            Arc::new(EvaluationTable { events: events.clone() }),
            Arc::new(JobEndTable),
        ];
        Self {
            billing: Arc::new(Billing::start(db.clone(), events.clone(), side_tables, journal)),
            keys: Arc::new(KeyRing::new(db.clone())),
            sign_in: Arc::default(),
            sign_up: SignUp::default(),
            events,
            jobs,
            text,
            image,
            inference,
            trainer: None,
            db,
        }
    }
}
