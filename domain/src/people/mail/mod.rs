//! E-mail to the people of accounts: invitations, forgotten passwords, low balances and weekly summaries. Nothing
//! depends on its arrival.

mod low_balance;
mod mailer;
mod preferences;
mod summary;
mod texts;

pub use mailer::{Mail, MailError, MailSettings, Mailer, Mails};
pub use preferences::{MailKind, MailPreferences, OptionalMails};
