//! Clients that keep servers busy and record the outcome of each request. The servers may die and be replaced
//! meanwhile.

use std::{
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Account, Answer, Db, Request, Server, client};

/// The text of every request; no log may contain it.
pub(super) const MARKER: &str = "the heron swallowed nine paper lanterns";
/// The pause between two requests of a client, so that 32 clients do not saturate the machine.
const PAUSE: Duration = Duration::from_millis(25);
/// How long a client retries a request under one `Idempotency-Key`.
const STUBBORN: Duration = Duration::from_secs(60);

/// A request and its outcome.
pub(super) struct Sent {
    /// Its `Idempotency-Key`.
    pub(super) key: Option<String>,
    /// None if the connection ended without an answer.
    pub(super) answer: Option<Answer>,
    /// The time from the first sent byte to the last received.
    pub(super) took: Duration,
}

/// Running clients.
pub(super) struct Load {
    client_state: Arc<ClientState>,
    clients: JoinSet<Vec<Sent>>,
}

/// What the clients share.
struct ClientState {
    db: Db,
    api_key: String,
    client: reqwest::Client,
    servers: RwLock<Vec<String>>,
    stop: AtomicBool,
}

impl Load {
    /// Starts clients that send one request after the other, each once.
    pub(super) fn start(account: &Account, servers: &[&Server], clients: usize) -> Self {
        Self::begin(account, servers, clients, false)
    }

    /// Starts clients that send each request under an `Idempotency-Key` until it is answered 200, and some once more.
    pub(super) fn stubborn(account: &Account, servers: &[&Server], clients: usize) -> Self {
        Self::begin(account, servers, clients, true)
    }

    fn begin(account: &Account, servers: &[&Server], clients: usize, stubborn: bool) -> Self {
        let client = client().timeout(Duration::from_secs(100)).build();
        let client_state = Arc::new(ClientState {
            db: servers[0].db.clone(),
            api_key: account.key.clone(),
            client: client.expect("an HTTP client"),
            servers: RwLock::new(servers.iter().map(|server| server.base_url.clone()).collect()),
            stop: AtomicBool::new(false),
        });
        let clients = (0..clients).map(|number| {
            let client_state = client_state.clone();
            async move {
                if stubborn { client_state.insist(number).await } else { client_state.repeat(number).await }
            }
        });
        Self { clients: clients.collect(), client_state }
    }

    /// Sends further requests to these servers.
    pub(super) fn aim(&self, servers: &[&Server]) {
        let servers = servers.iter().map(|server| server.base_url.clone()).collect();
        *self.client_state.servers.write().unwrap() = servers;
    }

    /// Lets each client finish its request; returns everything that was sent.
    pub(super) async fn stop(self) -> Vec<Sent> {
        self.client_state.stop.store(true, Ordering::Relaxed);
        self.clients.join_all().await.into_iter().flatten().collect()
    }
}

impl ClientState {
    async fn repeat(&self, client: usize) -> Vec<Sent> {
        let mut sent = Vec::new();
        while self.goes_on() {
            sent.push(self.send(client + sent.len(), None).await);
            tokio::time::sleep(PAUSE).await;
        }
        sent
    }

    async fn insist(&self, client: usize) -> Vec<Sent> {
        let mut sent = Vec::new();
        for number in 0.. {
            if !self.goes_on() {
                break;
            }
            let key = format!("client-{client}-{number}");
            let start = Instant::now();
            let mut answers = if number % 4 == 0 { 2 } else { 1 };
            while answers > 0 {
                let one = self.send(client + sent.len(), Some(&key)).await;
                answers -= usize::from(one.answer.as_ref().is_some_and(|answer| answer.status == 200));
                sent.push(one);
                assert!(start.elapsed() < STUBBORN, "{key} is never answered: {}", outcome(&sent));
                tokio::time::sleep(PAUSE).await;
            }
        }
        sent
    }

    async fn send(&self, turn: usize, key: Option<&str>) -> Sent {
        let base = {
            let servers = self.servers.read().unwrap();
            servers[turn % servers.len()].clone()
        };
        let builder = self.client.post(format!("{base}/api/v1/moderate/text"));
        let request = Request::new(builder, self.db.clone()).key(&self.api_key);
        let request = request.json(json!({ "content": MARKER }));
        let request = if let Some(key) = key { request.idempotent(key) } else { request };
        let start = Instant::now();
        let answer = request.try_send().await.ok();
        Sent { key: key.map(str::to_owned), answer, took: start.elapsed() }
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

/// What became of the last request of a client, for a failed assertion.
fn outcome(sent: &[Sent]) -> String {
    let attempts: Vec<_> = sent
        .iter()
        .rev()
        .take_while(|one| one.key == sent.last().and_then(|last| last.key.clone()))
        .filter(|one| one.answer.is_some() || one.took > PAUSE)
        .take(5)
        .map(|one| {
            format!(
                "{:?} after {:?}",
                one.answer.as_ref().map(|answer| (answer.status, &answer.text)),
                one.took
            )
        })
        .collect();
    attempts.join(", before that ")
}
