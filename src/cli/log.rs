//! Logging to stderr.

use std::io::IsTerminal;

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Starts logging as configured. Commands that do not serve log only warnings.
pub(super) fn start(config: &Config, serves: bool) -> anyhow::Result<()> {
    let filter = if serves { config.process.log.as_str() } else { "warn" };
    // These crates log the requested hosts, some at debug level; the URLs that clients send are content.
    let quiet = "hyper_util=warn,reqwest=warn,rustls=warn,hickory=off";
    let filter = EnvFilter::try_new(format!("{quiet},{filter}"));
    let filter = filter.context("`log` is not a valid filter")?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A line that cannot be written, such as on a full disk, is dropped: reporting that on stderr would panic.
    let lines = lines.log_internal_errors(false);
    let terminal = std::io::stderr().is_terminal();
    if config.process.log_format == LogFormat::Json
        || (config.process.log_format == LogFormat::Auto && !terminal)
    {
        lines.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    } else {
        lines.with_ansi(terminal).with_target(false).init();
    }
    Ok(())
}
