//! Which URLs are refused, and DNS rebinding.

use std::{
    io::{self, Read as _, Write as _},
    net::{IpAddr, TcpListener},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use domain::background::webhook::{Message, NoAnswer, WebhookSender as _};

use super::{Sender, WebhookSettings};
use crate::egress::Resolver;
use ports::Flow;

const NOT_PUBLIC: &str =
    "the URL must name a public host; this one cannot be found, or has an address that is not public";

/// Answers with its addresses in turn; the last one repeats.
struct Script(Mutex<Vec<&'static str>>);

#[async_trait]
impl Resolver for Script {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0] };
        Ok(vec![answer.parse().unwrap()])
    }
}

fn sender(allow: &str, names: &[&'static str]) -> Sender {
    let settings = WebhookSettings {
        webhook_allow: allow.to_owned(),
        name_servers: String::new(),
        webhook_timeout_s: 5,
    };
    Sender::with_resolver(&settings, Arc::new(Script(Mutex::new(names.to_vec())))).unwrap()
}

fn message(url: &str) -> Message {
    Message {
        flow: Flow::default(),
        url: url.to_owned(),
        id: "event_1".to_owned(),
        timestamp: 1,
        signature: "v1,x".to_owned(),
        body: "{}".to_owned(),
    }
}

/// A server that answers with a status and counts its connections.
fn serve(address: &str, port: u16, status: &'static str) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((address, port)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (port, connections)
}

#[test]
fn only_https_is_allowed_except_to_hosts_that_the_operator_lists() {
    let sender = sender("127.0.0.8, hooks.internal", &["8.8.8.8"]);
    for fine in [
        "https://example.com/hooks?token=1",
        "https://8.8.8.8/",
        "http://127.0.0.8:8080/",
        "https://127.0.0.8/",
        "http://hooks.internal/",
    ] {
        assert!(sender.parse("url", fine).is_ok(), "{fine}");
    }
    for (refused, why) in [
        ("http://example.com/", "must be an https URL"),
        ("http://8.8.8.8/", "must be an https URL"),
        ("ftp://127.0.0.8/", "must be an https URL"),
        ("https://user:word@example.com/", "must not contain a user name or a password"),
        ("hooks", "must be a URL with a host"),
        ("https://127.0.0.1/", "must name a public host"),
        ("https://0x7f000001/", "must name a public host"),
        ("https://[::ffff:127.0.0.1]/", "must name a public host"),
        ("https://169.254.169.254/latest", "must name a public host"),
        ("https://10.0.0.1/", "must name a public host"),
    ] {
        let error = sender.parse("url", refused).unwrap_err();
        assert!(error.message.starts_with(&format!("url {why}")), "{refused}: {}", error.message);
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_name_with_a_private_address() {
    let (port, public) = serve("127.0.0.2", 0, "204 No Content");
    let (_, canary) = serve("127.0.0.1", port, "204 No Content");
    let sender = sender("127.0.0.2, *.not-this.example", &["127.0.0.2", "127.0.0.1"]);
    // The server does not speak TLS; only the connection counts.
    let url = format!("https://rebinding.example:{port}/");
    let first = sender.send(message(&url)).await.unwrap_err();
    assert_ne!(first.0, NOT_PUBLIC);
    assert_eq!(sender.send(message(&url)).await, Err(NoAnswer(NOT_PUBLIC.to_owned())));
    assert_eq!((public.load(Ordering::SeqCst), canary.load(Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (canary, touched) = serve("127.0.0.1", 0, "204 No Content");
    let location: &'static str = format!("307 Look\r\nLocation: http://127.0.0.1:{canary}/").leak();
    let (port, _) = serve("127.0.0.8", 0, location);
    let sender = sender("127.0.0.8", &["8.8.8.8"]);
    let answer = sender.send(message(&format!("http://127.0.0.8:{port}/"))).await.unwrap();
    assert_eq!(answer.status, 307);
    assert_eq!(touched.load(Ordering::SeqCst), 0);
}
