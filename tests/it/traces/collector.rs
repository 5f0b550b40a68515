//! A scripted OTLP receiver, which keeps the spans that it gets.

use std::{
    fmt::Write as _,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{AnyValue, any_value::Value},
    trace::v1::Span,
};
use prost::Message as _;
use tokio::net::TcpListener;

/// A span with its ids in hexadecimal.
#[derive(Clone, Debug)]
pub(super) struct Exported {
    pub(super) trace: String,
    pub(super) id: String,
    pub(super) parent: String,
    pub(super) name: String,
    /// The traces that it is linked to.
    pub(super) links: Vec<String>,
    pub(super) attributes: Vec<(String, String)>,
    /// The attribute `service.name` of the process.
    pub(super) service: String,
    pub(super) failed: bool,
}

#[derive(Default)]
struct Received {
    spans: Mutex<Vec<Exported>>,
    fails: AtomicBool,
}

/// A running collector.
pub(super) struct Collector {
    url: String,
    received: Arc<Received>,
}

impl Collector {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address to listen on");
        let url = format!("http://{}", listener.local_addr().expect("a local address"));
        let received: Arc<Received> = Arc::default();
        let routes = Router::new().route("/v1/traces", post(receive)).with_state(received.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, received }
    }

    /// The value of `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Refuses what is sent from now on.
    pub(super) fn fails(&self) {
        self.received.fails.store(true, Ordering::Relaxed);
    }

    pub(super) fn spans(&self) -> Vec<Exported> {
        self.received.spans.lock().expect("no panic while it is held").clone()
    }
}

impl Exported {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

async fn receive(State(received): State<Arc<Received>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    assert_eq!(headers["content-type"], "application/x-protobuf");
    if received.fails.load(Ordering::Relaxed) {
        return StatusCode::BAD_REQUEST;
    }
    let request = ExportTraceServiceRequest::decode(body).expect("spans");
    let mut spans = received.spans.lock().expect("no panic while it is held");
    for resource in request.resource_spans {
        let service = resource.resource.iter().flat_map(|resource| &resource.attributes);
        let service =
            service.filter(|attribute| attribute.key == "service.name").map(|found| text(&found.value));
        let service = service.collect::<String>();
        for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            spans.push(exported(span, &service));
        }
    }
    StatusCode::OK
}

fn exported(span: Span, service: &str) -> Exported {
    Exported {
        trace: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        name: span.name,
        links: span.links.iter().map(|link| hex(&link.trace_id)).collect(),
        attributes: span.attributes.into_iter().map(|one| (one.key, text(&one.value))).collect(),
        service: service.to_owned(),
        failed: span.status.is_some_and(|status| status.code == 2),
    }
}

fn text(value: &Option<AnyValue>) -> String {
    match value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::BoolValue(flag)) => flag.to_string(),
        other => format!("{other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
