//! A load balancer between client and server that loses answers: the server has done the work, and the client
//! receives a
//! 502.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::harness::{Server, client};

/// A running load balancer. Stops when dropped.
pub(super) struct Gateway {
    address: SocketAddr,
    forwarding: Arc<Forwarding>,
    task: JoinHandle<()>,
}

struct Forwarding {
    server: String,
    client: reqwest::Client,
    losses_left: AtomicUsize,
    seen: AtomicUsize,
}

impl Gateway {
    /// Starts a load balancer in front of a server that loses the first `losses` answers.
    pub(super) async fn before(server: &Server, losses: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address to listen on");
        let address = listener.local_addr().expect("a local address");
        let forwarding = Arc::new(Forwarding {
            server: server.base_url.clone(),
            client: client().build().expect("an HTTP client"),
            losses_left: losses.into(),
            seen: 0.into(),
        });
        let router = Router::new().fallback(forward).with_state(forwarding.clone());
        let task =
            tokio::spawn(async move { axum::serve(listener, router).await.expect("the gateway serves") });
        Self { address, forwarding, task }
    }

    /// The base URL.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The number of forwarded requests.
    pub(super) fn seen(&self) -> usize {
        self.forwarding.seen.load(Ordering::SeqCst)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    State(forwarding): State<Arc<Forwarding>>,
    method: Method,
    uri: Uri,
    mut headers: HeaderMap,
    body: Bytes,
) -> Response {
    headers.remove(header::HOST);
    let request = forwarding.client.request(method, format!("{}{uri}", forwarding.server)).headers(headers);
    let answer = request.body(body).send().await.expect("the server answers");
    let status = answer.status();
    let headers = answer.headers().clone();
    let body = answer.bytes().await.expect("a whole answer");
    forwarding.seen.fetch_add(1, Ordering::SeqCst);
    if forwarding
        .losses_left
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left: usize| left.checked_sub(1))
        .is_ok()
    {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    (status, headers, body).into_response()
}
