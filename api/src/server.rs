//! The accept loop: hyper with the timeouts and the connection cap that `axum::serve` lacks, and a graceful end.

use std::{future::Future, io, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};

use crate::unstuck::Unstuck;

/// What a client may take its time with.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections open at once; the next one waits to be accepted.
    pub connections: usize,
    /// The longest a request's head may take to arrive, which is also the longest a connection may idle.
    pub header_timeout: Duration,
    /// How long requests under way may take once the end was announced.
    pub grace: Duration,
}

/// Serves until `end` resolves, then finishes what is under way.
///
/// # Errors
/// When the listener itself fails; a failing connection fails alone.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
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
    // Dropping `open` tells the connections that have not spoken yet.
    let (open, closing) = watch::channel(());
    let mut end = std::pin::pin!(end);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = &mut end => break,
        };
        let (stream, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_about_one_connection(&error) => continue,
            Err(error) => {
                // Out of file descriptors, most likely: the listener lives, and a pause lets some be freed.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let (builder, watcher, mut closing) = (builder.clone(), graceful.watcher(), closing.clone());
        tokio::spawn(async move {
            let speaks = tokio::select! {
                spoke = tokio::time::timeout(limits.header_timeout, speaks(&stream)) => spoke.is_ok(),
                _ = closing.changed() => false,
            };
            if speaks {
                let stream = TokioIo::new(Unstuck::new(stream));
                let connection = builder.serve_connection_with_upgrades(stream, service);
                if let Err(error) = watcher.watch(connection.into_owned()).await {
                    tracing::debug!(error, "a connection ended early");
                }
            }
            drop(place);
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
    let place = connections.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, place))
}

/// Waits until a connection has said enough to tell HTTP/1 from HTTP/2, without taking it from the stream: hyper itself
/// would wait for that without an end.
async fn speaks(stream: &TcpStream) -> io::Result<()> {
    const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let mut said = [0; PREFACE.len()];
    loop {
        let length = stream.peek(&mut said).await?;
        if length == 0 || length == PREFACE.len() || !PREFACE.starts_with(&said[..length]) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
