//! The accept loop: hyper with the timeouts and the connection limit that `axum::serve` lacks, and a graceful shutdown.

use std::{future::Future, io, sync::Arc, time::Duration};

use axum::{Extension, Router};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tokio_io_timeout::TimeoutWriter;
use tower_layer::Layer as _;

use crate::client_address::Peer;

/// The longest that a client may take nothing of what is written to it; hyper itself would wait without an end.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// How often a connection that has not sent enough to tell its protocol is looked at.
const PEEK_INTERVAL: Duration = Duration::from_millis(10);
/// The pause after a failed accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Limits of the connections to the server.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections open at once; the next one waits to be accepted.
    pub connections: usize,
    /// The longest a request's head may take to arrive, which is also the longest a connection may idle.
    pub header_timeout: Duration,
    /// How long requests under way may take once shutdown has begun.
    pub grace: Duration,
}

/// Serves until `shutdown` resolves, then finishes the requests under way.
///
/// # Errors
/// When the listener itself fails. The failure of one connection ends that connection alone.
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
    let graceful = GracefulShutdown::new();
    // Dropping `open` closes the connections that have not sent anything yet.
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
                // Out of file descriptors, most likely: the listener lives, and a pause lets some be freed.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let Ok(peer) = stream.peer_addr() else { continue };
        let service = TowerToHyperService::new(Extension(Peer(peer)).layer(router.clone()));
        let (builder, watcher, mut closing) = (builder.clone(), graceful.watcher(), closing.clone());
        tokio::spawn(async move {
            let began = tokio::select! {
                began = tokio::time::timeout(limits.header_timeout, protocol_known(&stream)) => began.is_ok(),
                _ = closing.changed() => false,
            };
            if began {
                let mut stream = TimeoutWriter::new(stream);
                stream.set_timeout(Some(WRITE_TIMEOUT));
                let stream = TokioIo::new(Box::pin(stream));
                let connection = builder.serve_connection_with_upgrades(stream, service);
                if let Err(error) = watcher.watch(connection.into_owned()).await {
                    tracing::debug!(error, "a connection ended early");
                }
            }
            drop(permit);
        });
    }
    drop((listener, open));
    if tokio::time::timeout(limits.grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the grace period ended");
    }
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = connections.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

/// Waits until a connection has sent enough to tell HTTP/1 from HTTP/2, without taking it from the stream: hyper itself would wait
/// for that without an end.
async fn protocol_known(stream: &TcpStream) -> io::Result<()> {
    const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let mut sent = [0; PREFACE.len()];
    loop {
        let length = stream.peek(&mut sent).await?;
        if length == 0 || length == PREFACE.len() || !PREFACE.starts_with(&sent[..length]) {
            return Ok(());
        }
        tokio::time::sleep(PEEK_INTERVAL).await;
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
