//! The domain services that the API calls. The composition root makes them once.

use std::sync::Arc;

use domain::{
    account::SignUp,
    api_key::KeyRing,
    billing::Billing,
    credits::{DoubtJournal, SideTable},
    database::Database,
    events::Events,
    inference::Inference,
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
    pub keys: Arc<KeyRing>,
    pub sign_in: Arc<SignIn>,
    pub sign_up: SignUp,
    pub text: TextModeration,
    pub image: ImageModeration,
    pub inference: Inference,
}

impl Services {
    /// Starts the tasks of this process on a migrated database; nobody may sign up until `sign_up` is set.
    /// `journal` keeps charges in doubt. Must run inside a
    /// Tokio runtime.
    pub fn start(
        db: Database,
        text: TextModeration,
        image: ImageModeration,
        inference: Inference,
        journal: Option<DoubtJournal>,
    ) -> Self {
        let events = Events::start(db.clone());
        let samples: Arc<dyn SideTable> = Arc::new(SampleTable { events: events.clone() });
        Self {
            billing: Arc::new(Billing::start(db.clone(), events.clone(), vec![samples], journal)),
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
