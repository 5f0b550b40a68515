//! Feeds of accounts: what their subscribers are sent is read once for all of them, by a task for each account that is watched.
//! It reads one row at a time and to its end, so that a client who is slow or gone never keeps a connection to the database.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use domain::{
    Error, account,
    checkpoint::{self, Checkpoint},
    database::Database,
    dataset,
    events::{Event, Events},
    id::{AccountId, CheckpointId, JudgeId, SampleId},
};
use futures_util::{Stream, stream};
use tokio::sync::{
    Notify, OwnedSemaphorePermit, Semaphore,
    broadcast::{self, error::RecvError},
    oneshot, watch,
};

/// Rows that are read for subscribers at once, of all accounts.
const READS: usize = 4;
/// Samples that a subscriber may lag behind before it misses some.
const SAMPLES: usize = 8;
/// Events of progress that a subscriber may lag behind before it misses some.
const PROGRESS: usize = 64;

/// Checkpoints that a subscriber may lag behind before they are read again.
const CHECKPOINTS: usize = 8;

/// What a subscriber of the balance is sent: the account, or why it could not be read.
pub(super) type BalanceRead = Result<account::Row, Arc<Error>>;

/// The feeds of all accounts that are watched. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AccountFeeds(Arc<Feeds>);

struct Feeds {
    db: Database,
    events: Events,
    reads: Arc<Semaphore>,
    by_account: Mutex<HashMap<AccountId, Weak<Feed>>>,
}

/// The feed of one account. Its task ends when the last subscriber has dropped it.
struct Feed {
    balance: watch::Sender<Option<BalanceRead>>,
    samples: broadcast::Sender<Arc<dataset::Sample>>,
    /// The ids of what went on or ended.
    progress: broadcast::Sender<String>,
    checkpoints: broadcast::Sender<Checkpoint>,
    /// The ids of the Judges whose samples are watched and of the Checkpoints that are, and by how many.
    watched: Mutex<HashMap<String, usize>>,
    /// Asks for the watched Checkpoints to be read again, since some were missed.
    reread: Arc<Notify>,
    _dropped: oneshot::Sender<()>,
}

impl AccountFeeds {
    pub(crate) fn new(db: Database, events: Events) -> Self {
        let by_account = Mutex::default();
        Self(Arc::new(Feeds { db, events, reads: Arc::new(Semaphore::new(READS)), by_account }))
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

    /// A tick each time a batch, Checkpoint or evaluation run of the account has gone on from now on, with a permit to read
    /// it. A slow subscriber gets one tick for several.
    pub(super) fn progress(
        &self,
        account: &AccountId,
        subject: String,
    ) -> impl Stream<Item = OwnedSemaphorePermit> + Send + 'static {
        let (feed, feeds) = (self.feed(account), self.0.clone());
        let progress = feed.progress.subscribe();
        stream::unfold((feed, feeds, progress, subject), |(feed, feeds, mut progress, subject)| async move {
            loop {
                match progress.recv().await {
                    Ok(went_on) if went_on != subject => continue,
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
                let permit = feeds.reads.clone().acquire_owned().await.ok()?;
                return Some((permit, (feed, feeds, progress, subject)));
            }
        })
    }

    /// A Checkpoint of the account each time it goes on or ends. A slow subscriber misses some, and never the end.
    pub(super) fn checkpoints(
        &self,
        account: &AccountId,
        id: CheckpointId,
    ) -> impl Stream<Item = Checkpoint> + Send + 'static {
        let watched = Watched::new(self.feed(account), id.to_string());
        let checkpoints = watched.feed.checkpoints.subscribe();
        stream::unfold((watched, checkpoints), |(watched, mut checkpoints)| async move {
            loop {
                match checkpoints.recv().await {
                    Ok(checkpoint) if checkpoint.id.as_str() == watched.id => {
                        return Some((checkpoint, (watched, checkpoints)));
                    }
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
            checkpoints: broadcast::Sender::new(CHECKPOINTS),
            watched: Mutex::default(),
            reread: Arc::default(),
            _dropped: dropped,
        });
        by_account.insert(account.clone(), Arc::downgrade(&feed));
        let (events, weak, reread) = (self.0.events.watch(), Arc::downgrade(&feed), feed.reread.clone());
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
                    feed.read_checkpoints(&feeds, &account, vec![subject.clone()]).await;
                }
                let _ = feed.progress.send(subject);
            }
            Ok(_) => {}
            // Events were dropped, and the balance's or a Checkpoint's may have been among them.
            Err(RecvError::Lagged(_)) => {
                feed.read_balance(&feeds, &account).await;
                let watched = lock(&feed.watched).keys().cloned().collect();
                feed.read_checkpoints(&feeds, &account, watched).await;
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
        let read = account::find(&feeds.db, account).await.map_err(Arc::new);
        self.balance.send_replace(Some(read));
    }

    /// A sample that was purged meanwhile is skipped.
    async fn read_sample(&self, feeds: &Feeds, account: &AccountId, sample: &SampleId) {
        let _permit = feeds.reads.acquire().await;
        if let Ok(sample) = dataset::find(&feeds.db, account, sample).await {
            let _ = self.samples.send(Arc::new(sample));
        }
    }

    /// Ids that are no Checkpoint's are skipped.
    async fn read_checkpoints(&self, feeds: &Feeds, account: &AccountId, ids: Vec<String>) {
        let ids: Vec<CheckpointId> = ids.iter().filter_map(|id| CheckpointId::read(id)).collect();
        if ids.is_empty() {
            return;
        }
        let _permit = feeds.reads.acquire().await;
        for checkpoint in checkpoint::find_many(&feeds.db, account, &ids).await.unwrap_or_default() {
            let _ = self.checkpoints.send(checkpoint);
        }
    }

    fn is_watched(&self, id: &str) -> bool {
        lock(&self.watched).contains_key(id)
    }
}

/// A Judge or a Checkpoint that a subscriber watches, until it is dropped.
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
