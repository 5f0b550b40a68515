//! One WebSocket from its first message to its last. Knows no subscription; keeps nothing for a client that does not read:
//! what it cannot be sent is not made, and who watches too slowly misses hints.

use std::{collections::HashMap, time::Duration};

use async_graphql::{Request, Response, parser::types::OperationType};
use axum::extract::ws::{Message, WebSocket};
use domain::{Error, actor::Actor, id::RequestId};
use futures_util::{
    StreamExt,
    stream::{self, AbortHandle, BoxStream, SelectAll},
};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, Interval, MissedTickBehavior, interval, timeout},
};

use super::{
    credential::Credential,
    message::{ClientMessage, CloseReason, ServerMessage},
};
use crate::{
    app::App,
    graphql::{
        conformance::field_order::FieldOrder,
        context::RequestInfo,
        operation::{self, Operation},
    },
    slots::SlotPermit,
};

/// How long a client may take to say who it is.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a client is asked whether it is still there.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// How long a client may say nothing, not even that it is there.
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);
/// How long a client may take to read a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a client who is leaving may take to read that we know.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Subscriptions of one connection at once.
const MAX_SUBSCRIPTIONS: usize = 32;

/// What a subscription gives: its id, and an answer or, at its end, none.
type Delivery = (String, Option<(RequestId, Response)>);

/// Serves a connection until either side ends it.
pub(super) async fn serve(app: App, socket: WebSocket, credential: Option<Credential>) {
    let mut connection = Connection {
        app,
        socket,
        credential,
        actor: None,
        permit: None,
        running: HashMap::new(),
        deliveries: SelectAll::new(),
        last_received: Instant::now(),
    };
    let closed = match timeout(INIT_TIMEOUT, connection.initialize()).await {
        Ok(Ok(())) => connection.run().await,
        Ok(Err(CloseReason(1000, _))) => None,
        Ok(Err(closed)) => Some(closed),
        Err(_) => Some(CloseReason(4408, "Connection initialisation timeout".to_owned())),
    };
    let _ = match closed {
        Some(closed) => timeout(SEND_TIMEOUT, connection.socket.send(closed.frame())).await.map(drop),
        // The answer to a client's own close frame leaves when one reads on.
        None => timeout(CLOSE_TIMEOUT, connection.socket.recv()).await.map(drop),
    };
}

struct Connection {
    app: App,
    socket: WebSocket,
    credential: Option<Credential>,
    /// Whom the credential stood for when it was last looked at; nobody before the greeting.
    actor: Option<Actor>,
    /// One of its account's connection slots.
    permit: Option<SlotPermit>,
    running: HashMap<String, AbortHandle>,
    deliveries: SelectAll<BoxStream<'static, Delivery>>,
    last_received: Instant,
}

impl Connection {
    /// Waits until the client has said who it is.
    async fn initialize(&mut self) -> Result<(), CloseReason> {
        loop {
            let message = self.socket.recv().await;
            match self.read(message)? {
                None => {}
                Some(ClientMessage::ConnectionInit { payload }) => {
                    let sent = payload.as_ref().and_then(Credential::from_payload);
                    self.credential = sent.or(self.credential.take());
                    self.authenticate().await?;
                    return self.send(ServerMessage::ConnectionAck.frame()).await;
                }
                Some(ClientMessage::Ping {}) => self.send(ServerMessage::Pong.frame()).await?,
                Some(ClientMessage::Pong {} | ClientMessage::Complete { .. }) => {}
                Some(ClientMessage::Subscribe { .. }) => {
                    return Err(CloseReason(4401, "Unauthorized".to_owned()));
                }
            }
        }
    }

    async fn authenticate(&mut self) -> Result<(), CloseReason> {
        let Some(credential) = &self.credential else {
            let how = "Forbidden: sign in, or send {\"apiKey\": …} with connection_init";
            return Err(CloseReason(4403, how.to_owned()));
        };
        let refused = |error: Error| match error.cause {
            Some(_) => CloseReason(4500, "Internal server error".to_owned()),
            None => CloseReason(4403, format!("Forbidden: {}", error.message)),
        };
        let actor = credential.actor(&self.app).await.map_err(refused)?;
        let full = || CloseReason(4429, "too many WebSockets of this account are open".to_owned());
        self.permit = Some(self.app.sockets_of_accounts.try_acquire(&actor.account).ok_or_else(full)?);
        self.actor = Some(actor);
        Ok(())
    }

    /// Answers until either side ends it. None when there is nobody left to be told.
    async fn run(&mut self) -> Option<CloseReason> {
        let every = self.credential.as_ref().map_or(PING_INTERVAL, Credential::recheck_interval);
        let (mut look, mut ping) = (ticks(every), ticks(PING_INTERVAL));
        let mut ending = self.app.ending.subscribe();
        loop {
            let done = tokio::select! {
                message = self.socket.recv() => match self.read(message) {
                    Ok(Some(message)) => self.handle(message).await,
                    Ok(None) => Ok(()),
                    Err(closed) => Err(closed),
                },
                Some(delivery) = self.deliveries.next() => self.deliver(delivery).await,
                _ = look.tick() => self.reauthenticate().await,
                _ = ping.tick() => self.ping().await,
                () = ended(&mut ending) => Err(CloseReason(1001, "Going away".to_owned())),
            };
            match done {
                Ok(()) => {}
                Err(CloseReason(1000, _)) => return None,
                Err(closed) => return Some(closed),
            }
        }
    }

    /// Reads a frame. None for one that says nothing; code 1000 when the client is gone.
    fn read(
        &mut self,
        frame: Option<Result<Message, axum::Error>>,
    ) -> Result<Option<ClientMessage>, CloseReason> {
        let gone = || CloseReason(1000, String::new());
        self.last_received = Instant::now();
        match frame.ok_or_else(gone)?.map_err(|_| gone())? {
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(message) => Ok(Some(message)),
                Err(error) => Err(CloseReason::bad(format!("Invalid message: {error}"))),
            },
            Message::Binary(_) => Err(CloseReason::bad("Invalid message: it must be text")),
            Message::Close(_) => Err(gone()),
            Message::Ping(_) | Message::Pong(_) => Ok(None),
        }
    }

    async fn handle(&mut self, message: ClientMessage) -> Result<(), CloseReason> {
        match message {
            ClientMessage::ConnectionInit { .. } => {
                Err(CloseReason(4429, "Too many initialisation requests".to_owned()))
            }
            ClientMessage::Ping {} => self.send(ServerMessage::Pong.frame()).await,
            ClientMessage::Pong {} => Ok(()),
            ClientMessage::Subscribe { id, payload } => {
                let request = operation::read(payload).map_err(|error| CloseReason::bad(error.message))?;
                self.subscribe(id, request).await
            }
            ClientMessage::Complete { id } => {
                if let Some(handle) = self.running.remove(&id) {
                    handle.abort();
                }
                Ok(())
            }
        }
    }

    async fn subscribe(&mut self, id: String, request: Request) -> Result<(), CloseReason> {
        if self.running.contains_key(&id) {
            return Err(CloseReason(4409, format!("Subscriber for {id} already exists")));
        }
        let request_id = RequestId::new();
        let refusal = match operation::check(request) {
            Err(error) => error,
            Ok(Operation { kind: OperationType::Subscription, mut request, order }) => {
                if self.running.len() < MAX_SUBSCRIPTIONS {
                    let request_info =
                        RequestInfo { actor: self.actor.clone(), ..RequestInfo::guest(request_id.clone()) };
                    request.data.insert(request_info);
                    self.start(id, request_id, request, order);
                    return Ok(());
                }
                operation::refusal(format!("a connection may have {MAX_SUBSCRIPTIONS} subscriptions at most"))
            }
            Ok(_) => operation::refusal("this is for subscriptions; POST /graphql takes the rest"),
        };
        let mut errors = [refusal];
        operation::complete(&mut errors, &request_id);
        self.send(ServerMessage::Error { id: &id, errors: json!(errors) }.frame()).await
    }

    fn start(&mut self, id: String, request_id: RequestId, request: Request, order: FieldOrder) {
        let answers = self.app.graphql.execute_stream(request);
        let (of, end) = (id.clone(), stream::iter([(id.clone(), None)]));
        let answers = answers.map(move |mut answer| {
            order.apply(&mut answer.data);
            (of.clone(), Some((request_id.clone(), answer)))
        });
        let (answers, handle) = stream::abortable(answers.chain(end));
        self.running.insert(id, handle);
        self.deliveries.push(answers.boxed());
    }

    async fn deliver(&mut self, (id, answer): Delivery) -> Result<(), CloseReason> {
        // Of one that was completed meanwhile nothing more is sent.
        if !self.running.contains_key(&id) {
            return Ok(());
        }
        let Some((request_id, mut answer)) = answer else {
            self.running.remove(&id);
            return self.send(ServerMessage::Complete { id: &id }.frame()).await;
        };
        operation::complete(&mut answer.errors, &request_id);
        if operation::is_request_error(&answer) {
            self.running.remove(&id).inspect(AbortHandle::abort);
            return self.send(ServerMessage::Error { id: &id, errors: json!(answer.errors) }.frame()).await;
        }
        let payload: Value = json!(answer);
        self.send(ServerMessage::Next { id: &id, payload }.frame()).await
    }

    /// Ends the connection when its owner may no longer have it, or no longer as the one they were.
    async fn reauthenticate(&mut self) -> Result<(), CloseReason> {
        let Some(credential) = &self.credential else { return Ok(()) };
        let why = match credential.actor(&self.app).await {
            Ok(actor) if Some(&actor) == self.actor.as_ref() => return Ok(()),
            Ok(_) => "what you may do has changed; connect again".to_owned(),
            // That the database does not answer says nothing about anybody.
            Err(error) if error.cause.is_some() => return Ok(()),
            Err(error) => error.message,
        };
        Err(CloseReason(4401, format!("Unauthorized: {why}")))
    }

    async fn ping(&mut self) -> Result<(), CloseReason> {
        if self.last_received.elapsed() > IDLE_TIMEOUT {
            return Err(CloseReason(4408, "the client is silent".to_owned()));
        }
        self.send(Message::Ping(Vec::new().into())).await
    }

    async fn send(&mut self, frame: Message) -> Result<(), CloseReason> {
        match timeout(SEND_TIMEOUT, self.socket.send(frame)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(CloseReason(1000, String::new())),
        }
    }
}

/// Waits until the process ends.
async fn ended(ending: &mut watch::Receiver<bool>) {
    let _ = ending.wait_for(|ending| *ending).await.map(drop);
}

fn ticks(every: Duration) -> Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
