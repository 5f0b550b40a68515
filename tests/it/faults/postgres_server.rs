//! A PostgreSQL server for one test, which may kill it. It ends with the test, however that ends.

use std::{
    net::TcpListener,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
};

use tempfile::TempDir;

/// A server with its own port and directory.
pub(super) struct PostgresServer {
    port: u16,
    url: String,
    watch: Option<(Child, ChildStdin)>,
    dir: TempDir,
}

impl PostgresServer {
    /// Creates a cluster and starts it.
    pub(super) async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { port, url: String::new(), watch: Some(watch(&dir)), dir };
        server.start_again().await;
        server
    }

    /// The URL of its administrative database.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// SIGKILL to the postmaster and all its children.
    pub(super) async fn kill9(&self) {
        self.script("kill", &[]).await;
    }

    /// Starts it again on the same directory.
    pub(super) async fn start_again(&mut self) {
        self.url = self.script("start", &[&self.port.to_string()]).await.trim().to_owned();
    }

    async fn script(&self, verb: &str, args: &[&str]) -> String {
        let mut command = tokio::process::Command::new(script());
        command.arg(verb).arg(self.dir.path()).args(args).stdin(Stdio::null());
        let ran = command.output().await.unwrap();
        assert!(ran.status.success(), "postgres.sh {verb}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if let Some((mut child, stdin)) = self.watch.take() {
            drop(stdin);
            let _ = child.wait();
        }
    }
}

/// Ends the server when the pipe closes: on drop, and also when this process is killed.
fn watch(dir: &TempDir) -> (Child, ChildStdin) {
    let wait_then_end = r#"trap "" INT TERM HUP; cat; "$0" kill "$1"; rm -rf "$1""#;
    let mut command = Command::new("sh");
    command.args(["-c", wait_then_end]).arg(script()).arg(dir.path());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts/postgres.sh")
}

/// Generates `name::postgres` for each `async fn name(server: PostgresServer)`.
macro_rules! on_own_postgres {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let server = crate::faults::postgres_server::PostgresServer::start().await;
                super::$test(server).await;
            }
        }
    )+};
}

pub(super) use on_own_postgres;
