//! The accept loop: hyper with the timeouts and the connection limit that `axum::serve` lacks, and a graceful shutdown.

use std::{future::Future, io, pin::pin, sync::Arc, time::Duration};

use axum::{Extension, Router};
use hyper::service::{Service as _, service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tokio_io_timeout::TimeoutWriter;
use tower_layer::Layer as _;

use crate::{client_address::Peer, open_streams::OpenStreams};

/// The longest that a client may not read what is written to it; hyper itself would wait forever.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a connection that is not in use may take to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How often to look at a connection that has not sent enough to tell its protocol.
const PEEK_INTERVAL: Duration = Duration::from_millis(10);
/// The pause after a failed accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Limits of the connections to the server.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections open at once; the next one waits to be accepted.
    pub connections: usize,
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
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.header_timeout);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.header_timeout)
        .keep_alive_timeout(limits.header_timeout)
        .max_concurrent_streams(128);
    let connections = Arc::new(Semaphore::new(limits.connections));
    // Dropping `open` closes the connections, each when its requests under way are finished.
    let (open, closing) = watch::channel(());
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = &mut shutdown => break,
        };
        let (stream, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_about_one_connection(&error) => continue,
            Err(error) => {
                // Out of file descriptors, most likely: the listener works, and a pause lets some be freed.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let connection = Connection { builder: builder.clone(), limits, closing: closing.clone() };
        let router = router.clone();
        tokio::spawn(async move {
            connection.serve(stream, router).await;
            drop(permit);
        });
    }
    drop((listener, open));
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    if tokio::time::timeout(limits.grace, connections.acquire_many(all)).await.is_err() {
        tracing::warn!("the grace period ended before all requests");
    }
    Ok(())
}

/// How one connection is served.
struct Connection {
    builder: auto::Builder<TokioExecutor>,
    limits: ConnectionLimits,
    closing: watch::Receiver<()>,
}

impl Connection {
    async fn serve(mut self, stream: TcpStream, router: Router) {
        let known = tokio::time::timeout(self.limits.header_timeout, protocol_known(&stream));
        let protocol = tokio::select! {
            protocol = known => protocol,
            _ = self.closing.changed() => return,
        };
        let Ok(Ok(protocol)) = protocol else { return };
        let Ok(peer) = stream.peer_addr() else { return };
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(WRITE_TIMEOUT));
        let stream = TokioIo::new(Box::pin(stream));
        let service = TowerToHyperService::new(Extension(Peer(peer)).layer(router));
        // hyper limits how long an HTTP/1 connection is idle.
        let streams = matches!(protocol, Protocol::Http2).then(OpenStreams::new);
        let connection_streams = streams.clone();
        let service = service_fn(move |request| {
            let answer = service.call(request);
            let streams = connection_streams.clone();
            async move {
                match streams {
                    Some(streams) => streams.serve(answer).await,
                    None => answer.await,
                }
            }
        });
        let unused = async {
            match &streams {
                Some(streams) => streams.unused_for(self.limits.header_timeout).await,
                None => std::future::pending().await,
            }
        };
        let mut connection = pin!(self.builder.serve_connection_with_upgrades(stream, service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = self.closing.changed() => {
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

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = connections.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
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
    loop {
        let length = stream.peek(&mut sent).await?;
        if length == PREFACE.len() && sent == *PREFACE {
            return Ok(Protocol::Http2);
        }
        if length == 0 || !PREFACE.starts_with(&sent[..length]) {
            return Ok(Protocol::Http1);
        }
        tokio::time::sleep(PEEK_INTERVAL).await;
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
