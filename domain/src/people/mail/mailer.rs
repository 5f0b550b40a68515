//! Sends e-mail in the background.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::{foundation::quota::Quota, money::amount::Amount};
use ports::id::AccountId;

/// E-mails that are being sent at once, or wait to be sent again; more are dropped.
const MAX_UNSENT: usize = 1_000;
/// Invitations that an account may send by e-mail, so that nobody uses this server to flood others.
const INVITATIONS_PER_HOUR: u32 = 20;
/// When to try again.
const RETRY_AFTER: [Duration; 3] =
    [Duration::from_secs(5), Duration::from_secs(60), Duration::from_secs(10 * 60)];

/// An e-mail in plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The address of its recipient.
    pub to: String,
    pub subject: String,
    pub body: String,
    /// The link that unsubscribes in one click; only of optional e-mails.
    pub unsubscribe: Option<String>,
}

/// Why an e-mail could not be handed over.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct MailError {
    pub message: String,
    /// Whether it makes no sense to try again.
    pub permanent: bool,
}

/// The port to a mail server.
#[async_trait]
pub trait Mailer: Send + Sync + 'static {
    /// Hands an e-mail over to the server.
    ///
    /// # Errors
    /// When the server refuses it or does not answer.
    async fn send(&self, mail: &Mail) -> Result<(), MailError>;
}

/// What e-mails are made with.
#[derive(Clone, Debug, Default)]
pub struct MailSettings {
    /// The address of the dashboard, without a slash at its end.
    pub public_url: String,
    /// The credits below which the owners of an account are told; none are told if it is zero.
    pub low_balance: Amount,
    /// Whether owners get a summary each week.
    pub weekly_summary: bool,
}

/// Sends e-mail, where a mail server is configured. Cheap to clone.
#[derive(Clone)]
pub struct Mails {
    /// `None` sends nothing.
    mailer: Option<Arc<dyn Mailer>>,
    pub(super) settings: Arc<MailSettings>,
    /// Those that may be unsent at once.
    places: Arc<Semaphore>,
    /// Invitations by account.
    pub(super) invitations: Arc<Quota<AccountId>>,
}

impl Default for Mails {
    /// Sends nothing.
    fn default() -> Self {
        Self {
            mailer: None,
            settings: Arc::default(),
            places: Arc::new(Semaphore::new(MAX_UNSENT)),
            invitations: Arc::new(Quota::new(Duration::from_secs(60 * 60), INVITATIONS_PER_HOUR)),
        }
    }
}

impl Mails {
    /// Sends by `mailer`.
    pub fn new(mailer: Arc<dyn Mailer>, settings: MailSettings) -> Self {
        Self { mailer: Some(mailer), settings: Arc::new(settings), ..Self::default() }
    }

    /// Whether e-mail is sent at all.
    pub fn are_sent(&self) -> bool {
        self.mailer.is_some()
    }

    /// Sends an e-mail in the background, and tries again for some minutes. Returns false where none are sent. The log
    /// has a failure in the server's words.
    pub(super) fn send(&self, mail: Mail) -> bool {
        let Some(mailer) = self.mailer.clone() else { return false };
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            tracing::warn!(unsent = MAX_UNSENT, "dropped an e-mail, because too many wait to be sent");
            return false;
        };
        tokio::spawn(async move {
            let _place = place;
            deliver(mailer.as_ref(), &mail).await;
        });
        true
    }
}

async fn deliver(mailer: &dyn Mailer, mail: &Mail) {
    for wait in RETRY_AFTER.into_iter().map(Some).chain([None]) {
        let Err(error) = mailer.send(mail).await else {
            metrics::counter!("gavel_mails_total", "outcome" => "sent").increment(1);
            return;
        };
        match wait.filter(|_| !error.permanent) {
            Some(wait) => {
                tracing::warn!(%error, seconds = wait.as_secs(), "an e-mail was not sent; will try again");
                tokio::time::sleep(wait).await;
            }
            None => {
                metrics::counter!("gavel_mails_total", "outcome" => "failed").increment(1);
                tracing::error!(%error, "an e-mail was not sent");
                return;
            }
        }
    }
}
