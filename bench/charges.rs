//! Three servers to load side by side: Gavel, Gavel's work with a transaction for each request, and a bare handler that
//! does nothing but Gavel's group charge. Run by `bench/charges.sh`; refuses to be a test: it asserts nothing.
#![allow(clippy::print_stdout)]

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use api::{App, Limits, RateLimiter, Settings};
use axum::{Json, Router, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use domain::{
    Context,
    account::{self, NewAccount},
    api_key::{self, NewKey},
    credits::{Amount, Credits, Entry, Kind},
    database::Database,
    id::{AccountId, RequestId},
    moderation::{TextDraft, TextMessage, judge},
    pricing::Operation,
};
use engine::text::NativeText;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};

#[derive(Clone)]
struct Bench {
    ctx: Context,
    account: AccountId,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().context("usage: charges gavel|naive|bare DATABASE_URL")?;
    let url = arguments.next().context("usage: charges gavel|naive|bare DATABASE_URL")?;
    migration::migrate(&url).await?;
    let engine = NativeText::load().map_err(anyhow::Error::msg)?;
    let ctx = Context::start(Database::connect(&url, 16).await?, Arc::new(engine));
    let email = format!("{}@bench.invalid", RequestId::new());
    let new = NewAccount { email, password: None, credits: Amount::from_milli(1_000_000_000_000) };
    let (account, _) = account::create(&ctx.db, new).await?;
    let (_, secret) = api_key::create(&ctx.db, &account, NewKey::default()).await?;
    let bench = Bench { ctx: ctx.clone(), account };
    let router = match kind.as_str() {
        "gavel" => api::router(App::new(
            ctx,
            settings(),
            RateLimiter::alone(),
            PrometheusBuilder::new().install_recorder()?,
        )),
        "naive" => Router::new().route("/api/v1/moderate/text", post(naive)).with_state(bench),
        "bare" => Router::new().route("/api/v1/moderate/text", post(bare)).with_state(bench),
        other => bail!("{other} is none of: gavel, naive, bare"),
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{} {}", listener.local_addr()?, secret.reveal());
    let limits =
        Limits { connections: 4096, header_timeout: Duration::from_secs(30), grace: Duration::from_secs(1) };
    api::serve(listener, router, limits, std::future::pending()).await?;
    Ok(())
}

fn settings() -> Settings {
    Settings {
        text_body_bytes: 262_144,
        batch_body_bytes: 4_194_304,
        batch_messages: 50,
        requests_in_flight: 2048,
        rate_limit_per_minute: 0,
    }
}

/// The same work for the same answer, charged in a transaction of its own: lock, update, insert, commit.
async fn naive(
    State(Bench { ctx, .. }): State<Bench>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Result<Json<Value>, (StatusCode, String)> {
    let failed = |error: domain::Error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let identity = ctx.keys.identify(bearer.trim_start_matches("Bearer ")).await.map_err(failed)?;
    let content = body["content"].as_str().unwrap_or_default().to_owned();
    let message = TextMessage::parse("", TextDraft { content, ..TextDraft::default() }).map_err(failed)?;
    let verdicts = judge(ctx.text.as_ref(), &[message], false).await.map_err(failed)?;
    let cost = ctx.prices.of(Operation::Text).await.map_err(failed)?;
    let entry = Entry::new(identity.account, RequestId::new(), Kind::Charge, -cost);
    let receipt = Credits::move_now(&ctx.db, entry).await.map_err(failed)?;
    Ok(Json(json!({
        "action": verdicts[0].action, "threat_score": verdicts[0].threat_score,
        "credits_deducted": receipt.deducted.credits(), "remaining_credits": receipt.remaining.credits(),
    })))
}

/// The group charge and nothing else.
async fn bare(State(Bench { ctx, account }): State<Bench>) -> Result<Json<Value>, (StatusCode, String)> {
    let failed = |error: domain::Error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    let cost = Amount::from_milli(500);
    let reservation = ctx.credits.require(&account, cost).await.map_err(failed)?;
    let entry = Entry::new(account, RequestId::new(), Kind::Charge, -cost);
    let receipt = ctx.credits.charge(reservation, entry).await.map_err(failed)?;
    Ok(Json(json!({ "remaining_credits": receipt.remaining.credits() })))
}
