//! Traces: where the environment names a collector, the spans of a process are exported by OTLP. The variables are
//! those of every OpenTelemetry SDK, not settings of Gavel's.

use std::{env, time::Duration};

use anyhow::{Context as _, bail};
use domain::foundation::traces;
use opentelemetry::{KeyValue, global, trace::TracerProvider as _};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Config, Sampler, SdkTracerProvider},
};
use outbound::otlp::Collector;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, filter_fn},
    registry::LookupSpan,
};

/// The crates whose spans are exported.
const OURS: [&str; 6] = ["gavel", "api", "domain", "engine", "outbound", "worker"];
/// How long the collector may take to answer, unless the environment says otherwise.
const TIMEOUT_MS: u64 = 10_000;

/// The exporter of a process.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts the export, if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set.
    ///
    /// # Errors
    /// A variable that is not valid, by its name.
    pub(crate) fn start() -> anyhow::Result<Option<Self>> {
        if of_traces("ENDPOINT").is_none()
            || is("OTEL_SDK_DISABLED", "true")
            || is("OTEL_TRACES_EXPORTER", "none")
        {
            return Ok(None);
        }
        if let Some(protocol) = of_traces("PROTOCOL").filter(|protocol| protocol != "http/protobuf") {
            bail!("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not `{protocol}`");
        }
        let timeout = match of_traces("TIMEOUT") {
            Some(text) => {
                text.parse().context("OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds")?
            }
            None => TIMEOUT_MS,
        };
        let collector = Collector::new(Duration::from_millis(timeout))?;
        let exporter = SpanExporter::builder().with_http().with_http_client(collector).build();
        let exporter = exporter.context("OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")?;
        // What is recorded is decided where a trace begins, by the sampler of the environment.
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource())
            .with_sampler(Sampler::AlwaysOn)
            .build();
        traces::start(Config::default());
        global::set_text_map_propagator(TraceContextPropagator::new());
        global::set_tracer_provider(provider.clone());
        Ok(Some(Self(provider)))
    }

    /// The layer that makes the spans of our crates, and nothing that is logged, part of traces.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("gavel"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_ours).with_max_level_hint(LevelFilter::INFO))
    }

    /// Sends what has not been sent, for at most 5 s.
    pub(crate) async fn end(self) {
        let provider = self.0;
        let ended = tokio::task::spawn_blocking(move || provider.shutdown()).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("the last spans were not sent");
        }
    }
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let krate = target.split_once("::").map_or(target, |(krate, _)| krate);
    metadata.is_span() && *metadata.level() <= Level::INFO && OURS.contains(&krate)
}

/// The environment's names for this process, and Gavel's own where it has none.
fn resource() -> Resource {
    let own = Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    let attributes = variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let is_named = variable("OTEL_SERVICE_NAME").is_some() || attributes.contains("service.name=");
    if is_named { own.build() } else { own.with_service_name("gavel").build() }
}

/// A variable of the exporter: the one for traces, or else the one for all signals.
fn of_traces(name: &str) -> Option<String> {
    variable(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"))
        .or_else(|| variable(&format!("OTEL_EXPORTER_OTLP_{name}")))
}

fn is(name: &str, value: &str) -> bool {
    variable(name).is_some_and(|found| found.eq_ignore_ascii_case(value))
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
