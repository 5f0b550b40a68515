//! The webhook endpoints of all accounts, and what is sent to them.

use std::sync::Arc;

use super::WebhookSender;
use crate::{background::job::Jobs, foundation::database::Database};

/// Manages webhook endpoints and their deliveries. Cheap to clone.
#[derive(Clone)]
pub struct Webhooks {
    pub db: Database,
    pub jobs: Jobs,
    /// Sends events, and says which URLs it may send to.
    pub sender: Arc<dyn WebhookSender>,
}
