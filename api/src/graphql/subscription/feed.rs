//! Feeds of accounts: what their subscribers are sent is read once for all of them, by a task for each account that is watched.
//! It reads one row at a time and to its end, so that a client who is slow or gone never keeps a connection to the database.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use domain::{
    Error,
    batch::Batch,
    foundation::events::Event,
    learning::{checkpoint::Checkpoint, dataset, evaluation::Evaluation},
    people::account,
    services::Services,
};
use futures_util::{Stream, stream};
use ports::id::{AccountId, BatchId, CheckpointId, EvaluationId, JudgeId, SampleId};
use tokio::sync::{
    Notify, Semaphore,
    broadcast::{self, error::RecvError},
    oneshot, watch,
};

/// Rows that are read for subscribers at once, of all accounts.
const READS: usize = 4;
/// Samples that a subscriber may lag behind before it misses some.
const SAMPLES: usize = 8;
/// States of batches, Checkpoints and evaluation runs that a subscriber may lag behind before they are read again.
const PROGRESS: usize = 8;

/// What a subscriber of the balance is sent: the account, or why it could not be read.
pub(super) type BalanceRead = Result<account::AccountRow, Arc<Error>>;

/// What a job works on, as it stands.
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
    samples: broadcast::Sender<Arc<dataset::Sample>>,
    progress: broadcast::Sender<Progress>,
    /// The ids of the Judges whose samples are watched and of what jobs work on, and by how many.
    watched: Mutex<HashMap<String, usize>>,
    /// Asks for what jobs work on to be read again, since some states were missed.
    reread: Arc<Notify>,
    _dropped: oneshot::Sender<()>,
}

impl AccountFeeds {
    pub(crate) fn new(services: Services) -> Self {
        let reads = Arc::new(Semaphore::new(READS));
        Self(Arc::new(Feeds { services, reads, by_account: Mutex::default() }))
    }

    /// The account each time its balance has changed from now on. Of changes that a slow subscriber missed it gets the last.
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
        judge: JudgeId,
    ) -> impl Stream<Item = Arc<dataset::Sample>> + Send + 'static {
        let watched = Watched::new(self.feed(account), judge.to_string());
        let samples = watched.feed.samples.subscribe();
        stream::unfold((watched, samples), |(watched, mut samples)| async move {
            loop {
                match samples.recv().await {
                    Ok(sample) if sample.judge.as_str() == watched.id => {
                        return Some((sample, (watched, samples)));
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        })
    }

    /// A batch, Checkpoint or evaluation run of the account each time it goes on or ends. A slow subscriber misses some states,
    /// and never the end.
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
                    Ok(went_on) if went_on.id() == watched.id => return Some((went_on, (watched, progress))),
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => watched.feed.reread.notify_one(),
                    Err(RecvError::Closed) => return None,
                }
            }
        })
    }

    fn feed(&self, account: &AccountId) -> Arc<Feed> {
        let mut by_account = lock(&self.0.by_account);
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
        let events = self.0.services.events.watch();
        let weak = Arc::downgrade(&feed);
        let reread = feed.reread.clone();
        tokio::spawn(run(self.0.clone(), account.clone(), weak, (events, reread), on_drop));
        feed
    }
}

/// Reads for a feed until its last subscriber has gone.
async fn run(
    feeds: Arc<Feeds>,
    account: AccountId,
    feed: Weak<Feed>,
    (mut events, reread): (broadcast::Receiver<Event>, Arc<Notify>),
    mut on_drop: oneshot::Receiver<()>,
) {
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = reread.notified() => Err(RecvError::Lagged(0)),
            _ = &mut on_drop => return,
        };
        let Some(feed) = feed.upgrade() else { return };
        match event {
            Ok(Event::Balance { account: of }) if of == account => feed.read_balance(&feeds, &account).await,
            Ok(Event::Sample { account: of, judge, sample })
                if of == account && feed.is_watched(judge.as_str()) =>
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
                let watched: Vec<String> = lock(&feed.watched).keys().cloned().collect();
                feed.read_progress(&feeds, &account, &watched).await;
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

    /// A sample that was purged meanwhile is skipped.
    async fn read_sample(&self, feeds: &Feeds, account: &AccountId, sample: &SampleId) {
        let _permit = feeds.reads.acquire().await;
        if let Ok(sample) = dataset::find(&feeds.services.db, account, sample).await {
            let _ = self.samples.send(Arc::new(sample));
        }
    }

    /// Ids of something else are skipped, and what cannot be read is until it goes on.
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
        lock(&self.watched).contains_key(id)
    }
}

/// A Judge, or what a job works on, that a subscriber watches, until it is dropped.
struct Watched {
    feed: Arc<Feed>,
    id: String,
}

impl Watched {
    fn new(feed: Arc<Feed>, id: String) -> Self {
        *lock(&feed.watched).entry(id.clone()).or_default() += 1;
        Self { feed, id }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut watched = lock(&self.feed.watched);
        match watched.get_mut(&self.id) {
            Some(watching) if *watching > 1 => *watching -= 1,
            _ => drop(watched.remove(&self.id)),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
