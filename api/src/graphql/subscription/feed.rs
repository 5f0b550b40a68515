//! Feeds of accounts: what their subscribers are sent is read once for all of them, by a task for each account that is
//! watched. It reads one row at a time and to its end, so that a client who is slow or gone never keeps a connection to
//! the database.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use domain::{
    Error,
    batch::Batch,
    foundation::events::Event,
    learning::{checkpoint::Checkpoint, dataset::Sample, evaluation::Evaluation},
    people::account,
    services::Services,
};
use futures_util::{Stream, stream};
use parking_lot::Mutex;
use ports::id::{AccountId, BatchId, CheckpointId, DatasetId, EvaluationId, SampleId};
use tokio::{
    sync::{
        Notify, Semaphore,
        broadcast::{self, error::RecvError},
        oneshot, watch,
    },
    time::{Instant, MissedTickBehavior, interval_at},
};

/// Rows that are read for subscribers at once, of all accounts.
const READS: usize = 4;
/// Samples that a subscriber may lag behind before it misses some.
const SAMPLES: usize = 8;
/// States of batches, Checkpoints and evaluation runs that a subscriber may lag behind before they are read again.
const PROGRESS: usize = 8;

/// How often the progress that is watched is read again, in case an event was lost.
const REREAD: Duration = Duration::from_secs(30);

/// What a subscriber of the balance is sent: the account, or why it could not be read.
pub(super) type BalanceRead = Result<account::AccountRow, Arc<Error>>;

/// A batch, Checkpoint or evaluation run, as it is now.
#[derive(Clone)]
pub(super) enum Progress {
    Batch(Arc<Batch>),
    Checkpoint(Arc<Checkpoint>),
    Evaluation(Arc<Evaluation>),
}

impl Progress {
    fn id(&self) -> &str {
        match self {
            Self::Batch(batch) => batch.id.as_str(),
            Self::Checkpoint(checkpoint) => checkpoint.id.as_str(),
            Self::Evaluation(evaluation) => evaluation.id.as_str(),
        }
    }
}

/// The feeds of all accounts that are watched. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AccountFeeds(Arc<Feeds>);

struct Feeds {
    services: Services,
    reads: Arc<Semaphore>,
    by_account: Mutex<HashMap<AccountId, Weak<Feed>>>,
}

/// The feed of one account. Its task ends when the last subscriber has dropped it.
struct Feed {
    balance: watch::Sender<Option<BalanceRead>>,
    samples: broadcast::Sender<Arc<Sample>>,
    progress: broadcast::Sender<Progress>,
    /// How many subscribers watch each Judge, batch, Checkpoint and evaluation run, by its id.
    watched: Mutex<HashMap<String, usize>>,
    /// Asks for progress to be read again, since some states were missed.
    reread: Arc<Notify>,
    _dropped: oneshot::Sender<()>,
}

impl AccountFeeds {
    pub(crate) fn new(services: Services) -> Self {
        let reads = Arc::new(Semaphore::new(READS));
        Self(Arc::new(Feeds { services, reads, by_account: Mutex::default() }))
    }

    /// The account each time its balance has changed from now on. A slow subscriber gets only the last of several
    /// changes.
    pub(super) fn balance(&self, account: &AccountId) -> impl Stream<Item = BalanceRead> + Send + 'static {
        let feed = self.feed(account);
        let balance = feed.balance.subscribe();
        stream::unfold((feed, balance), |(feed, mut balance)| async move {
            loop {
                balance.changed().await.ok()?;
                let read = balance.borrow_and_update().clone();
                if let Some(read) = read {
                    return Some((read, (feed, balance)));
                }
            }
        })
    }

    /// The samples of a Judge of the account from now on. A slow subscriber misses some.
    pub(super) fn samples(
        &self,
        account: &AccountId,
        dataset: DatasetId,
    ) -> impl Stream<Item = Arc<Sample>> + Send + 'static {
        let watched = Watched::new(self.feed(account), dataset.to_string());
        let samples = watched.feed.samples.subscribe();
        stream::unfold((watched, samples), |(watched, mut samples)| async move {
            loop {
                match samples.recv().await {
                    Ok(sample) if sample.dataset.as_str() == watched.id => {
                        return Some((sample, (watched, samples)));
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        })
    }

    /// A batch, Checkpoint or evaluation run of the account each time it makes progress or ends. A slow subscriber
    /// misses some states, but never the end.
    pub(super) fn progress(
        &self,
        account: &AccountId,
        subject: impl Into<String>,
    ) -> impl Stream<Item = Progress> + Send + 'static {
        let watched = Watched::new(self.feed(account), subject.into());
        let progress = watched.feed.progress.subscribe();
        stream::unfold((watched, progress), |(watched, mut progress)| async move {
            loop {
                match progress.recv().await {
                    Ok(read) if read.id() == watched.id => return Some((read, (watched, progress))),
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => watched.feed.reread.notify_one(),
                    Err(RecvError::Closed) => return None,
                }
            }
        })
    }

    fn feed(&self, account: &AccountId) -> Arc<Feed> {
        let mut by_account = self.0.by_account.lock();
        if let Some(feed) = by_account.get(account).and_then(Weak::upgrade) {
            return feed;
        }
        if by_account.len() == by_account.capacity() {
            by_account.retain(|_, feed| feed.strong_count() > 0);
        }
        let (dropped, on_drop) = oneshot::channel();
        let feed = Arc::new(Feed {
            balance: watch::Sender::new(None),
            samples: broadcast::Sender::new(SAMPLES),
            progress: broadcast::Sender::new(PROGRESS),
            watched: Mutex::default(),
            reread: Arc::default(),
            _dropped: dropped,
        });
        by_account.insert(account.clone(), Arc::downgrade(&feed));
        let wake = Wake { events: self.0.services.events.watch(), reread: feed.reread.clone(), on_drop };
        tokio::spawn(run(self.0.clone(), account.clone(), Arc::downgrade(&feed), wake));
        feed
    }
}

/// What the task of a feed waits for.
struct Wake {
    events: broadcast::Receiver<Event>,
    /// See [`Feed::reread`].
    reread: Arc<Notify>,
    /// Ends when the feed is dropped.
    on_drop: oneshot::Receiver<()>,
}

/// Reads for a feed until its last subscriber has gone.
async fn run(feeds: Arc<Feeds>, account: AccountId, feed: Weak<Feed>, mut wake: Wake) {
    let mut tick = interval_at(Instant::now() + REREAD, REREAD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let event = tokio::select! {
            event = wake.events.recv() => event,
            () = wake.reread.notified() => Err(RecvError::Lagged(0)),
            _ = tick.tick() => {
                let Some(feed) = feed.upgrade() else { return };
                feed.read_watched(&feeds, &account).await;
                continue;
            }
            _ = &mut wake.on_drop => return,
        };
        let Some(feed) = feed.upgrade() else { return };
        match event {
            Ok(Event::Balance { account: of }) if of == account => feed.read_balance(&feeds, &account).await,
            Ok(Event::Sample { account: of, dataset, sample })
                if of == account && feed.is_watched(dataset.as_str()) =>
            {
                feed.read_sample(&feeds, &account, &sample).await;
            }
            Ok(Event::Progress { account: of, subject }) if of == account => {
                if feed.is_watched(&subject) {
                    feed.read_progress(&feeds, &account, &[subject]).await;
                }
            }
            Ok(_) => {}
            // Events were dropped, and the last one of what is watched may have been among them.
            Err(RecvError::Lagged(_)) => {
                feed.read_balance(&feeds, &account).await;
                feed.read_watched(&feeds, &account).await;
            }
            Err(RecvError::Closed) => return,
        }
    }
}

impl Feed {
    async fn read_balance(&self, feeds: &Feeds, account: &AccountId) {
        if self.balance.receiver_count() == 0 {
            return;
        }
        let _permit = feeds.reads.acquire().await;
        let read = feeds.services.accounts.find(account).await.map_err(Arc::new);
        self.balance.send_replace(Some(read));
    }

    /// Skips a sample that was purged in the meantime.
    async fn read_sample(&self, feeds: &Feeds, account: &AccountId, sample: &SampleId) {
        let _permit = feeds.reads.acquire().await;
        if let Ok(sample) = feeds.services.datasets.find(account, sample).await {
            let _ = self.samples.send(Arc::new(sample));
        }
    }

    /// Reads the progress of all that is watched.
    async fn read_watched(&self, feeds: &Feeds, account: &AccountId) {
        let watched: Vec<String> = self.watched.lock().keys().cloned().collect();
        self.read_progress(feeds, account, &watched).await;
    }

    /// Skips other ids, and what cannot be read now; it is read again later.
    async fn read_progress(&self, feeds: &Feeds, account: &AccountId, ids: &[String]) {
        let batch_ids: Vec<_> = ids.iter().filter_map(|id| BatchId::read(id)).collect();
        let checkpoint_ids: Vec<_> = ids.iter().filter_map(|id| CheckpointId::read(id)).collect();
        let evaluation_ids: Vec<_> = ids.iter().filter_map(|id| EvaluationId::read(id)).collect();
        let Services { batches, checkpoints, evaluations, .. } = &feeds.services;
        let mut read = Vec::new();
        let _permit = feeds.reads.acquire().await;
        if !batch_ids.is_empty() {
            let found = batches.find_many(account, &batch_ids).await.unwrap_or_default();
            read.extend(found.into_iter().map(|batch| Progress::Batch(Arc::new(batch))));
        }
        if !checkpoint_ids.is_empty() {
            let found = checkpoints.find_many(account, &checkpoint_ids).await.unwrap_or_default();
            read.extend(found.into_iter().map(|checkpoint| Progress::Checkpoint(Arc::new(checkpoint))));
        }
        if !evaluation_ids.is_empty() {
            let found = evaluations.find_many(account, &evaluation_ids).await.unwrap_or_default();
            read.extend(found.into_iter().map(|evaluation| Progress::Evaluation(Arc::new(evaluation))));
        }
        for progress in read {
            let _ = self.progress.send(progress);
        }
    }

    fn is_watched(&self, id: &str) -> bool {
        self.watched.lock().contains_key(id)
    }
}

/// What a subscriber watches, until this is dropped: a Judge, batch, Checkpoint or evaluation run.
struct Watched {
    feed: Arc<Feed>,
    id: String,
}

impl Watched {
    fn new(feed: Arc<Feed>, id: String) -> Self {
        *feed.watched.lock().entry(id.clone()).or_default() += 1;
        Self { feed, id }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut watched = self.feed.watched.lock();
        match watched.get_mut(&self.id) {
            Some(watching) if *watching > 1 => *watching -= 1,
            _ => drop(watched.remove(&self.id)),
        }
    }
}
