//! A scripted HTTP server on loopback for image URLs, with the faults of real servers. It interprets only the path of a
//! request, and records what it receives.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};

/// A running origin. Stops when dropped.
pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    tls: bool,
    heads: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

/// A step that the origin takes after it has read a request. After the last step it closes the connection.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends bytes repeatedly, with a pause after each time, until the client disconnects.
    Repeat(Vec<u8>, Duration),
    Wait(Duration),
    /// Sends nothing until the client disconnects.
    Hang,
    /// Closes the connection with a reset.
    Reset,
}

/// Maps a path to the steps of its answer.
type Script = Arc<dyn Fn(&str) -> Vec<Step> + Send + Sync>;

impl Origin {
    /// Starts an origin at an address such as `127.0.0.1:0`.
    pub(crate) async fn start(at: &str, script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::listen(at, None, Arc::new(script)).await
    }

    /// Starts an origin with TLS.
    pub(crate) async fn tls(
        at: &str,
        config: Arc<ServerConfig>,
        script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(at, Some(TlsAcceptor::from(config)), Arc::new(script)).await
    }

    async fn listen(at: &str, tls: Option<TlsAcceptor>, script: Script) -> Self {
        let listener = TcpListener::bind(at).await.expect("an address to listen on");
        let address = listener.local_addr().expect("a local address");
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = heads.clone();
        let speaks_tls = tls.is_some();
        let task = tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let tls = tls.clone();
                let script = script.clone();
                let seen = seen.clone();
                tokio::spawn(async move { serve(tcp, tls, &script, &seen).await });
            }
        });
        Self { address, tls: speaks_tls, heads, task }
    }

    /// The URL of a path on this origin.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", if self.tls { "https" } else { "http" }, self.address)
    }

    /// The heads of all requests; an empty one for a connection without a request.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("no panic while it is held").clone()
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A complete response with a `Content-Length`.
pub(crate) fn response(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<Step> {
    let mut head = format!("HTTP/1.1 {status} As scripted\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    vec![Step::Send([format!("{head}\r\n").as_bytes(), body].concat())]
}

async fn serve(mut tcp: TcpStream, tls: Option<TlsAcceptor>, script: &Script, seen: &Mutex<Vec<String>>) {
    if let Some(tls) = tls {
        if let Ok(mut stream) = tls.accept(tcp).await {
            answer(&mut stream, script, seen).await;
        }
    } else if answer(&mut tcp, script, seen).await {
        let _ = tcp.set_zero_linger();
    }
}

/// Answers a connection; true when it is to be reset.
async fn answer(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    script: &Script,
    seen: &Mutex<Vec<String>>,
) -> bool {
    let mut head = Vec::new();
    // Bytes that begin TLS are no method: the client waits for an answer to them.
    while head.first().is_none_or(u8::is_ascii_uppercase) && !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if !matches!(stream.read_buf(&mut head).await, Ok(read) if read > 0) {
            break;
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.lock().expect("no panic while it is held").push(head);
    perform(stream, script(&path)).await
}

/// Performs the steps; true when the connection is to be reset.
pub(super) async fn perform(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), steps: Vec<Step>) -> bool {
    for step in steps {
        match step {
            Step::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return false;
                }
            }
            Step::Repeat(bytes, pause) => {
                while stream.write_all(&bytes).await.is_ok() {
                    tokio::time::sleep(pause).await;
                }
            }
            Step::Wait(pause) => tokio::time::sleep(pause).await,
            Step::Hang => while matches!(stream.read(&mut [0; 64]).await, Ok(read) if read > 0) {},
            Step::Reset => return true,
        }
    }
    let _ = stream.shutdown().await;
    false
}
