//! The spans of requests, charges and jobs, and the headers that connect them.

use serde_json::{Value, json};

use super::collector::{Collector, Exported};
use crate::harness::{Db, Origin, Server, ServerOptions, Upstream, eventually, on_both, on_sqlite, response};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// A server that exports at once.
fn traced(db: &Db, collector: &Collector) -> ServerOptions {
    Server::with(db).env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()).env("OTEL_BSP_SCHEDULE_DELAY", 100)
}

fn traceparent() -> String {
    format!("00-{TRACE}-{PARENT}-01")
}

/// The span of that name below another.
fn below(collector: &Collector, name: &str, parent: &Exported) -> Exported {
    let spans = collector.spans();
    let found = spans.iter().find(|span| span.name == name && span.parent == parent.id);
    found.unwrap_or_else(|| panic!("no {name} below {}: {spans:#?}", parent.name)).clone()
}

/// Waits for a span that `wanted` holds for.
async fn span(collector: &Collector, what: &str, wanted: impl Fn(&Exported) -> bool) -> Exported {
    eventually(what, async || collector.spans().into_iter().find(|span| wanted(span))).await
}

/// A header of the first request to a model server.
fn header(upstream: &Upstream, name: &str) -> Option<String> {
    let head = upstream.asked()[0].head.clone();
    head.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).map(str::to_owned)
}

async fn a_request_is_traced_from_the_edge_to_the_database(db: Db) {
    let collector = Collector::start().await;
    let server = traced(&db, &collector).start().await;
    let account = server.account(5).await;
    let secret = "an unmistakable sentence";
    let answer = server.moderate(&account.key, secret).header("traceparent", traceparent()).send().await;
    let id = answer.request_id().to_owned();
    answer.ok();
    let edge = span(&collector, "the request", |span| span.parent == PARENT).await;
    assert_eq!((edge.trace.as_str(), edge.name.as_str()), (TRACE, "POST /api/v1/moderate/text"));
    assert_eq!(edge.attribute("request_id"), Some(id.as_str()));
    assert_eq!(edge.attribute("http.response.status_code"), Some("200"));
    assert_eq!((edge.service.as_str(), edge.failed), ("gavel", false));

    let billing = below(&collector, "billing", &edge);
    assert_eq!(below(&collector, "engine", &billing).attribute("engine"), Some("text"));
    let charge = below(&collector, "charge", &billing);
    assert_eq!(charge.trace, TRACE);
    let commit = span(&collector, "the commit of the charge", |span| {
        span.name == "commit" && span.links.iter().any(|linked| linked == TRACE)
    })
    .await;
    let statements: Vec<Exported> =
        collector.spans().into_iter().filter(|span| span.parent == commit.id).collect();
    assert!(statements.iter().any(|span| span.name == "INSERT ledger"), "{statements:#?}");

    let all = format!("{:?}", collector.spans());
    assert!(!all.contains(secret) && !all.contains(&account.key), "content and keys are not exported");
    let line = server.log();
    let line = line.lines().find(|line| line.contains("\"answered\"") && line.contains(&id)).expect("a line");
    let line: Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(line["trace_id"], TRACE);
}

async fn health_is_not_traced_and_a_failure_is_marked(db: Db) {
    let collector = Collector::start().await;
    let empty = db.log_dir();
    let server = traced(&db, &collector).env("GAVEL_MODELS_DIR", empty.display()).start().await;
    let account = server.account(5).await;
    server.get("/livez").send().await;
    server.get("/readyz").send().await;
    let body = json!({ "state": "hello", "instructions": { "q": "Is it a greeting?" } });
    let answer = server.post("/api/v1/inference").key(&account.key).json(body).send().await;
    assert_eq!(answer.status, 500);
    let failed = span(&collector, "the failure", |span| span.name == "POST /api/v1/inference").await;
    assert!(failed.failed, "{failed:?}");
    assert_eq!(failed.attribute("http.response.status_code"), Some("500"));
    assert!(
        !collector.spans().iter().any(|span| span.name.contains("/livez") || span.name.contains("/readyz"))
    );
}

async fn backends_continue_the_trace(db: Db) {
    let collector = Collector::start().await;
    let upstream = Upstream::start().await;
    let server = traced(&db, &collector).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    let account = server.account(5).await;
    let body = json!({ "state": "hello", "instructions": { "q": "Is it a greeting?" } });
    let asked = server.post("/api/v1/inference").key(&account.key).json(body);
    asked.header("traceparent", traceparent()).send().await.ok();
    let sent = header(&upstream, "traceparent").expect("a traceparent");
    let engine =
        span(&collector, "the model's span", |span| span.name == "engine" && span.trace == TRACE).await;
    assert_eq!(sent, format!("00-{TRACE}-{}-01", engine.id));
}

async fn what_is_not_sampled_has_no_spans_and_says_so(db: Db) {
    let collector = Collector::start().await;
    let upstream = Upstream::start().await;
    let server = traced(&db, &collector).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    let account = server.account(5).await;
    let body = json!({ "state": "hello", "instructions": { "q": "Is it a greeting?" } });
    let asked = server.post("/api/v1/inference").key(&account.key).json(body.clone());
    let id =
        asked.header("traceparent", format!("00-{TRACE}-{PARENT}-00")).send().await.request_id().to_owned();
    let sent = header(&upstream, "traceparent").expect("a traceparent");
    assert!(sent.starts_with(&format!("00-{TRACE}-")) && sent.ends_with("-00"), "{sent}");
    assert!(!sent.contains(PARENT), "{sent}");
    let line = server
        .log()
        .lines()
        .find(|line| line.contains("\"answered\"") && line.contains(&id))
        .map(str::to_owned);
    assert!(line.is_some_and(|line| line.contains(TRACE)));
    let asked = server.post("/api/v1/inference").key(&account.key).json(body);
    asked.header("traceparent", traceparent()).send().await.ok();
    let edge = span(&collector, "the sampled request", |span| span.parent == PARENT).await;
    let spans = collector.spans();
    let requests = spans.iter().filter(|span| span.name == edge.name).count();
    assert_eq!(requests, 1, "{spans:#?}");
}

async fn webhooks_continue_the_trace_of_their_job(db: Db) {
    let collector = Collector::start().await;
    let receiver = Origin::start("127.0.0.1:0", |_| response(204, &[], b"")).await;
    let server = traced(&db, &collector).env("GAVEL_WEBHOOK_ALLOW", "127.0.0.1").start().await;
    let account = server.account(5).await;
    let key = db.scoped_key(&account, "manage").await;
    let create = "mutation($url: String!) { createWebhookEndpoint(input: { url: $url }) { webhookEndpoint { id } \
        secret userErrors { message } } }";
    let made = server.ask(&key, create, json!({ "url": receiver.url("/hooks") })).await;
    let made = &made["createWebhookEndpoint"];
    db.record().key(made["secret"].as_str().unwrap_or_else(|| panic!("{made}")));
    let id = made["webhookEndpoint"]["id"].as_str().unwrap();
    let ping = format!(
        "mutation {{ testWebhookEndpoint(input: {{ id: \"{id}\" }}) {{ userErrors {{ message }} }} }}"
    );
    server.ask(&key, &ping, json!({})).await;
    let head = eventually("a delivery", async || receiver.heads().first().cloned()).await;
    let header = head.lines().find_map(|line| line.strip_prefix("traceparent: ")).expect("a traceparent");
    let trace = header.split('-').nth(1).unwrap();
    let job =
        span(&collector, "the job", |span| span.trace == trace && span.attribute("job").is_some()).await;
    assert_eq!((job.parent.as_str(), job.name.as_str()), ("", "deliver_webhook"));
}

async fn without_a_collector_nothing_is_traced(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(5).await;
    let body = json!({ "state": "hello", "instructions": { "q": "Is it a greeting?" } });
    let asked = server.post("/api/v1/inference").key(&account.key).json(body);
    asked.header("traceparent", traceparent()).send().await.ok();
    assert_eq!(header(&upstream, "traceparent"), None);
    assert!(!server.log().contains("trace_id"));
}

async fn a_collector_that_fails_costs_no_request(db: Db) {
    let collector = Collector::start().await;
    collector.fails();
    let mut server = traced(&db, &collector).start().await;
    let account = server.account(50).await;
    for _ in 0..20 {
        server.moderate(&account.key, "hello").send().await.ok();
    }
    server.signal("TERM");
    assert!(server.ended().await.success());
}

async fn wrong_variables_are_named(db: Db) {
    for (name, value) in [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")] {
        let env = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"), (name, value)];
        let ran = db.run(&["serve"], &env, "").await;
        assert_eq!(ran.status.code(), Some(1), "{name}: {ran:?}");
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
}

on_both!(a_request_is_traced_from_the_edge_to_the_database);
on_sqlite!(
    health_is_not_traced_and_a_failure_is_marked,
    backends_continue_the_trace,
    what_is_not_sampled_has_no_spans_and_says_so,
    webhooks_continue_the_trace_of_their_job,
    without_a_collector_nothing_is_traced,
    a_collector_that_fails_costs_no_request,
    wrong_variables_are_named,
);
