//! The messages of graphql-transport-ws, and the codes that a connection is closed with.

use axum::extract::ws::{CloseFrame, Message};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Bytes that the reason in a close frame may have, by RFC 6455, 5.5.
const MAX_REASON_BYTES: usize = 123;

/// A message from the client.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ClientMessage {
    ConnectionInit {
        #[serde(default)]
        payload: Option<Map<String, Value>>,
    },
    Ping {},
    Pong {},
    Subscribe {
        id: String,
        payload: Map<String, Value>,
    },
    Complete {
        id: String,
    },
}

/// A message to the client.
#[derive(Debug)]
pub(super) enum ServerMessage<'a> {
    ConnectionAck,
    Pong,
    Next { id: &'a str, payload: Value },
    Error { id: &'a str, errors: Value },
    Complete { id: &'a str },
}

impl ServerMessage<'_> {
    pub(super) fn frame(self) -> Message {
        let message = match self {
            ServerMessage::ConnectionAck => json!({ "type": "connection_ack" }),
            ServerMessage::Pong => json!({ "type": "pong" }),
            ServerMessage::Next { id, payload } => json!({ "type": "next", "id": id, "payload": payload }),
            ServerMessage::Error { id, errors } => json!({ "type": "error", "id": id, "payload": errors }),
            ServerMessage::Complete { id } => json!({ "type": "complete", "id": id }),
        };
        Message::Text(message.to_string().into())
    }
}

/// How a connection ends.
#[derive(Debug)]
pub(super) enum Close {
    /// The client is gone; nothing is sent.
    Gone,
    /// A frame tells the client why.
    With { code: u16, reason: String },
}

impl Close {
    pub(super) fn with(code: u16, reason: impl ToString) -> Self {
        Self::With { code, reason: reason.to_string() }
    }

    /// A message that is not part of the protocol.
    pub(super) fn bad_request(reason: impl ToString) -> Self {
        Self::with(4400, reason)
    }

    /// The close frame, with the reason cut to what it may have.
    pub(super) fn frame(self) -> Option<Message> {
        let Self::With { code, mut reason } = self else { return None };
        while reason.len() > MAX_REASON_BYTES {
            reason.pop();
        }
        Some(Message::Close(Some(CloseFrame { code, reason: reason.into() })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> serde_json::Result<ClientMessage> {
        serde_json::from_str(text)
    }

    #[test]
    fn messages_are_read() {
        assert_eq!(
            read(r#"{"type":"connection_init"}"#).unwrap(),
            ClientMessage::ConnectionInit { payload: None }
        );
        assert_eq!(read(r#"{"type":"ping","payload":{"a":1}}"#).unwrap(), ClientMessage::Ping {});
        for bad in ["", "{}", r#"{"type":"start","id":"1","payload":{}}"#, r#"{"type":"subscribe","id":1}"#] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_reason_is_cut_to_what_a_frame_takes() {
        let Some(Message::Close(Some(frame))) = Close::bad_request("é".repeat(100)).frame() else {
            panic!("a close frame")
        };
        assert!(frame.reason.len() <= 123 && frame.reason.len() > 100);
    }
}
