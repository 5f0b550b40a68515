//! A load balancer between client and server that loses answers: the server has done the work, and the client is told 502.
//! Knows nothing of what it passes on.

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

/// A running load balancer. Gone when dropped.
pub(super) struct Gateway {
    address: SocketAddr,
    passing: Arc<Passing>,
    task: JoinHandle<()>,
}

struct Passing {
    server: String,
    client: reqwest::Client,
    to_lose: AtomicUsize,
    seen: AtomicUsize,
}

impl Gateway {
    /// One before a server that loses the first `to_lose` answers.
    pub(super) async fn before(server: &Server, to_lose: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address to listen on");
        let address = listener.local_addr().expect("its address");
        let passing = Arc::new(Passing {
            server: server.base_url.clone(),
            client: client().build().expect("an HTTP client"),
            to_lose: to_lose.into(),
            seen: 0.into(),
        });
        let router = Router::new().fallback(pass).with_state(passing.clone());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { address, passing, task }
    }

    /// Where it listens.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests it has passed on.
    pub(super) fn seen(&self) -> usize {
        self.passing.seen.load(Ordering::SeqCst)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(
    State(passing): State<Arc<Passing>>,
    method: Method,
    uri: Uri,
    mut headers: HeaderMap,
    body: Bytes,
) -> Response {
    headers.remove(header::HOST);
    let request = passing.client.request(method, format!("{}{uri}", passing.server)).headers(headers);
    let answer = request.body(body).send().await.expect("the server answers");
    let status = answer.status();
    let headers = answer.headers().clone();
    let body = answer.bytes().await.expect("a whole answer");
    passing.seen.fetch_add(1, Ordering::SeqCst);
    let less = |left: usize| left.checked_sub(1);
    if passing.to_lose.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok() {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    (status, headers, body).into_response()
}
