//! The services behind the API: made once by the composition root, cloned freely.

use std::sync::Arc;

use domain::{
    account::SignUp,
    api_key::KeyRing,
    billing::Billing,
    credits::SideTable,
    database::Database,
    events::Events,
    inference::Inference,
    moderation::{TextModeration, image::ImageModeration},
    sample::SampleTable,
    session::SignIn,
};

/// Everything that handlers and resolvers call.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub db: Database,
    /// What the paid operations run through.
    pub billing: Arc<Billing>,
    /// Events for subscriptions.
    pub events: Events,
    /// Tells valid API keys from others.
    pub keys: Arc<KeyRing>,
    /// Signs people in.
    pub sign_in: Arc<SignIn>,
    /// Who may sign up.
    pub sign_up: SignUp,
    /// Moderates text.
    pub text: TextModeration,
    /// Moderates images.
    pub image: ImageModeration,
    /// Answers questions.
    pub inference: Inference,
}

impl Services {
    /// Starts the tasks of this process on a migrated database; nobody may sign up until `sign_up` is set. Must run inside a
    /// Tokio runtime.
    pub fn start(db: Database, text: TextModeration, image: ImageModeration, inference: Inference) -> Self {
        let events = Events::start(db.clone());
        let samples: Arc<dyn SideTable> = Arc::new(SampleTable { events: events.clone() });
        Self {
            billing: Arc::new(Billing::start(db.clone(), events.clone(), vec![samples])),
            keys: Arc::new(KeyRing::new(db.clone())),
            sign_in: Arc::default(),
            sign_up: SignUp::default(),
            events,
            text,
            image,
            inference,
            db,
        }
    }
}
