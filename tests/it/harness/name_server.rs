//! A scripted name server on loopback.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use tokio::{net::UdpSocket, task::JoinHandle};

/// The bytes before the question of a message, and after its name.
const HEAD: usize = 12;
const TYPE_AND_CLASS: usize = 4;
/// The type of a question for IPv4 addresses.
const A: [u8; 2] = [0, 1];

/// A running name server. Stops when dropped.
pub(crate) struct NameServer {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

/// The answer to a question.
#[derive(Clone, Copy)]
pub(crate) enum NameAnswer {
    Address(Ipv4Addr),
    /// The name does not exist.
    Missing,
    /// Nothing is sent.
    Silence,
}

impl NameServer {
    /// Starts a name server that answers as `script` says for a name.
    pub(crate) async fn start(script: impl Fn(&str) -> NameAnswer + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("an address to listen on");
        let address = socket.local_addr().expect("a local address");
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = asked.clone();
        let task = tokio::spawn(async move {
            let mut message = [0; 512];
            while let Ok((length, client)) = socket.recv_from(&mut message).await {
                let (name, end) = question(&message[..length]);
                let answer = answer(&message[..end], script(&name));
                seen.lock().expect("no panic while it is held").push(name);
                if let Some(answer) = answer {
                    socket.send_to(&answer, client).await.expect("a client that listens");
                }
            }
        });
        Self { address, asked, task }
    }

    /// How often a name was asked for, with either type of address.
    pub(crate) fn asked(&self, name: &str) -> usize {
        self.asked.lock().expect("no panic while it is held").iter().filter(|asked| *asked == name).count()
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The name of the first question, and where the question ends.
fn question(message: &[u8]) -> (String, usize) {
    let mut labels = Vec::new();
    let mut at = HEAD;
    while message[at] > 0 {
        let end = at + 1 + usize::from(message[at]);
        labels.push(String::from_utf8_lossy(&message[at + 1..end]).to_lowercase());
        at = end;
    }
    (labels.join("."), at + 1 + TYPE_AND_CLASS)
}

/// The response to a message that ends with its question.
fn answer(asked: &[u8], answer: NameAnswer) -> Option<Vec<u8>> {
    let wants_v4 = asked[asked.len() - TYPE_AND_CLASS..].starts_with(&A);
    let (code, address) = match answer {
        NameAnswer::Silence => return None,
        NameAnswer::Missing => (3, None),
        NameAnswer::Address(address) => (0, Some(address).filter(|_| wants_v4)),
    };
    let mut sent = asked[..2].to_vec();
    sent.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(address.is_some()), 0, 0, 0, 0]);
    sent.extend(&asked[HEAD..]);
    if let Some(address) = address {
        // The name of the question, an IPv4 address of the internet, for a second, of 4 bytes.
        sent.extend([0xc0, HEAD as u8, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]);
        sent.extend(address.octets());
    }
    Some(sent)
}
