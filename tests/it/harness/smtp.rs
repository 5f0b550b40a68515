//! A mail server: takes e-mails by SMTP and keeps them, without TLS.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

use super::eventually_within;

/// A delivered e-mail.
#[derive(Clone, Debug)]
pub(crate) struct Delivered {
    pub(crate) to: String,
    /// Headers and body, as they were sent.
    pub(crate) text: String,
}

impl Delivered {
    /// The value of a parameter in the first link.
    pub(crate) fn parameter(&self, name: &str) -> String {
        let text = self.text.replace("=\r\n", "").replace("=3D", "=");
        let start = text.find(&format!("{name}=")).expect("a link") + name.len() + 1;
        text[start..]
            .chars()
            .take_while(|char| char.is_ascii_alphanumeric() || "-_".contains(*char))
            .collect()
    }
}

/// The server.
pub(crate) struct MailServer {
    port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    delivered: Mutex<Vec<Delivered>>,
    /// Refuses e-mails for the time being.
    refuses: AtomicBool,
}

impl MailServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state: Arc<State> = Arc::default();
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, shared.clone()));
            }
        });
        Self { port, state }
    }

    /// The value of the setting `smtp_url`.
    pub(crate) fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// Whether e-mails are refused for the time being.
    pub(crate) fn refuse(&self, refuses: bool) {
        self.state.refuses.store(refuses, Ordering::Relaxed);
    }

    pub(crate) fn delivered(&self) -> Vec<Delivered> {
        self.state.delivered.lock().expect("no panic").clone()
    }

    /// Waits for an e-mail whose text contains `part`.
    pub(crate) async fn mail_with(&self, part: &str) -> Delivered {
        eventually_within(Duration::from_secs(90), "an e-mail", async || {
            self.delivered().into_iter().find(|mail| mail.text.contains(part))
        })
        .await
    }
}

async fn serve(client: TcpStream, state: Arc<State>) {
    let (read, mut write) = client.into_split();
    let mut lines = BufReader::new(read).lines();
    let mut to = String::new();
    let _ = write.write_all(b"220 mail.test ESMTP\r\n").await;
    while let Ok(Some(line)) = lines.next_line().await {
        let upper = line.to_ascii_uppercase();
        let reply = if upper.starts_with("RCPT TO:") {
            if state.refuses.load(Ordering::Relaxed) {
                "450 busy, come back later"
            } else {
                to = line[8..].trim_matches(|char| "<> ".contains(char)).to_owned();
                "250 ok"
            }
        } else if upper == "DATA" {
            let _ = write.write_all(b"354 go on\r\n").await;
            let mut text = String::new();
            while let Ok(Some(line)) = lines.next_line().await {
                if line == "." {
                    break;
                }
                text += line.as_str();
                text += "\r\n";
            }
            state.delivered.lock().expect("no panic").push(Delivered { to: to.clone(), text });
            "250 taken"
        } else if upper == "QUIT" {
            "221 bye"
        } else {
            "250 ok"
        };
        if write.write_all(format!("{reply}\r\n").as_bytes()).await.is_err() {
            return;
        }
    }
}
