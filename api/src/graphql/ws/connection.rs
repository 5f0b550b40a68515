//! The life of one WebSocket. Knows no particular subscription. Little is queued for a client that does not read: each
//! subscription holds one response until it is sent, and events that happen in the meantime are missed.

use std::{collections::HashMap, time::Duration};

use async_graphql::{Request, parser::types::OperationType};
use axum::extract::ws::{Message, WebSocket};
use domain::{
    Error,
    foundation::{actor::Actor, network::Network},
};
use ports::id::RequestId;
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, Interval, MissedTickBehavior, interval, timeout},
};

use super::{
    credential::Credential,
    message::{ClientMessage, Close, ServerMessage},
    task::{Delivery, Subscription, SubscriptionTask},
};
use crate::{
    graphql::{
        conformance::is_request_error,
        context::RequestInfo,
        operation::{self, Operation},
        state::GraphqlState,
    },
    slots::SlotPermit,
};

/// The longest that a client may take to send `connection_init`.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a client is pinged.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// The longest that a client may send nothing, not even a pong.
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);
/// The longest that a client may take to receive a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest that a client who closes may take to receive the close frame that answers its own.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Subscriptions of one connection at once.
const MAX_SUBSCRIPTIONS: usize = 32;
/// Responses of a connection that wait to be sent, besides one that each subscription holds.
const WAITING_RESPONSES: usize = 1;

/// Serves a connection until either side closes it.
pub(super) async fn serve(
    state: GraphqlState,
    socket: WebSocket,
    network: Network,
    credential: Option<Credential>,
) {
    let (outbox, deliveries) = mpsc::channel(WAITING_RESPONSES);
    let mut connection = Connection {
        state,
        socket,
        network,
        credential,
        actor: None,
        permit: None,
        running: HashMap::new(),
        outbox,
        deliveries,
        last_received: Instant::now(),
    };
    let close = match timeout(INIT_TIMEOUT, connection.initialize()).await {
        Ok(Ok(())) => connection.run().await,
        Ok(Err(close)) => close,
        Err(_) => Close::with(4408, "Connection initialisation timeout"),
    };
    let _ = match close.frame() {
        Some(frame) => timeout(SEND_TIMEOUT, connection.socket.send(frame)).await.map(drop),
        // The frame that answers a client's close frame is sent by reading on.
        None => timeout(CLOSE_TIMEOUT, connection.socket.recv()).await.map(drop),
    };
}

struct Connection {
    state: GraphqlState,
    socket: WebSocket,
    network: Network,
    credential: Option<Credential>,
    /// The actor that the credential stood for when it was last checked; none before `connection_init`.
    actor: Option<Actor>,
    /// One of the account's slots for WebSockets.
    permit: Option<SlotPermit>,
    /// Subscriptions by the id that the client gave them.
    running: HashMap<String, SubscriptionTask>,
    /// Where subscriptions put their responses.
    outbox: mpsc::Sender<Delivery>,
    deliveries: mpsc::Receiver<Delivery>,
    last_received: Instant,
}

impl Connection {
    /// Waits for `connection_init`, and acknowledges it.
    async fn initialize(&mut self) -> Result<(), Close> {
        loop {
            let frame = self.socket.recv().await;
            match self.read(frame)? {
                None => {}
                Some(ClientMessage::ConnectionInit { payload }) => {
                    let in_payload = payload.as_ref().and_then(Credential::from_payload);
                    self.credential = in_payload.or(self.credential.take());
                    self.authenticate().await?;
                    return self.send(ServerMessage::ConnectionAck.frame()).await;
                }
                Some(ClientMessage::Ping {}) => self.send(ServerMessage::Pong.frame()).await?,
                Some(ClientMessage::Pong {} | ClientMessage::Complete { .. }) => {}
                Some(ClientMessage::Subscribe { .. }) => {
                    return Err(Close::with(4401, "Unauthorized"));
                }
            }
        }
    }

    async fn authenticate(&mut self) -> Result<(), Close> {
        let Some(credential) = &self.credential else {
            let how = "Forbidden: sign in, or send {\"apiKey\": …} with connection_init";
            return Err(Close::with(4403, how));
        };
        let actor = credential.actor(&self.state).await.map_err(refused)?;
        let Some(permit) = self.state.websocket_slots.try_acquire(&actor.account) else {
            return Err(Close::with(4429, "too many WebSockets of this account are open"));
        };
        self.permit = Some(permit);
        self.actor = Some(actor);
        Ok(())
    }

    /// Handles messages and deliveries until either side closes.
    async fn run(&mut self) -> Close {
        let recheck = self.credential.as_ref().map_or(PING_INTERVAL, Credential::recheck_interval);
        let mut recheck = ticks(recheck);
        let mut ping = ticks(PING_INTERVAL);
        let mut shutdown = self.state.shutdown.subscribe();
        loop {
            let done = tokio::select! {
                frame = self.socket.recv() => match self.read(frame) {
                    Ok(Some(message)) => self.handle(message).await,
                    Ok(None) => Ok(()),
                    Err(reason) => Err(reason),
                },
                Some(delivery) = self.deliveries.recv() => self.deliver(delivery).await,
                _ = recheck.tick() => self.reauthenticate().await,
                _ = ping.tick() => self.ping().await,
                () = announced(&mut shutdown) => Err(Close::with(1001, "Going away")),
            };
            if let Err(close) = done {
                return close;
            }
        }
    }

    /// Reads a frame. None for a frame without a message.
    fn read(&mut self, frame: Option<Result<Message, axum::Error>>) -> Result<Option<ClientMessage>, Close> {
        self.last_received = Instant::now();
        let Some(Ok(frame)) = frame else { return Err(Close::Gone) };
        match frame {
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(message) => Ok(Some(message)),
                Err(error) => Err(Close::bad_request(format!("Invalid message: {error}"))),
            },
            Message::Binary(_) => Err(Close::bad_request("Invalid message: it must be text")),
            Message::Close(_) => Err(Close::Gone),
            Message::Ping(_) | Message::Pong(_) => Ok(None),
        }
    }

    async fn handle(&mut self, message: ClientMessage) -> Result<(), Close> {
        match message {
            ClientMessage::ConnectionInit { .. } => {
                Err(Close::with(4429, "Too many initialisation requests"))
            }
            ClientMessage::Ping {} => self.send(ServerMessage::Pong.frame()).await,
            ClientMessage::Pong {} => Ok(()),
            ClientMessage::Subscribe { id, payload } => {
                let request = operation::read(payload).map_err(|error| Close::bad_request(error.message))?;
                self.subscribe(id, request).await
            }
            ClientMessage::Complete { id } => {
                self.running.remove(&id);
                Ok(())
            }
        }
    }

    async fn subscribe(&mut self, id: String, request: Request) -> Result<(), Close> {
        if self.running.contains_key(&id) {
            return Err(Close::with(4409, format!("Subscriber for {id} already exists")));
        }
        let request_id = RequestId::new();
        let error = match operation::check(request) {
            Err(error) => error,
            Ok(operation) if operation.operation_type != OperationType::Subscription => {
                operation::unsupported("this is for subscriptions; POST /graphql takes the rest")
            }
            Ok(_) if self.running.len() >= MAX_SUBSCRIPTIONS => {
                let message = format!("a connection may have at most {MAX_SUBSCRIPTIONS} subscriptions");
                operation::unsupported(message)
            }
            Ok(operation) => {
                self.start(id, request_id, operation);
                return Ok(());
            }
        };
        let mut errors = [error];
        operation::complete_errors(&mut errors, &request_id);
        self.send(ServerMessage::Error { id: &id, errors: json!(errors) }.frame()).await
    }

    fn start(&mut self, id: String, request_id: RequestId, operation: Operation) {
        let Operation { mut request, field_order, .. } = operation;
        let info = RequestInfo {
            actor: self.actor.clone(),
            request_id: request_id.clone(),
            network: self.network,
            device: None,
            user_agent: String::new(),
            secure: false,
        };
        let caller = info.caller();
        request.data.insert(info);
        request.data.insert(self.state.subscription_slots.clone());
        let subscription = Subscription { id: id.clone(), request_id, request, field_order, caller };
        let task = subscription.start(&self.state, self.outbox.clone());
        self.running.insert(id, task);
    }

    async fn deliver(&mut self, delivery: Delivery) -> Result<(), Close> {
        let Delivery { id, request_id, response, reserved: _reserved } = delivery;
        // The client may have completed the subscription in the meantime.
        if self.running.get(&id).is_none_or(|task| task.request_id != request_id) {
            return Ok(());
        }
        let Some(mut response) = response else {
            self.running.remove(&id);
            return self.send(ServerMessage::Complete { id: &id }.frame()).await;
        };
        operation::complete_errors(&mut response.errors, &request_id);
        if is_request_error(&response) {
            self.running.remove(&id);
            return self.send(ServerMessage::Error { id: &id, errors: json!(response.errors) }.frame()).await;
        }
        let payload: Value = json!(response);
        self.send(ServerMessage::Next { id: &id, payload }.frame()).await
    }

    /// Closes the connection when its credential is no longer valid, or its actor's rights have changed.
    async fn reauthenticate(&mut self) -> Result<(), Close> {
        let Some(credential) = &self.credential else { return Ok(()) };
        let why = match credential.actor(&self.state).await {
            Ok(actor) if Some(&actor) == self.actor.as_ref() => return Ok(()),
            Ok(_) => "what you may do has changed; connect again".to_owned(),
            // A database that does not answer says nothing about the credential.
            Err(error) if error.cause.is_some() => return Ok(()),
            Err(error) => error.message,
        };
        Err(Close::with(4401, format!("Unauthorized: {why}")))
    }

    async fn ping(&mut self) -> Result<(), Close> {
        if self.last_received.elapsed() > IDLE_TIMEOUT {
            return Err(Close::with(4408, "the client is silent"));
        }
        self.send(Message::Ping(Vec::new().into())).await
    }

    async fn send(&mut self, frame: Message) -> Result<(), Close> {
        match timeout(SEND_TIMEOUT, self.socket.send(frame)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Close::Gone),
        }
    }
}

fn refused(error: Error) -> Close {
    match error.cause {
        Some(_) => Close::with(4500, "Internal server error"),
        None => Close::with(4403, format!("Forbidden: {}", error.message)),
    }
}

/// Waits until the server shuts down.
async fn announced(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|shutdown| *shutdown).await.map(drop);
}

fn ticks(every: Duration) -> Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
