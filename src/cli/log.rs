//! Logging to stderr.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::IsTerminal,
    panic::PanicHookInfo,
};

use anyhow::{Context as _, bail};
use tracing::Metadata;
use tracing_subscriber::{
    EnvFilter, Layer as _,
    filter::{FilterExt as _, LevelFilter, filter_fn},
    fmt,
    layer::SubscriberExt as _,
    registry,
    util::SubscriberInitExt as _,
};

use super::trace_line::WithTrace;
use crate::{
    config::{Config, LogFormat},
    traces::Traces,
};

/// Starts logging as configured, and the recording of spans if there are traces. Commands that do not serve log only
/// warnings.
pub(super) fn start(config: &Config, serves: bool, traces: Option<&Traces>) -> anyhow::Result<()> {
    // With a hint, what is below the level costs a comparison: a tokenizer logs each token at `trace`.
    let events = filter_fn(is_event).with_max_level_hint(LevelFilter::TRACE);
    let filter = filter(config, serves)?.and(events);
    // A line that cannot be written, such as on a full disk, is dropped: reporting that on stderr would panic.
    let lines = fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let terminal = std::io::stderr().is_terminal();
    let lines = if config.process.log_format == LogFormat::Json
        || (config.process.log_format == LogFormat::Auto && !terminal)
    {
        let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
        lines.map_event_format(WithTrace::json).boxed()
    } else {
        lines.with_ansi(terminal).with_target(false).map_event_format(WithTrace::text).boxed()
    };
    let lines = registry().with(lines.with_filter(filter));
    // Without a layer that wants them, spans cost nothing.
    match traces {
        Some(traces) => lines.with(traces.layer()).init(),
        None => lines.init(),
    }
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Spans are for traces, not for lines.
fn is_event(metadata: &Metadata<'_>) -> bool {
    metadata.is_event()
}

/// The filter of the setting `log`.
///
/// # Errors
/// A setting that is not a filter.
pub(super) fn filter(config: &Config, serves: bool) -> anyhow::Result<EnvFilter> {
    require_levels(&config.process.log)?;
    let filter = if serves { config.process.log.as_str() } else { "warn" };
    // These crates log the requested hosts or messages, some at debug level; what clients send is content.
    let quiet = "hyper_util=warn,reqwest=warn,rustls=warn,hickory=off,rmcp=warn";
    EnvFilter::try_new(format!("{quiet},{filter}")).context("`log` is not a valid filter")
}

/// Refuses a filter with a word that is no level, which would be read as the name of a module and turn all others off.
fn require_levels(filter: &str) -> anyhow::Result<()> {
    for part in filter.split(',').map(str::trim).filter(|part| !part.contains(['=', '['])) {
        if part.parse::<LevelFilter>().is_err() {
            bail!(
                "log must be error, warn, info, debug, trace, off or a filter such as \"info,api=debug\", not `{part}`"
            );
        }
    }
    Ok(())
}

/// Logs a panic as one line in the format of the log. The default hook writes several lines of its own.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    // After a backtick stands the text that could not be cut, which may be content.
    let message = message.split('`').next().unwrap_or_default();
    let location = panic.location().map(tracing::field::display);
    let thread = std::thread::current();
    let backtrace = Backtrace::capture();
    let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(location, thread = thread.name(), backtrace, "panicked: {message}");
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Write},
        panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
        sync::{Arc, Mutex},
    };

    use serde_json::Value;

    use super::log_panic;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_one_line_of_json_without_the_text_that_was_cut() {
        let written = Written::default();
        let writer = written.clone();
        let lines = tracing_subscriber::fmt().json().flatten_event(true).with_writer(move || writer.clone());
        let content = "not for the log é".to_owned();
        tracing::subscriber::with_default(lines.finish(), || {
            let hook = take_hook();
            set_hook(Box::new(log_panic));
            let cut = catch_unwind(AssertUnwindSafe(|| content[..content.len() - 1].len()));
            set_hook(hook);
            assert!(cut.is_err());
        });
        let log = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let line: Value = serde_json::from_str(&log).expect("one line of JSON");
        assert_eq!(line["level"], "ERROR");
        assert!(line["message"].as_str().unwrap().starts_with("panicked: "), "{log}");
        assert!(line["location"].as_str().unwrap().contains("src/cli/log.rs:"), "{log}");
        assert!(!log.contains("not for the log"), "{log}");
    }
}
