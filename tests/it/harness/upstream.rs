//! A scripted System One server on loopback that also serves as OpenRouter. It answers any questions by arithmetic, so
//! that a question has the same answer regardless of the order of its options, and fails as real servers do.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::{
    origin::{Step, perform, response},
    upstream_answers::decide,
    upstream_chat::complete,
    upstream_decisions::decide_list,
};

/// The model named in every answer, regardless of the requested one.
pub(crate) const UPSTREAM_MODEL: &str = "scripted-1.0";
/// The cost of an answer on the OpenRouter path, in US dollars.
pub(crate) const UPSTREAM_COST: f64 = 0.000123;

/// A running server. Stops when dropped.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    task: JoinHandle<()>,
}

/// A request that the server received.
#[derive(Clone, Debug)]
pub(crate) struct UpstreamRequest {
    pub(crate) path: String,
    /// The head in lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// A faulty answer.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// An error with this status, in OpenRouter's shape.
    Status(u16),
    /// An error with this status and a header, such as `retry-after: 1`.
    StatusWith(u16, &'static str, String),
    /// An error with a message.
    Refusal(u16, &'static str),
    /// Status 200 with an error in the body.
    ErrorWithin(u16),
    /// The connection is accepted and nothing is sent.
    Silent,
    /// A head and the start of a body, then nothing more.
    Stalled,
    /// One byte at a time, endlessly.
    Drip,
    /// The right answer after a delay.
    Late(Duration),
    /// A reset instead of an answer.
    Reset,
    /// A reset in the middle of an answer.
    ResetWithin,
    /// The right answer, truncated.
    CutShort,
    /// A redirect.
    Redirect,
    /// Any body with status 200.
    Body(&'static str),
    /// More than a gigabyte in chunks, as fast as it is read.
    Endless,
    /// A `Content-Length` of more than a gigabyte.
    Huge,
    /// The right answer, altered.
    Altered(fn(&mut Value)),
}

#[derive(Default)]
struct Shared {
    /// The faults of the next requests.
    next: VecDeque<Option<Fault>>,
    /// The fault of all later requests.
    always: Option<Fault>,
    /// The fault of requests that contain a word.
    by_word: Option<(&'static str, Fault)>,
    asked: Vec<UpstreamRequest>,
    probed: Vec<UpstreamRequest>,
    /// The delay of the list of models.
    lists_after: Duration,
}

impl Upstream {
    /// Starts a server that answers correctly.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address to listen on");
        let address = listener.local_addr().expect("a local address");
        let shared: Arc<Mutex<Shared>> = Arc::default();
        let all = shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let shared = all.clone();
                tokio::spawn(async move { serve(tcp, &shared).await });
            }
        });
        Self { address, shared, task }
    }

    /// The value for `GAVEL_LOCAL_URL` or `GAVEL_OPENROUTER_URL`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers all requests with a fault from now on.
    pub(crate) fn breaks(&self, fault: Fault) {
        self.lock().always = Some(fault);
    }

    /// Answers the next requests with these faults, or correctly where there is none; later ones as before.
    pub(crate) fn next(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.lock().next.extend(faults);
    }

    /// Answers requests that contain a word with a fault from now on.
    pub(crate) fn breaks_for(&self, word: &'static str, fault: Fault) {
        self.lock().by_word = Some((word, fault));
    }

    /// Delays the list of models from now on.
    pub(crate) fn lists_after(&self, pause: Duration) {
        self.lock().lists_after = pause;
    }

    /// Answers correctly again.
    pub(crate) fn heals(&self) {
        let mut shared = self.lock();
        shared.always = None;
        shared.by_word = None;
        shared.next.clear();
    }

    /// The inference requests so far.
    pub(crate) fn asked(&self) -> Vec<UpstreamRequest> {
        self.lock().asked.clone()
    }

    /// The free requests so far, such as those for the list of models.
    pub(crate) fn probed(&self) -> Vec<UpstreamRequest> {
        self.lock().probed.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no panic while it is held")
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut tcp: TcpStream, shared: &Mutex<Shared>) {
    let Some((head, body)) = read(&mut tcp).await else { return };
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut json = serde_json::Deserializer::from_slice(&body);
    // Gavel accepts deeper nesting than this parser does by default.
    json.disable_recursion_limit();
    let body = Value::deserialize(&mut json).unwrap_or_default();
    let asked = UpstreamRequest { path: path.clone(), head: head.to_lowercase(), body };
    let steps = {
        let mut shared = shared.lock().expect("no panic while it is held");
        if head.starts_with("POST ") {
            shared.asked.push(asked.clone());
            let by_word = shared.by_word.clone().filter(|(word, _)| asked.body.to_string().contains(word));
            let fault = shared.next.pop_front().unwrap_or_else(|| shared.always.clone());
            answer(&asked, by_word.map(|(_, fault)| fault).or(fault))
        } else {
            shared.probed.push(asked);
            free(&path, shared.lists_after)
        }
    };
    if perform(&mut tcp, steps).await {
        let _ = tcp.set_zero_linger();
    }
}

/// Reads the head and the whole body of a request.
async fn read(tcp: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let lower = head.to_lowercase();
            let length = lower.split("content-length:").nth(1).and_then(|rest| rest.lines().next());
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                return Some((head, bytes[end + 4..end + 4 + length].to_vec()));
            }
        }
        if !matches!(tcp.read_buf(&mut bytes).await, Ok(read) if read > 0) {
            return None;
        }
    }
}

/// Answers a free request.
fn free(path: &str, lists_after: Duration) -> Vec<Step> {
    match path {
        "/v1/models" => {
            let model = json!({
                "name": UPSTREAM_MODEL, "description": "By arithmetic.", "release_date": "2026-11-01",
            });
            [vec![Step::Wait(lists_after)], good(&json!({ "models": [model] }))].concat()
        }
        "/api/v1/key" => {
            good(&json!({ "data": { "label": "sk-or-v1-abc...xyz", "limit": null, "usage": 0.5 } }))
        }
        _ => failure(404, &[]),
    }
}

fn good(body: &Value) -> Vec<Step> {
    whole(200, &[("Content-Type", "application/json")], body.to_string().as_bytes())
}

/// A response that closes the connection: each connection serves one request.
fn whole(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<Step> {
    response(status, &[headers, &[("Connection", "close")]].concat(), body)
}

fn failure(status: u16, headers: &[(&str, &str)]) -> Vec<Step> {
    let body = json!({ "error": { "message": "as the test wants it", "code": status } });
    whole(status, headers, body.to_string().as_bytes())
}

fn send_then(text: String, last: Step) -> Vec<Step> {
    vec![Step::Send(text.into_bytes()), last]
}

/// The right answer, as the path has it.
fn right(asked: &UpstreamRequest) -> Value {
    match asked.path.rsplit('/').next() {
        Some("completions") => complete(asked),
        Some("decisions") => decide_list(asked),
        _ => decide(asked),
    }
}

fn answer(asked: &UpstreamRequest, fault: Option<Fault>) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

    match fault {
        None => good(&right(asked)),
        Some(Fault::Status(status)) => failure(status, &[]),
        Some(Fault::Refusal(status, message)) => {
            let body = json!({ "error": { "message": message, "code": status } });
            whole(status, &[], body.to_string().as_bytes())
        }
        Some(Fault::StatusWith(status, name, value)) => failure(status, &[(name, &value)]),
        Some(Fault::ErrorWithin(code)) => good(&json!({ "error": { "message": "deep down", "code": code } })),
        Some(Fault::Silent) => vec![Step::Hang],
        Some(Fault::Stalled) => {
            send_then(format!("{head}Content-Length: 1000\r\n\r\n{{\"model\":"), Step::Hang)
        }
        Some(Fault::Drip) => send_then(
            format!("{head}Content-Length: 1000000\r\n\r\n"),
            Step::Repeat(b" ".to_vec(), Duration::from_millis(100)),
        ),
        Some(Fault::Late(pause)) => [vec![Step::Wait(pause)], good(&right(asked))].concat(),
        Some(Fault::Reset) => vec![Step::Reset],
        Some(Fault::ResetWithin) => {
            send_then(format!("{head}Content-Length: 1000\r\n\r\n{{\"model\":"), Step::Reset)
        }
        Some(Fault::CutShort) => {
            let body = right(asked).to_string();
            vec![Step::Send(
                format!("{head}Content-Length: {}\r\n\r\n{}", body.len(), &body[..body.len() / 2]).into(),
            )]
        }
        Some(Fault::Redirect) => whole(307, &[("Location", "/elsewhere")], b""),
        Some(Fault::Body(text)) => whole(200, &[("Content-Type", "application/json")], text.as_bytes()),
        Some(Fault::Endless) => {
            let chunk = [b"100000\r\n".as_slice(), &[b' '; 0x10_0000], b"\r\n"].concat();
            send_then(
                format!("{head}Transfer-Encoding: chunked\r\n\r\n"),
                Step::Repeat(chunk, Duration::ZERO),
            )
        }
        Some(Fault::Huge) => send_then(format!("{head}Content-Length: {}\r\n\r\n", 1u64 << 31), Step::Hang),
        Some(Fault::Altered(alter)) => {
            let mut body = right(asked);
            alter(&mut body);
            good(&body)
        }
    }
}
