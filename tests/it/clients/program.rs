//! One run of a client program against a server, with only the client's environment variables.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Child,
};

use crate::harness::Account;

/// A run takes seconds, more on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client program to be run.
pub(super) struct Program(tokio::process::Command);

/// A file of this repository.
pub(super) fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Program {
    /// A Python program: its file, or `-c` and its source.
    pub(super) fn python(args: &[&str]) -> Self {
        let packages = installed(".cache/clients/python");
        let mut program = Self::new("python3", args, file("tests/clients/python"));
        program.0.env("PYTHONPATH", packages).env("PYTHONDONTWRITEBYTECODE", "1");
        program
    }

    /// A llama.cpp server with a small model, which serves until it is dropped. Returns it with its address.
    pub(super) async fn llama() -> (Child, String) {
        let packages = installed(".cache/clients/llama");
        let mut program = Self::new("python3", &["serve.py"], file("tests/clients/llama"));
        let program = program.0.env("PYTHONPATH", packages).env("PYTHONDONTWRITEBYTECODE", "1");
        let log = tempfile::NamedTempFile::new().expect("a file for its log");
        let stderr = log.reopen().expect("the same file");
        let program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = program.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a piped stdout")).lines();
        let said = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("it starts in time");
        let address = said.expect("readable output");
        let address =
            address.unwrap_or_else(|| panic!("{}", std::fs::read_to_string(&log).unwrap_or_default()));
        (child, address)
    }

    /// A Node program: its file, or `--eval` and its source.
    pub(super) fn node(args: &[&str]) -> Self {
        installed("tests/clients/typescript/node_modules");
        Self::new("node", args, file("tests/clients/typescript"))
    }

    fn new(interpreter: &str, args: &[&str], directory: PathBuf) -> Self {
        let mut command = tokio::process::Command::new(interpreter);
        command.args(args).current_dir(directory).stdin(Stdio::null()).kill_on_drop(true);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        Self(command)
    }

    /// Adds an environment variable.
    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    /// Sets the base URL and key of every client.
    pub(super) fn with(self, base_url: &str, account: &Account) -> Self {
        self.env("TYPESAFE_BASE_URL", base_url)
            .env("TYPESAFE_API_KEY", &account.key)
            .env("OPENAI_BASE_URL", &format!("{base_url}/v1"))
            .env("OPENAI_API_KEY", &account.key)
    }

    /// Runs it until it exits, which must succeed; returns its output.
    pub(super) async fn printed(mut self) -> String {
        let ended = tokio::time::timeout(PATIENCE, self.0.output()).await;
        let output = ended.expect("the program ends in time").expect("the program starts");
        let out = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?} ended with {}\n{out}\n{err}", self.0.as_std(), output.status);
        out.into_owned()
    }

    /// Runs it until it exits; returns the JSON that it printed.
    pub(super) async fn findings(self) -> Value {
        let printed = self.printed().await;
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error} in: {printed}"))
    }
}

/// A folder of installed clients, which must exist.
fn installed(folder: &str) -> PathBuf {
    let folder = file(folder);
    assert!(folder.join("installed").exists(), "the clients are not installed: run `scripts/clients.sh`");
    folder
}
