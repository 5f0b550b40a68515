//! A worker with a scripted handler, on a test's database.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    background::job::{
        Ending, Failure, Handler, Handlers, Job, JobKind, JobQueue, JobRow, JobRun, JobRunner, JobState,
        JobSubject, Jobs, NewJob, RunningJobs, insert,
    },
    foundation::database::Database,
};
use ports::id::{AccountId, JobId};
use sea_orm::DatabaseTransaction;
use serde_json::Value;
use tokio::sync::watch;
use worker::{Queue, Worker, WorkerParts};

use crate::harness::{Db, eventually, worker_settings};

/// The events of each job, in order.
#[derive(Clone, Default)]
pub(super) struct Diary(Arc<Mutex<HashMap<String, Vec<String>>>>);

impl Diary {
    fn write(&self, job: &JobId, line: impl Into<String>) {
        self.0.lock().unwrap().entry(job.to_string()).or_default().push(line.into());
    }

    pub(super) fn of(&self, job: &JobId) -> Vec<String> {
        self.0.lock().unwrap().get(job.as_str()).cloned().unwrap_or_default()
    }
}

/// Does what the job's payload says: `{"do": "succeed" | "fail" | "refuse" | "panic" | "wait"}`. After
/// `"times"` attempts, the job succeeds.
pub(super) struct Scripted(pub(super) Diary);

#[async_trait]
impl Handler for Scripted {
    fn kind(&self) -> JobKind {
        JobKind::RunBatchChunk
    }

    async fn run(&self, run: &JobRun) -> Result<(), Failure> {
        self.0.write(&run.job.id, "run");
        let times = run.job.payload["times"].as_i64().unwrap_or(i64::MAX);
        if i64::from(run.job.attempts) > times {
            return Ok(());
        }
        match run.job.payload["do"].as_str().unwrap() {
            "succeed" => Ok(()),
            "fail" => Err(Failure::Retry(domain::Error::internal("no luck"))),
            "refuse" => Err(Failure::Fatal("never".to_owned())),
            "panic" => panic!("a job that panics"),
            _ => {
                while run.interruption().is_none() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                self.0.write(&run.job.id, format!("{:?}", run.interruption().unwrap()));
                Err(Failure::Interrupted)
            }
        }
    }

    fn subject(&self) -> &dyn JobSubject {
        self
    }
}

#[async_trait]
impl JobSubject for Scripted {
    async fn ended(&self, _: &DatabaseTransaction, job: &Job, ending: &Ending) -> domain::Result<()> {
        self.0.write(&job.id, format!("{ending:?}"));
        Ok(())
    }
}

/// A test's database with a queue and a scripted handler.
pub(super) struct Bench {
    pub(super) db: Database,
    pub(super) queue: Queue,
    pub(super) jobs: Jobs,
    pub(super) diary: Diary,
    account: AccountId,
}

impl Bench {
    /// Creates a bench with a queue in an SQLite file.
    pub(super) async fn new(db: &Db) -> Self {
        let file = db.data_dir().join("test-queue.sqlite");
        std::fs::create_dir_all(db.data_dir()).unwrap();
        Self::with(db, Queue::sqlite(&file, "gavel").await.unwrap()).await
    }

    pub(super) async fn with(db: &Db, queue: Queue) -> Self {
        let account = AccountId::from(db.account(0).await.id);
        let connected = Database::connect(db.url(), 8).await.unwrap();
        let jobs = Jobs::new(connected.clone(), Some(Arc::new(queue.clone()) as Arc<dyn JobQueue>));
        Self { db: connected, queue, jobs, diary: Diary::default(), account }
    }

    pub(super) fn handlers(&self) -> Handlers {
        Handlers::new(vec![Arc::new(Scripted(self.diary.clone()))])
    }

    pub(super) fn runner(&self, stopping: &watch::Receiver<bool>) -> JobRunner {
        JobRunner {
            db: self.db.clone(),
            handlers: self.handlers(),
            running: RunningJobs::default(),
            stopping: stopping.clone(),
        }
    }

    pub(super) fn worker(&self) -> Worker {
        let parts = WorkerParts {
            db: self.db.clone(),
            jobs: self.jobs.clone(),
            queue: self.queue.clone(),
            handlers: self.handlers(),
            schedules: Vec::new(),
        };
        Worker::start(parts, &worker_settings(4))
    }

    /// Commits a job without delivering it.
    pub(super) async fn insert(&self, payload: Value) -> JobId {
        let new =
            NewJob { payload, ..NewJob::new(JobKind::RunBatchChunk, &self.account, "batch_of_the_test") };
        let id = new.id.clone();
        let tx = self.db.begin().await.unwrap();
        insert(&self.db, &tx, vec![new]).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// Commits a job and delivers it.
    pub(super) async fn submit(&self, payload: Value) -> JobId {
        let id = self.insert(payload).await;
        self.jobs.deliver(JobKind::RunBatchChunk.lane(), vec![id.clone()]);
        id
    }

    /// How many of these jobs have begun.
    pub(super) fn begun(&self, ids: &[JobId]) -> usize {
        ids.iter().filter(|id| !self.diary.of(id).is_empty()).count()
    }

    pub(super) async fn row(&self, id: &JobId) -> JobRow {
        self.jobs.find(id).await.unwrap()
    }

    pub(super) async fn is(&self, id: &JobId, state: JobState) -> JobRow {
        eventually(&format!("{id} is {state:?}"), async || {
            let row = self.row(id).await;
            (row.state == state).then_some(row)
        })
        .await
    }
}
