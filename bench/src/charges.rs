//! Three servers for a load test: Gavel, the same work with a transaction per request, and a bare handler with Gavel's
//! group charge only. Run by `bench/charges.sh`.

use std::{sync::Arc, time::Duration};

use anyhow::bail;
use api::{ApiSettings, App, RateLimiter, RestItems};
use axum::{Json, Router, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use chrono::TimeDelta;
use domain::{
    Error,
    batch::{BatchLimits, BatchSetup},
    foundation::database::Database,
    money::{
        amount::Amount,
        credits::{EntryKind, LedgerEntry},
        pricing::Operation,
    },
    operations::{
        inference::Inference,
        moderation::{
            TextDraft, TextMessage, evaluate,
            image::{ImageModeration, ImagePolicy},
        },
    },
    people::{
        account::{NewAccount, SignUp},
        api_key::NewKey,
        mail::Mails,
        proof_of_work::ProofsOfWork,
    },
    services::{ServiceParts, Services, TextParts},
};
use engine::{image::UnavailableImages, text::NativeText};
use figment::{
    Figment,
    providers::{Format, Toml},
};
use metrics_exporter_prometheus::PrometheusBuilder;
use outbound::{
    fetch::{FetchSettings, Fetcher},
    webhook::{Sender, WebhookSettings},
};
use ports::id::{AccountId, RequestId};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};
use serde_json::json;

fn no_inference() -> Inference {
    let local = engine::decision::UnavailableDecisions { why: "not measured here".to_owned() };
    Inference::new(Arc::new(local))
}

/// An image service that is never called.
fn no_images() -> domain::Result<ImageModeration> {
    let settings = FetchSettings {
        allow: String::new(),
        name_servers: String::new(),
        timeout: Duration::from_secs(1),
        max_bytes: 1,
    };
    Ok(ImageModeration {
        engine: Arc::new(UnavailableImages { why: "none is needed here".to_owned() }),
        policy: ImagePolicy { nudity: 1.0, drawn_nudity: 1.0, suggestive: 1.0, minor: 1.0 },
        fetcher: Arc::new(Fetcher::new(settings)?),
        logs: None,
    })
}

#[derive(Clone)]
struct Bench {
    services: Services,
    account: AccountId,
}

pub(crate) async fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let &[kind, url] = arguments else { bail!("usage: bench charges gavel|naive|bare DATABASE_URL") };
    migration::migrate(url).await?;
    let engine = NativeText::load().map_err(anyhow::Error::msg)?;
    let db = Database::connect(url, 16).await?;
    let hour = TimeDelta::hours(1);
    let limits = BatchLimits { items: 1, open: 1, files: 1, account_bytes: 1, expiry: hour, kept: hour };
    let webhooks =
        WebhookSettings { webhook_allow: String::new(), name_servers: String::new(), webhook_timeout_s: 1 };
    let image = no_images()?;
    let items = RestItems { settings: settings()?, fetcher: image.fetcher.clone() };
    let services = Services::start(ServiceParts {
        db,
        queue: None,
        journal: None,
        text: TextParts {
            engine: Arc::new(engine),
            escalation: None,
            channels: None,
            plain_rules_backend: None,
            plain_rules_price: Amount::default(),
        },
        image,
        inference: no_inference(),
        trainer: None,
        batches: BatchSetup { limits, wire: Arc::new(items) },
        webhooks: Arc::new(Sender::new(&webhooks)?),
        sign_up: SignUp::default(),
        proofs: ProofsOfWork::default(),
        mails: Mails::default(),
        models: None,
    });
    let email = format!("{}@bench.invalid", RequestId::new());
    let credits = Amount::from_milli(1_000_000_000_000);
    let new = NewAccount { email, password: None, credits, at: None };
    let (account, _) = services.accounts.create(new).await?;
    let (_, secret) = services.api_keys.create(&account, NewKey::default()).await?;
    let bench = Bench { services: services.clone(), account };
    let settings = settings()?;
    let router = match kind {
        "gavel" => api::router(App::new(
            services,
            settings.clone(),
            RateLimiter::local(),
            PrometheusBuilder::new().install_recorder()?,
        )),
        "naive" => Router::new().route("/api/v1/moderate/text", post(naive)).with_state(bench),
        "bare" => Router::new().route("/api/v1/moderate/text", post(bare)).with_state(bench),
        other => bail!("{other} is none of: gavel, naive, bare"),
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{} {}", listener.local_addr()?, secret.reveal());
    api::serve(listener, router, settings.connection_limits(), std::future::pending()).await?;
    Ok(())
}

/// The default settings.
fn settings() -> anyhow::Result<ApiSettings> {
    Ok(Figment::from(Toml::string(include_str!("../../config.default.toml"))).extract()?)
}

/// The same work and answer, charged in a transaction of its own.
async fn naive(
    State(Bench { services, .. }): State<Bench>,
    headers: HeaderMap,
    Json(body): Json<serde_json::Value>,
) -> Result<Json<serde_json::Value>, (StatusCode, String)> {
    let failed = |error: domain::Error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = services.keys.identify(bearer.trim_start_matches("Bearer ")).await.map_err(failed)?;
    let content = body["content"].as_str().unwrap_or_default().to_owned();
    let message = TextMessage::parse("", TextDraft { content, ..TextDraft::default() }).map_err(failed)?;
    let verdicts = evaluate(services.text.engine.as_ref(), &[message], false).await.map_err(failed)?;
    let cost = services.billing.prices.of(Operation::Text).await.map_err(failed)?;
    let remaining = charge_alone(&services.db, &key.account, cost)
        .await
        .map_err(|error| failed(Error::internal(error)))?;
    Ok(Json(json!({
        "action": verdicts[0].action, "threat_score": verdicts[0].threat_score,
        "credits_deducted": cost.credits(), "remaining_credits": remaining.credits(),
    })))
}

/// Locks the account, updates its balance, inserts the ledger row and commits.
async fn charge_alone(db: &Database, account: &AccountId, cost: Amount) -> Result<Amount, DbErr> {
    let tx = db.begin().await?;
    let backend = tx.get_database_backend();
    let lock = if backend == DbBackend::Postgres { " FOR UPDATE" } else { "" };
    let sql = format!("SELECT balance, held, ledger_seq FROM account WHERE id = $1{lock}");
    let row =
        tx.query_one_raw(Statement::from_sql_and_values(backend, sql, [account.as_str().into()])).await?;
    let row = row.ok_or(DbErr::RecordNotFound(account.to_string()))?;
    let balance = row.try_get::<i64>("", "balance")? - cost.milli();
    let held = row.try_get::<i64>("", "held")?;
    let seq = row.try_get::<i64>("", "ledger_seq")? + 1;
    let update = "UPDATE account SET balance = $1, ledger_seq = $2 WHERE id = $3";
    let values: [Value; 3] = [balance.into(), seq.into(), account.as_str().into()];
    tx.execute_raw(Statement::from_sql_and_values(backend, update, values)).await?;
    let insert = "INSERT INTO ledger (account_id, seq, request_id, kind, delta, balance_after, items, created_at) \
                  VALUES ($1, $2, $3, 'charge', $4, $5, 1, CURRENT_TIMESTAMP)";
    let id = RequestId::new();
    let values: [Value; 5] =
        [account.as_str().into(), seq.into(), id.as_str().into(), (-cost.milli()).into(), balance.into()];
    tx.execute_raw(Statement::from_sql_and_values(backend, insert, values)).await?;
    tx.commit().await?;
    Ok(Amount::from_milli(balance - held))
}

/// The group charge only.
async fn bare(
    State(Bench { services, account }): State<Bench>,
) -> Result<Json<serde_json::Value>, (StatusCode, String)> {
    let failed = |error: domain::Error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    let cost = Amount::from_milli(500);
    let reservation = services.billing.credits.require(&account, cost).await.map_err(failed)?;
    let entry = LedgerEntry::new(account, RequestId::new(), EntryKind::Charge, -cost);
    let receipt = services.billing.credits.charge(reservation, entry).await.map_err(failed)?;
    Ok(Json(json!({ "remaining_credits": receipt.remaining.credits() })))
}
