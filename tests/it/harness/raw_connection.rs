//! A raw TCP connection, for requests that no well-behaved client sends.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{Answer, Server, eventually::PATIENCE};

/// An open connection.
pub(crate) struct RawConnection {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl RawConnection {
    /// Opens a connection to a server.
    pub(crate) async fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self { stream, unread: Vec::new() }
    }

    /// Sends bytes; the server may have closed the connection already.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let _ = self.stream.write_all(bytes.as_ref()).await;
        self
    }

    /// Closes the sending half of the connection.
    pub(crate) async fn finish(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// Reads one response; none when the connection is closed first.
    pub(crate) async fn answer(&mut self) -> Option<Answer> {
        let head = self.read_through(b"\r\n\r\n").await?;
        let head = String::from_utf8(head).expect("a head in ASCII");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().expect("a status");
        let headers: HeaderMap = lines
            .map(|line| {
                let (name, value) = line.split_once(':').expect("a header");
                (
                    name.parse::<HeaderName>().expect("a name"),
                    HeaderValue::from_str(value.trim()).expect("a value"),
                )
            })
            .collect();
        let length = headers.get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
        let body = self.read_exactly(length.unwrap_or(0)).await?;
        Some(Answer::new(status, headers, String::from_utf8(body).expect("a body in UTF-8")))
    }

    /// Waits until the server closes the connection; ignores bytes sent until then.
    pub(crate) async fn closed(&mut self) {
        let wait = async { while self.fill().await {} };
        assert!(tokio::time::timeout(PATIENCE, wait).await.is_ok(), "the server keeps the connection open");
    }

    /// True when the server neither sends nor closes anything for `pause`.
    pub(crate) async fn silent_for(&mut self, pause: Duration) -> bool {
        tokio::time::timeout(pause, self.fill()).await.is_err()
    }

    async fn read_through(&mut self, end: &[u8]) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self.unread.windows(end.len()).position(|window| window == end) {
                return Some(self.unread.drain(..at + end.len()).collect());
            }
            if !self.fill_in_time().await {
                return None;
            }
        }
    }

    async fn read_exactly(&mut self, length: usize) -> Option<Vec<u8>> {
        while self.unread.len() < length {
            if !self.fill_in_time().await {
                return None;
            }
        }
        Some(self.unread.drain(..length).collect())
    }

    async fn fill_in_time(&mut self) -> bool {
        tokio::time::timeout(PATIENCE, self.fill()).await.expect("the server neither answers nor closes")
    }

    /// Reads more bytes; false at the end of the connection.
    async fn fill(&mut self) -> bool {
        matches!(self.stream.read_buf(&mut self.unread).await, Ok(read) if read > 0)
    }
}
