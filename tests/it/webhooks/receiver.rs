//! A scripted receiver of webhooks on loopback, which records its requests.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// The answer to a request.
#[derive(Clone)]
pub(super) enum Reply {
    Status(u16),
    /// A status with a header, such as `Location: …`.
    With(u16, String),
    /// 200 after a delay.
    Late(Duration),
}

/// A received request.
#[derive(Clone, Debug)]
pub(super) struct Received {
    head: String,
    pub(super) body: String,
}

/// A running receiver. Stops when dropped.
pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    /// Concurrent requests, now and at most.
    busy: Arc<(AtomicUsize, AtomicUsize)>,
    task: JoinHandle<()>,
}

impl Receiver {
    /// Starts a receiver on an address such as `127.0.0.1`; `reply` is given the number of earlier requests.
    pub(super) async fn start(at: &str, reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((at, 0)).await.expect("an address to listen on");
        let address = listener.local_addr().expect("a local address");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let busy: Arc<(AtomicUsize, AtomicUsize)> = Arc::default();
        let seen = received.clone();
        let concurrent = busy.clone();
        let reply = Arc::new(reply);
        let task = tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let seen = seen.clone();
                let concurrent = concurrent.clone();
                let reply = reply.clone();
                tokio::spawn(async move {
                    let now = concurrent.0.fetch_add(1, Ordering::SeqCst) + 1;
                    concurrent.1.fetch_max(now, Ordering::SeqCst);
                    let _ = serve(tcp, &seen, &*reply).await;
                    concurrent.0.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, received, busy, task }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hooks", self.address)
    }

    /// The requests so far.
    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic while it is held").clone()
    }

    /// The maximum of concurrent requests so far.
    pub(super) fn most_at_once(&self) -> usize {
        self.busy.1.load(Ordering::SeqCst)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Received {
    /// A header, which must be present.
    #[track_caller]
    pub(super) fn header(&self, name: &str) -> String {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")));
        let line = line.unwrap_or_else(|| panic!("no {name} in {}", self.head));
        line.split_once(':').expect("a value").1.trim().to_owned()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// The number of signatures of this request made with `secret`: 0 or 1.
    pub(super) fn signatures_by(&self, secret: &str) -> usize {
        let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
        for part in [&self.header("webhook-id"), ".", &self.header("webhook-timestamp"), ".", &self.body] {
            mac.update(part.as_bytes());
        }
        let expected = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
        self.header("webhook-signature").split(' ').filter(|given| **given == expected).count()
    }
}

async fn serve(
    mut tcp: TcpStream,
    seen: &Mutex<Vec<Received>>,
    reply: &(dyn Fn(usize) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        if tcp.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let before = {
        let mut seen = seen.lock().expect("no panic while it is held");
        seen.push(Received { head, body });
        seen.len() - 1
    };
    let (status, header) = match reply(before) {
        Reply::Status(status) => (status, String::new()),
        Reply::With(status, header) => (status, format!("{header}\r\n")),
        Reply::Late(pause) => {
            tokio::time::sleep(pause).await;
            (200, String::new())
        }
    };
    let answer = format!("HTTP/1.1 {status} As scripted\r\n{header}Content-Length: 5\r\n\r\nhello");
    tcp.write_all(answer.as_bytes()).await
}
