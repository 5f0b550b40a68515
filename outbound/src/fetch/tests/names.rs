//! DNS rebinding: connections are made to the addresses that were checked, even if the name then resolves to others.

use std::{
    collections::VecDeque,
    io::{self, Read as _, Write as _},
    net::{IpAddr, SocketAddr, TcpListener},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;

use super::super::{FetchSettings, Fetcher};
use crate::egress::Resolver;
use domain::{Code, Error, operations::moderation::image::ImageFetcher as _};
use ports::Flow;

/// The error for a host that is refused or does not exist.
const NOT_PUBLIC: &str =
    "image_url must name a public host; this one cannot be found, or has an address that is not public";

/// A resolver with scripted answers; the last one repeats.
struct Script {
    answers: Mutex<VecDeque<io::Result<Vec<IpAddr>>>>,
    asked: AtomicUsize,
}

#[async_trait]
impl Resolver for Script {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { None };
        match answer.as_ref().or(answers.front()) {
            Some(Ok(addresses)) => Ok(addresses.clone()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// A resolver that answers for one name, and never for others; counts the lookups in progress.
#[derive(Default)]
struct Silent {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Resolver for Silent {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "fine.example" {
            return addresses("127.0.0.2");
        }
        let lookup = InProgress(self);
        let now = lookup.0.now.fetch_add(1, Ordering::SeqCst) + 1;
        lookup.0.most.fetch_max(now, Ordering::SeqCst);
        std::future::pending().await
    }
}

/// A lookup that ends when it is dropped.
struct InProgress<'a>(&'a Silent);

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Each answer is a list of addresses; an empty string stands for a name that does not exist.
fn script(answers: &[&str]) -> Arc<Script> {
    let answers = answers.iter().copied().map(addresses).collect();
    Arc::new(Script { answers: Mutex::new(answers), asked: AtomicUsize::new(0) })
}

fn addresses(answer: &str) -> io::Result<Vec<IpAddr>> {
    match answer {
        "" => Err(io::ErrorKind::NotFound.into()),
        list => Ok(list.split_whitespace().map(|address| address.parse().unwrap()).collect()),
    }
}

fn fetcher(allow: &str, names: Arc<dyn Resolver>) -> Fetcher {
    let settings = FetchSettings {
        allow: allow.to_owned(),
        name_servers: String::new(),
        timeout: Duration::from_secs(20),
        max_bytes: 1000,
    };
    Fetcher::with_resolver(settings, names).unwrap()
}

async fn get(fetcher: &Fetcher, url: &str) -> Result<String, Error> {
    let body = fetcher.fetch(Flow::default(), &fetcher.parse("image_url", url)?).await?;
    Ok(String::from_utf8(body.to_vec()).unwrap())
}

/// A server that gives every request the same answer, keeps its connections open and counts them.
fn serve(address: &str, port: u16, answer: String) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((address, port)).unwrap();
    let at = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            let answer = answer.clone();
            std::thread::spawn(move || {
                while matches!(stream.read(&mut [0; 4096]), Ok(read) if read > 0) {
                    let _ = stream.write_all(answer.as_bytes());
                }
            });
        }
    });
    (at, connections)
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn redirect(location: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
}

#[tokio::test]
async fn the_connection_goes_to_the_address_that_was_checked() {
    let (public, hits) = serve("127.0.0.2", 0, ok("public"));
    let (_, canary) = serve("127.0.0.1", public.port(), ok("private"));
    // Allowed when it is checked, private afterwards.
    let names = script(&["127.0.0.2", "127.0.0.1"]);
    let fetcher = fetcher("127.0.0.2", names.clone());
    let url = format!("http://rebinding.example:{}/", public.port());
    assert_eq!(get(&fetcher, &url).await.unwrap(), "public");
    assert_eq!(names.asked.load(Ordering::SeqCst), 1, "one lookup for each connection");
    // The next download makes a new connection and checks the address again.
    assert_eq!(get(&fetcher, &url).await.unwrap_err().message, NOT_PUBLIC);
    assert_eq!((hits.load(Ordering::SeqCst), canary.load(Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn a_redirect_back_to_the_same_name_is_checked_again() {
    let (public, hits) = serve("127.0.0.2", 0, redirect("/again"));
    let (_, canary) = serve("127.0.0.1", public.port(), ok("private"));
    let fetcher = fetcher("127.0.0.2", script(&["127.0.0.2", "127.0.0.1"]));
    let error = get(&fetcher, &format!("http://rebinding.example:{}/", public.port())).await.unwrap_err();
    let wanted = "image_url redirects to a host that cannot be found, or has an address that is not public";
    assert_eq!((error.code, error.message.as_str()), (Code::InvalidImage, wanted));
    assert_eq!((hits.load(Ordering::SeqCst), canary.load(Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn a_name_with_any_private_address_is_refused_like_one_that_does_not_exist() {
    let (canary, hits) = serve("127.0.0.1", 0, ok("private"));
    for answer in [
        "127.0.0.1",
        "127.0.0.1 8.8.8.8",
        "8.8.8.8 127.0.0.1",
        "8.8.8.8 2606:4700::1111 ::1",
        "2606:4700::1111 ::ffff:127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "0.0.0.0",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::1",
        "fd00:ec2::254",
        "fe80::1",
        " ",
        "",
    ] {
        let fetcher = fetcher("", script(&[answer]));
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://name.example:{}/", canary.port());
            let error = get(&fetcher, &url).await.unwrap_err();
            assert_eq!((error.code, error.message.as_str()), (Code::InvalidImage, NOT_PUBLIC), "{answer}");
        }
    }
    assert_eq!(hits.load(Ordering::SeqCst), 0);
    // A literal address gives the same message.
    assert_eq!(get(&fetcher("", script(&[""])), "http://127.0.0.1/").await.unwrap_err().message, NOT_PUBLIC);
}

#[tokio::test]
async fn names_of_this_machine_are_judged_by_their_addresses() {
    let (canary, hits) = serve("127.0.0.1", 0, ok("private"));
    let settings = FetchSettings {
        allow: String::new(),
        name_servers: String::new(),
        timeout: Duration::from_secs(20),
        max_bytes: 1000,
    };
    let fetcher = Fetcher::new(settings).unwrap();
    for name in ["localhost", "LOCALHOST", "ｌｏｃａｌｈｏｓｔ", "lo\u{ad}calhost"] {
        let error = get(&fetcher, &format!("http://{name}:{}/", canary.port())).await.unwrap_err();
        assert_eq!(error.message, NOT_PUBLIC, "{name}");
    }
    assert_eq!(hits.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn only_an_allowed_name_may_resolve_to_a_private_address() {
    let (at, hits) = serve("127.0.0.1", 0, ok("internal"));
    let fetcher = fetcher("Images.Internal, *.corp.example", script(&["127.0.0.1"]));
    for name in ["images.internal", "IMAGES.internal.", "a.corp.example", "a.b.corp.example"] {
        let url = format!("http://{name}:{}/", at.port());
        assert_eq!(get(&fetcher, &url).await.unwrap(), "internal", "{name}");
    }
    let reached = hits.load(Ordering::SeqCst);
    for name in
        ["corp.example", "notcorp.example", "images.internal.example", "ximages.internal", "127.0.0.1"]
    {
        let error = get(&fetcher, &format!("http://{name}:{}/", at.port())).await.unwrap_err();
        assert_eq!(error.message, NOT_PUBLIC, "{name}");
    }
    assert_eq!(hits.load(Ordering::SeqCst), reached);
}

#[tokio::test]
async fn names_that_never_resolve_are_refused_and_hold_up_no_other_account() {
    let (at, _) = serve("127.0.0.2", 0, ok("fine"));
    let names = Arc::new(Silent::default());
    let fetcher = fetcher("127.0.0.2", names.clone());
    let silent = fetcher.parse("image_url", "http://silent.example/").unwrap();
    let fine = fetcher.parse("image_url", &format!("http://fine.example:{}/", at.port())).unwrap();
    let downloads: Vec<_> = (0..200)
        .map(|n| {
            let fetcher = fetcher.clone();
            let silent = silent.clone();
            tokio::spawn(async move { fetcher.fetch(Flow(n % 20), &silent).await.unwrap_err() })
        })
        .collect();
    while names.most.load(Ordering::SeqCst) < 128 {
        tokio::task::yield_now().await;
    }
    let start = Instant::now();
    let body = fetcher.fetch(Flow(20), &fine).await.unwrap();
    assert!(&body[..] == b"fine" && start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    for download in downloads {
        assert_eq!(download.await.unwrap().message, NOT_PUBLIC);
    }
    assert_eq!(names.most.load(Ordering::SeqCst), 128, "lookups at once");
    assert_eq!(names.now.load(Ordering::SeqCst), 0, "lookups that went on");
}
