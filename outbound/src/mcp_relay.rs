//! Passes messages of the Model Context Protocol between standard input and output and a Gavel's `/mcp`, for clients
//! that start their servers as programs.

use std::{collections::HashSet, error::Error, io, task::Poll};

use futures_util::poll;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage},
    transport::{
        StreamableHttpClientTransport, Transport as _,
        async_rw::AsyncRwTransport,
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use tokio::{
    io::{Stdin, Stdout},
    task::JoinSet,
};

use crate::tls;

/// The path of a Gavel's MCP.
const PATH: &str = "mcp";

/// Why the relay ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// TLS cannot be set up.
    #[error("the HTTP client cannot be set up")]
    Setup(#[source] reqwest::Error),
    /// Standard output is closed.
    #[error("the client does not read its answers")]
    ClientGone(#[source] io::Error),
    /// Gavel did not take a message, or its answers ended.
    #[error("{0}")]
    Gavel(String),
}

/// A message that was sent to Gavel.
struct SentMessage {
    /// Of a request, which is answered.
    id: Option<RequestId>,
    /// Why it was not taken.
    fault: Option<String>,
}

/// A relay between a client on standard input and output and a Gavel.
struct Relay {
    client: AsyncRwTransport<RoleServer, Stdin, Stdout>,
    gavel: StreamableHttpClientTransport<reqwest::Client>,
    /// Messages under way to Gavel.
    sends: JoinSet<SentMessage>,
    /// Requests without an answer as yet.
    unanswered: HashSet<RequestId>,
}

/// Passes messages on until standard input ends and all requests are answered. `url`: the address of a Gavel, such as
/// `http://127.0.0.1:8080`. `key`: an API key.
///
/// # Errors
/// If Gavel cannot be reached or refuses the key, or the client is gone.
pub async fn relay_stdio(url: &str, key: &str) -> Result<(), RelayError> {
    let http = reqwest::Client::builder()
        .user_agent(concat!("gavel/", env!("CARGO_PKG_VERSION")))
        .tls_backend_preconfigured(tls::client_config())
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(RelayError::Setup)?;
    let uri = format!("{}/{PATH}", url.trim_end_matches('/'));
    let config = StreamableHttpClientTransportConfig::with_uri(uri).auth_header(key);
    let relay = Relay {
        client: AsyncRwTransport::new_server(tokio::io::stdin(), tokio::io::stdout()),
        gavel: StreamableHttpClientTransport::with_client(http, config),
        sends: JoinSet::new(),
        unanswered: HashSet::new(),
    };
    relay.run().await
}

impl Relay {
    async fn run(mut self) -> Result<(), RelayError> {
        let mut open = true;
        // Why Gavel did not take a message; the reason for the end unless it has answered another.
        let mut refusal = None;
        let mut answered = false;
        while open || !self.unanswered.is_empty() || !self.sends.is_empty() {
            tokio::select! {
                message = self.client.receive(), if open => match message {
                    Some(message) => self.ask(message).await,
                    None => open = false,
                },
                answer = self.gavel.receive() => match answer {
                    Some(answer) => {
                        answered = true;
                        self.answer(answer).await?;
                    }
                    None => return Err(self.fail().await),
                },
                Some(sent) = self.sends.join_next() => {
                    refusal = refusal.or(self.note(sent.ok()).await?);
                }
            }
        }
        refusal.filter(|_| !answered).map_or(Ok(()), |refusal| Err(RelayError::Gavel(refusal)))
    }

    /// Sends a message of the client to Gavel.
    async fn ask(&mut self, message: ClientJsonRpcMessage) {
        let id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        self.unanswered.extend(id.clone());
        let mut sending = Box::pin(self.gavel.send(message));
        // The first poll puts it into the queue of the connection. Tasks that did so themselves could overtake each
        // other, and a call that overtakes the end of the handshake is never answered.
        let queued = poll!(sending.as_mut());
        self.sends.spawn(async move {
            let sent = match queued {
                Poll::Ready(sent) => sent,
                Poll::Pending => sending.await,
            };
            let fault = sent.err().map(|error| why(&error));
            SentMessage { id, fault }
        });
    }

    /// Sends a message of Gavel to the client.
    async fn answer(&mut self, message: ServerJsonRpcMessage) -> Result<(), RelayError> {
        match &message {
            ServerJsonRpcMessage::Response(response) => {
                self.unanswered.remove(&response.id);
            }
            ServerJsonRpcMessage::Error(error) => {
                error.id.iter().for_each(|id| {
                    self.unanswered.remove(id);
                });
            }
            _ => {}
        }
        self.client.send(message).await.map_err(RelayError::ClientGone)
    }

    /// Answers a request that Gavel did not take with an error; returns why.
    async fn note(&mut self, sent: Option<SentMessage>) -> Result<Option<String>, RelayError> {
        let Some(SentMessage { id, fault: Some(fault) }) = sent else { return Ok(None) };
        if let Some(id) = id {
            let error = ErrorData::internal_error(fault.clone(), None);
            self.answer(ServerJsonRpcMessage::error(error, Some(id))).await?;
        }
        Ok(Some(fault))
    }

    /// Answers what is under way when the connection to Gavel has ended; returns why it did.
    async fn fail(mut self) -> RelayError {
        let mut reason = None;
        while let Some(sent) = self.sends.join_next().await {
            match self.note(sent.ok()).await {
                Ok(fault) => reason = reason.or(fault),
                Err(error) => return error,
            }
        }
        RelayError::Gavel(reason.unwrap_or_else(|| "Gavel ended the conversation".to_owned()))
    }
}

/// What a person can do about a message that was not taken.
fn why(error: &StreamableHttpError<reqwest::Error>) -> String {
    if matches!(error, StreamableHttpError::AuthRequired(_)) {
        return "Gavel does not know this API key; set GAVEL_API_KEY to a valid one".to_owned();
    }
    let mut text = format!("Gavel did not take the message: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
