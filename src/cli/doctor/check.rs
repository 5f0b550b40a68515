//! The result of a check.

use serde::Serialize;

use crate::cli::output::table;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CheckState {
    Ok,
    /// Gavel runs, but not as well as it could.
    Warn,
    /// Gavel does not start, or something does not work.
    Fail,
}

/// What was checked, what was found and what to do.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    check: &'static str,
    pub(super) state: CheckState,
    found: String,
    /// None if there is nothing to do.
    advice: Option<String>,
}

impl Check {
    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: CheckState::Ok, found: found.into(), advice: None }
    }

    pub(super) fn warn(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, state: CheckState::Warn, found: found.into(), advice: Some(advice.into()) }
    }

    pub(super) fn fail(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, state: CheckState::Fail, found: found.into(), advice: Some(advice.into()) }
    }

    fn state(&self) -> &'static str {
        match self.state {
            CheckState::Ok => "ok",
            CheckState::Warn => "WARN",
            CheckState::Fail => "FAIL",
        }
    }
}

/// A table of the checks, and below it what to do.
pub(super) fn for_people(checks: &[Check]) -> String {
    let rows: Vec<_> = checks
        .iter()
        .map(|check| [check.state().to_owned(), check.check.to_owned(), check.found.clone()])
        .collect();
    let mut text = table(["", "CHECK", "FOUND"], &rows);
    for check in checks {
        if let Some(advice) = &check.advice {
            text.push_str(&format!("\n{}: {advice}", check.check));
        }
    }
    text
}
