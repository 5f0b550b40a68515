//! Remembers channels in this process.

use std::collections::{HashMap, VecDeque};

use async_trait::async_trait;
use parking_lot::Mutex;

use super::{
    memory::{ChannelMemory, RECORDS, WINDOW},
    record::Record,
};
use ports::id::AccountId;

/// Maximum number of channels remembered for one account.
const ACCOUNT_CHANNELS: usize = 500;
/// Maximum number of channels remembered for all accounts.
const ALL_CHANNELS: usize = 8_000;

/// A channel memory in this process: at most 500 channels of an account and 8,000 in total, each with 128 records of 72
/// bytes. If an account has too many, its channel that was silent longest is forgotten.
#[derive(Default)]
pub struct LocalChannelMemory(Mutex<Accounts>);

#[derive(Default)]
struct Accounts {
    accounts: HashMap<AccountId, HashMap<u64, VecDeque<Record>>>,
    /// Channels of all accounts.
    channels: usize,
}

#[async_trait]
impl ChannelMemory for LocalChannelMemory {
    async fn observe(&self, account: &AccountId, messages: &[(u64, Record)]) -> Vec<Vec<Record>> {
        let mut accounts = self.0.lock();
        messages.iter().map(|(channel, record)| accounts.observe(account, *channel, *record)).collect()
    }
}

impl Accounts {
    fn observe(&mut self, account: &AccountId, channel: u64, record: Record) -> Vec<Record> {
        let channels = self.accounts.entry(account.clone()).or_default();
        if let Some(records) = channels.get_mut(&channel) {
            while records.front().is_some_and(|first| is_over(first, record.at_ms)) {
                records.pop_front();
            }
            let before = records.iter().copied().collect();
            if records.len() == RECORDS {
                records.pop_front();
            }
            records.push_back(record);
            return before;
        }
        if channels.len() >= ACCOUNT_CHANNELS {
            self.channels -= forget(channels, record.at_ms);
        }
        if self.channels >= ALL_CHANNELS {
            self.make_room(record.at_ms);
        }
        self.channels += 1;
        let channels = self.accounts.entry(account.clone()).or_default();
        channels.insert(channel, VecDeque::from([record]));
        Vec::new()
    }

    /// Forgets what is over in all accounts, or else a channel of the account that has the most.
    fn make_room(&mut self, now: u64) {
        for channels in self.accounts.values_mut() {
            channels.retain(|_, records| !records.back().is_none_or(|last| is_over(last, now)));
        }
        self.accounts.retain(|_, channels| !channels.is_empty());
        self.channels = self.accounts.values().map(HashMap::len).sum();
        if self.channels >= ALL_CHANNELS
            && let Some(most) = self.accounts.values_mut().max_by_key(|channels| channels.len())
        {
            self.channels -= forget(most, now);
        }
    }
}

/// Forgets the channels of an account that are over, or else the one that was silent the longest; returns how many.
fn forget(channels: &mut HashMap<u64, VecDeque<Record>>, now: u64) -> usize {
    let had = channels.len();
    channels.retain(|_, records| !records.back().is_none_or(|last| is_over(last, now)));
    if channels.len() == had {
        let last = |records: &VecDeque<Record>| records.back().map_or(0, |last| last.at_ms);
        let oldest = channels.iter().min_by_key(|(_, records)| last(records)).map(|(channel, _)| *channel);
        oldest.map(|channel| channels.remove(&channel));
    }
    had - channels.len()
}

fn is_over(record: &Record, now: u64) -> bool {
    now.saturating_sub(record.at_ms) >= WINDOW.as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at_ms: u64) -> Record {
        Record { at_ms, id: at_ms, ..Record::default() }
    }

    #[tokio::test]
    async fn a_channel_is_remembered_for_minutes_and_no_other_sees_it() {
        let memory = LocalChannelMemory::default();
        let one = AccountId::new();
        let other = AccountId::new();
        let first = memory.observe(&one, &[(1, at(1_000)), (1, at(2_000)), (2, at(3_000))]).await;
        assert_eq!(first, [vec![], vec![at(1_000)], vec![]]);
        assert_eq!(memory.observe(&other, &[(1, at(4_000))]).await, [vec![]]);
        assert_eq!(memory.observe(&one, &[(1, at(301_500))]).await, [vec![at(2_000)]]);
        for now in 0..300 {
            memory.observe(&one, &[(1, at(302_000 + now))]).await;
        }
        assert_eq!(memory.observe(&one, &[(1, at(303_000))]).await[0].len(), RECORDS);
    }

    #[tokio::test]
    async fn an_account_with_too_many_channels_forgets_its_own() {
        let memory = LocalChannelMemory::default();
        let victim = AccountId::new();
        memory.observe(&victim, &[(1, at(1))]).await;
        let crowd: Vec<AccountId> = (0..20).map(|_| AccountId::new()).collect();
        for account in &crowd {
            let many: Vec<(u64, Record)> = (0..600).map(|channel| (channel, at(1_000 + channel))).collect();
            memory.observe(account, &many).await;
        }
        let accounts = memory.0.lock();
        assert!(accounts.channels <= ALL_CHANNELS, "{}", accounts.channels);
        assert_eq!(accounts.channels, accounts.accounts.values().map(HashMap::len).sum::<usize>());
        assert!(accounts.accounts.values().all(|channels| channels.len() <= ACCOUNT_CHANNELS));
        assert!(accounts.accounts[&victim].contains_key(&1), "the one with the most forgets");
    }
}
