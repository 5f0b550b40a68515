//! Sends e-mail through an SMTP server.

use std::time::Duration;

use async_trait::async_trait;
use domain::{
    money::amount::Amount,
    people::mail::{Mail, MailError, MailSettings, Mailer},
};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{
        Mailbox,
        header::{ContentType, Header, HeaderName, HeaderValue},
    },
};
use serde::Deserialize;

/// How long the server may take to answer a command.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The e-mail's part of the settings; `config.default.toml` documents each.
#[derive(Clone, Deserialize)]
pub struct SmtpSettings {
    smtp_url: String,
    mail_from: String,
    public_url: String,
    low_balance_credits: f64,
    weekly_summary: bool,
}

/// A client of an SMTP server.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl SmtpMailer {
    /// Signs in to the server and sends nothing.
    ///
    /// # Errors
    /// Why it does not take e-mails.
    pub async fn reach(&self) -> Result<(), String> {
        match self.transport.test_connection().await {
            Ok(true) => Ok(()),
            Ok(false) => Err("it closes the connection".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl SmtpSettings {
    /// The dashboard's address, if it is set.
    pub fn public_url(&self) -> Option<&str> {
        let url = self.public_url.trim_end_matches('/');
        (!url.is_empty()).then_some(url)
    }

    /// The client of the server, and what its e-mails are made with; none without `smtp_url`.
    ///
    /// # Errors
    /// A setting that is invalid, by its name. The message has no password.
    pub fn mailer(&self) -> Result<Option<(SmtpMailer, MailSettings)>, String> {
        if self.smtp_url.is_empty() {
            return Ok(None);
        }
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(&self.smtp_url).map_err(|_| {
            "smtp_url must be like smtps://user:password@mail.example.com, or smtp://localhost:25".to_owned()
        })?;
        let from = self.mail_from.parse().map_err(|_| {
            "mail_from must be an address such as `Gavel <gavel@example.com>` when smtp_url is set".to_owned()
        })?;
        let url = self.public_url.trim_end_matches('/');
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(
                "public_url must be the dashboard's http or https address when smtp_url is set".to_owned()
            );
        }
        let low_balance: Option<Amount> = self.low_balance_credits.to_string().parse().ok();
        let low_balance = low_balance
            .filter(|credits| credits.milli() >= 0)
            .ok_or("low_balance_credits must be 0 or more, with at most three decimals")?;
        let settings =
            MailSettings { public_url: url.to_owned(), low_balance, weekly_summary: self.weekly_summary };
        let transport = transport.timeout(Some(TIMEOUT)).build();
        Ok(Some((SmtpMailer { transport, from }, settings)))
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let to: Mailbox =
            mail.to.parse().map_err(|_| permanent("the address of the recipient is not valid"))?;
        let mut message = Message::builder().from(self.from.clone()).to(to).subject(&mail.subject);
        if let Some(url) = &mail.unsubscribe {
            message = message.header(ListUnsubscribe(format!("<{url}>"))).header(ListUnsubscribePost);
        }
        let message = message
            .header(ContentType::TEXT_PLAIN)
            .body(mail.body.clone())
            .map_err(|_| permanent("the e-mail could not be written"))?;
        match self.transport.send(message).await {
            Ok(_) => Ok(()),
            Err(error) => Err(MailError { permanent: error.is_permanent(), message: error.to_string() }),
        }
    }
}

fn permanent(message: &str) -> MailError {
    MailError { message: message.to_owned(), permanent: true }
}

/// `List-Unsubscribe` (RFC 2369): the address that unsubscribes.
#[derive(Clone)]
struct ListUnsubscribe(String);

/// `List-Unsubscribe-Post` (RFC 8058): a `POST` to that address does so in one click.
#[derive(Clone)]
struct ListUnsubscribePost;

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

impl Header for ListUnsubscribePost {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe-Post")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "List-Unsubscribe=One-Click".to_owned())
    }
}
