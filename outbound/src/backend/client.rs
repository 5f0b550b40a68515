//! The client of one server, with a deadline, a concurrency limit, retries and a circuit breaker.

use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBuilder};
use bytes::Bytes;
use domain::foundation::slots::{SlotPermit, Slots};
use ports::{
    EngineError, Flow,
    decision::{Decision, DecisionFault, DecisionInput, ServerInfo, ServerKind},
};
use reqwest::{
    Url,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect::Policy,
};
use serde::de::DeserializeOwned;
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
/// The most that is shown of the name of a model.
const MAX_MODEL_CHARS: usize = 100;
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
    /// The prefix of its settings, to which `url` and `api_key` are added.
    pub(super) settings: &'a str,
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

/// Why a server did not answer a request.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// There was no place among the requests in flight in time.
    Busy,
    /// The circuit breaker is open.
    Paused,
    Fault(Fault),
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
        let key_setting = format!("{}api_key", server.settings);
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

    /// Sends the questions to a System One model of the server.
    pub(super) async fn decide(
        &self,
        path: &str,
        model: &str,
        input: &DecisionInput,
    ) -> Result<Decision, DecisionFault> {
        let start = Instant::now();
        let place = self.place(&input.flow, start + self.limits.timeout / 4).await;
        let _place = place.map_err(|unanswered| self.fault(unanswered))?;
        let body = Bytes::from(wire::request(input, model));
        let deadline = start + self.limits.timeout;
        match self.post::<wire::Response>(path, body, deadline).await {
            Ok(response) => Ok(response.into_decision(input)),
            Err(Unanswered::Fault(fault)) if input.model.is_some() && fault.rejects(model) => {
                Err(self.unknown_model())
            }
            Err(unanswered) => Err(self.fault(unanswered)),
        }
    }

    /// Waits for a place among the requests in flight until `until`, unless the circuit breaker is open.
    pub(super) async fn place(&self, flow: &Flow, until: Instant) -> Result<SlotPermit, Unanswered> {
        if !self.breaker.would_admit(Instant::now()) {
            return Err(Unanswered::Paused);
        }
        self.further_place(flow, until).await
    }

    /// The same for a further request of a decision, which may wait for the trial that its first one is.
    pub(super) async fn further_place(&self, flow: &Flow, until: Instant) -> Result<SlotPermit, Unanswered> {
        timeout_at(until.into(), self.permits.acquire(flow, 1)).await.map_err(|_| Unanswered::Busy)
    }

    /// Sends a request that has its place, and reports to the circuit breaker how it went. While another one is on
    /// trial, it waits.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Bytes,
        deadline: Instant,
    ) -> Result<T, Unanswered> {
        let Some(permit) = self.breaker.admit_after_trial(deadline).await else {
            return Err(Unanswered::Paused);
        };
        let answered = self.attempts(path, body, deadline).await;
        let outage = answered.as_ref().map_or_else(Fault::is_outage, |_| Some(false));
        if let Some(outage) = outage {
            permit.report(!outage, Instant::now());
        }
        answered.map_err(Unanswered::Fault)
    }

    /// What a backend says of a request that was not answered.
    pub(super) fn fault(&self, unanswered: Unanswered) -> DecisionFault {
        match unanswered {
            Unanswered::Busy => DecisionFault::Busy,
            Unanswered::Paused => DecisionFault::Paused,
            Unanswered::Fault(Fault::TimedOut) => DecisionFault::Slow(self.limits.timeout),
            Unanswered::Fault(fault) => {
                let error = fault.to_engine_error(self.backend, &self.key_setting);
                if fault.is_transient() {
                    DecisionFault::Upstream(error)
                } else {
                    DecisionFault::Refused(error)
                }
            }
        }
    }

    /// The fault of a request for a model that the server does not have.
    pub(super) fn unknown_model(&self) -> DecisionFault {
        DecisionFault::Invalid {
            field: "model".to_owned(),
            message: format!("is not accepted by the {} backend", self.backend),
        }
    }

    /// The fault of a request for a model in whose place the server answers as another.
    pub(super) fn other_model(&self, answered: &str) -> DecisionFault {
        let answered: String =
            answered.chars().filter(|char| !char.is_control()).take(MAX_MODEL_CHARS).collect();
        DecisionFault::Invalid {
            field: "model".to_owned(),
            message: format!(
                "is not a model of the {} backend: its server answered as {answered}",
                self.backend
            ),
        }
    }

    /// The deadline of a request, from its start.
    pub(super) fn timeout(&self) -> Duration {
        self.limits.timeout
    }

    /// What operators see of the server.
    pub(super) fn info(&self, kind: ServerKind) -> ServerInfo {
        let mut url = self.url.clone();
        // Neither can fail for the schemes that are allowed.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let paused = !self.breaker.would_admit(Instant::now());
        ServerInfo { kind, url: url.to_string(), paused }
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
    async fn attempts<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Bytes,
        deadline: Instant,
    ) -> Result<T, Fault> {
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
    let setting = format!("{}url", server.settings);
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
