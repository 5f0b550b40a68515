//! Checks that the settings can be used.

use std::path::Path;

use anyhow::Error;
use domain::operations::inference::Inference;
use outbound::{fetch::Fetcher, webhook::Sender};

use super::check::Check;
use crate::{cli::log, compose, config::Config};

const NAME: &str = "settings";

/// The check of settings that cannot be read.
pub(super) fn unreadable(error: &Error) -> Check {
    Check::fail(NAME, format!("{error:#}"), "correct this setting; config.default.toml describes each")
}

pub(super) fn check(file: Option<&Path>, config: &Config) -> Check {
    match usable(config) {
        Ok(()) => {
            let file = file.map(|file| format!("{} and ", file.display())).unwrap_or_default();
            let version = env!("CARGO_PKG_VERSION");
            Check::ok(NAME, format!("Gavel {version}; settings from {file}the environment"))
        }
        Err(error) => unreadable(&error),
    }
}

/// What a start checks of settings beyond their types and ranges.
fn usable(config: &Config) -> anyhow::Result<()> {
    log::filter(config, true)?;
    config.api.check()?;
    config.worker.check()?;
    config.domain.sign_up()?;
    config.process.operations_listen()?;
    config.smtp.mailer().map_err(Error::msg)?;
    Sender::new(&config.webhooks).map_err(|error| Error::msg(error.message))?;
    Fetcher::new(config.fetch.clone())?;
    let escalates = config.domain.escalate_below().is_some();
    config.backends.local(escalates)?;
    let openrouter = config.backends.openrouter(escalates)?;
    let inference = Inference { openrouter, ..compose::named_backends(config)? };
    compose::escalation(config, &inference)?;
    Ok(())
}
