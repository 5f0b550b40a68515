//! Which of the entries that wait are committed together: a bounded number of bytes, from accounts in turn. So an
//! account whose charges carry large rows holds up another's charge for one commit, not for all of its own.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    time::Instant,
};

use tokio::sync::oneshot;
use tracing::Span;

use super::{LedgerEntry, Receipt};
use crate::Result;
use ports::id::AccountId;

/// Maximum entries in one commit.
const GROUP_ENTRIES: usize = 256;
/// Maximum bytes of side rows in one commit; a larger entry gets its own commit.
const GROUP_BYTES: usize = 1024 * 1024;

/// An entry in the queue, and the channel for its receipt.
pub(super) struct QueuedEntry {
    pub(super) entry: LedgerEntry,
    /// Bytes of its side rows.
    pub(super) bytes: usize,
    pub(super) since: Instant,
    pub(super) reply: oneshot::Sender<Result<Receipt>>,
    /// The span that waits for the receipt.
    pub(super) span: Span,
}

/// The entries that wait for a commit.
#[derive(Default)]
pub(super) struct WaitingEntries {
    entries: Vec<QueuedEntry>,
    /// The accounts of the group that was taken last.
    group: Vec<AccountId>,
    /// When the last commit of each account with waiting entries ended.
    served: HashMap<AccountId, Instant>,
}

impl WaitingEntries {
    /// The entries, to which others may be added.
    pub(super) fn entries(&mut self) -> &mut Vec<QueuedEntry> {
        &mut self.entries
    }

    /// Takes the next group; none when nothing waits. Accounts take turns: first is the one whose last commit, or whose
    /// arrival, is the longest ago. What does not fit waits for a later group.
    pub(super) fn next_group(&mut self) -> Option<Vec<QueuedEntry>> {
        let accounts: HashSet<&AccountId> = self.entries.iter().map(|one| &one.entry.account).collect();
        self.served.retain(|account, _| accounts.contains(account));
        // The last one is first, so that a group is taken off the end.
        self.entries.sort_by_cached_key(|one| {
            let turn = self.served.get(&one.entry.account).copied().unwrap_or(one.since);
            Reverse((turn, one.since))
        });
        let mut group: Vec<QueuedEntry> = Vec::new();
        let mut later = Vec::new();
        let mut bytes = 0;
        while group.len() < GROUP_ENTRIES
            && let Some(one) = self.entries.pop()
        {
            if group.is_empty() || bytes + one.bytes <= GROUP_BYTES {
                bytes += one.bytes;
                group.push(one);
            } else {
                later.push(one);
            }
        }
        self.entries.extend(later);
        self.group = group.iter().map(|one| one.entry.account.clone()).collect();
        (!group.is_empty()).then_some(group)
    }

    /// Notes the end of the commit of the group that was taken last.
    pub(super) fn committed(&mut self) {
        let now = Instant::now();
        self.served.extend(self.group.drain(..).map(|account| (account, now)));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::money::{amount::Amount, credits::EntryKind};
    use ports::id::RequestId;

    /// Adds an entry with some bytes that has waited since `since`.
    fn add(waiting: &mut WaitingEntries, account: &str, bytes: usize, since: Instant) {
        let account = AccountId::from(account.to_owned());
        let entry = LedgerEntry::new(account, RequestId::new(), EntryKind::Charge, Amount::from_milli(-1));
        let (reply, _) = oneshot::channel();
        waiting.entries().push(QueuedEntry { entry, bytes, since, reply, span: Span::none() });
    }

    /// The accounts of the next group, in order.
    fn next(waiting: &mut WaitingEntries) -> String {
        let group = waiting.next_group().unwrap_or_default();
        waiting.committed();
        group.iter().map(|one| one.entry.account.as_str().to_owned()).collect()
    }

    /// A moment before the test, so that commits are later.
    fn before(ms: u64) -> Instant {
        Instant::now().checked_sub(Duration::from_millis(ms)).unwrap()
    }

    #[test]
    fn groups_are_bounded_by_bytes_and_by_entries() {
        let mut waiting = WaitingEntries::default();
        for _ in 0..300 {
            add(&mut waiting, "a", 1, Instant::now());
        }
        assert_eq!(next(&mut waiting).len(), GROUP_ENTRIES);
        assert_eq!(next(&mut waiting).len(), 300 - GROUP_ENTRIES);
        for bytes in [GROUP_BYTES + 1, 0, GROUP_BYTES, 1, 0] {
            add(&mut waiting, "a", bytes, Instant::now());
        }
        assert_eq!([next(&mut waiting), next(&mut waiting), next(&mut waiting)], ["a", "aaa", "a"]);
        assert!(waiting.next_group().is_none());
    }

    #[test]
    fn large_entries_of_an_account_let_others_pass() {
        let mut waiting = WaitingEntries::default();
        for _ in 0..4 {
            add(&mut waiting, "a", GROUP_BYTES, before(900));
        }
        add(&mut waiting, "b", 10, before(800));
        add(&mut waiting, "c", GROUP_BYTES, before(700));
        assert_eq!(next(&mut waiting), "a");
        assert_eq!(next(&mut waiting), "b", "what does not fit beside it waits");
        assert_eq!(next(&mut waiting), "c");
        add(&mut waiting, "d", 10, Instant::now());
        assert_eq!(next(&mut waiting), "a", "it waits longer than who has just come");
        assert_eq!([next(&mut waiting), next(&mut waiting)], ["d", "a"]);
    }
}
