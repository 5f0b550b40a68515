//! A batching queue in front of a model. Admits as much as can be done in time at the speed that was measured, and drops
//! queued work whose caller has gone.
//!
//! Each thread runs one batch at a time. There are as many threads as cores, since two single-threaded runs do more
//! than one run on two threads (`bench/README.md`). Whose turn it is, and who must leave a full queue, is up to
//! [`fair_queue`].

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use ports::{EngineError, Flow};
use tokio::sync::oneshot;

use fair_queue::{FairQueue, Waiting};

use crate::priority;

mod fair_queue;

/// Tokens a second and thread until a batch has been measured.
const ASSUMED_RATE: f64 = 1_500.0;
/// The weight of the last batch in the estimate of the rate, if it was a full one.
const RATE_WEIGHT: f64 = 0.2;

/// The size of the queue and of its batches.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Worker threads; 0 is the number of cores.
    pub threads: usize,
    /// Tokens of a batch, padding included. A single longer job is a batch of its own.
    pub batch: usize,
    /// The work in the queue, as the time that it takes. An empty queue takes a request of any size.
    pub work: Duration,
    /// Whether the threads have a low priority and give way to those of requests.
    pub background: bool,
}

/// A request's place in the order.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    flow: Flow,
    /// Whether the request has been admitted before.
    begun: bool,
}

impl Order {
    /// Of the first jobs of a request, which may be refused.
    pub fn first(flow: Flow) -> Self {
        Self { flow, begun: false }
    }

    /// Of jobs that follow from the results of the first ones.
    pub fn next(flow: Flow) -> Self {
        Self { flow, begun: true }
    }
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
    /// The queue is full, or the request had to leave it for one of another flow.
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

type Reply<R> = oneshot::Sender<Result<R, QueueError>>;

struct State<W, R> {
    queue: FairQueue<W, Reply<R>>,
    /// Idle threads.
    idle: usize,
    /// Tokens a second that a thread reads: a running mean over batches.
    rate: f64,
    closed: bool,
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
        let threads = match limits.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let limits = QueueLimits { threads, ..limits };
        let state = State { queue: FairQueue::new(), idle: 0, rate: ASSUMED_RATE, closed: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), arrived: Condvar::new(), limits });
        let batcher = Self { shared };
        let work = Arc::new(work);
        for _ in 0..threads {
            let shared = Arc::clone(&batcher.shared);
            let work = Arc::clone(&work);
            let run = move || {
                if limits.background {
                    priority::lower();
                }
                while let Some(batch) = shared.next() {
                    let tokens = batch.iter().map(|one| one.job.tokens).sum();
                    let start = Instant::now();
                    run_batch(batch, work.as_ref());
                    shared.measured(tokens, start.elapsed());
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
    pub async fn run(&self, order: Order, jobs: Vec<Job<W>>) -> Result<Vec<R>, QueueError> {
        let answers = self.submit(order, jobs)?;
        let mut results = Vec::with_capacity(answers.len());
        for answer in answers {
            let ended = |_| QueueError::Failed(EngineError("the model's thread has ended".into()));
            results.push(answer.await.map_err(ended)??);
        }
        Ok(results)
    }

    fn submit(
        &self,
        order: Order,
        jobs: Vec<Job<W>>,
    ) -> Result<Vec<oneshot::Receiver<Result<R, QueueError>>>, QueueError> {
        let mut state = self.shared.lock();
        state.queue.retain(|answer| !answer.is_closed());
        if !order.begun {
            let limit =
                state.rate * (self.shared.limits.threads as f64) * self.shared.limits.work.as_secs_f64();
            let coming = jobs.iter().map(|job| job.tokens).sum();
            let leaving = state.queue.admit(order.flow, coming, limit as usize).ok_or(QueueError::Busy)?;
            leaving.into_iter().for_each(|answer| {
                let _ = answer.send(Err(QueueError::Busy));
            });
        }
        let (replies, answers): (Vec<_>, Vec<_>) = jobs.iter().map(|_| oneshot::channel()).unzip();
        state.queue.push(order.flow, order.begun, jobs.into_iter().zip(replies));
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
    fn next(&self) -> Option<Vec<Waiting<W, Reply<R>>>> {
        let mut state = self.lock();
        loop {
            state.queue.retain(|answer| !answer.is_closed());
            if !state.queue.is_empty() {
                let idle = state.idle;
                return Some(state.queue.take(self.limits.batch, idle));
            }
            if state.closed {
                return None;
            }
            state.idle += 1;
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Updates the rate by a batch.
    fn measured(&self, tokens: usize, took: Duration) {
        let rate = tokens as f64 / took.as_secs_f64().max(1e-6);
        let weight = RATE_WEIGHT * (tokens as f64 / self.limits.batch as f64).min(1.0);
        let mut state = self.lock();
        state.rate += weight * (rate - state.rate);
    }
}

/// Runs a batch and answers its jobs. A panic fails this batch only.
fn run_batch<W, R>(batch: Vec<Waiting<W, Reply<R>>>, work: &impl Fn(&[W]) -> Result<Vec<R>, EngineError>) {
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
            let _ = answer.send(Err(QueueError::Failed(EngineError(why.clone()))));
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
