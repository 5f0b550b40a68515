//! Where traces begin. Whether one is recorded is decided before it has a span: a span that the exporter would drop
//! costs nearly as much as one that it sends.

use std::sync::OnceLock;

use futures_util::future::Either;
use opentelemetry::{
    Context,
    context::{FutureExt as _, WithContext},
    trace::{SpanContext, SpanKind, TraceContextExt as _, TraceFlags},
};
use opentelemetry_sdk::trace::{Config, SamplingDecision};
use tracing::{
    Span,
    instrument::{Instrument as _, Instrumented},
};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The sampler and the generator of ids; unset if nothing is traced.
static CONFIG: OnceLock<Config> = OnceLock::new();

/// Begins traces from now on, recorded if the sampler says so. Later calls do nothing.
pub fn start(config: Config) {
    // Traces of a process start once.
    let _ = CONFIG.set(config);
}

/// A request or a job, and what records it.
pub enum Traced {
    /// Below this span, which is disabled if nothing is traced.
    Recorded(Span),
    /// Not recorded. The context tells other servers so.
    Dropped(Context),
}

impl Traced {
    /// What is never traced.
    pub fn never() -> Self {
        Self::Recorded(Span::none())
    }

    /// Continues the trace of `parent`, or begins one if it has none. `span` is called if the trace is recorded.
    pub fn begin(parent: &Context, kind: &SpanKind, span: impl FnOnce() -> Span) -> Self {
        let Some(config) = CONFIG.get() else { return Self::never() };
        let continued = parent.span().span_context().clone();
        let trace =
            if continued.is_valid() { continued.trace_id() } else { config.id_generator.new_trace_id() };
        let sampled = config.sampler.should_sample(Some(parent), trace, "", kind, &[], &[]);
        if sampled.decision == SamplingDecision::RecordAndSample {
            let span = span();
            // Refused only for a span that has begun.
            let _ = span.set_parent(parent.clone());
            return Self::Recorded(span);
        }
        let id = config.id_generator.new_span_id();
        let dropped = SpanContext::new(trace, id, TraceFlags::NOT_SAMPLED, true, sampled.trace_state);
        Self::Dropped(parent.with_remote_span_context(dropped))
    }

    /// Does `work` as part of the trace.
    pub fn run<F: Future>(self, work: F) -> Either<Instrumented<F>, WithContext<F>> {
        match self {
            Self::Recorded(span) => Either::Left(work.instrument(span)),
            Self::Dropped(context) => Either::Right(work.with_context(context)),
        }
    }
}

/// A span below the current one, given as to `tracing::info_span`; disabled unless the current one is recorded.
macro_rules! child_span {
    ($($arguments:tt)+) => {
        if tracing::Span::current().is_disabled() {
            tracing::Span::none()
        } else {
            tracing::info_span!($($arguments)+)
        }
    };
}

pub(crate) use child_span;
