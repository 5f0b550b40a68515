//! Runs the checks in the order in which a start needs what they check.

use std::{path::Path, process::ExitCode};

use serde_json::json;

use super::{
    check::{Check, CheckState, for_people},
    database, files, models, network, settings,
};
use crate::{cli::output::Output, config::Config};

/// Checks the installation that the settings describe. Changes nothing but the row that every probe of health writes.
/// The exit code is 1 if a check failed.
pub(in crate::cli) async fn run(file: Option<&Path>, output: &Output) -> ExitCode {
    let checks = match Config::read(file) {
        Ok(config) => check_all(file, &config).await,
        Err(error) => vec![settings::unreadable(&error)],
    };
    let failed = checks.iter().filter(|check| check.state == CheckState::Fail).count();
    output.show(&for_people(&checks), json!({ "ok": failed == 0, "checks": checks }));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn check_all(file: Option<&Path>, config: &Config) -> Vec<Check> {
    let mut checks = vec![settings::check(file, config)];
    checks.extend(files::check(file, config));
    checks.extend(database::check(config).await);
    checks.push(network::listener(config).await);
    checks.push(network::queue(config).await);
    checks.extend(models::check(config).await);
    checks.extend(network::mail(config).await);
    checks.extend(network::public_url(config).await);
    checks
}
