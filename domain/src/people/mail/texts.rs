//! The texts of e-mails.

use url::form_urlencoded::Serializer;

use super::{Mail, Mails};
use crate::{
    foundation::{actor::Role, plural::counted},
    money::amount::Amount,
    people::token::Token,
};
use ports::id::AccountId;

/// A person who can unsubscribe.
pub(super) struct Recipient {
    pub(super) email: String,
    /// The token of the link for it.
    pub(super) unsubscribe: String,
}

/// What a week of an account was like.
pub(super) struct Week<'a> {
    pub(super) account: &'a str,
    pub(super) charges: u64,
    pub(super) spent: Amount,
    pub(super) available: Amount,
    /// Messages in the moderation log, and those of them that were acted upon.
    pub(super) messages: u64,
    pub(super) acted_upon: u64,
}

impl Mails {
    /// Sends an invitation to an account; returns false where no e-mail is sent, and when the account has sent too many
    /// lately.
    pub(crate) fn invite(&self, account: &AccountId, to: &str, role: Role, token: &Token) -> bool {
        if !self.invitations.take(account) {
            return false;
        }
        let url = self.link("sign-up", &[("token", token.reveal()), ("email", to)]);
        let role = role.as_str();
        self.send(Mail {
            to: to.to_owned(),
            subject: "You are invited to Gavel".to_owned(),
            body: format!(
                "You are invited to an account on Gavel as {role}.\n\nSet your password here within 7 days:\n\n{url}\n\
                 \nIf you did not expect this, ignore it.\n"
            ),
            unsubscribe: None,
        })
    }

    /// Sends a link for a new password; returns false where no e-mail is sent.
    pub(crate) fn reset_password(&self, to: &str, token: &Token) -> bool {
        let url = self.link("reset-password", &[("token", token.reveal())]);
        self.send(Mail {
            to: to.to_owned(),
            subject: "Set a new password for Gavel".to_owned(),
            body: format!(
                "Somebody, probably you, asked for a new password.\n\nSet it here within one hour:\n\n{url}\n\n\
                 If it was not you, ignore this: your password stays as it is.\n"
            ),
            unsubscribe: None,
        })
    }

    pub(super) fn low_balance(&self, to: &Recipient, account: &str, available: Amount) -> bool {
        let url = self.link("ledger", &[]);
        let available = available.credits();
        let below = self.settings.low_balance.credits();
        let end = self.link("unsubscribe", &[("token", &to.unsubscribe)]);
        self.send(Mail {
            to: to.email.clone(),
            subject: format!("{account} has {available} credits left"),
            body: format!(
                "The account {account} has {available} credits left, fewer than {below}. Requests are refused when \
                 none are left.\n\nThe ledger: {url}\n\nUnsubscribe: {end}\n"
            ),
            unsubscribe: Some(self.one_click(to)),
        })
    }

    pub(super) fn summary(&self, to: &Recipient, week: &Week<'_>) -> bool {
        let url = self.link("", &[]);
        let Week { account, charges, spent, available, messages, acted_upon } = week;
        let spent = spent.credits();
        let available = available.credits();
        let charges = counted(*charges, "charge");
        let log = match messages {
            0 => String::new(),
            &messages => {
                format!("Moderation log: {}, action taken on {acted_upon}.\n", counted(messages, "message"))
            }
        };
        let end = self.link("unsubscribe", &[("token", &to.unsubscribe)]);
        self.send(Mail {
            to: to.email.clone(),
            subject: format!("{account}: your week on Gavel"),
            body: format!(
                "The last 7 days of the account {account}:\n\n{charges}, {spent} credits spent, {available} \
                 left.\n{log}\nThe dashboard: {url}\n\nUnsubscribe: {end}\n"
            ),
            unsubscribe: Some(self.one_click(to)),
        })
    }

    /// The address that a mail program posts to when its user unsubscribes (RFC 8058).
    fn one_click(&self, to: &Recipient) -> String {
        self.link("api/v1/unsubscribe", &[("token", &to.unsubscribe)])
    }

    /// The address of a page.
    fn link(&self, page: &str, query: &[(&str, &str)]) -> String {
        let base = &self.settings.public_url;
        let query = Serializer::new(String::new()).extend_pairs(query).finish();
        if query.is_empty() { format!("{base}/{page}") } else { format!("{base}/{page}?{query}") }
    }
}
