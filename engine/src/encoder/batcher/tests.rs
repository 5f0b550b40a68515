//! The queue as a request sees it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

use parking_lot::Mutex;
use ports::{EngineError, Flow, RequestGroup};

use super::{BatchJob, Batcher, QueueError, QueueLimits, QueueOrder};

/// About 1,000 tokens, at the assumed rate.
const LIMITS: QueueLimits =
    QueueLimits { threads: 1, batch: 100, done_within: Duration::from_millis(667), background: false };
const FIRST: QueueOrder = QueueOrder { flow: Flow(0), group: None, begun: false };

fn job<W>(shape: usize, tokens: usize, work: W) -> BatchJob<W> {
    BatchJob { shape, tokens, work }
}

/// A request in a task.
type Asked = tokio::task::JoinHandle<Result<Vec<u32>, QueueError>>;

/// A batcher with one thread that holds its first batch, `0`, until `go` is sent to, and records all batches.
struct Held {
    batcher: Arc<Batcher<u32, u32>>,
    go: mpsc::Sender<()>,
    batches: Arc<Mutex<Vec<Vec<u32>>>>,
    first: Asked,
}

impl Held {
    async fn new(limits: QueueLimits) -> Self {
        let (go, wait) = mpsc::channel();
        let wait = Mutex::new(wait);
        let batches = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&batches);
        let batcher = Batcher::start("test", limits, move |jobs: &[u32]| {
            notes.lock().push(jobs.to_vec());
            if jobs[0] == 0 {
                wait.lock().recv_timeout(Duration::from_secs(30)).unwrap();
            }
            Ok(jobs.iter().map(|job| job * 2).collect())
        });
        let batcher = Arc::new(batcher.unwrap());
        let first = ask(&batcher, FIRST, vec![job(0, 1, 0)]);
        while batches.lock().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Self { batcher, go, batches, first }
    }

    /// Submits jobs and waits until they are queued.
    async fn ask(&self, jobs: Vec<BatchJob<u32>>) -> Asked {
        self.ask_in(FIRST, jobs).await
    }

    async fn ask_in(&self, order: QueueOrder, jobs: Vec<BatchJob<u32>>) -> Asked {
        let first = jobs[0].work;
        let task = ask(&self.batcher, order, jobs);
        while !self.is_queued(first) && !task.is_finished() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        task
    }

    fn is_queued(&self, work: u32) -> bool {
        self.batcher.queue.state.lock().jobs.any(|job| job.work == work)
    }
}

fn ask(batcher: &Arc<Batcher<u32, u32>>, order: QueueOrder, jobs: Vec<BatchJob<u32>>) -> Asked {
    let batcher = Arc::clone(batcher);
    tokio::spawn(async move { batcher.run(order, jobs).await })
}

#[tokio::test]
async fn what_waits_is_batched_by_shape_up_to_the_limit() {
    let held = Held::new(LIMITS).await;
    let one = held.ask(vec![job(1, 40, 1), job(2, 40, 2), job(1, 40, 3), job(1, 40, 4)]).await;
    held.go.send(()).unwrap();
    assert_eq!(one.await.unwrap().unwrap(), [2, 4, 6, 8], "in the order asked");
    assert_eq!(held.first.await.unwrap().unwrap(), [0]);
    assert_eq!(*held.batches.lock(), [vec![0], vec![1, 3], vec![2], vec![4]]);
}

#[tokio::test]
async fn a_short_request_overtakes_a_long_one() {
    let held = Held::new(LIMITS).await;
    let long = held.ask((1..=5).map(|n| job(n as usize, 100, n)).collect()).await;
    let short = held.ask(vec![job(9, 50, 9)]).await;
    held.go.send(()).unwrap();
    short.await.unwrap().unwrap();
    long.await.unwrap().unwrap();
    let order: Vec<u32> = held.batches.lock().concat();
    assert!(order.iter().position(|n| *n == 9) < Some(3), "{order:?}");
}

#[tokio::test]
async fn what_is_too_much_is_refused_and_what_nobody_waits_for_is_not_begun() {
    let held = Held::new(LIMITS).await;
    let gone = held.ask(vec![job(1, 900, 1)]).await;
    assert!(matches!(held.ask(vec![job(1, 950, 2)]).await.await.unwrap(), Err(QueueError::Busy)));
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    let third = held.ask(vec![job(1, 950, 3)]).await;
    held.go.send(()).unwrap();
    assert_eq!(third.await.unwrap().unwrap(), [6]);
    assert_eq!(*held.batches.lock(), [vec![0], vec![3]]);
}

#[tokio::test]
async fn a_group_that_is_too_long_alone_is_told_so_and_others_that_the_queue_is() {
    let held = Held::new(LIMITS).await;
    let group = QueueOrder::first(Flow(1)).within(Some(RequestGroup::unique()));
    let other_group = QueueOrder::first(Flow(1)).within(Some(RequestGroup::unique()));
    let mut parts = Vec::new();
    for work in 1..=3 {
        parts.push(held.ask_in(group, vec![job(1, 300, work)]).await);
    }
    let refused = held.ask_in(group, vec![job(1, 300, 4)]).await.await.unwrap();
    assert!(matches!(refused, Err(QueueError::GroupTooLong { fit: 3 })), "{refused:?}");
    let refused = held.ask_in(other_group, vec![job(1, 300, 5)]).await.await.unwrap();
    assert!(matches!(refused, Err(QueueError::Busy)), "{refused:?}");
    held.go.send(()).unwrap();
    for (part, work) in parts.into_iter().zip(1..) {
        assert_eq!(part.await.unwrap().unwrap(), [2 * work]);
    }
}

#[tokio::test]
async fn what_is_admitted_is_done_whatever_others_ask() {
    let held = Held::new(LIMITS).await;
    let long = held.ask(vec![job(1, 900, 1)]).await;
    let others: Vec<_> = (1..4).map(|flow| (flow, 500 / flow as usize, 10 + flow as u32)).collect();
    let mut asked = Vec::new();
    for (flow, tokens, work) in others {
        let order = QueueOrder::first(Flow(flow));
        let batcher = Arc::clone(&held.batcher);
        asked.push(tokio::spawn(async move { batcher.run(order, vec![job(2, tokens, work)]).await }));
        while !held.is_queued(work) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    held.go.send(()).unwrap();
    assert_eq!(long.await.unwrap().unwrap(), [2]);
    for (task, work) in asked.into_iter().zip(11..) {
        assert_eq!(task.await.unwrap().unwrap(), [2 * work]);
    }
}

#[tokio::test]
async fn a_request_over_the_limit_is_served_when_nothing_waits() {
    let held = Held::new(LIMITS).await;
    let large = held.ask(vec![job(1, 5_000, 1)]).await;
    held.go.send(()).unwrap();
    assert_eq!(large.await.unwrap().unwrap(), [2]);
}

#[tokio::test]
async fn a_panic_and_a_failure_are_of_their_batch_alone() {
    let batcher = Batcher::start("test", LIMITS, |jobs: &[u32]| match jobs[0] {
        1 => panic!("on purpose"),
        2 => Err(EngineError("no".into())),
        3 => Ok(vec![]),
        _ => Ok(jobs.to_vec()),
    });
    let batcher = batcher.unwrap();
    for (work, why) in [(1, "panicked"), (2, "no"), (3, "left some work out")] {
        let Err(QueueError::Failed(error)) = batcher.run(FIRST, vec![job(1, 1, work)]).await else {
            panic!("{work} should fail")
        };
        assert!(error.0.contains(why), "{error}");
    }
    assert_eq!(batcher.run(FIRST, vec![job(1, 1, 4)]).await.unwrap(), [4]);
}

#[tokio::test]
async fn idle_threads_share_a_request() {
    let at_once = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&at_once);
    let seen = Arc::clone(&most);
    let limits = QueueLimits { threads: 2, ..LIMITS };
    let batcher = Batcher::start("test", limits, move |jobs: &[u32]| {
        seen.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(50));
        counted.fetch_sub(1, Ordering::SeqCst);
        Ok(jobs.to_vec())
    });
    let batcher = batcher.unwrap();
    while batcher.queue.state.lock().idle < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    batcher.run(FIRST, vec![job(1, 10, 1), job(1, 10, 2)]).await.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 2);
}
