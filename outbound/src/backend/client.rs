//! The client of one server, with a deadline, a concurrency limit, retries and a circuit breaker.

use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBuilder};
use bytes::Bytes;
use domain::foundation::slots::Slots;
use ports::{
    EngineError, Flow,
    decision::{Decision, DecisionFault, DecisionInput},
};
use reqwest::{
    Url,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect::Policy,
};
use tokio::{sync::Mutex, time::timeout_at};

use super::{
    breaker::{Breaker, BreakerSettings},
    exchange::{self, Fault},
    wire,
};
use crate::tls;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout of a free request.
const PROBE_TIMEOUT: Duration = Duration::from_millis(1500);
/// How long the result of a probe is cached.
const PROBE_VALID_FOR: Duration = Duration::from_secs(15);

/// The limits of a client.
#[derive(Clone, Debug)]
pub struct BackendLimits {
    /// The deadline of a request, including queueing and retries.
    pub timeout: Duration,
    /// Maximum number of retries.
    pub retries: usize,
    /// Maximum concurrent requests, three quarters of them for one account. Further requests wait for a quarter of
    /// `timeout` and are then refused.
    pub concurrency: usize,
    /// Consecutive failures that open the circuit breaker.
    pub breaker_failures: u32,
    /// How long the circuit breaker stays open.
    pub breaker_cool_down: Duration,
}

/// A server and our credentials.
pub(super) struct Server<'a> {
    /// The backend's name in responses, in metrics and in the log.
    pub(super) backend: &'static str,
    /// The prefix of its settings: `…_url`, `…_api_key`.
    pub(super) settings: &'static str,
    /// The base URL, such as `https://openrouter.ai`.
    pub(super) url: &'a str,
    /// Sent as `Authorization: Bearer`.
    pub(super) key: Option<&'a str>,
}

/// A client of one server.
pub(super) struct Client {
    backend: &'static str,
    key_setting: String,
    http: reqwest::Client,
    url: Url,
    limits: BackendLimits,
    permits: Slots<Flow>,
    breaker: Breaker,
    last_probe: Mutex<Option<Probe>>,
}

/// A probe and its result.
struct Probe {
    at: Instant,
    result: Result<(), EngineError>,
}

impl Client {
    /// Creates a client without connecting.
    ///
    /// # Errors
    /// Names the setting with an invalid URL, or with a key that cannot be sent in a header.
    pub(super) fn new(server: &Server<'_>, limits: BackendLimits) -> Result<Self, EngineError> {
        let key_setting = format!("{}_api_key", server.settings);
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(key) = server.key {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
                EngineError(format!("{key_setting} contains characters that are not allowed in a header"))
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let http = reqwest::Client::builder()
            .user_agent(concat!("gavel/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .tls_backend_preconfigured(tls::client_config())
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(Duration::from_secs(30))
            .build()
            .map_err(|error| EngineError(error.to_string()))?;
        let breaker =
            BreakerSettings { failures: limits.breaker_failures.max(1), cool_down: limits.breaker_cool_down };
        Ok(Self {
            backend: server.backend,
            key_setting,
            http,
            url: base(server)?,
            permits: Slots::new(
                limits.concurrency.max(1),
                (limits.concurrency - limits.concurrency / 4).max(1),
            ),
            breaker: Breaker::new(server.backend, breaker),
            limits,
            last_probe: Mutex::new(None),
        })
    }

    /// Sends the questions to a model of the server.
    pub(super) async fn decide(
        &self,
        path: &str,
        model: &str,
        input: &DecisionInput,
    ) -> Result<Decision, DecisionFault> {
        let start = Instant::now();
        if !self.breaker.would_admit(start) {
            return Err(DecisionFault::Paused);
        }
        let turn = timeout_at((start + self.limits.timeout / 4).into(), self.permits.acquire(&input.flow, 1));
        let Ok(_place) = turn.await else { return Err(DecisionFault::Busy) };
        let Some(permit) = self.breaker.admit(Instant::now()) else { return Err(DecisionFault::Paused) };
        let body = Bytes::from(wire::request(input, model));
        let answered = self.attempts(path, body, start + self.limits.timeout).await;
        let outage = answered.as_ref().map_or_else(Fault::is_outage, |_| Some(false));
        if let Some(outage) = outage {
            permit.report(!outage, Instant::now());
        }
        match answered {
            Ok(response) => Ok(response.into_decision(input)),
            Err(fault) if input.model.is_some() && fault.rejects(model) => Err(DecisionFault::Invalid {
                field: "model".to_owned(),
                message: format!("is not accepted by the {} backend", self.backend),
            }),
            Err(Fault::TimedOut) => Err(DecisionFault::Slow(self.limits.timeout)),
            Err(fault) => {
                Err(DecisionFault::Upstream(fault.to_engine_error(self.backend, &self.key_setting)))
            }
        }
    }

    /// The backend's name in responses.
    pub(super) fn backend(&self) -> &'static str {
        self.backend
    }

    /// Sends a free `GET` request and returns the body.
    pub(super) async fn get(&self, path: &str) -> Result<Vec<u8>, Fault> {
        let received = exchange::receive(self.http.get(self.endpoint(path)));
        tokio::time::timeout(PROBE_TIMEOUT, received).await.unwrap_or(Err(Fault::TimedOut))
    }

    /// Checks that the server answers the free request `GET path` and that the circuit breaker is not open. The result
    /// is cached for [`PROBE_VALID_FOR`].
    pub(super) async fn probe(&self, path: &str) -> Result<(), EngineError> {
        if !self.breaker.would_admit(Instant::now()) {
            return Err(self.unavailable());
        }
        let mut last_probe = self.last_probe.lock().await;
        if let Some(probe) = &*last_probe
            && probe.at.elapsed() < PROBE_VALID_FOR
        {
            return probe.result.clone();
        }
        let result = match self.get(path).await {
            // A server may work without this path.
            Ok(_) | Err(Fault::Status { status: 404 | 405, .. }) => Ok(()),
            Err(fault) => Err(fault.to_engine_error(self.backend, &self.key_setting)),
        };
        *last_probe = Some(Probe { at: Instant::now(), result: result.clone() });
        result
    }

    /// Sends a request and retries transient faults within the deadline.
    async fn attempts(&self, path: &str, body: Bytes, deadline: Instant) -> Result<wire::Response, Fault> {
        let mut pauses = ExponentialBuilder::new()
            .with_jitter()
            .with_min_delay(Duration::from_millis(100))
            .with_max_delay(Duration::from_secs(2))
            .with_max_times(self.limits.retries)
            .build();
        loop {
            let start = Instant::now();
            let request = self.http.post(self.endpoint(path)).header(CONTENT_TYPE, "application/json");
            let asked = timeout_at(deadline.into(), exchange::send(request.body(body.clone()))).await;
            let answered = asked.unwrap_or(Err(Fault::TimedOut));
            let status = answered.as_ref().map_or_else(Fault::label, |_| "200".to_owned());
            metrics::histogram!("gavel_backend_upstream_seconds", "backend" => self.backend, "status" => status)
                .record(start.elapsed().as_secs_f64());
            let Err(fault) = answered else { return answered };
            let Some(pause) = pauses.next().filter(|_| fault.is_transient()) else { return Err(fault) };
            let pause = fault.retry_after().unwrap_or(pause);
            if Instant::now().checked_add(pause).is_none_or(|at| at >= deadline) {
                return Err(fault);
            }
            metrics::counter!("gavel_backend_retries_total", "backend" => self.backend).increment(1);
            tracing::debug!(backend = self.backend, fault = fault.label(), ?pause, "retrying a request");
            tokio::time::sleep(pause).await;
        }
    }

    fn endpoint(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        url
    }

    fn unavailable(&self) -> EngineError {
        EngineError(format!("{} failed repeatedly; requests to it are paused", self.backend))
    }
}

fn base(server: &Server<'_>) -> Result<Url, EngineError> {
    let setting = format!("{}_url", server.settings);
    let url = Url::parse(server.url)
        .map_err(|error| EngineError(format!("{setting} is not a valid URL: {error}")))?;
    if !["http", "https"].contains(&url.scheme()) || url.cannot_be_a_base() {
        return Err(EngineError(format!("{setting} must start with http:// or https://")));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(EngineError(format!("{setting} must not have a query or a fragment")));
    }
    Ok(url)
}
