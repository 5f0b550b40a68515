//! What a request needs to be answered: made once by the composition root, cloned freely.

use std::sync::Arc;

use crate::{
    account::SignUp,
    api_key::KeyRing,
    credits::Credits,
    database::Database,
    events::Events,
    idempotency::Idempotency,
    inference::Inference,
    moderation::{Escalation, image::ImageModeration},
    ports::TextEngine,
    pricing::Prices,
    session::SignIn,
};

/// The running service, without its edges.
#[derive(Clone)]
pub struct Context {
    /// Where rows live.
    pub db: Database,
    /// Who pays.
    pub credits: Credits,
    /// Who watches.
    pub events: Events,
    /// What it costs.
    pub prices: Arc<Prices>,
    /// What was asked before.
    pub idempotency: Idempotency,
    /// Who may come in.
    pub keys: Arc<KeyRing>,
    /// Who signs in.
    pub sign_in: Arc<SignIn>,
    /// Who may sign up; nobody, unless it is set after the start.
    pub sign_up: SignUp,
    /// What reads messages.
    pub text: Arc<dyn TextEngine>,
    /// Who is asked as well when that leaves the action uncertain; nobody, unless it is set after the start.
    pub escalation: Option<Escalation>,
    /// What looks at pictures.
    pub image: ImageModeration,
    /// What answers questions.
    pub inference: Inference,
}

impl Context {
    /// Starts the service's inner parts on a migrated database. Must run inside a Tokio runtime.
    pub fn start(
        db: Database,
        text: Arc<dyn TextEngine>,
        image: ImageModeration,
        inference: Inference,
    ) -> Self {
        let events = Events::start(db.clone());
        Self {
            credits: Credits::start(db.clone(), events.clone()),
            events,
            prices: Arc::new(Prices::new(db.clone())),
            idempotency: Idempotency::start(db.clone()),
            keys: Arc::new(KeyRing::new(db.clone())),
            sign_in: Arc::default(),
            sign_up: SignUp::default(),
            text,
            escalation: None,
            image,
            inference,
            db,
        }
    }
}
