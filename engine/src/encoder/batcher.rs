//! A batching queue in front of a model. Refuses work when the queue is full, and drops queued work whose caller has
//! gone.
//!
//! Each thread runs one batch at a time. There are as many threads as cores, since two single-threaded runs do more
//! than one run on two threads (`bench/README.md`). Queueing is fair by tokens, not by arrival: a job's virtual start
//! time is the number of tokens before it in its own request, so that a short request overtakes most of a long one.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use domain::EngineError;
use tokio::sync::oneshot;

/// The size of the queue and of its batches.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Worker threads; 0 is the number of cores.
    pub threads: usize,
    /// Tokens of a batch, padding included. A single longer job is a batch of its own.
    pub batch: usize,
    /// Tokens in the queue. An empty queue takes a request of any size.
    pub waiting: usize,
}

/// A unit of work.
#[derive(Debug)]
pub struct Job<W> {
    /// Only jobs of equal shape share a batch.
    pub shape: usize,
    /// The cost of the job.
    pub tokens: usize,
    pub work: W,
}

/// Why a job has no result.
#[derive(Debug)]
pub enum QueueError {
    /// The queue is full.
    Busy,
    Failed(EngineError),
}

/// A queue and its worker threads, which finish the queue and end when this is dropped.
pub struct Batcher<W, R> {
    shared: Arc<Shared<W, R>>,
}

struct Shared<W, R> {
    state: Mutex<State<W, R>>,
    arrived: Condvar,
    limits: QueueLimits,
}

struct State<W, R> {
    waiting: Vec<Waiting<W, R>>,
    /// Idle threads.
    idle: usize,
    /// The virtual start time of the batch that was started last.
    clock: u64,
    closed: bool,
}

struct Waiting<W, R> {
    job: Job<W>,
    due: u64,
    answer: oneshot::Sender<Result<R, EngineError>>,
}

impl<W: Send + 'static, R: Send + 'static> Batcher<W, R> {
    /// Starts the threads. `work` gets jobs of one shape and returns a result for each, in order. It is called on
    /// several threads at once.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn start(
        name: &str,
        limits: QueueLimits,
        work: impl Fn(&[W]) -> Result<Vec<R>, EngineError> + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let state = State { waiting: Vec::new(), idle: 0, clock: 0, closed: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), arrived: Condvar::new(), limits });
        let batcher = Self { shared };
        let threads = match limits.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let work = Arc::new(work);
        for _ in 0..threads {
            let (shared, work) = (Arc::clone(&batcher.shared), Arc::clone(&work));
            let run = move || {
                while let Some(batch) = shared.next() {
                    run_batch(batch, work.as_ref());
                }
            };
            let started = thread::Builder::new().name(name.to_owned()).spawn(run);
            started.map_err(|error| EngineError(format!("{name}: {error}")))?;
        }
        Ok(batcher)
    }

    /// Runs all jobs of a request and returns their results, in order. Dropping the future cancels the jobs that are
    /// still queued.
    ///
    /// # Errors
    /// [`QueueError::Busy`] before any job starts, or the first failure.
    pub async fn run(&self, jobs: Vec<Job<W>>) -> Result<Vec<R>, QueueError> {
        let answers = self.submit(jobs)?;
        let mut results = Vec::with_capacity(answers.len());
        for answer in answers {
            let result = answer.await.map_err(|_| EngineError("the model's thread has ended".into()));
            results.push(result.and_then(|result| result).map_err(QueueError::Failed)?);
        }
        Ok(results)
    }

    fn submit(
        &self,
        jobs: Vec<Job<W>>,
    ) -> Result<Vec<oneshot::Receiver<Result<R, EngineError>>>, QueueError> {
        let mut state = self.shared.lock();
        state.waiting.retain(|waiting| !waiting.answer.is_closed());
        let queued: usize = state.waiting.iter().map(|waiting| waiting.job.tokens).sum();
        let coming: usize = jobs.iter().map(|job| job.tokens).sum();
        if queued > 0 && queued + coming > self.shared.limits.waiting {
            return Err(QueueError::Busy);
        }
        let mut due = state.clock;
        let mut answers = Vec::with_capacity(jobs.len());
        for job in jobs {
            let (answer, receiver) = oneshot::channel();
            let tokens = job.tokens as u64;
            state.waiting.push(Waiting { job, due, answer });
            due += tokens;
            answers.push(receiver);
        }
        drop(state);
        self.shared.arrived.notify_all();
        Ok(answers)
    }
}

impl<W, R> Shared<W, R> {
    fn lock(&self) -> MutexGuard<'_, State<W, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next batch; `None` once the queue is closed and empty.
    fn next(&self) -> Option<Vec<Waiting<W, R>>> {
        let mut state = self.lock();
        loop {
            state.waiting.retain(|waiting| !waiting.answer.is_closed());
            if !state.waiting.is_empty() {
                return Some(state.take(self.limits.batch));
            }
            if state.closed {
                return None;
            }
            state.idle += 1;
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

impl<W, R> State<W, R> {
    /// Takes the job with the earliest virtual start time and others of its shape, up to the limit, but leaves idle
    /// threads their share, so that batches are of equal size.
    fn take(&mut self, limit: usize) -> Vec<Waiting<W, R>> {
        self.waiting.sort_by_key(|waiting| waiting.due);
        let shape = self.waiting[0].job.shape;
        self.clock = self.waiting[0].due;
        let alike = self.waiting.iter().filter(|waiting| waiting.job.shape == shape).count();
        // As many batches as are needed anyway, of equal size, so that the threads finish together.
        let (threads, fitting) = (self.idle + 1, (limit / self.waiting[0].job.tokens.max(1)).max(1));
        let share = alike.div_ceil(threads * alike.div_ceil(threads * fitting));
        let (mut batch, mut tokens) = (Vec::new(), 0);
        let mut at = 0;
        while at < self.waiting.len() && batch.len() < share {
            let job = &self.waiting[at].job;
            if job.shape != shape {
                at += 1;
                continue;
            }
            if tokens > 0 && tokens + job.tokens > limit {
                break;
            }
            tokens += job.tokens;
            batch.push(self.waiting.remove(at));
        }
        batch
    }
}

/// Runs a batch and answers its jobs. A panic fails this batch only.
fn run_batch<W, R>(batch: Vec<Waiting<W, R>>, work: &impl Fn(&[W]) -> Result<Vec<R>, EngineError>) {
    let (jobs, answers): (Vec<W>, Vec<_>) = batch.into_iter().map(|w| (w.job.work, w.answer)).unzip();
    let done = catch_unwind(AssertUnwindSafe(|| work(&jobs)));
    let done = done.unwrap_or_else(|_| Err(EngineError("the model panicked; the log says where".into())));
    let done = done.and_then(|results| {
        let complete = results.len() == answers.len();
        complete.then_some(results).ok_or_else(|| EngineError("the model left some work out".into()))
    });
    // Sending fails when the receiver has gone.
    match done {
        Ok(results) => answers.into_iter().zip(results).for_each(|(answer, result)| {
            let _ = answer.send(Ok(result));
        }),
        Err(EngineError(why)) => answers.into_iter().for_each(|answer| {
            let _ = answer.send(Err(EngineError(why.clone())));
        }),
    }
}

impl<W, R> Drop for Batcher<W, R> {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.arrived.notify_all();
    }
}

impl<W, R> std::fmt::Debug for Batcher<W, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batcher").field("limits", &self.shared.limits).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
