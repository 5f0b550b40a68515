//! The accept loop: hyper with the timeouts and the connection limit that `axum::serve` lacks, and a graceful shutdown.

use std::{convert::Infallible, future::Future, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{Extension, Router};
use hyper::service::{Service as _, service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use ipnet::IpNet;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tokio_io_timeout::TimeoutWriter;
use tower_layer::Layer as _;

use crate::{
    client_address::Peer,
    connections::{Connections, Place},
    open_streams::OpenStreams,
    path::without_extra_slashes,
    unread_body::UnreadBody,
};

/// The longest that a client may not read what is written to it; hyper itself would wait forever.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// The largest buffer of an HTTP/1 connection, which also holds the head of a request. hyper's own limit of 400 KiB is
/// what each of thousands of connections that send a body would take.
const READ_BUFFER_BYTES: usize = 16 * 1_024;
/// How long a connection that is not in use may take to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// When to look again at a connection that has not sent enough to tell its protocol; then half as often each time.
const FIRST_PEEK_INTERVAL: Duration = Duration::from_millis(10);
const LAST_PEEK_INTERVAL: Duration = Duration::from_secs(1);
/// The pause after a failed accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Limits of the connections to the server.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Connections open at once. One that is idle makes room for a new one, which waits while requests are under way on
    /// all.
    pub connections: usize,
    /// Connections of one network, unless it is a trusted proxy.
    pub per_network: usize,
    pub trusted_proxies: Arc<[IpNet]>,
    /// The longest a request's head may take to arrive, and the longest a connection may be open without a stream.
    pub header_timeout: Duration,
    /// How long requests under way may take once shutdown has begun.
    pub grace: Duration,
}

/// Serves until `shutdown` resolves, then finishes the requests under way.
///
/// # Errors
/// When the listener itself fails. The failure of one connection ends only that connection.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(READ_BUFFER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.header_timeout)
        .keep_alive_timeout(limits.header_timeout)
        .max_concurrent_streams(128);
    let connections = Connections::new(limits.connections, limits.per_network, limits.trusted_proxies);
    // A change closes the connections, each when its requests under way are finished.
    let (open, closing) = watch::channel(());
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = &mut shutdown => break,
        };
        let accepted = match accepted {
            Ok(Some(accepted)) => accepted,
            Ok(None) => continue,
            Err(error) if is_about_one_connection(&error) => continue,
            Err(error) => {
                // Out of file descriptors, most likely: the listener works, and a pause lets some be freed.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let _ = accepted.stream.set_nodelay(true);
        let connection = Connection {
            builder: builder.clone(),
            idle_timeout: limits.header_timeout,
            closing: closing.clone(),
        };
        tokio::spawn(connection.serve(accepted, router.clone()));
    }
    drop((listener, closing));
    open.send_replace(());
    if tokio::time::timeout(limits.grace, open.closed()).await.is_err() {
        tracing::warn!("the grace period ended before all requests");
    }
    Ok(())
}

/// A connection that was accepted.
struct Accepted {
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
}

/// Accepts a connection; `None` when its network has too many.
async fn accept(listener: &TcpListener, connections: &Connections) -> io::Result<Option<Accepted>> {
    let (stream, peer) = listener.accept().await?;
    Ok(connections.admit(peer).await.map(|place| Accepted { stream, peer, place }))
}

/// How one connection is served.
struct Connection {
    builder: auto::Builder<TokioExecutor>,
    idle_timeout: Duration,
    closing: watch::Receiver<()>,
}

impl Connection {
    async fn serve(mut self, accepted: Accepted, router: Router) {
        let Accepted { stream, peer, place } = accepted;
        let streams = OpenStreams::new(place);
        let known = tokio::time::timeout(self.idle_timeout, protocol_known(&stream));
        let protocol = tokio::select! {
            protocol = known => protocol,
            () = streams.evicted() => return,
            _ = self.closing.changed() => return,
        };
        let Ok(Ok(protocol)) = protocol else { return };
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(WRITE_TIMEOUT));
        let stream = TokioIo::new(Box::pin(stream));
        let service = TowerToHyperService::new(Extension(Peer(peer)).layer(router));
        let served = streams.clone();
        let service = service_fn(move |request| {
            let (request, unread) = UnreadBody::follow(without_extra_slashes(request));
            let answer = served.clone().serve(service.call(request));
            async move {
                let mut response = answer.await?;
                if let Some(unread) = unread {
                    unread.close_if_unread(&mut response);
                }
                Ok::<_, Infallible>(response)
            }
        });
        let unused = async {
            match protocol {
                // hyper limits how long it is idle.
                Protocol::Http1 => std::future::pending().await,
                Protocol::Http2 => streams.unused_for(self.idle_timeout).await,
            }
        };
        let mut connection = pin!(self.builder.serve_connection_with_upgrades(stream, service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = self.closing.changed() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
            () = streams.evicted() => {
                // A request may have begun meanwhile.
                if !streams.is_any_open() {
                    return;
                }
                connection.as_mut().graceful_shutdown();
                connection.await
            }
            () = unused => {
                connection.as_mut().graceful_shutdown();
                tokio::time::timeout(CLOSE_TIMEOUT, connection).await.unwrap_or(Ok(()))
            }
        };
        if let Err(error) = ended {
            tracing::debug!(error, "a connection ended early");
        }
    }
}

/// The protocol of a connection.
enum Protocol {
    Http1,
    Http2,
}

/// Waits until a connection has sent enough to tell HTTP/1 from HTTP/2, without taking it from the stream: hyper itself
/// would wait for that forever.
async fn protocol_known(stream: &TcpStream) -> io::Result<Protocol> {
    const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let mut sent = [0; PREFACE.len()];
    let mut interval = FIRST_PEEK_INTERVAL;
    loop {
        let length = stream.peek(&mut sent).await?;
        if length == PREFACE.len() && sent == *PREFACE {
            return Ok(Protocol::Http2);
        }
        if length == 0 || !PREFACE.starts_with(&sent[..length]) {
            return Ok(Protocol::Http1);
        }
        tokio::time::sleep(interval).await;
        interval = LAST_PEEK_INTERVAL.min(2 * interval);
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
