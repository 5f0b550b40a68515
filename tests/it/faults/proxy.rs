//! A proxy between Gavel and PostgreSQL that does to a COMMIT, or to any other message, what networks do.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

use crate::harness::Db;

/// The simple query that ends a transaction, as sent.
const COMMIT: &[u8] = b"COMMIT\0";

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It never arrives; the connection is cut.
    NeverSent,
    /// It arrives, and the connection is cut at once.
    CutAfterSending,
    /// It is executed; the connection is cut instead of the answer.
    AnswerLost,
    /// It never arrives, nor does anything later on this connection, which stays open.
    NeverSentInSilence,
    /// It is executed; no answer arrives, nor anything later on this connection, which stays open.
    DoneInSilence,
}

/// A running proxy. Stops when dropped, with its connections.
pub(super) struct Proxy {
    address: SocketAddr,
    shared: Arc<ProxyState>,
    listening: JoinHandle<()>,
}

struct ProxyState {
    server: String,
    orders: Mutex<Orders>,
    state: watch::Sender<Network>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Network {
    Open,
    /// Every connection is cut, and so is every new one.
    Dead,
    /// Connections stay open and nothing moves on them, as in a network partition.
    Frozen,
}

struct Order {
    /// Bytes that identify the message.
    holding: Vec<u8>,
    fate: Fate,
    then_dead: bool,
}

#[derive(Default)]
struct Orders {
    next: Option<Order>,
    met: usize,
}

impl Proxy {
    /// Starts a proxy in front of the server of `db`.
    pub(super) async fn start(db: &Db) -> Self {
        let (_, rest) = db.url().rsplit_once('@').expect("user@server in the address");
        let server = rest.split('/').next().expect("a server").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(ProxyState {
            server,
            orders: Mutex::default(),
            state: watch::Sender::new(Network::Open),
        });
        let listening = tokio::spawn({
            let shared = shared.clone();
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    tokio::spawn(forward(shared.clone(), client));
                }
            }
        });
        Self { address, shared, listening }
    }

    /// The URL of `db` through this proxy, unencrypted so that it can read the messages.
    pub(super) fn url(&self, db: &Db) -> String {
        let (user, rest) = db.url().rsplit_once('@').expect("user@server in the address");
        let (_, name) = rest.rsplit_once('/').expect("a database in the address");
        format!("{user}@{}/{name}?sslmode=disable", self.address)
    }

    /// Sets the fate of the next COMMIT, and whether all connections are then dead until [`Proxy::revive`].
    pub(super) fn next_commit(&self, fate: Fate, then_dead: bool) {
        self.next(COMMIT, fate, then_dead);
    }

    /// The same for the next message that contains these bytes.
    pub(super) fn next(&self, holding: &[u8], fate: Fate, then_dead: bool) {
        let order = Order { holding: holding.to_owned(), fate, then_dead };
        self.shared.orders.lock().unwrap().next = Some(order);
    }

    /// How many messages have met their fate.
    pub(super) fn met(&self) -> usize {
        self.shared.orders.lock().unwrap().met
    }

    /// Holds everything in transit until [`Proxy::revive`].
    pub(super) fn freeze(&self) {
        self.shared.state.send_replace(Network::Frozen);
    }

    /// Lets everything through again, including what is in transit.
    pub(super) fn revive(&self) {
        self.shared.state.send_replace(Network::Open);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
        self.shared.state.send_replace(Network::Dead);
    }
}

/// Forwards one connection until either side or a fate ends it.
async fn forward(shared: Arc<ProxyState>, mut client: TcpStream) {
    let mut state = shared.state.subscribe();
    if *state.borrow() == Network::Dead {
        return;
    }
    let Ok(mut server) = TcpStream::connect(&shared.server).await else { return };
    let mut up = vec![0; 65_536];
    let mut down = vec![0; 65_536];
    loop {
        match state.wait_for(|state| *state != Network::Frozen).await {
            Ok(state) if *state == Network::Open => {}
            _ => return,
        }
        let sent = tokio::select! {
            biased;
            _ = state.changed() => continue,
            read = client.read(&mut up) => read,
            read = server.read(&mut down) => match read {
                Ok(length @ 1..) if client.write_all(&down[..length]).await.is_ok() => continue,
                _ => return,
            },
        };
        let Ok(length @ 1..) = sent else { return };
        let sent = &up[..length];
        let Some(Order { fate, then_dead, .. }) = shared.order(sent) else {
            if server.write_all(sent).await.is_err() {
                return;
            }
            continue;
        };
        let arrives = !matches!(fate, Fate::NeverSent | Fate::NeverSentInSilence);
        if arrives && server.write_all(sent).await.is_err() {
            return;
        }
        if matches!(fate, Fate::AnswerLost | Fate::DoneInSilence) {
            let _ = server.read(&mut down).await;
        }
        if then_dead {
            shared.state.send_replace(Network::Dead);
        }
        if matches!(fate, Fate::NeverSentInSilence | Fate::DoneInSilence) {
            // Longer than any test; both ends stay open.
            tokio::time::sleep(Duration::from_secs(600)).await;
        }
        return;
    }
}

impl ProxyState {
    fn order(&self, sent: &[u8]) -> Option<Order> {
        let mut orders = self.orders.lock().unwrap();
        let met = orders
            .next
            .take_if(|next| sent.windows(next.holding.len()).any(|window| window == next.holding))?;
        orders.met += 1;
        Some(met)
    }
}
