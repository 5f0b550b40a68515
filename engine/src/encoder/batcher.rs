//! A queue before a model: work that may share a run does, and nobody waits while a thread is idle. Refuses work once too
//! much waits, and never begins work whose asker has gone.
//!
//! Each thread runs one batch at a time; there are as many as there are cores, since a model does more on two single
//! threads than on two threads together (`bench/README.md`). The order is fair by tokens, not by arrival: a job is due
//! once the tokens before it in its own request would have been done, so that a short request overtakes most of a long
//! one.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use domain::EngineError;
use tokio::sync::oneshot;

/// What may be under way and wait.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Threads, each with a batch of its own; 0 is as many as there are cores.
    pub threads: usize,
    /// Tokens of a batch, padding included. A single longer job is a batch of its own.
    pub batch: usize,
    /// Tokens that may wait. One request is taken whatever its size when nothing waits.
    pub waiting: usize,
}

/// A piece of work.
#[derive(Debug)]
pub struct Job<W> {
    /// Only jobs of the same shape share a batch.
    pub shape: usize,
    /// What it costs, in tokens.
    pub tokens: usize,
    /// What is to be done.
    pub work: W,
}

/// Why work was not done.
#[derive(Debug)]
pub enum QueueError {
    /// Too much waits already.
    Busy,
    /// The work failed.
    Failed(EngineError),
}

/// Threads that work through a queue; they end, when it is empty, after this is dropped.
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
    /// Threads with nothing to do.
    idle: usize,
    /// When the batch begun last was due.
    clock: u64,
    closed: bool,
}

struct Waiting<W, R> {
    job: Job<W>,
    due: u64,
    answer: oneshot::Sender<Result<R, EngineError>>,
}

impl<W: Send + 'static, R: Send + 'static> Batcher<W, R> {
    /// Starts the threads. `work` gets jobs of one shape and gives as many results, in their order; it is called by
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

    /// Does all jobs of a request and gives their results, in order. Work that has not begun is left out when the caller
    /// goes away.
    ///
    /// # Errors
    /// [`QueueError::Busy`] before anything is begun; the first failure otherwise.
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

    /// The next batch; none when there will be no more.
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
    /// The job that is due first, and with it others of its shape, as many as the limit allows; but no more than its share,
    /// so that idle threads have theirs and batches are of one size.
    fn take(&mut self, limit: usize) -> Vec<Waiting<W, R>> {
        self.waiting.sort_by_key(|waiting| waiting.due);
        let shape = self.waiting[0].job.shape;
        self.clock = self.waiting[0].due;
        let alike = self.waiting.iter().filter(|waiting| waiting.job.shape == shape).count();
        // As many batches as are needed anyway, of equal size, so that no thread waits for another's last one.
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

/// A panic is a failure of its batch alone.
fn run_batch<W, R>(batch: Vec<Waiting<W, R>>, work: &impl Fn(&[W]) -> Result<Vec<R>, EngineError>) {
    let (jobs, answers): (Vec<W>, Vec<_>) = batch.into_iter().map(|w| (w.job.work, w.answer)).unzip();
    let done = catch_unwind(AssertUnwindSafe(|| work(&jobs)));
    let done = done.unwrap_or_else(|_| Err(EngineError("the model panicked; the log says where".into())));
    let done = done.and_then(|results| {
        let complete = results.len() == answers.len();
        complete.then_some(results).ok_or_else(|| EngineError("the model left some work out".into()))
    });
    // A receiver that has gone needs no answer.
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
