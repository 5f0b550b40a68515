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
    message::{Closed, FromClient, ToClient},
};
use crate::{
    app::App,
    graphql::{
        operation::{self, Operation},
        order::Order,
        visitor::Visitor,
    },
    slots::SlotPermit,
};

/// How long a client may take to say who it is.
const INIT: Duration = Duration::from_secs(10);
/// How often a client is asked whether it is still there.
const PING: Duration = Duration::from_secs(15);
/// How long a client may say nothing, not even that it is there.
const SILENCE: Duration = Duration::from_secs(45);
/// How long a client may take to read a message.
const SEND: Duration = Duration::from_secs(10);
/// How long a client who is leaving may take to read that we know.
const FAREWELL: Duration = Duration::from_secs(1);
/// Subscriptions of one connection at once.
const SUBSCRIPTIONS: usize = 32;

/// What a subscription gives: its id, and an answer or, at its end, none.
type Given = (String, Option<(RequestId, Response)>);

/// Serves a connection until either side ends it.
pub(super) async fn serve(app: App, socket: WebSocket, credential: Option<Credential>) {
    let mut connection = Connection {
        app,
        socket,
        credential,
        actor: None,
        permit: None,
        running: HashMap::new(),
        given: SelectAll::new(),
        heard: Instant::now(),
    };
    let closed = match timeout(INIT, connection.greet()).await {
        Ok(Ok(())) => connection.run().await,
        Ok(Err(Closed(1000, _))) => None,
        Ok(Err(closed)) => Some(closed),
        Err(_) => Some(Closed(4408, "Connection initialisation timeout".to_owned())),
    };
    let _ = match closed {
        Some(closed) => timeout(SEND, connection.socket.send(closed.frame())).await.map(drop),
        // The answer to a client's own close frame leaves when one reads on.
        None => timeout(FAREWELL, connection.socket.recv()).await.map(drop),
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
    given: SelectAll<BoxStream<'static, Given>>,
    heard: Instant,
}

impl Connection {
    /// Waits until the client has said who it is.
    async fn greet(&mut self) -> Result<(), Closed> {
        loop {
            let message = self.socket.recv().await;
            match self.read(message)? {
                None => {}
                Some(FromClient::ConnectionInit { payload }) => {
                    let sent = payload.as_ref().and_then(Credential::of_payload);
                    self.credential = sent.or(self.credential.take());
                    self.admit().await?;
                    return self.send(ToClient::ConnectionAck.frame()).await;
                }
                Some(FromClient::Ping {}) => self.send(ToClient::Pong.frame()).await?,
                Some(FromClient::Pong {} | FromClient::Complete { .. }) => {}
                Some(FromClient::Subscribe { .. }) => return Err(Closed(4401, "Unauthorized".to_owned())),
            }
        }
    }

    async fn admit(&mut self) -> Result<(), Closed> {
        let Some(credential) = &self.credential else {
            let how = "Forbidden: sign in, or send {\"apiKey\": …} with connection_init";
            return Err(Closed(4403, how.to_owned()));
        };
        let refused = |error: Error| match error.cause {
            Some(_) => Closed(4500, "Internal server error".to_owned()),
            None => Closed(4403, format!("Forbidden: {}", error.message)),
        };
        let actor = credential.actor(&self.app).await.map_err(refused)?;
        let full = || Closed(4429, "too many WebSockets of this account are open".to_owned());
        self.permit = Some(self.app.sockets_of_accounts.try_acquire(&actor.account).ok_or_else(full)?);
        self.actor = Some(actor);
        Ok(())
    }

    /// Answers until either side ends it. None when there is nobody left to be told.
    async fn run(&mut self) -> Option<Closed> {
        let every = self.credential.as_ref().map_or(PING, Credential::every);
        let (mut look, mut ping) = (ticks(every), ticks(PING));
        let mut ending = self.app.ending.subscribe();
        loop {
            let done = tokio::select! {
                message = self.socket.recv() => match self.read(message) {
                    Ok(Some(message)) => self.hear(message).await,
                    Ok(None) => Ok(()),
                    Err(closed) => Err(closed),
                },
                Some(given) = self.given.next() => self.give(given).await,
                _ = look.tick() => self.look_again().await,
                _ = ping.tick() => self.ping().await,
                () = ended(&mut ending) => Err(Closed(1001, "Going away".to_owned())),
            };
            match done {
                Ok(()) => {}
                Err(Closed(1000, _)) => return None,
                Err(closed) => return Some(closed),
            }
        }
    }

    /// Reads a frame. None for one that says nothing; code 1000 when the client is gone.
    fn read(&mut self, frame: Option<Result<Message, axum::Error>>) -> Result<Option<FromClient>, Closed> {
        let gone = || Closed(1000, String::new());
        self.heard = Instant::now();
        match frame.ok_or_else(gone)?.map_err(|_| gone())? {
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(message) => Ok(Some(message)),
                Err(error) => Err(Closed::bad(format!("Invalid message: {error}"))),
            },
            Message::Binary(_) => Err(Closed::bad("Invalid message: it must be text")),
            Message::Close(_) => Err(gone()),
            Message::Ping(_) | Message::Pong(_) => Ok(None),
        }
    }

    async fn hear(&mut self, message: FromClient) -> Result<(), Closed> {
        match message {
            FromClient::ConnectionInit { .. } => {
                Err(Closed(4429, "Too many initialisation requests".to_owned()))
            }
            FromClient::Ping {} => self.send(ToClient::Pong.frame()).await,
            FromClient::Pong {} => Ok(()),
            FromClient::Subscribe { id, payload } => {
                let request = operation::read(payload).map_err(|error| Closed::bad(error.message))?;
                self.subscribe(id, request).await
            }
            FromClient::Complete { id } => {
                if let Some(handle) = self.running.remove(&id) {
                    handle.abort();
                }
                Ok(())
            }
        }
    }

    async fn subscribe(&mut self, id: String, request: Request) -> Result<(), Closed> {
        if self.running.contains_key(&id) {
            return Err(Closed(4409, format!("Subscriber for {id} already exists")));
        }
        let request_id = RequestId::new();
        let refusal = match operation::check(request) {
            Err(error) => error,
            Ok(Operation { kind: OperationType::Subscription, mut request, order }) => {
                if self.running.len() < SUBSCRIPTIONS {
                    let visitor = Visitor { actor: self.actor.clone(), ..Visitor::guest(request_id.clone()) };
                    request.data.insert(visitor);
                    self.start(id, request_id, request, order);
                    return Ok(());
                }
                operation::refusal(format!("a connection may have {SUBSCRIPTIONS} subscriptions at most"))
            }
            Ok(_) => operation::refusal("this is for subscriptions; POST /graphql takes the rest"),
        };
        let mut errors = [refusal];
        operation::complete(&mut errors, &request_id);
        self.send(ToClient::Error { id: &id, errors: json!(errors) }.frame()).await
    }

    fn start(&mut self, id: String, request_id: RequestId, request: Request, order: Order) {
        let answers = self.app.graphql.execute_stream(request);
        let (of, end) = (id.clone(), stream::iter([(id.clone(), None)]));
        let answers = answers.map(move |mut answer| {
            order.apply(&mut answer.data);
            (of.clone(), Some((request_id.clone(), answer)))
        });
        let (answers, handle) = stream::abortable(answers.chain(end));
        self.running.insert(id, handle);
        self.given.push(answers.boxed());
    }

    async fn give(&mut self, (id, answer): Given) -> Result<(), Closed> {
        // Of one that was completed meanwhile nothing more is sent.
        if !self.running.contains_key(&id) {
            return Ok(());
        }
        let Some((request_id, mut answer)) = answer else {
            self.running.remove(&id);
            return self.send(ToClient::Complete { id: &id }.frame()).await;
        };
        operation::complete(&mut answer.errors, &request_id);
        if operation::is_request_error(&answer) {
            self.running.remove(&id).inspect(AbortHandle::abort);
            return self.send(ToClient::Error { id: &id, errors: json!(answer.errors) }.frame()).await;
        }
        let payload: Value = json!(answer);
        self.send(ToClient::Next { id: &id, payload }.frame()).await
    }

    /// Ends the connection when its owner may no longer have it, or no longer as the one they were.
    async fn look_again(&mut self) -> Result<(), Closed> {
        let Some(credential) = &self.credential else { return Ok(()) };
        let why = match credential.actor(&self.app).await {
            Ok(actor) if Some(&actor) == self.actor.as_ref() => return Ok(()),
            Ok(_) => "what you may do has changed; connect again".to_owned(),
            // That the database does not answer says nothing about anybody.
            Err(error) if error.cause.is_some() => return Ok(()),
            Err(error) => error.message,
        };
        Err(Closed(4401, format!("Unauthorized: {why}")))
    }

    async fn ping(&mut self) -> Result<(), Closed> {
        if self.heard.elapsed() > SILENCE {
            return Err(Closed(4408, "the client is silent".to_owned()));
        }
        self.send(Message::Ping(Vec::new().into())).await
    }

    async fn send(&mut self, frame: Message) -> Result<(), Closed> {
        match timeout(SEND, self.socket.send(frame)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Closed(1000, String::new())),
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
