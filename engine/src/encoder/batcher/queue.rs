//! The queue and its worker threads.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};
use ports::EngineError;
use tokio::sync::oneshot;

use super::{
    fair_queue::{FairQueue, GroupLoad, WaitingJob},
    job::{BatchJob, QueueError, QueueLimits, QueueOrder},
};
use crate::{error::named, priority};

/// Tokens a second and thread until a batch has been measured.
const ASSUMED_RATE: f64 = 1_500.0;
/// The weight of the last batch in the estimate of the rate, if it was a full one.
const RATE_WEIGHT: f64 = 0.2;

/// A queue with worker threads, which finish the queued work and then end when this is dropped.
pub struct Batcher<W, R> {
    pub(super) queue: Arc<BatchQueue<W, R>>,
}

pub(super) struct BatchQueue<W, R> {
    pub(super) state: Mutex<QueueState<W, R>>,
    arrived: Condvar,
    limits: QueueLimits,
}

type Reply<R> = oneshot::Sender<Result<R, QueueError>>;

pub(super) struct QueueState<W, R> {
    pub(super) jobs: FairQueue<W, Reply<R>>,
    /// Idle threads.
    pub(super) idle: usize,
    /// Tokens a second that a thread processes: a running mean over batches.
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
        let state = QueueState { jobs: FairQueue::new(), idle: 0, rate: ASSUMED_RATE, closed: false };
        let queue = BatchQueue { state: Mutex::new(state), arrived: Condvar::new(), limits };
        let batcher = Self { queue: Arc::new(queue) };
        let work = Arc::new(work);
        for _ in 0..threads {
            let queue = Arc::clone(&batcher.queue);
            let work = Arc::clone(&work);
            let thread = thread::Builder::new().name(name.to_owned());
            thread.spawn(move || queue.serve(work.as_ref())).map_err(|error| named(name, error))?;
        }
        Ok(batcher)
    }

    /// Runs all jobs of a request and returns their results, in order. Dropping the future cancels the jobs that are
    /// still queued; nothing else does.
    ///
    /// # Errors
    /// [`QueueError::Busy`] and [`QueueError::GroupTooLong`] at once, or the first failure.
    pub async fn run(&self, order: QueueOrder, jobs: Vec<BatchJob<W>>) -> Result<Vec<R>, QueueError> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let answers = self.submit(order, jobs)?;
        let mut results = Vec::with_capacity(answers.len());
        for answer in answers {
            let Ok(result) = answer.await else {
                return Err(QueueError::Failed(EngineError("the model's thread has ended".into())));
            };
            results.push(result?);
        }
        Ok(results)
    }

    fn submit(
        &self,
        order: QueueOrder,
        jobs: Vec<BatchJob<W>>,
    ) -> Result<Vec<oneshot::Receiver<Result<R, QueueError>>>, QueueError> {
        let mut state = self.queue.state.lock();
        state.jobs.retain(|answer| !answer.is_closed());
        if !order.begun && !state.jobs.is_empty() {
            let coming = jobs.iter().map(|job| job.tokens).sum();
            self.queue.admit(&state, order, coming)?;
        }
        let (replies, answers): (Vec<_>, Vec<_>) = jobs.iter().map(|_| oneshot::channel()).unzip();
        state.jobs.push(order, jobs.into_iter().zip(replies));
        drop(state);
        self.queue.arrived.notify_all();
        Ok(answers)
    }
}

impl<W, R> BatchQueue<W, R> {
    /// Refuses a request of `coming` tokens that would not be done in time.
    fn admit(&self, state: &QueueState<W, R>, order: QueueOrder, coming: usize) -> Result<(), QueueError> {
        let limits = &self.limits;
        let most = state.rate * (limits.threads as f64) * limits.done_within.as_secs_f64();
        if let Some(group) = order.group {
            let GroupLoad { requests, tokens } = state.jobs.waiting_of(group);
            if requests > 0 && (tokens + coming) as f64 > most {
                return Err(QueueError::GroupTooLong { fit: requests });
            }
        }
        let until_done = state.jobs.tokens_until_done(order.flow, coming);
        if until_done as f64 > most { Err(QueueError::Busy) } else { Ok(()) }
    }

    /// Runs batches until the queue is closed and empty.
    fn serve(&self, work: &impl Fn(&[W]) -> Result<Vec<R>, EngineError>) {
        if self.limits.background {
            priority::lower();
        }
        while let Some(batch) = self.next() {
            let tokens = batch.iter().map(|one| one.job.tokens).sum();
            let start = Instant::now();
            run_batch(batch, work);
            self.update_rate(tokens, start.elapsed());
        }
    }

    /// Waits for the next batch; `None` once the queue is closed and empty.
    fn next(&self) -> Option<Vec<WaitingJob<W, Reply<R>>>> {
        let mut state = self.state.lock();
        loop {
            state.jobs.retain(|answer| !answer.is_closed());
            if !state.jobs.is_empty() {
                let idle = state.idle;
                return Some(state.jobs.take(self.limits.batch, idle));
            }
            if state.closed {
                return None;
            }
            state.idle += 1;
            self.arrived.wait(&mut state);
            state.idle -= 1;
        }
    }

    fn update_rate(&self, tokens: usize, took: Duration) {
        let rate = tokens as f64 / took.as_secs_f64().max(1e-6);
        let weight = RATE_WEIGHT * (tokens as f64 / self.limits.batch as f64).min(1.0);
        let mut state = self.state.lock();
        state.rate += weight * (rate - state.rate);
    }
}

/// Runs a batch and answers its jobs. A panic fails this batch only.
fn run_batch<W, R>(batch: Vec<WaitingJob<W, Reply<R>>>, work: &impl Fn(&[W]) -> Result<Vec<R>, EngineError>) {
    let (jobs, answers): (Vec<W>, Vec<_>) = batch.into_iter().map(|one| (one.job.work, one.answer)).unzip();
    let done = match catch_unwind(AssertUnwindSafe(|| work(&jobs))) {
        Ok(Ok(results)) if results.len() == answers.len() => Ok(results),
        Ok(Ok(_)) => Err(EngineError("the model left some work out".into())),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(EngineError("the model panicked; the log has the message".into())),
    };
    // Sending fails when the receiver has gone.
    match done {
        Ok(results) => {
            for (answer, result) in answers.into_iter().zip(results) {
                let _ = answer.send(Ok(result));
            }
        }
        Err(error) => {
            for answer in answers {
                let _ = answer.send(Err(QueueError::Failed(error.clone())));
            }
        }
    }
}

impl<W, R> Drop for Batcher<W, R> {
    fn drop(&mut self) {
        self.queue.state.lock().closed = true;
        self.queue.arrived.notify_all();
    }
}

impl<W, R> std::fmt::Debug for Batcher<W, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batcher").field("limits", &self.queue.limits).finish_non_exhaustive()
    }
}
