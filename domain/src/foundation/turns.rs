//! Turns at work that is slow for everybody, such as verifying a password: those who asked least lately go first, so
//! that a crowd that asks again and again waits behind somebody who comes for the first time.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// How long a request counts.
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// The most keys that are counted. Beyond it, expired counts are dropped; if none has expired, all are.
const MAX_KEYS: usize = 20_000;

/// Gives turns by key, such as a network. Cheap to clone.
pub(crate) struct Turns<K>(Arc<Mutex<Queue<K>>>);

struct Queue<K> {
    /// Turns at the same time, at most one for each key.
    at_once: usize,
    /// Who may wait; of more, the one whose turn would be last is refused.
    most_waiting: usize,
    running: HashMap<K, Rank>,
    waiting: BTreeMap<Rank, Waiter<K>>,
    asked: HashMap<K, Asked>,
    arrivals: u64,
}

/// Who goes first: whose key asked less, then who came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    asked_before: u32,
    arrival: u64,
}

struct Waiter<K> {
    key: K,
    begin: oneshot::Sender<()>,
}

/// The requests of a key since a time.
struct Asked {
    count: u32,
    since: Instant,
}

/// A turn; dropping it ends the turn, or the wait for it.
pub(crate) struct FairTurn<K: Clone + Eq + Hash> {
    turns: Turns<K>,
    key: K,
    rank: Rank,
}

impl<K> Clone for Turns<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Clone + Eq + Hash> Turns<K> {
    pub(crate) fn new(at_once: usize, most_waiting: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            at_once,
            most_waiting,
            running: HashMap::new(),
            waiting: BTreeMap::new(),
            asked: HashMap::new(),
            arrivals: 0,
        })))
    }

    /// Waits for a turn, without a timeout. `None` when too many wait whose turn is earlier. Drop the future to stop
    /// waiting.
    pub(crate) async fn wait(&self, key: K) -> Option<FairTurn<K>> {
        let (begin, begun) = oneshot::channel();
        let rank = self.0.lock().enter(key.clone(), begin, Instant::now());
        let turn = FairTurn { turns: self.clone(), key, rank };
        begun.await.ok().map(|()| turn)
    }

    /// Takes back that a request of a key counts.
    pub(crate) fn uncount(&self, key: &K) {
        if let Some(asked) = self.0.lock().asked.get_mut(key) {
            asked.count = asked.count.saturating_sub(1);
        }
    }
}

impl<K: Clone + Eq + Hash> Queue<K> {
    fn enter(&mut self, key: K, begin: oneshot::Sender<()>, now: Instant) -> Rank {
        let rank = Rank { asked_before: self.count(&key, now), arrival: self.arrivals };
        self.arrivals += 1;
        self.waiting.insert(rank, Waiter { key, begin });
        self.begin_next();
        if self.waiting.len() > self.most_waiting {
            self.waiting.pop_last();
        }
        rank
    }

    /// Counts a request; returns how many there were before.
    fn count(&mut self, key: &K, now: Instant) -> u32 {
        if self.asked.len() >= MAX_KEYS && !self.asked.contains_key(key) {
            self.asked.retain(|_, asked| now.duration_since(asked.since) < WINDOW);
            if self.asked.len() >= MAX_KEYS {
                self.asked.clear();
            }
        }
        let asked = self.asked.entry(key.clone()).or_insert(Asked { count: 0, since: now });
        if now.duration_since(asked.since) >= WINDOW {
            *asked = Asked { count: 0, since: now };
        }
        asked.count = asked.count.saturating_add(1);
        asked.count - 1
    }

    fn begin_next(&mut self) {
        while self.running.len() < self.at_once {
            let mut free = self.waiting.iter().filter(|(_, waiter)| !self.running.contains_key(&waiter.key));
            let Some(rank) = free.next().map(|(rank, _)| *rank) else { return };
            let Some(waiter) = self.waiting.remove(&rank) else { return };
            // Who no longer waits drops its turn, which ends it.
            if waiter.begin.send(()).is_ok() {
                self.running.insert(waiter.key, rank);
            }
        }
    }
}

impl<K: Clone + Eq + Hash> Drop for FairTurn<K> {
    fn drop(&mut self) {
        let mut queue = self.turns.0.lock();
        queue.waiting.remove(&self.rank);
        if queue.running.get(&self.key) == Some(&self.rank) {
            queue.running.remove(&self.key);
        }
        queue.begin_next();
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinHandle;

    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    async fn waiter(turns: &Turns<i32>, key: i32) -> JoinHandle<Option<FairTurn<i32>>> {
        let turns = turns.clone();
        let waiter = tokio::spawn(async move { turns.wait(key).await });
        tokio::time::sleep(SOON).await;
        waiter
    }

    #[tokio::test]
    async fn who_asked_least_goes_first() {
        let turns = Turns::new(1, 10);
        for _ in 0..3 {
            assert!(turns.wait(1).await.is_some());
        }
        assert!(turns.wait(2).await.is_some());
        let held = turns.wait(9).await.unwrap();
        let crowd = waiter(&turns, 1).await;
        let second = waiter(&turns, 2).await;
        let new = waiter(&turns, 3).await;
        drop(held);
        drop(new.await.unwrap().unwrap());
        drop(second.await.unwrap().unwrap());
        drop(crowd.await.unwrap().unwrap());
        for _ in 0..4 {
            turns.uncount(&1);
        }
        let held = turns.wait(9).await.unwrap();
        let second = waiter(&turns, 2).await;
        let uncounted = waiter(&turns, 1).await;
        drop(held);
        let first = uncounted.await.unwrap().unwrap();
        assert!(!second.is_finished());
        drop(first);
        assert!(second.await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_key_has_one_turn_at_a_time_and_others_go_on() {
        let turns = Turns::new(2, 10);
        let held = turns.wait(1).await.unwrap();
        let again = waiter(&turns, 1).await;
        assert!(turns.wait(2).await.is_some(), "the other place is free");
        assert!(!again.is_finished());
        drop(held);
        assert!(again.await.unwrap().is_some());
    }

    #[tokio::test]
    async fn of_too_many_the_last_is_refused_at_once() {
        let turns = Turns::new(1, 2);
        let held = turns.wait(9).await.unwrap();
        let first = waiter(&turns, 1).await;
        let again = waiter(&turns, 1).await;
        let new = waiter(&turns, 2).await;
        assert!(again.await.unwrap().is_none(), "it asked before");
        assert!(turns.wait(3).await.is_none(), "it came last");
        drop(held);
        assert!(first.await.unwrap().is_some() && new.await.unwrap().is_some());
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_its_place() {
        let turns = Turns::new(1, 1);
        let held = turns.wait(9).await.unwrap();
        let gone = waiter(&turns, 1).await;
        gone.abort();
        assert!(gone.await.is_err());
        let other = waiter(&turns, 2).await;
        drop(held);
        assert!(other.await.unwrap().is_some());
        assert!(turns.wait(3).await.is_some());
    }

    #[test]
    fn requests_count_for_a_while_and_not_for_too_many_keys() {
        let turns = Turns::new(1, 1);
        let mut queue = turns.0.lock();
        let start = Instant::now();
        assert_eq!([queue.count(&1, start), queue.count(&1, start)], [0, 1]);
        assert_eq!(queue.count(&1, start + WINDOW), 0);
        for key in 0..2 * MAX_KEYS as i32 {
            queue.count(&key, start);
        }
        assert!(queue.asked.len() <= MAX_KEYS);
    }
}
