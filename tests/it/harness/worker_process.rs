//! `gavel worker` as a child process. Killed when dropped.

use std::{
    fs::File,
    path::PathBuf,
    process::{Child, Command, ExitStatus},
    time::{Duration, Instant},
};

use super::{Db, eventually::PATIENCE};

/// A running worker.
pub(crate) struct WorkerProcess {
    child: Child,
    log: PathBuf,
}

impl WorkerProcess {
    /// Starts a worker on `db` and waits until it works.
    pub(crate) async fn start(db: &Db, env: &[(&str, &str)]) -> Self {
        let log = db.new_log();
        let mut command = db.command(&["worker"]);
        command.env("GAVEL_LOG", "info,domain=debug").envs(env.iter().copied());
        command.stderr(File::create(&log).expect("a file for the log"));
        let child = command.spawn().expect("the binary starts");
        let mut worker = Self { child, log };
        let begin = Instant::now();
        while !worker.log().contains(r#""message":"working""#) {
            let ended = worker.child.try_wait().expect("the state of the process");
            assert!(ended.is_none() && begin.elapsed() < PATIENCE, "{ended:?}: {}", worker.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        worker
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("a readable log")
    }

    pub(crate) fn kill9(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// SIGTERM; returns how it ended and after how long.
    pub(crate) async fn terminate(&mut self) -> (ExitStatus, Duration) {
        let begin = Instant::now();
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        loop {
            if let Some(status) = self.child.try_wait().expect("the state of the process") {
                return (status, begin.elapsed());
            }
            assert!(begin.elapsed() < PATIENCE * 2, "it does not end: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill9();
    }
}

/// Settings for a worker within the test's process, which runs so many bulk jobs at a time.
pub(crate) fn worker_settings(bulk_jobs: u32) -> worker::WorkerSettings {
    let settings = serde_json::json!({
        "worker_bulk_jobs": bulk_jobs, "worker_training_jobs": 1, "worker_webhook_jobs": 1,
        "queue_name": "gavel", "worker_drain_s": 1,
    });
    serde_json::from_value(settings).expect("settings")
}
