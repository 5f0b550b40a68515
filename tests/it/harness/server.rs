//! The binary as a running server that logs to a file. Killed when dropped.

use std::{
    fs::File,
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::Value;

use super::{Account, Db, Request, Upstream, client, eventually::PATIENCE};

/// Gavel's error for a database that does not answer in time.
pub(super) const BUSY: &str = "cannot be reached: no answer within";

/// A running server.
pub(crate) struct Server {
    /// The server's database.
    pub(crate) db: Db,
    /// The base URL, such as `http://127.0.0.1:1234`; changes after a restart.
    pub(crate) base_url: String,
    pub(crate) address: SocketAddr,
    options: ServerOptions,
    child: Child,
    log: PathBuf,
    out: PathBuf,
    client: reqwest::Client,
}

/// The options of a server to be started.
#[derive(Clone)]
pub(crate) struct ServerOptions {
    db: Db,
    args: Vec<String>,
    env: Vec<(String, String)>,
    ignores: Option<&'static str>,
    file_bytes: Option<usize>,
}

impl ServerOptions {
    /// Adds an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl ToString) -> Self {
        self.env.push((name.to_owned(), value.to_string()));
        self
    }

    /// Replaces the default argument `serve`.
    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args = args.iter().map(|arg| (*arg).to_owned()).collect();
        self
    }

    /// Starts the server with a signal ignored, such as `XFSZ`.
    pub(crate) fn ignoring(mut self, signal: &'static str) -> Self {
        self.ignores = Some(signal);
        self
    }

    /// Starts the server without signals about its files, which may have so many bytes.
    pub(crate) fn with_files_of(mut self, bytes: usize) -> Self {
        self.file_bytes = Some(bytes);
        self.ignoring("XFSZ")
    }

    /// Starts the server and waits until it listens.
    pub(crate) async fn start(self) -> Server {
        let log = self.db.new_log();
        let out = self.db.new_log().with_extension("out");
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let mut command = self.db.command(&args);
        if let Some(signal) = self.ignores {
            command = ignoring(signal, self.file_bytes, &command);
        }
        command
            .env("GAVEL_LISTEN", "127.0.0.1:0")
            .env("GAVEL_LOG", "info,api=debug,domain=debug,gavel=debug");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdout(File::create(&out).expect("a file for stdout"));
        command.stderr(File::create(&log).expect("a file for the log"));
        let mut child = command.spawn().expect("the binary starts");
        let mut address = listening(&mut child, &log).await;
        for _ in 0..2 {
            if address.is_none() {
                child = command.spawn().expect("the binary starts");
                address = listening(&mut child, &log).await;
            }
        }
        let address = address.expect("a database that answers");
        let client = client().timeout(Duration::from_secs(100)).build();
        Server {
            db: self.db.clone(),
            base_url: format!("http://{address}"),
            address,
            options: self,
            child,
            log,
            out,
            client: client.expect("an HTTP client"),
        }
    }
}

impl Server {
    /// Options for a server on `db`.
    pub(crate) fn with(db: &Db) -> ServerOptions {
        ServerOptions {
            db: db.clone(),
            args: vec!["serve".to_owned()],
            env: Vec::new(),
            ignores: None,
            file_bytes: None,
        }
    }

    /// Options for a server on `db` whose model is `upstream`.
    pub(crate) fn with_model(db: &Db, upstream: &Upstream) -> ServerOptions {
        Self::with(db).env("GAVEL_LOCAL_URL", upstream.url())
    }

    /// Starts a server on `db` with the default options.
    pub(crate) async fn start(db: &Db) -> Self {
        Self::with(db).start().await
    }

    /// Starts a second process on the same database with the same options.
    pub(crate) async fn replica(&self) -> Self {
        self.options.clone().args(&["api"]).start().await
    }

    /// `GET path`.
    pub(crate) fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    /// `POST path`.
    pub(crate) fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    /// A request with any method.
    pub(crate) fn request(&self, method: Method, path: &str) -> Request {
        let builder = self.client.request(method, format!("{}{path}", self.base_url));
        Request::new(builder, self.db.clone())
    }

    /// A request that moderates a single message under a key, without other fields.
    pub(crate) fn moderate(&self, key: &str, content: &str) -> Request {
        self.post("/api/v1/moderate/text").key(key).json(serde_json::json!({ "content": content }))
    }

    /// See [`Db::cli`].
    pub(crate) async fn cli(&self, args: &[&str]) -> Value {
        self.db.cli(args).await
    }

    /// See [`Db::account`].
    pub(crate) async fn account(&self, credits: impl ToString) -> Account {
        self.db.account(credits).await
    }

    /// The log since the server was started or last restarted.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("a readable log")
    }

    /// The standard output so far.
    pub(crate) fn printed(&self) -> String {
        std::fs::read_to_string(&self.out).expect("readable output")
    }

    /// The value of a metric by its name and labels as `/metrics` shows them; 0 when it is absent.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let metrics = self.get("/metrics").send().await.text;
        metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap_or_default()
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The MiB of memory that the process uses now, and its peak.
    pub(crate) fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))
            .expect("the status of the process");
        (mebibytes(&status, "VmRSS:"), mebibytes(&status, "VmHWM:"))
    }

    /// Sends the process a signal, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "SIG{name} could not be sent");
    }

    /// Kills the process, as a crash would.
    pub(crate) fn kill9(&mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("the process ends");
    }

    /// Sends SIGTERM and waits until the process has exited.
    pub(crate) async fn terminate(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.ended().await
    }

    /// Waits until the process has exited.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the state of the process") {
                return status;
            }
            assert!(start.elapsed() < PATIENCE * 2, "the server does not end; its log:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Kills the process if it still runs, and starts it again on another port.
    pub(crate) async fn restart(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        *self = self.options.clone().start().await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line of `/proc/PID/status` in MiB.
fn mebibytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line of the status");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("kilobytes") / 1024
}

/// Starts the command in a shell that ignores a signal: an ignored signal stays ignored across `exec`. `file_bytes`
/// limits its files.
pub(crate) fn ignoring(signal: &str, file_bytes: Option<usize>, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    // Only the soft limit, which its owner may raise again.
    let limited = file_bytes.map(|bytes| format!("prlimit --fsize={bytes}: ")).unwrap_or_default();
    shell.args(["-c", &format!(r#"trap "" {signal}; exec {limited}"$0" "$@""#)]);
    shell.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(command.get_current_dir().expect("the directory of the database"));
    shell
}

/// Reads the address from the log line that reports it. None if the process ended because PostgreSQL, busy with other
/// tests, did not answer in time.
async fn listening(child: &mut Child, log: &PathBuf) -> Option<SocketAddr> {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(log).expect("a readable log");
        // The last line may be incomplete.
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        if let Some(line) = lines.find(|line| line["message"] == "listening") {
            return Some(
                line["address"]
                    .as_str()
                    .and_then(|address| address.parse().ok())
                    .expect("an address in the log"),
            );
        }
        if let Some(status) = child.try_wait().expect("the state of the process") {
            if text.contains(BUSY) {
                return None;
            }
            panic!("the server ended with {status} before it listened; its log:\n{text}");
        }
        assert!(start.elapsed() < PATIENCE, "the server does not listen; its log:\n{text}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
