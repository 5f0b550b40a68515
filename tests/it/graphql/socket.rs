//! A client of the protocol graphql-transport-ws, message by message.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{
        Error, Message,
        client::IntoClientRequest,
        http::HeaderValue,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

use crate::harness::Server;

/// The timeout of an expected message.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open connection.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens a connection with headers; an error has the status and body of the refusal.
    pub(crate) async fn open(
        server: &Server,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, (u16, Value)> {
        let mut request = format!("ws://{}/graphql/ws", server.address).into_client_request().unwrap();
        request
            .headers_mut()
            .insert("sec-websocket-protocol", HeaderValue::from_static("graphql-transport-ws"));
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        match connect_async(request).await {
            Ok((stream, answer)) => {
                assert_eq!(answer.headers()["sec-websocket-protocol"], "graphql-transport-ws");
                Ok(Self(stream))
            }
            Err(Error::Http(answer)) => {
                let body = answer.body().as_deref().map(serde_json::from_slice).and_then(Result::ok);
                Err((answer.status().as_u16(), body.unwrap_or_default()))
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Opens a connection under a key.
    pub(crate) async fn with_key(server: &Server, key: &str) -> Self {
        let mut socket = Self::open(server, &[]).await.expect("the connection opens");
        socket.say(json!({ "type": "connection_init", "payload": { "apiKey": key } })).await;
        assert_eq!(socket.hear().await, json!({ "type": "connection_ack" }));
        socket
    }

    /// Sends a message.
    pub(crate) async fn say(&mut self, message: Value) {
        self.say_text(&message.to_string()).await;
    }

    /// Sends a text that may be no message.
    pub(crate) async fn say_text(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.expect("the connection is open");
    }

    /// Starts a subscription.
    pub(crate) async fn subscribe(&mut self, id: &str, query: &str, variables: Value) {
        let payload = json!({ "query": query, "variables": variables });
        self.say(json!({ "type": "subscribe", "id": id, "payload": payload })).await;
    }

    /// Receives the next message, which must arrive.
    pub(crate) async fn hear(&mut self) -> Value {
        match self.next().await {
            Ok(message) => message,
            Err(closed) => panic!("closed: {closed:?}"),
        }
    }

    /// Receives the next data of a subscription.
    pub(crate) async fn given(&mut self, id: &str) -> Value {
        let message = self.hear().await;
        assert_eq!((&message["type"], &message["id"]), (&json!("next"), &json!(id)), "{message}");
        assert_eq!(message["payload"].get("errors"), None, "{message}");
        message["payload"]["data"].clone()
    }

    /// Receives the next message, if one arrives in time.
    pub(crate) async fn within(&mut self, time: Duration) -> Option<Value> {
        let message = tokio::time::timeout(time, self.next()).await.ok()?;
        Some(message.expect("the connection is open"))
    }

    /// Closes the connection; returns the code and reason of the server's close frame.
    pub(crate) async fn leave(mut self) -> (u16, String) {
        let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        self.0.close(Some(frame)).await.expect("the connection is open");
        self.closed().await
    }

    /// Waits until the server closes the connection; returns code and reason.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        loop {
            if let Err(closed) = self.next().await {
                return closed;
            }
        }
    }

    async fn next(&mut self) -> Result<Value, (u16, String)> {
        // One timeout for all frames, since pings arrive as long as the connection is open.
        let by = tokio::time::Instant::now() + PATIENCE;
        loop {
            let frame = tokio::time::timeout_at(by, self.0.next()).await.expect("a message in time");
            match frame {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(Some(frame)))) => {
                    return Err((frame.code.into(), frame.reason.to_string()));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => return Err((0, format!("{other:?}"))),
            }
        }
    }
}
