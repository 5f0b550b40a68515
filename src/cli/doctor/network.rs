//! Checks what the process listens on, and the servers that it needs.

use std::{io::ErrorKind, time::Duration};

use domain::background::job::JobQueue as _;
use outbound::reach::status_of;
use tokio::net::TcpListener;
use worker::Queue;

use super::check::Check;
use crate::{config::Config, database::without_password};

/// How long another server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn listener(config: &Config) -> Check {
    const NAME: &str = "listen";
    let address = config.process.listen;
    match TcpListener::bind(address).await {
        Ok(_) => Check::ok(NAME, format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            Check::ok(NAME, format!("{address} is in use, as by a running Gavel"))
        }
        Err(error) => Check::fail(
            NAME,
            format!("cannot listen on {address}: {error}"),
            "set `listen` to an address of this machine, and a port from 1024 up or one that its user may use",
        ),
    }
}

pub(super) async fn queue(config: &Config) -> Check {
    const NAME: &str = "queue";
    let Some(url) = config.process.redis_url() else {
        return Check::ok(NAME, "no Redis is configured: jobs are found in the database");
    };
    let pinged = match Queue::redis(url, config.worker.queue_name()) {
        Ok(queue) => tokio::time::timeout(TIMEOUT, queue.ping()).await,
        Err(error) => {
            let found = without_password(url, &format!("redis_url is not a Redis address: {error}"));
            return Check::fail(NAME, found, "correct `redis_url`");
        }
    };
    let error = match pinged {
        Ok(Ok(())) => return Check::ok(NAME, "Redis answers"),
        Ok(Err(error)) => without_password(url, &error.to_string()),
        Err(_) => format!("no answer within {} s", TIMEOUT.as_secs()),
    };
    Check::fail(
        NAME,
        format!("Redis does not answer: {error}"),
        "check `redis_url` and the server; meanwhile each process counts rates alone, and jobs start late",
    )
}

/// The server for e-mail, if there is one.
pub(super) async fn mail(config: &Config) -> Option<Check> {
    const NAME: &str = "mail";
    // A setting that is not valid is a finding of the settings.
    let (mailer, _) = config.smtp.mailer().ok()??;
    let error = match tokio::time::timeout(TIMEOUT, mailer.reach()).await {
        Ok(Ok(())) => {
            return Some(Check::ok(NAME, "the SMTP server answers, and accepts the sign-in if there is one"));
        }
        Ok(Err(error)) => error,
        Err(_) => format!("no answer within {} s", TIMEOUT.as_secs()),
    };
    Some(Check::fail(
        NAME,
        format!("the SMTP server cannot be used: {error}"),
        "check `smtp_url`: host, port, user, password and TLS; until then no e-mail is sent",
    ))
}

/// The dashboard's address, if one is set: that Gavel answers there.
pub(super) async fn public_url(config: &Config) -> Option<Check> {
    const NAME: &str = "public_url";
    let url = config.smtp.public_url()?;
    let advice = "start Gavel and its proxy, or correct `public_url`: links in e-mails lead there";
    Some(match status_of(&format!("{url}/livez"), TIMEOUT).await {
        Ok(200) => Check::ok(NAME, format!("Gavel answers at {url}")),
        Ok(status) => Check::warn(NAME, format!("{url}/livez answers {status}"), advice),
        Err(error) => Check::warn(NAME, format!("{url} cannot be reached from here: {error}"), advice),
    })
}
