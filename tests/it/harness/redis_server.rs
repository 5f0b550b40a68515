//! A Redis server for one test, which may empty, freeze and kill it. Killed when dropped.

use std::{
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A server on its own port, without persistence.
pub(crate) struct RedisServer {
    port: u16,
    child: Child,
}

impl RedisServer {
    pub(crate) fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { port, child: start(port) }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// SIGKILL, and a new, empty server on the same port after `pause`.
    pub(crate) async fn kill9_and_start(&mut self, pause: Duration) {
        self.kill9();
        tokio::time::sleep(pause).await;
        self.child = start(self.port);
    }

    pub(crate) async fn freeze(&self, pause: Duration) {
        self.signal("STOP");
        tokio::time::sleep(pause).await;
        self.signal("CONT");
    }

    pub(crate) fn flush_all(&self) {
        let mut command = Command::new("redis-cli");
        command.args(["-p", &self.port.to_string(), "FLUSHALL"]).stdout(Stdio::null());
        assert!(command.status().expect("redis-cli").success());
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    fn kill9(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill9();
    }
}

fn start(port: u16) -> Child {
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("redis-server");
    let begin = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20), "Redis does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}
