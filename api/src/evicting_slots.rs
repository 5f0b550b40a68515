//! Slots that nobody can keep from others: when none is free, the key that holds most loses one to a key that holds
//! less. What is in use is never taken away, and of the rest the longest idle goes first.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    hash::Hash,
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::{sync::Notify, time::Instant};

/// The slots of one kind. Cheap to clone.
pub(crate) struct EvictingSlots<K>(Arc<Shared<K>>);

struct Shared<K> {
    table: Mutex<Table<K>>,
    /// Notified when slots become free, and when one becomes idle.
    room: Notify,
}

struct Table<K> {
    free: usize,
    holders: HashMap<K, Holder>,
    last_id: u64,
}

/// What one key holds.
#[derive(Default)]
struct Holder {
    slots: usize,
    members: HashMap<u64, Member>,
    /// The members that are not in use, the longest idle first.
    idle: BTreeSet<(Instant, u64)>,
}

struct Member {
    slots: usize,
    uses: usize,
    idle_since: Instant,
    evicted: Arc<Notify>,
}

/// One or more slots, free again when this is dropped.
pub(crate) struct EvictableSlot<K: Clone + Eq + Hash> {
    of: EvictingSlots<K>,
    key: K,
    id: u64,
    evicted: Arc<Notify>,
}

impl<K> Clone for EvictingSlots<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Clone + Eq + Hash> EvictingSlots<K> {
    pub(crate) fn new(total: usize) -> Self {
        let table = Table { free: total, holders: HashMap::new(), last_id: 0 };
        Self(Arc::new(Shared { table: Mutex::new(table), room: Notify::new() }))
    }

    /// Takes slots, which are idle at first; `None` when they are neither free nor idle at a key that holds at least as
    /// many as `key` then would.
    pub(crate) fn try_take(&self, key: K, slots: usize) -> Option<EvictableSlot<K>> {
        let mut table = self.0.table.lock();
        if !table.make_room(&key, slots) {
            return None;
        }
        table.last_id += 1;
        let id = table.last_id;
        let idle_since = Instant::now();
        let evicted = Arc::new(Notify::new());
        let holder = table.holders.entry(key.clone()).or_default();
        holder.slots += slots;
        holder.idle.insert((idle_since, id));
        holder.members.insert(id, Member { slots, uses: 0, idle_since, evicted: evicted.clone() });
        Some(EvictableSlot { of: self.clone(), key, id, evicted })
    }

    /// Takes from a key what it has had idle for longest; false when all of it is in use.
    pub(crate) fn evict_idlest_of(&self, key: &K) -> bool {
        self.0.table.lock().evict(key)
    }

    /// How many slots a key holds.
    pub(crate) fn held(&self, key: &K) -> usize {
        self.0.table.lock().held(key)
    }

    /// Waits until slots have become free or idle since the last call.
    pub(crate) async fn room(&self) {
        self.0.room.notified().await;
    }
}

impl<K: Clone + Eq + Hash> Table<K> {
    fn held(&self, key: &K) -> usize {
        self.holders.get(key).map_or(0, |holder| holder.slots)
    }

    /// Takes `slots` from the free ones, and makes them free first if necessary.
    fn make_room(&mut self, key: &K, slots: usize) -> bool {
        let would_hold = self.held(key) + slots;
        while self.free < slots {
            let others = self.holders.iter().filter(|(other, holder)| {
                *other != key && holder.slots >= would_hold && !holder.idle.is_empty()
            });
            // Of equally large ones, that with the longest idle.
            let largest =
                others.max_by_key(|(_, holder)| (holder.slots, Reverse(holder.idle.first().copied())));
            let Some((largest, _)) = largest else { return false };
            let largest = largest.clone();
            self.evict(&largest);
        }
        self.free -= slots;
        true
    }

    fn evict(&mut self, key: &K) -> bool {
        let idlest = self.holders.get(key).and_then(|holder| holder.idle.first().copied());
        let evicted = idlest.and_then(|(_, id)| self.remove(key, id));
        evicted.inspect(|member| member.evicted.notify_one()).is_some()
    }

    fn remove(&mut self, key: &K, id: u64) -> Option<Member> {
        let holder = self.holders.get_mut(key)?;
        let member = holder.members.remove(&id)?;
        holder.idle.remove(&(member.idle_since, id));
        holder.slots -= member.slots;
        if holder.members.is_empty() {
            self.holders.remove(key);
        }
        self.free += member.slots;
        Some(member)
    }
}

impl<K: Clone + Eq + Hash> EvictableSlot<K> {
    /// Takes further slots; false when there are none, as for [`EvictingSlots::try_take`], or these were taken away.
    pub(crate) fn try_grow(&self, slots: usize) -> bool {
        let mut table = self.of.0.table.lock();
        let table = &mut *table;
        if !self.is_member(table) || !table.make_room(&self.key, slots) {
            return false;
        }
        let Some(holder) = table.holders.get_mut(&self.key) else { return false };
        let Some(member) = holder.members.get_mut(&self.id) else { return false };
        member.slots += slots;
        holder.slots += slots;
        true
    }

    /// Begins a use, during which nothing is taken away.
    pub(crate) fn begin_use(&self) {
        let mut table = self.of.0.table.lock();
        let Some(holder) = table.holders.get_mut(&self.key) else { return };
        let Some(member) = holder.members.get_mut(&self.id) else { return };
        member.uses += 1;
        holder.idle.remove(&(member.idle_since, self.id));
    }

    /// Ends a use.
    pub(crate) fn end_use(&self) {
        let mut table = self.of.0.table.lock();
        let Some(holder) = table.holders.get_mut(&self.key) else { return };
        let Some(member) = holder.members.get_mut(&self.id) else { return };
        member.uses -= 1;
        if member.uses == 0 {
            member.idle_since = Instant::now();
            holder.idle.insert((member.idle_since, self.id));
            self.of.0.room.notify_one();
        }
    }

    /// Waits until this has been taken away. To be awaited once.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }

    fn is_member(&self, table: &Table<K>) -> bool {
        table.holders.get(&self.key).is_some_and(|holder| holder.members.contains_key(&self.id))
    }
}

impl<K: Clone + Eq + Hash> Drop for EvictableSlot<K> {
    fn drop(&mut self) {
        if self.of.0.table.lock().remove(&self.key, self.id).is_some() {
            self.of.0.room.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn is_evicted(slot: &EvictableSlot<char>) -> bool {
        slot.evicted().now_or_never().is_some()
    }

    #[test]
    fn the_largest_holder_loses_its_idlest_to_a_smaller_one() {
        let slots = EvictingSlots::new(4);
        let of_a: Vec<_> = (0..3).map(|_| slots.try_take('a', 1).unwrap()).collect();
        let of_b = slots.try_take('b', 1).unwrap();
        // The first is in use, and the second has been idle for a shorter time than the third.
        of_a[0].begin_use();
        of_a[1].begin_use();
        of_a[1].end_use();
        let of_c = slots.try_take('c', 1).unwrap();
        assert_eq!(of_a.iter().map(is_evicted).collect::<Vec<_>>(), [false, false, true]);
        assert!(!is_evicted(&of_b) && !is_evicted(&of_c));
        assert_eq!((slots.held(&'a'), slots.held(&'b'), slots.held(&'c')), (2, 1, 1));
        // A key does not gain from others by holding more than they do.
        assert!(slots.try_take('a', 1).is_none());
        assert!(slots.evict_idlest_of(&'a') && is_evicted(&of_a[1]));
        assert!(!slots.evict_idlest_of(&'a'), "the first is in use");
        drop(slots.try_take('a', 1).unwrap());
        drop(of_a);
        assert_eq!(slots.held(&'a'), 0);
    }

    #[test]
    fn what_is_in_use_stays() {
        let slots = EvictingSlots::new(2);
        let large = slots.try_take('a', 2).unwrap();
        large.begin_use();
        large.begin_use();
        large.end_use();
        assert!(slots.try_take('b', 1).is_none());
        assert!(slots.room().now_or_never().is_none());
        large.end_use();
        assert!(slots.room().now_or_never().is_some());
        assert!(slots.try_take('b', 1).is_some() && is_evicted(&large));
        // What was taken away is not freed twice.
        drop(large);
        assert!(slots.try_take('a', 2).is_some() && slots.try_take('a', 3).is_none());
    }

    #[test]
    fn slots_grow_by_the_same_rule() {
        let slots = EvictingSlots::new(10);
        let large = slots.try_take('a', 4).unwrap();
        assert!(large.try_grow(4) && !large.try_grow(4));
        let small = slots.try_take('b', 2).unwrap();
        assert!(small.try_grow(4) && is_evicted(&large) && !large.try_grow(1));
        assert_eq!((slots.held(&'a'), slots.held(&'b')), (0, 6));
    }
}
