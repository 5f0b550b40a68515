//! Log lines with the id of the trace that they belong to.

use std::fmt;

use opentelemetry::{
    Context,
    trace::{TraceContextExt as _, TraceId},
};
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

/// A format of lines that adds `trace_id` to those within a traced span.
pub(super) struct WithTrace<F> {
    format: F,
    json: bool,
}

impl<F> WithTrace<F> {
    /// Lines that are text.
    pub(super) fn text(format: F) -> Self {
        Self { format, json: false }
    }

    /// Lines that are a JSON object each.
    pub(super) fn json(format: F) -> Self {
        Self { format, json: true }
    }
}

impl<S, N, F> FormatEvent<S, N> for WithTrace<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let trace = Context::map_current(|current| current.span().span_context().trace_id());
        if trace == TraceId::INVALID {
            return self.format.format_event(context, writer, event);
        }
        let mut line = String::new();
        self.format.format_event(context, Writer::new(&mut line), event)?;
        let line = line.trim_end();
        match line.strip_suffix('}').filter(|_| self.json) {
            Some(open) => writeln!(writer, "{open},\"trace_id\":\"{trace}\"}}"),
            None => writeln!(writer, "{line} trace_id={trace}"),
        }
    }
}
